"""The perceptron, done right: estimators for scikit-learn on a library in Rust.

>>> from rosenblatt import AveragedPerceptron
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> clf = AveragedPerceptron(max_iter=10).fit(X, y)
>>> clf.stopped_, clf.n_iter_
('max-epochs', 10)
>>> clf.score(X, y) > 0.9
True

The same data, settings and seed give the same weights as ``rosenblatt train``, bit for bit, and models move both ways:
:func:`load` opens what the command line saved, and it opens what ``clf.save(path)`` wrote.
"""

from importlib.metadata import version

from ._estimators import (
    ALMA,
    AROW,
    AveragedPerceptron,
    BatchPerceptron,
    HalfMarginPerceptron,
    KernelPerceptron,
    MarginPerceptron,
    PassiveAggressiveClassifier,
    Perceptron,
    PocketPerceptron,
    VotedPerceptron,
    load,
)
from ._files import load_libsvm
from ._plot import plot_boundary
from ._rosenblatt import CertificateError, DataError, ModelError, SettingsError, learners
from ._separable import Separability, separable, separable_file, verify
from ._tagger import PerceptronTagger
from ._trace import Trace, trace

__version__ = version("rosenblatt")

__all__ = [
    "ALMA",
    "AROW",
    "AveragedPerceptron",
    "BatchPerceptron",
    "CertificateError",
    "DataError",
    "HalfMarginPerceptron",
    "KernelPerceptron",
    "MarginPerceptron",
    "ModelError",
    "PassiveAggressiveClassifier",
    "Perceptron",
    "PerceptronTagger",
    "PocketPerceptron",
    "Separability",
    "SettingsError",
    "Trace",
    "VotedPerceptron",
    "learners",
    "load",
    "load_libsvm",
    "plot_boundary",
    "separable",
    "separable_file",
    "trace",
    "verify",
]
