"""Data frames and Arrow tables with texts and categories, as the tables that the command line reads."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from . import _rosenblatt


def tabled(X: Any) -> Any:
    """A table or a batch of Arrow, and columns that only Arrow's interface gives (a record batch reader, a relation of a
    database), as a data frame of pandas, and so a data frame of polars if it has texts or categories; else X as it is."""
    if isinstance(X, (np.ndarray, list, tuple)) or sparse.issparse(X):
        return X
    if hasattr(X, "collect") and type(X).__module__.startswith("polars"):
        X = X.collect()
    if hasattr(X, "to_pandas"):
        frame = X.to_pandas()
        return frame if type(X).__module__.startswith("pyarrow") or has_words(frame) else X
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "__array__"):
        import pyarrow

        return pyarrow.table(X).to_pandas()
    return X


def is_frame(X: Any) -> bool:
    """Whether X is a data frame of pandas."""
    return hasattr(X, "to_csv") and hasattr(X, "columns")


def has_words(X: Any) -> bool:
    """Whether X is a data frame of pandas with a column of texts or categories."""
    return is_frame(X) and any(_is_words(X.iloc[:, place]) for place in range(X.shape[1]))


def _is_words(column: Any) -> bool:
    kind = str(column.dtype)
    if kind in ("category", "str") or kind.startswith("string"):
        return True
    return kind == "object" and any(isinstance(value, str) for value in column)


def categories(frame: Any) -> list[str]:
    """The columns of categories."""
    return [str(name) for name, kind in zip(frame.columns, frame.dtypes) if str(kind) == "category"]


def written(frame: Any, **more: Any) -> bytes:
    """A data frame as text with a header, and more columns; truths are 1 and 0."""
    plain = frame.copy(deep=False)
    plain.columns = [str(name) for name in frame.columns]
    for name, kind in zip(plain.columns, plain.dtypes):
        if str(kind) in ("bool", "boolean"):
            plain[name] = plain[name].astype("Float64" if str(kind) == "boolean" else "uint8")
    for name, column in more.items():
        plain[name] = np.asarray(column)
    return plain.to_csv(index=False).encode()


def rows_for(model: _rosenblatt.Model, frame: Any) -> tuple[sparse.csr_matrix, list[str]]:
    """The rows of a data frame as a model reads them, before its maps; and notes."""
    (values, indices, offsets), notes = _rosenblatt.read_rows(model, written(frame), {"header": True, "format": "csv"})
    rows = sparse.csr_matrix((values, indices, offsets), shape=(len(offsets) - 1, model.features))
    rows.has_canonical_format = True
    return rows, notes
