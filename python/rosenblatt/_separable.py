"""Linear separability: a verdict, and a proof that can be checked independently."""

from __future__ import annotations

import html
import io
import json
import math
import os
import tempfile
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array, check_consistent_length

from . import _rosenblatt
from ._arrays import DTYPES, canonical, names_of

#: What each verdict means.
MEANING = {
    "separable": "a hyperplane has every example strictly on its side",
    "weakly-separable": "the classes touch: no hyperplane has every example strictly on its side",
    "inseparable": "no hyperplane has the classes on its two sides",
    "not-separable": "no hyperplane has every example strictly on its side; whether one has none on the wrong side is undecided",
    "undecided": "the time limit was reached",
}


class Proved:
    """A result with a proof, shown line by line."""

    #: Why there may be no proof.
    _unproved = ""

    if TYPE_CHECKING:
        # Attributes of a result.
        @property
        def proof(self) -> str | None: ...
        @property
        def _data(self) -> Any: ...
        def _lines(self) -> list[tuple[str, str]]: ...

    @property
    def certificate(self) -> dict[str, Any] | None:
        """The proof as a dict."""
        return None if self.proof is None else json.loads(self.proof)

    def save(self, path: Any) -> None:
        """Writes the proof to a file."""
        proof = self._proved()
        with open(path, "w", encoding="utf-8") as file:
            file.write(proof)

    def verify(self) -> dict[str, Any]:
        """Checks the proof against the data in exact arithmetic, with independent code.

        Returns what is proved; raises :class:`CertificateError` if it is not.
        """
        return verify(self._proved(), *self._data, reading_as_certified=True)

    def _proved(self) -> str:
        if self.proof is None:
            raise ValueError(f"there is no proof{self._unproved}")
        return self.proof

    def __repr__(self) -> str:
        return "\n".join(f"{name:<14}{text}" for name, text in self._lines())

    def _repr_html_(self) -> str:
        cells = (f"<tr><th>{name}</th><td>{html.escape(text)}</td></tr>" for name, text in self._lines())
        return f"<table>{''.join(cells)}</table>"


@dataclass(frozen=True, repr=False)
class Separability(Proved):
    """The result of :func:`separable`. It is true as a condition if the data are separable."""

    #: 'separable', 'weakly-separable', 'inseparable', 'not-separable' (weakly or not is undecided) or 'undecided'.
    verdict: str
    #: Bounds of the largest margin of any hyperplane, if the data are separable.
    margin: tuple[float, float] | None
    #: The greatest length of an example, including the 1 of the bias.
    radius: float
    #: The perceptron makes at most this many mistakes, if the data are separable.
    bound: float | None
    #: The number of examples.
    examples: int
    #: The number of features, including monomials.
    features: int
    #: The degree of the largest monomials.
    degree: int
    #: A separating (or weakly separating) hyperplane.
    weights: np.ndarray | None
    intercept: float | None
    #: Rows and weights that prove it: the weighted sum of the rows, each times its sign, is zero if the data are not
    #: separable, and bounds the margin if they are.
    witness: dict[int, Fraction]
    #: Two rows with the same features and different labels, if there are any.
    contradiction: tuple[int, int] | None
    #: The proof as JSON, for :func:`verify` and ``rosenblatt verify``; None if there is none.
    proof: str | None = field(repr=False)
    _data: Any = field(repr=False, compare=False)
    #: Which rows, columns, hyperplanes and numbers the verdict is about.
    scope: str = ""

    _unproved = ": the verdict is undecided, or of more than two classes (name a `positive`)"

    @property
    def separable(self) -> bool:
        """Whether some hyperplane has every example strictly on its side."""
        return self.verdict == "separable"

    def __bool__(self) -> bool:
        return self.separable

    def _lines(self) -> list[tuple[str, str]]:
        lines = [("verdict", f"{self.verdict}: {MEANING[self.verdict]}")]
        if self.margin is not None:
            lines.append(("margin", f"between {self.margin[0]:.9g} and {self.margin[1]:.9g}"))
        if self.bound is not None and math.isfinite(self.bound):
            most = f"{int(self.bound):,}" if self.bound < 1e15 else f"{self.bound:.5e}"
            lines.append(("perceptron", f"at most {most} mistakes"))
        if self.contradiction is not None:
            lines.append(("contradiction", "rows {} and {} are the same, with different labels".format(*self.contradiction)))
        rows = [str(row) for row in list(self.witness)[:8]] + (["…"] if len(self.witness) > 8 else [])
        if rows:
            lines.append(("witness", f"{len(self.witness)} rows ({', '.join(rows)})"))
        shape = f"{self.examples:,} examples, {self.features:,} features"
        lines.append(("data", shape if self.degree == 1 else f"{shape} (monomials up to degree {self.degree})"))
        if self.scope:
            lines.append(("scope", self.scope))
        return lines


