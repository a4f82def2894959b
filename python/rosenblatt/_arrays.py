"""What users hand in, in the forms that cross the border without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

#: What crosses as it is; anything else becomes the first.
DTYPES = [np.float64, np.float32, np.uint8]


def canonical(X: Any) -> Any:
    """CSR with increasing indices, each once; entries of the same place are added up, in a copy. Arrays as they are."""
    if not sparse.issparse(X):
        return X
    if X.dtype == np.uint8:
        X = X.astype(np.float64)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def names_of(classes: Any) -> list[str]:
    """Classes as a model file writes them. Texts that are the same number, "1" and "01", are kept apart by quotes."""

    def number(text: str) -> Any:
        try:
            return float(text)
        except ValueError:
            return text

    names = [str(label) for label in classes]
    return names if len({number(name) for name in names}) == len(names) else [repr(name) for name in names]


def classes_of(names: list[str]) -> np.ndarray:
    """The classes that a model file names: whole numbers if all are, else numbers if all are, else texts."""
    for kind in (int, float):
        try:
            return np.array([kind(name) for name in names])
        except (ValueError, OverflowError):
            pass
    return np.array(names)
