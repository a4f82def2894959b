"""Audits: how good could any hyperplane be, and which rows stand in the way?"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Mapping

import numpy as np

from . import _rosenblatt
from ._arrays import names_of
from ._separable import Proved, _arrays, _named, _whole_text


@dataclass(frozen=True, repr=False)
class Audit(Proved):
    """The result of :func:`audit`. A mistake is a row on the wrong side of a hyperplane, or on it."""

    #: Every hyperplane makes at least so many mistakes (with class weights: mistakes of this cost).
    at_least: Fraction
    #: The best hyperplane that was found makes so many.
    at_most: Fraction
    #: Both, as shares of all rows (or of what all rows cost).
    error: tuple[float, float]
    #: The number of rows.
    examples: int
    #: The number of features, including monomials.
    features: int
    #: The rows that stand in the way, the most suspicious first, with scores: the share of the row's cost that witnesses
    #: use, and 1 more for the mistakes of the best hyperplane.
    suspects: dict[int, float]
    #: The mistakes of the best hyperplane: without these rows the data are separable.
    mistakes: np.ndarray
    #: Sets of rows that no hyperplane separates: they prove `at_least`.
    witnesses: list[list[int]] = field(repr=False)
    #: The best hyperplane, rounded to floats; None for more than two classes.
    weights: np.ndarray | None
    intercept: float | None
    #: The time it took.
    seconds: float
    #: The proof as JSON, for :func:`verify` and ``rosenblatt verify``; None for more than two classes.
    proof: str | None = field(repr=False)
    _data: Any = field(repr=False, compare=False)

    _unproved = " for more than two classes (name a `positive`)"

    @property
    def exact(self) -> bool:
        """Whether both bounds are the same."""
        return self.at_least == self.at_most

    def _lines(self) -> list[tuple[str, str]]:
        low, high = (f"{100 * share:.1f}%" for share in self.error)
        best = f"{self.at_least}" if self.exact else f"{self.at_least} ({low}) to {self.at_most} ({high})"
        rows = [str(row) for row in list(self.suspects)[:8]] + (["…"] if len(self.suspects) > 8 else [])
        lines = [("mistakes", f"{best} of the best hyperplane on {self.examples:,} rows")]
        lines.append(("proof", f"{len(self.witnesses)} witnesses, and a hyperplane"))
        lines.append(("scope", "every row and column, numbers exactly as given"))
        if rows:
            lines.append(("suspects", ", ".join(rows)))
        return lines


def audit(
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    degree: int = 1,
    fit_intercept: bool = True,
    class_weight: Mapping[Any, Any] | str | None = None,
    time_limit: float | None = 10.0,
) -> Audit:
    """The least training error that any hyperplane can have, between two proved bounds, and the rows in the way.

    Floats are taken as exact fractions; nothing is rounded. Of more than two classes one machine is audited, without a
    certificate, or `positive` against the rest.

    Parameters
    ----------
    X, y
        The examples.
    positive
        The class to separate from the others.
    degree
        Take all monomials up to this degree as features.
    fit_intercept
        Whether hyperplanes may have a bias.
    class_weight
        What a mistake costs, by class, or 'balanced'; for two classes.
    time_limit
        The time limit in seconds; None for no limit.

    Examples
    --------
    >>> from rosenblatt import audit
    >>> X = [[0], [1], [2], [3], [4], [5]]
    >>> result = audit(X, [0, 0, 1, 0, 1, 1])
    >>> result.at_least, result.at_most, result.exact
    (Fraction(1, 1), Fraction(1, 1), True)
    >>> result.verify()["at_least"]
    '1'
    """
    if _whole_text(X, y) is not None:
        raise ValueError("X holds a whole number beyond 2**53 that is not a float, and audits are of floats")
    X, codes, names = _arrays(X, y)
    classes = np.unique(y)
    one = _named(positive, classes)
    costs: tuple[str, str] | None = None
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f"class_weight={class_weight!r}: expected 'balanced' or a dict")
        costs = ("balanced", "balanced")
    elif class_weight is not None:
        if len(classes) != 2:
            raise ValueError("class_weight is for two classes: name a `positive`, or leave it out")
        sides = list(classes) if one is None else sorted(classes, key=lambda c: names_of([c], classes)[0] == one)
        negative_cost, positive_cost = (repr(float(class_weight.get(c, 1))) for c in sides)
        costs = (positive_cost, negative_cost)
    result = _rosenblatt.audit(
        X, codes, names, positive=one, costs=costs, time_limit=time_limit, bias=fit_intercept, degree=degree
    )
    low, high = (Fraction(text) for text in result["bounds"])
    weights, intercept = result["hyperplane"] or (None, None)
    return Audit(
        at_least=low,
        at_most=high,
        error=result["error"],
        examples=result["examples"],
        features=result["features"],
        suspects=dict(result["suspects"]),
        mistakes=np.array(result["mistakes"], dtype=np.intp),
        witnesses=result["witnesses"],
        weights=None if weights is None else np.array(weights),
        intercept=intercept,
        seconds=result["seconds"],
        proof=result["certificate"],
        _data=(X, np.asarray(names)[codes]),
    )
