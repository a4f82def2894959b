"""The estimators: one class for each learner of the registry in Rust.

Most are made from the registry at import: name, parameters, defaults and documentation. Written out here are those with
more than their learner: the parameters of scikit-learn's class of the same name, or a kernel.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from scipy import sparse

from ._arrays import classes_of
from ._base import BaseClassifier
from ._fields import REGISTRY, Among, Help, Sets, Within
from ._rosenblatt import Model, SettingsError


class AveragedPerceptron(BaseClassifier):
    """The averaged perceptron: the mean of all weight vectors. The default choice.

    >>> from rosenblatt import AveragedPerceptron
    >>> X, y = [[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]], ["spam", "spam", "ham", "ham"]
    >>> clf = AveragedPerceptron().fit(X, y)
    >>> clf.predict([[1.5, 1.0]]).item()
    'spam'
    >>> clf.stopped_, clf.n_iter_, clf.mistakes_, clf.margin_ > 0
    ('separated', 2, 2, True)
    """

    _learner = "averaged"

    margin: Annotated[
        float,
        Sets("margin"),
        Help(
            "Update where y(w.x) is at most this; 0: on mistakes only. A small margin often lowers the error: try 0.1 to 1 "
            "for rows of length about 1."
        ),
    ] = 0.0
    eta0: Annotated[float, Sets("rate")] = 1.0
    schedule: Annotated[str, Sets("schedule")] = "constant"

    def _learner_name(self) -> str:
        return "averaged" if self.margin == 0 else "margin"

    def _keep(self) -> str | None:
        return None if self.margin == 0 else "average"


class Perceptron(BaseClassifier):
    """Rosenblatt's perceptron, with the parameters of :class:`sklearn.linear_model.Perceptron`.

    A drop-in replacement. More than two classes share one joint classifier unless `multiclass='one-vs-rest'`, and `tol`
    counts mistakes.

    >>> from rosenblatt import Perceptron
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> Perceptron(tol=1e-3, random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    _learner = "perceptron"

    penalty: Annotated[
        str | None,
        Help(
            "'l2', 'l1' or 'elasticnet': the weights, but not the bias, shrink with every example; 'l1' makes many of them "
            "zero. None: they do not."
        ),
        Among(("l2", "l1", "elasticnet")),
    ] = None
    alpha: Annotated[
        float, Help("With a penalty: how much of its size an example takes away from a weight, times `eta0`."), Within(0)
    ] = 0.0001
    l1_ratio: Annotated[
        float, Help("With 'elasticnet': the part of `alpha` that is 'l1'; the rest is 'l2'."), Within(0, 1)
    ] = 0.15
    max_iter: Annotated[int, Help("At most this many passes.")] = 1000
    tol: Annotated[
        float | None,
        Help("Stop after `n_iter_no_change` passes whose share of mistakes did not fall by more. None: never."),
    ] = 1e-3
    eta0: Annotated[float, Sets("rate")] = 1.0
    schedule: Annotated[str, Sets("schedule")] = "constant"
    n_jobs: Annotated[int | None, Help("Ignored; for scikit-learn compatibility.")] = None

    def _learner_name(self) -> str:
        return "perceptron" if self.penalty is None else "penalized"

    def _settings(self) -> dict[str, str]:
        settings = super()._settings()
        if self.penalty is not None:
            if self.schedule != "constant":
                raise SettingsError(f"schedule={self.schedule!r}: with a penalty the rate is 'constant'")
            part = {"l2": 0.0, "l1": 1.0}.get(self.penalty, float(self.l1_ratio))
            settings |= {"l1": repr(self.alpha * part), "l2": repr(self.alpha * (1.0 - part))}
        return settings


class PassiveAggressiveClassifier(BaseClassifier):
    """Keeps the weights if the margin is at least 1, else makes the smallest sufficient update (Crammer et al. 2006).

    It has the parameters of scikit-learn's class of that name, which scikit-learn removes in version 1.10.
    """

    _learner = "pa1"

    C: Annotated[
        float, Sets("c"), Help("The largest step; a larger C trusts a single example more, infinity sets no limit.")
    ] = 1.0
    loss: Annotated[str, Help("'hinge' caps every step at C (PA-I), 'squared_hinge' regularizes it (PA-II).")] = "hinge"
    average: Annotated[bool, Help("Keep the mean of all weight vectors.")] = False
    max_iter: Annotated[int, Help("At most this many passes.")] = 1000
    tol: Annotated[
        float | None,
        Help("Stop after `n_iter_no_change` passes whose share of mistakes did not fall by more. None: never."),
    ] = 1e-3
    n_jobs: Annotated[int | None, Help("Ignored; for scikit-learn compatibility.")] = None

    def _learner_name(self) -> str:
        if self.loss not in ("hinge", "squared_hinge"):
            raise SettingsError(f"loss={self.loss!r}: expected 'hinge' or 'squared_hinge'")
        if np.isposinf(self.C):
            return "pa"
        return "pa1" if self.loss == "hinge" else "pa2"

    def _keep(self) -> str | None:
        return "average" if self.average else None


class KernelPerceptron(BaseClassifier):
    """The perceptron in the space of a kernel, with the kernels of :class:`sklearn.svm.SVC`.

    >>> from rosenblatt import KernelPerceptron
    >>> circle = KernelPerceptron(kernel="poly", degree=2, max_iter=100).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> circle.predict([[0, 0], [0, 1], [1, 0], [1, 1]]).tolist()
    [0, 1, 1, 0]
    """

    _learner = "averaged"

    kernel: Annotated[str, Help("'rbf', 'poly' or 'linear'.")] = "rbf"
    gamma: Annotated[
        float | str,
        Help("For 'rbf': exp(-gamma |x - y|^2); 'scale' is 1 / (features * X.var()), 'auto' 1 / features."),
        Within(0, open=True),
    ] = "scale"
    degree: Annotated[int, Help("For 'poly': (x.y + coef0)^degree."), Within(1)] = 3
    coef0: Annotated[float, Help("For 'poly'.")] = 1.0
    keep: Annotated[str, Help("Which weights to keep: 'average', 'vote' or 'last'.")] = "average"
    budget: Annotated[int | None, Help("At most this many support vectors; with `keep='last'`.")] = None
    policy: Annotated[
        str | None, Help("What to do when the budget is full: 'random', 'forgetron' or 'projectron'.")
    ] = None
    eta0: Annotated[float, Sets("rate")] = 1.0
    schedule: Annotated[str, Sets("schedule")] = "constant"

    def _keep(self) -> str | None:
        return self.keep

    def _kernel(self, X: Any) -> dict[str, Any]:
        match self.kernel:
            case "linear":
                text = "linear"
            case "poly":
                text = f"poly:{self.degree}:{float(self.coef0)!r}"
            case "rbf":
                text = f"rbf:{self._gamma(X)!r}"
            case _:
                raise SettingsError(f"kernel={self.kernel!r}: expected 'rbf', 'poly' or 'linear'")
        return {"kernel": text, "budget": self.budget, "policy": self.policy}

    def _gamma(self, X: Any) -> float:
        if self.gamma == "auto":
            return 1.0 / X.shape[1]
        if self.gamma != "scale":
            return float(self.gamma)
        mean = X.multiply(X).mean() - X.mean() ** 2 if sparse.issparse(X) else X.var()
        return 1.0 / (X.shape[1] * float(mean)) if mean > 0 else 1.0

    @property
    def n_support_(self) -> int:
        """The number of support vectors."""
        return self._fitted_model().support_vectors or 0


#: scikit-learn's names for parameters of the registry.
_FIELDS = {"rate": "eta0"}

#: Additions to the documentation of the registry.
_NOTES = {
    "VotedPerceptron": "`coef_` is the mean of all voters, which predicts nearly the same.",
    "PocketPerceptron": "In `partial_fit` it counts the examples of the current batch.",
    "BatchPerceptron": "In `partial_fit` it takes one step a batch.",
}


if TYPE_CHECKING:

    class Registered(BaseClassifier):
        """For type checkers, which do not see the registry: a class with the parameters of all its learners."""

        alpha: float = 0.9
        b: float = 0.0
        c: float = 1.0
        epsilon: float = 0.0
        eta0: float = 1.0
        gamma: float = 0.0
        l1: float = 0.0
        l2: float = 0.0001
        margin: float = 1.0
        r: float = 1.0
        schedule: str = "constant"
        step: str = "sum"


def _make(entry: dict[str, Any]) -> type[BaseClassifier]:
    """The class of a learner: a field for each parameter, in the order and with the defaults of the registry."""
    name = entry["type_name"]
    summary, guarantee = (text[0].upper() + text[1:] for text in (entry["summary"], entry["guarantee"]))
    paragraphs = [f"{summary} ({entry['paper']}).", _NOTES.get(name), f"Proved: {guarantee}."]
    fields: dict[str, tuple[Any, Any]] = {}
    for param in entry["params"]:
        kind: type = float if param["choices"] is None else str
        hint = Annotated[kind, Sets(param["name"])]  # type: ignore[valid-type]
        fields[_FIELDS.get(param["name"], param["name"])] = hint, kind(param["default"])
    body = {
        "__module__": __name__,
        "__doc__": "\n\n".join(text for text in paragraphs if text),
        "__annotations__": {field: hint for field, (hint, _) in fields.items()},
        "_learner": entry["name"],
        **{field: default for field, (_, default) in fields.items()},
    }
    return type(name, (BaseClassifier,), body)


def _estimators() -> dict[str, type[BaseClassifier]]:
    """Every class by its name: those written out above, and one for every other learner."""
    classes = {cls.__name__: cls for cls in BaseClassifier.__subclasses__()}
    for entry in REGISTRY.values():
        if entry["type_name"] not in classes:
            classes[entry["type_name"]] = _make(entry)
    return classes


ESTIMATORS = _estimators()
# Under their names in this module, where pickle finds them.
globals().update(ESTIMATORS)

#: Learners with the same rule that differ in which weights they keep; and the class for each.
_PERCEPTRON = ("averaged", "perceptron", "voted", "pocket")
_BY_KEEP = {REGISTRY[name]["keep"]: ESTIMATORS[REGISTRY[name]["type_name"]] for name in _PERCEPTRON}


def load(path: Any) -> BaseClassifier:
    """Reads a model that `save` or the command line wrote, as a fitted estimator.

    Classes are integers if all their names are, else floats if all are, else texts, in the order of the file (of two, the
    positive one is the second). `partial_fit` continues from its weights; if no estimator trains in the same way as the
    file (a voted PA, for example), a warning says so.
    """
    return of_model(Model.load(path), path)


def of_model(model: Model, path: Any) -> BaseClassifier:
    """A fitted estimator with this model; `path` is what a warning calls it."""
    facts = model.facts
    learner, keep, params = facts["learner"], facts["keep"], facts["params"]
    estimator: BaseClassifier
    if facts["kernel"] is not None:
        estimator = _kernel_machine(facts)
    elif learner in ("pa", "pa1", "pa2"):
        loss = "squared_hinge" if learner == "pa2" else "hinge"
        estimator = PassiveAggressiveClassifier(loss=loss, C=float(params.get("c", "inf")), average=keep == "average")
    elif learner == "margin" and keep == "average":
        estimator = AveragedPerceptron(margin=float(params["margin"]))
    elif learner in _PERCEPTRON:
        estimator = _BY_KEEP[keep]()
    elif learner == "penalized":
        estimator = _penalized(float(params["l1"]), float(params["l2"]))
    else:
        estimator = ESTIMATORS[REGISTRY[learner]["type_name"]]()
    if not _trains_as(estimator, learner, keep):
        name = type(estimator).__name__
        message = f"{path}: no estimator trains {learner} and keeps {keep}; {name} predicts as the file, and trains differently"
        warnings.warn(message, stacklevel=3)
    estimator._take(model)
    return estimator


def _trains_as(estimator: BaseClassifier, learner: str, keep: str) -> bool:
    """Whether an estimator has this learner's rule and keeps the same weights."""
    own = estimator._learner_name()
    same_rule = own == learner or own in _PERCEPTRON and learner in _PERCEPTRON
    return same_rule and (estimator._keep() or REGISTRY[own]["keep"]) == keep


def _penalized(l1: float, l2: float) -> Perceptron:
    alpha = l1 + l2
    part = l1 / alpha if alpha > 0 else 0.0
    penalty = {0.0: "l2", 1.0: "l1"}.get(part, "elasticnet")
    estimator = Perceptron(penalty=penalty, alpha=alpha)
    if penalty == "elasticnet":
        estimator.l1_ratio = part
    return estimator


def _kernel_machine(facts: dict[str, Any]) -> KernelPerceptron:
    estimator = KernelPerceptron(keep=facts["keep"])
    match facts["kernel"].split(":"):
        case ["poly", degree, constant]:
            estimator.set_params(kernel="poly", degree=int(degree), coef0=float(constant))
        case ["rbf", gamma]:
            estimator.set_params(kernel="rbf", gamma=float(gamma))
        case _:
            estimator.set_params(kernel="linear")
    return estimator
