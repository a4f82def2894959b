"""Converts the user's arrays to the forms that the native module borrows without a copy."""

from __future__ import annotations

from ast import literal_eval
from collections import Counter
from typing import Any

import numpy as np
from scipy import sparse

from ._rosenblatt import canonical_labels

#: Types that are used as they are; anything else is converted to the first.
DTYPES = [np.float64, np.float32, np.uint8]


def canonical(X: Any) -> Any:
    """CSR with increasing, unique indices; duplicates are summed in a copy. Arrays are returned unchanged."""
    if not sparse.issparse(X):
        return X
    if X.dtype == np.uint8:
        X = X.astype(np.float64)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def names_of(labels: Any, among: Any = None) -> list[str]:
    """Labels as a model file writes them, given all classes (`among`; by default the labels).

    Texts that are one label there, such as "1" and "1.0", are kept apart by quotes around all but the canonical one.
    """
    classes = [str(label) for label in (labels if among is None else among)]
    shared = Counter(canonical_labels(classes))

    def name(text: str) -> str:
        canonical = canonical_labels([text])[0]
        quoted = shared[canonical] > 1 and text != canonical or _unquoted(text) is not None
        return repr(text) if quoted else text

    return [name(str(label)) for label in labels]


def classes_of(names: list[str]) -> np.ndarray:
    """The classes that a model file names: integers if all are, else floats if all are, else texts."""
    texts = [name if (text := _unquoted(name)) is None else text for name in names]
    if texts != names and names_of(texts) == names:
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
