"""Training step by step, as in a textbook."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array, check_consistent_length

from . import _rosenblatt
from ._arrays import DTYPES, canonical, names_of
from ._estimators import Perceptron


class Trace(list):
    """Steps, each a dict: `epoch`, `step`, `row`, `label`, `score`, `mistake`, and `weights` and `bias` after it.

    With `proof` also the mistake bound: `lower` <= `u_dot_w` <= `norm` <= `upper`, that is kγ ≤ u·w ≤ ‖w‖ ≤ √k·R.
    """

    #: Why training stopped: 'separated', 'max-epochs', or 'no-progress' if the weights repeat.
    stopped: str
    #: The number of mistakes.
    mistakes: int
    #: The mistake bound (R/γ)²; with `proof`.
    bound: float | None
    #: The number of updates on each row between two equal weight vectors, which proves that no hyperplane separates the rows (as floats).
    cycle: dict[int, int] | None

    def to_frame(self) -> Any:
        """The steps as a :class:`pandas.DataFrame`."""
        import pandas

        return pandas.DataFrame(list(self))

    def _repr_html_(self) -> str:
        try:
            return self.to_frame()._repr_html_()
        except ImportError:
            return f"<pre>{self!r}</pre>"


def trace(X: Any, y: Any, estimator: Any = None, *, proof: bool = False) -> Trace:
    """Trains on the rows and returns every step, as ``rosenblatt trace`` does in JSON, with rows counted from 0.

    Parameters
    ----------
    X, y
        The examples.
    estimator
        The estimator whose learner and settings are used; None: the perceptron, rows in order, at most 100 passes.
    proof
        Add the mistake bound to each step; it needs two separable classes.

    Examples
    --------
    >>> from rosenblatt import trace
    >>> steps = trace([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> steps.stopped, steps.mistakes, len(steps)
    ('separated', 18, 36)
    >>> [(s["row"], s["mistake"], s["weights"].tolist(), s["bias"]) for s in steps[:4]]
    [(0, True, [0.0, 0.0], -1.0), (1, False, [0.0, 0.0], -1.0), (2, False, [0.0, 0.0], -1.0), (3, True, [1.0, 1.0], 0.0)]
    """
    if estimator is None:
        estimator = Perceptron(max_iter=100, shuffle=False)
    X = canonical(check_array(X, accept_sparse="csr", dtype=DTYPES, order="C", ensure_all_finite=False))
    y = np.asarray(y)
    check_consistent_length(X, y)
    classes, codes = np.unique(y, return_inverse=True)
    trainer = estimator._trainer(X, estimator.max_iter, classes)
    steps, end = _rosenblatt.trace(trainer, X, codes.astype(np.uint32), names_of(classes), proof=proof)
    for step in steps:
        step["label"] = classes[step["label"]].item()
    result = Trace(steps)
    result.stopped, result.mistakes, result.bound = end["stopped"], end["mistakes"], end.get("bound")
    result.cycle = None if end["cycle"] is None else dict(end["cycle"][2])
    return result