def separable(
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    degree: int = 1,
    fit_intercept: bool = True,
    gap: float = 1e-6,
    time_limit: float | None = None,
) -> Separability:
    """Decides whether a hyperplane separates the classes, with a proof either way.

    Floats are taken as exact fractions, and whole numbers as they are; nothing is rounded. Two classes are separated from
    each other; more are separated jointly (without a certificate), or `positive` from the rest.

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
    gap
        The largest relative gap between the two bounds of the margin.
    time_limit
        The time limit in seconds.

    Examples
    --------
    >>> from rosenblatt import separable
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> separable(X, [0, 0, 0, 1])
    verdict       separable: a hyperplane has every example strictly on its side
    margin        between 0.353553375 and 0.353553391
    perceptron    at most 51 mistakes
    witness       3 rows (1, 2, 3)
    data          4 examples, 2 features
    scope         every row and column, hyperplanes with a bias, numbers exactly as given
    >>> xor = separable(X, [0, 1, 1, 0])
    >>> xor.verdict, dict(xor.witness)
    ('inseparable', {0: Fraction(1, 4), 1: Fraction(1, 4), 2: Fraction(1, 4), 3: Fraction(1, 4)})
    >>> xor.verify()["verdict"]
    'inseparable'
    >>> separable(X, [0, 1, 1, 0], degree=2).separable
    True
    """
    one = _named(positive, np.unique(y))
    scope = f"every row and column, hyperplanes {_through(fit_intercept)}, numbers exactly as given"
    text = _whole_text(X, y)
    if text is not None:
        result = _of_text(text, one, degree=degree, bias=fit_intercept, gap=gap, time_limit=time_limit)
        return _made(result, (X, y), scope)
    X, codes, names = _arrays(X, y)
    result = _rosenblatt.separable(
        X,
        codes,
        names,
        positive=one,
        degree=degree,
        bias=fit_intercept,
        gap=gap,
        time_limit=time_limit,
    )
    return _made(result, (X, np.asarray(names)[codes]), scope)


def separable_file(
    path: Any,
    *,
    degree: int = 1,
    fit_intercept: bool = True,
    gap: float = 1e-6,
    time_limit: float | None = None,
    **reading: Any,
) -> Separability:
    """The same for a file, with its numbers as they are written: in a text 0.1 is one tenth.

    `reading` are the reading options of `fit_file`.
    """
    result = _rosenblatt.separable_file(
        os.fspath(path), reading, degree=degree, bias=fit_intercept, gap=gap, time_limit=time_limit
    )
    scope = f"the rows and columns that are read, hyperplanes {_through(fit_intercept)}, numbers as written"
    return _made(result, (path, reading.get("labels")), scope)


def _named(positive: Any, classes: Any) -> str | None:
    """The name of the class that is to be separated from the others."""
    if positive is None:
        return None
    if positive not in classes.tolist():
        raise _rosenblatt.SettingsError(f"positive={positive!r}: no row has this label; there are {classes.tolist()}")
    return names_of([positive], classes)[0]


def _through(fit_intercept: bool) -> str:
    return "with a bias" if fit_intercept else "through the origin"


def verify(
    certificate: Any, data: Any, labels: Any = None, *, reading_as_certified: bool = False
) -> dict[str, Any]:
    """Checks a certificate against its data: arrays, or the paths of files. Returns what is proved.

    The check is exact and shares no code with `separable`. Raises :class:`CertificateError` with the reason if the
    certificate is damaged, is of other data, or does not prove its claim; also if it reads the data otherwise than anyone
    would by their bytes alone (rows or columns left out, another label column, a degree, no bias), unless you accept that.

    Parameters
    ----------
    certificate
        The JSON of :attr:`Separability.proof` as text or bytes, unchanged; or the path of its file.
    data, labels
        `X` and `y`; or a path, and the path of the labels if they are in another file.
    reading_as_certified
        Accept the reading that the certificate states, whatever it is.
    """
    proved = _verified(certificate, data, labels)
    if proved["departures"] and not reading_as_certified:
        raise _rosenblatt.CertificateError(
            "it is about another reading of the data: "
            + "; ".join(proved["departures"])
            + " (reading_as_certified=True accepts that)"
        )
    return proved


