"""Classifiers for river: one example at a time, as a dict of features.

>>> from river import datasets, evaluate, metrics, preprocessing
>>> from rosenblatt.river import AveragedPerceptron
>>> model = preprocessing.StandardScaler() | AveragedPerceptron()
>>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy()).get() > 0.85
True

Features and classes may appear at any time, and there may be any number of classes, but for `ALMA` and
`HalfMarginPerceptron`, which learn two. An example takes the time of its
features, however many there are in all. Needs river (``pip install rosenblatt[river]``).
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Mapping

from river import base

from ._base import BaseClassifier
from ._estimators import ESTIMATORS
from ._rosenblatt import DictLearner

#: Those that look at all examples, or keep all that moved them.
_NOT_ONLINE = ("BatchPerceptron", "KernelPerceptron", "PocketPerceptron", "VotedPerceptron")

#: Those that need all classes before the first example: they learn two.
_OF_TWO_CLASSES = ("ALMA", "HalfMarginPerceptron")

#: Parameters of training in passes, or that depend on arrays.
_OF_PASSES = {
    "calibrate",
    "class_weight",
    "coef_dtype",
    "early_stopping",
    "max_iter",
    "n_iter_no_change",
    "n_jobs",
    "random_state",
    "shuffle",
    "stop",
    "tol",
    "validation_fraction",
    "verbose",
    "warm_start",
}


class DictClassifier(base.Classifier):
    """Learns from one dict at a time. A subclass names an estimator of this package, whose parameters it has."""

    _estimator: type[BaseClassifier] = ESTIMATORS["AveragedPerceptron"]

    def __init__(self, **given: Any) -> None:
        for name, value in given.items():
            setattr(self, name, value)
        # The constructor of the estimator knows the parameters, and the trainer checks them.
        self._native = DictLearner(self._estimator(**given)._trainer(None, 1))

    @property
    def _multiclass(self) -> bool:
        return type(self).__name__ not in _OF_TWO_CLASSES

    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learns from one example of weight `w`."""
        self._native.learn(x, y, w)

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Any:
        """The class of an example; None before the first. Features that were never learned from count for nothing."""
        return self._native.classify(x)

    def predict_proba_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """1 for the class of the example, 0 for the others: scores are no probabilities. (river's classifiers with a hinge
        loss answer the same.)"""
        found = self._native.scores(x)
        # river's contract for two classes: both, from the beginning.
        both = {} if self._multiclass else {False: 0.0, True: 0.0}
        if found is None:
            return {one: 0.5 for one in both}
        label, scores = found
        return (both if scores.keys() <= both.keys() else {}) | {one: float(one == label) for one in scores}

    def decision_function_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """The score of each class; of two classes the scores are one another's negative."""
        found = self._native.scores(x)
        return {} if found is None else found[1]

    @property
    def weights(self) -> dict[Any, Any]:
        """The weight of each feature: of two classes that for the second, else a dict for each class."""
        by_output, _ = self._native.weights()
        return by_output[0] if len(by_output) == 1 else dict(zip(self._native.classes, by_output))

    @property
    def intercept(self) -> Any:
        """The bias: of two classes that for the second, else one for each class."""
        _, biases = self._native.weights()
        return biases[0] if len(biases) == 1 else dict(zip(self._native.classes, biases))


def _make(name: str, estimator: type[BaseClassifier]) -> type[DictClassifier]:
    """The class of an estimator: its parameters, without those of training in passes."""
    fields = {field: getattr(estimator, field) for field in estimator._hints if field not in _OF_PASSES}
    # There are no first rows to look at.
    fields["intercept_scaling"] = 1.0

    def __init__(self, **given):
        for field in given:
            if field not in fields:
                raise TypeError(f"{name} has no parameter {field!r}: it has {', '.join(fields)}")
        DictClassifier.__init__(self, **{**fields, **given})

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter(field, keyword, default=default) for field, default in fields.items()]
    __init__.__signature__ = inspect.Signature([own, *parameters])  # type: ignore[attr-defined]
    __init__.__qualname__ = f"{name}.__init__"
    summary = (estimator.__doc__ or "").split("\n\n")[0].split("Parameters\n")[0].strip()
    doc = f"{summary}\n\nOne example at a time; the parameters are those of :class:`rosenblatt.{name}`."
    return type(name, (DictClassifier,), {"__module__": __name__, "__doc__": doc, "_estimator": estimator, "__init__": __init__})


_CLASSES = {name: _make(name, cls) for name, cls in ESTIMATORS.items() if name not in _NOT_ONLINE}
globals().update(_CLASSES)
__all__ = ["DictClassifier", *sorted(_CLASSES)]

if TYPE_CHECKING:

    def __getattr__(name: str) -> type[DictClassifier]:
        """For type checkers, which do not see the registry: any other name is one of its classes."""
