"""Converts the user's arrays to the forms that the native module borrows without a copy."""

from __future__ import annotations

from ast import literal_eval
from collections import Counter
from typing import Any

import numpy as np
from scipy import sparse

from ._rosenblatt import DataError, canonical_labels

#: Types that are used as they are; anything else is converted to the first.
DTYPES = [np.float64, np.float32, np.uint8]


def canonical(X: Any) -> Any:
    """CSR with increasing, unique indices; duplicates are summed in a copy. Arrays are returned unchanged, unless they
    are not aligned, as those in a record or a message may be: then they are copied."""
    if not sparse.issparse(X):
        return X if X.flags.aligned else X.copy()
    if not _is_sound(X):
        raise DataError("the offsets of the sparse rows (indptr) do not increase from 0 to the number of their indices")
    if not all(part.flags.aligned and part.flags.c_contiguous for part in (X.data, X.indices, X.indptr)):
        X = X.copy()
    if X.dtype == np.uint8:
        X = X.astype(np.float64)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _is_sound(X: Any) -> bool:
    """Whether the rows of CSR are within its arrays: SciPy reads anywhere if they are not."""
    ends, entries = X.indptr, min(len(X.indices), len(X.data))
    return bool(ends[0] == 0 and ends[-1] <= entries and (len(ends) == 2 or (ends[1:] >= ends[:-1]).all()))


def is_plain(X: Any) -> bool:
    """Whether the native module borrows X as it is: an array or CSR of one of its types, with at least one row."""
    if type(X) is np.ndarray:
        flags = X.flags
        return X.ndim == 2 and X.dtype in DTYPES and flags.c_contiguous and flags.aligned and X.size > 0
    if type(X) not in (sparse.csr_matrix, sparse.csr_array) or X.ndim != 2 or X.shape[0] == 0:
        return False
    parts = (X.data, X.indices, X.indptr)
    plain = X.dtype in (np.float64, np.float32) and X.indices.dtype == np.int32
    aligned = all(p.flags.aligned and p.flags.c_contiguous for p in parts)
    return bool(plain and aligned and _is_sound(X) and X.has_canonical_format)


def is_plain_target(y: Any, X: Any) -> bool:
    """Whether y is an array of whole numbers, truths or texts with a label for each row of X."""
    return type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuU" and len(y) == X.shape[0]


def has_unit_rows(X: Any) -> bool:
    """Whether the first rows have length 1 or 0, in more than 100 dimensions: as texts do, and other rows that were divided
    by their lengths."""
    if X.shape[1] <= 100:
        return False
    first = X[:100]
    squares = first.multiply(first).sum(axis=1) if sparse.issparse(first) else np.square(first, dtype=np.float64).sum(axis=1)
    squares = np.asarray(squares)
    return bool(squares.any() and ((squares == 0) | (abs(squares - 1) < 1e-3)).all())


def check_finite(X: Any) -> None:
    """Raises an error that names the first row with a number that is not finite."""
    values = X.data if sparse.issparse(X) else X
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return
    at = np.argwhere(~np.isfinite(values))[0]
    if sparse.issparse(X):
        row, column = np.searchsorted(X.indptr, at[0], side="right") - 1, X.indices[at[0]]
    else:
        row, column = at
    raise DataError(f"row {row}, feature {column}: {values[tuple(at)]} is not a finite number")


def names_of(labels: Any, among: Any = None, in_table: bool = False) -> list[str]:
    """Labels as a model file writes them, given all classes (`among`; by default the labels).

    Texts that are one label there, such as "1" and "1.0", are kept apart by quotes around all but the canonical one. So are
    those that are none in a table, such as "NA", if they are to be written in one.
    """
    classes = [str(label) for label in (labels if among is None else among)]
    shared = Counter(canonical_labels(classes))

    def name(text: str) -> str:
        canonical = canonical_labels([text])[0]
        quoted = shared[canonical] > 1 and text != canonical or _unquoted(text) is not None
        quoted = quoted or in_table and (text != text.strip() or text.lower() in _NONE_IN_TABLES)
        return repr(text) if quoted else text

    return [name(str(label)) for label in labels]


#: What stands for a missing value in a table.
_NONE_IN_TABLES = ("", "?", "na", "nan")


def classes_of(names: list[str]) -> np.ndarray:
    """The classes that a model file names: integers if all are, else floats if all are, else texts."""
    texts = [name if (text := _unquoted(name)) is None else text for name in names]
    if texts != names and names in (names_of(texts), names_of(texts, in_table=True)):
        return np.array(texts)
    for kind in (int, float):
        try:
            values = [kind(name) for name in names]
            array = np.array(values)
        except (ValueError, OverflowError):
            continue
        # A float may be another number than its label, and Python reads "1_0" as 10.
        if array.tolist() == values and canonical_labels([str(value) for value in values]) == canonical_labels(names):
            return array
    return np.array(names)


def _unquoted(name: str) -> str | None:
    """The text that `repr` put in quotes; None if the name is not in quotes."""
    if len(name) < 2 or name[0] not in "'\"" or name[0] != name[-1]:
        return None
    try:
        text = literal_eval(name)
    except (SyntaxError, ValueError):
        return None
    return text if isinstance(text, str) and repr(text) == name else None