def _verified(certificate: Any, data: Any, labels: Any) -> dict[str, Any]:
    if isinstance(certificate, os.PathLike) or isinstance(certificate, str) and not certificate.lstrip().startswith("{"):
        certificate = _rosenblatt.read_bytes(os.fspath(certificate))
    if isinstance(certificate, str):
        certificate = certificate.encode()
    if isinstance(data, (str, os.PathLike)):
        beside = None if labels is None else _rosenblatt.read_bytes(os.fspath(labels))
        return _rosenblatt.verify(certificate, _rosenblatt.read_bytes(os.fspath(data)), beside)
    text = _whole_text(data, labels)
    if text is not None:
        return _rosenblatt.verify(certificate, text)
    X, codes, names = _arrays(data, labels)
    if sparse.issparse(X):
        return _rosenblatt.verify(certificate, _rosenblatt.proved_bytes(X, codes, names))
    # The bytes are those of numpy.save, so that anyone can reproduce them.
    y = np.asarray(names)[codes]
    if all(name == str(_whole(name)) for name in names):
        y = y.astype("<i8")
    return _rosenblatt.verify(certificate, _saved(X.astype("<f8")), _saved(y))


def _arrays(X: Any, y: Any) -> tuple[Any, np.ndarray, list[str]]:
    X = canonical(check_array(X, accept_sparse="csr", dtype=DTYPES, order="C", ensure_all_finite=False))
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"y has {y.ndim} dimensions: expected a label for each row")
    check_consistent_length(X, y)
    classes, codes = np.unique(y, return_inverse=True)
    return X, codes.astype(np.uint32), names_of(classes)


def _beyond_floats(values: Any) -> bool:
    """Whether some whole number of an array is not a float: 2**53 + 1."""
    if values.dtype.kind not in "iuO" or values.size == 0:
        return False
    flat = values.ravel()
    if values.dtype.kind == "O":
        if not all(isinstance(value, (int, np.integer)) for value in flat):
            return False
        large = [int(value) for value in flat if abs(int(value)) > 2**53]
    else:
        large = [int(value) for value in flat[(flat > 2**53) | (flat < -(2**53))]]
    return any(abs(value) > 2**1023 or int(float(value)) != value for value in large)


def _whole_text(X: Any, y: Any) -> bytes | None:
    """LIBSVM text of whole numbers that floats do not hold; None for all other arrays."""
    if sparse.issparse(X):
        if _beyond_floats(X.data):
            raise ValueError("X holds a whole number beyond 2**53 that is not a float: pass it as a dense array")
        return None
    try:
        values = np.asarray(X)
    except ValueError:  # ragged: the usual check says so
        return None
    if values.ndim != 2 or not _beyond_floats(values):
        return None
    y = np.asarray(y)
    check_consistent_length(values, y)
    classes, codes = np.unique(y, return_inverse=True)
    names = names_of(classes)
    odd = [name for name in names if not name or any(c.isspace() or c in "#:" for c in name)]
    if odd:
        raise ValueError(
            "whole numbers that are not floats are proved about as LIBSVM text, where a label is one word; "
            f"{odd[0]!r} is not"
        )
    lines, last = [], values.shape[1]
    for i, row in enumerate(values):
        pairs = [f"{j}:{int(value)}" for j, value in enumerate(row, 1) if value]
        if i == 0 and not row[-1]:
            pairs.append(f"{last}:0")
        lines.append(" ".join([names[codes[i]], *pairs]) + "\n")
    return "".join(lines).encode()


def _of_text(text: bytes, positive: str | None, **options: Any) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "X.svm")
        with open(path, "wb") as file:
            file.write(text)
        reading = {"format": "libsvm"} | ({} if positive is None else {"positive": positive})
        return _rosenblatt.separable_file(path, reading, **options)


def _whole(name: str) -> int | None:
    try:
        return int(name)
    except ValueError:
        return None


def _saved(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _made(result: dict[str, Any], data: Any, scope: str) -> Separability:
    witness = {row: Fraction(weight) for row, weight in result.pop("support")}
    weights = result.pop("weights")
    return Separability(
        **{name: result[name] for name in ("verdict", "margin", "radius", "bound", "examples", "features", "degree")},
        intercept=result["intercept"],
        contradiction=result["contradiction"],
        weights=None if weights is None else np.array(weights),
        witness=witness,
        proof=result["certificate"],
        _data=data,
        scope=scope,
    )
