"""What a fitted classifier answers beside classes: probabilities, reasons, findings, ONNX."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from ._arrays import DTYPES, canonical, names_of
from ._frames import has_words, tabled
from ._targets import classes_in, codes_of, only_one, row_weights, without_gaps

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._rosenblatt import Model, Trainer


@dataclass(frozen=True)
class Term:
    """A feature's part in a score."""

    feature: str
    value: float
    contribution: float


@dataclass(frozen=True)
class Explanation:
    """Why a row gets its class: the score is the bias and the sum of all contributions."""

    label: Any
    #: For more than two classes, the one that came second: the score is the lead over it.
    runner_up: Any
    score: float
    bias: float
    #: Every feature whose contribution is not zero, the largest first.
    terms: list[Term]


@dataclass(frozen=True)
class Finding:
    """What the diagnosis of a training found, with its advice."""

    kind: str
    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Report:
    """How a training went, as the command line reports it."""

    #: Why it stopped: 'separated', 'max-epochs', 'no-progress' or 'small-step'.
    stopped: str
    epochs: int
    #: Examples presented, in all passes; predictions that were wrong; steps.
    presented: int
    mistakes: int
    updates: int
    #: The share of training rows that the kept weights get wrong.
    train_error: float
    #: The least geometric margin of the rows, and the length of the longest.
    margin: float
    radius: float | None
    #: At most this many mistakes, by a theorem, if one says so of these rows.
    bound: float | None


def report_of(facts: dict[str, Any]) -> Report | None:
    """The report of a whole training; None: after a batch, and of a file, there is none."""
    if "train_error" not in facts:
        return None
    own = {name: facts[name] for name in ("stopped", "presented", "mistakes", "updates", "train_error", "margin", "radius", "bound")}
    return Report(epochs=len(facts["mistakes_by_epoch"]), **own)


def _is_calibrated(estimator: Any) -> bool:
    if not estimator.calibrate:
        raise AttributeError("there are no probabilities: pass calibrate=True")
    return True


class Answers:
    """Methods of all classifiers."""

    if TYPE_CHECKING:
        classes_: np.ndarray
        calibrate: bool
        max_iter: int

        def _rows(self, X: Any) -> Any: ...
        def _fitted_model(self) -> Model: ...
        def _trainer(
            self, X: Any, epochs: int, classes: Any = None, bias: float | None = None, all_classes: bool = False
        ) -> Trainer: ...
        def _feature_names(self) -> list[str] | None: ...

    @available_if(_is_calibrated)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of the probability of each class, for each row; with `calibrate=True`."""
        X = self._rows(X)
        found = self._fitted_model().ln_probabilities(X)
        if found is None:
            raise AttributeError("there are no probabilities after partial_fit or other weights: fit learns them")
        return found

    @available_if(_is_calibrated)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, for each row; with `calibrate=True`."""
        return np.exp(self.predict_log_proba(X))

    def explain(self, X: Any) -> list[Explanation]:
        """For each row why it gets its class: its features by their part in the score.

        >>> from rosenblatt import AveragedPerceptron
        >>> clf = AveragedPerceptron().fit([[2.0, 0.0], [-2.0, 0.0], [3.0, 0.1]], ["up", "down", "up"])
        >>> why = clf.explain([[1.0, 0.0]])[0]
        >>> why.label, [term.feature for term in why.terms]
        ('up', ['x1'])
        """
        X = self._rows(X)
        model = self._fitted_model()
        labels = dict(zip(model.labels, self.classes_.tolist()))
        return [
            Explanation(
                labels[label], labels.get(second), score, bias, [Term(*term) for term in terms]  # type: ignore[arg-type]
            )
            for label, second, score, bias, terms in model.explain(X)
        ]

    def diagnose(self, X: Any, y: Any, sample_weight: Any = None) -> list[Finding]:
        """Trains on these rows, as `fit` does, and says why that does not separate them and what may help: rows that
        contradict each other, labels that may be wrong, columns that dominate. This estimator is not changed.

        >>> from rosenblatt import AveragedPerceptron
        >>> [one.kind for one in AveragedPerceptron().diagnose([[1.0], [1.0], [2.0]], ["a", "b", "b"])]
        ['KeptFailing', 'NoBetterThanMajority', 'Contradiction']
        """
        from sklearn.base import clone

        other, X = clone(self), tabled(X)
        if has_words(X):
            raise ValueError("diagnose takes numbers: encode the texts and categories of X, or diagnose its file by `rosenblatt train`")
        X, y = validate_data(other, X, without_gaps(y), accept_sparse="csr", dtype=DTYPES, order="C", ensure_all_finite=False)
        X, classes = canonical(X), classes_in(y)
        if len(classes) < 2:
            raise ValueError(f"{only_one(classes)}: at least two are needed")
        trainer = other._trainer(X, other.max_iter, classes)
        found = trainer.examine(
            X, codes_of(classes, y), names_of(classes), names=other._feature_names(), weights=row_weights(sample_weight, X)
        )
        return [Finding(kind, message) for kind, message in found]

    def to_onnx(self) -> bytes:
        """The model as the bytes of an ONNX file: input `X` of float32, outputs `label` and `scores`.

        Refused for votes and kernels, which are not one hyperplane for a class. With skl2onnx,
        :func:`rosenblatt.register_onnx` lets `to_onnx` convert pipelines that end in one of these classifiers.
        """
        check_is_fitted(self)
        return self._fitted_model().to_onnx()

    @available_if(lambda self: not hasattr(self, "kernel"))  # kernel machines have no weights to store
    def sparsify(self) -> Self:
        """Makes `coef_` a CSR matrix, as scikit-learn's method of that name; predictions do not change."""
        check_is_fitted(self)
        self._sparse = True
        return self

    def densify(self) -> Self:
        """Makes `coef_` an array again."""
        check_is_fitted(self)
        self.__dict__.pop("_sparse", None)
        return self
