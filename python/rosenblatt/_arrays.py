"""Converts the user's arrays to the forms that the native module borrows without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

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


def names_of(classes: Any) -> list[str]:
    """Class names for a model file. Texts that are the same number, "1" and "01", are distinguished by quotes."""

    def number(text: str) -> Any:
        try:
            return float(text)
        except ValueError:
            return text

    names = [str(label) for label in classes]
    return names if len({number(name) for name in names}) == len(names) else [repr(name) for name in names]


def classes_of(names: list[str]) -> np.ndarray:
    """The classes of a model file: integers if all names are, else floats if all are, else texts."""
    for kind in (int, float):
        try:
            return np.array([kind(name) for name in names])
        except (ValueError, OverflowError):
            pass
    return np.array(names)
