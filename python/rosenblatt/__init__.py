"""Perceptrons for scikit-learn: estimators on a library in Rust.

>>> from rosenblatt import AveragedPerceptron
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> clf = AveragedPerceptron(max_iter=10).fit(X, y)
>>> clf.stopped_, clf.n_iter_
('max-epochs', 10)
>>> clf.score(X, y) > 0.9
True

The same data, settings and seed give the same weights as ``rosenblatt train``, bit for bit. :func:`load` reads models of
the command line, and the command line reads those of ``clf.save(path)``.
"""

from importlib.metadata import version
from typing import TYPE_CHECKING

from ._answers import Explanation, Finding, Report, Term
from ._audit import Audit, audit
from ._estimators import (
    ESTIMATORS,
    AveragedPerceptron,
    KernelPerceptron,
    PassiveAggressiveClassifier,
    Perceptron,
    load,
)
from ._files import load_libsvm
from ._lab import lab
from ._onnx import register_onnx
from ._plot import plot_boundary
from ._rosenblatt import CertificateError, DataError, ModelError, SettingsError, learners
from ._separable import Separability, separable, separable_file, verify
from ._tagger import PerceptronTagger
from ._trace import Trace, trace

__version__ = version("rosenblatt")

__all__ = [
    "Audit",
    "AveragedPerceptron",
    "CertificateError",
    "DataError",
    "Explanation",
    "Finding",
    "KernelPerceptron",
    "ModelError",
    "PassiveAggressiveClassifier",
    "Perceptron",
    "PerceptronTagger",
    "Report",
    "Separability",
    "SettingsError",
    "Term",
    "Trace",
    "audit",
    "lab",
    "learners",
    "load",
    "load_libsvm",
    "plot_boundary",
    "register_onnx",
    "separable",
    "separable_file",
    "trace",
    "verify",
]

# The classes made from the registry, one for each learner without a class above.
globals().update(ESTIMATORS)
__all__ += sorted(ESTIMATORS.keys() - set(__all__))

if TYPE_CHECKING:
    from ._estimators import Registered

    def __getattr__(name: str) -> type[Registered]:
        """For type checkers, which do not see the registry: any other name is one of its classes."""
