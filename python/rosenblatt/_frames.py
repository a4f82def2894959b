"""Data frames and Arrow tables with texts and categories, as the tables that the command line reads."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import numpy as np
from scipy import sparse

from . import _rosenblatt


#: Names of types, by how they begin: those of texts and categories in pandas, with those of Arrow, and in polars.
_WORDS = ("category", "str", "large_string", "dictionary")
_WORDS_OF_POLARS = ("String", "Utf8", "Categorical", "Enum", "Object")


def tabled(X: Any, also_numbers: bool = False) -> Any:
    """A table or a batch of Arrow, and columns that only Arrow's interface gives (a record batch reader, a relation of a
    database), as a data frame of pandas, and so a data frame of polars if it has texts or categories, or `also_numbers`; else
    X as it is."""
    if isinstance(X, (np.ndarray, list, tuple)) or sparse.issparse(X):
        return X
    if type(X).__module__.startswith("polars"):
        X = X.collect() if hasattr(X, "collect") else X
        # Numbers need no pandas, which need not be installed.
        if not also_numbers and not any(str(kind).startswith(_WORDS_OF_POLARS) for kind in getattr(X, "dtypes", ())):
            return X
    if hasattr(X, "to_pandas"):
        frame = X.to_pandas()
        return frame if also_numbers or type(X).__module__.startswith("pyarrow") or has_words(frame) else X
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
    if kind.startswith(_WORDS):
        return True
    return kind == "object" and any(isinstance(value, str) for value in column)


def categories(frame: Any, others: Any = ()) -> list[str]:
    """The columns of categories, and those of texts of which some, but not all, look like numbers: as the type of the column
    says, they are texts. (Where all look like numbers, they are numbers.) `others` are read otherwise."""
    columns = [(str(name), frame.iloc[:, place]) for place, name in enumerate(frame.columns)]
    return [name for name, column in columns if name not in others and (_is_categorical(column) or _is_mixed(column))]


def _is_categorical(column: Any) -> bool:
    return str(column.dtype).startswith(("category", "dictionary"))


def _is_mixed(column: Any) -> bool:
    if not _is_words(column):
        return False
    import pandas

    is_number = pandas.to_numeric(column, errors="coerce").notna()
    return bool(is_number.any() and (column.notna() & ~is_number).any())


def written(frame: Any, **more: Any) -> bytes:
    """A data frame as text with a header, and more columns; truths are 1 and 0."""
    plain = frame.copy(deep=False)
    plain.columns = [str(name) for name in frame.columns]
    for name, kind in zip(plain.columns, plain.dtypes):
        if str(kind).startswith("bool"):
            # Those of pandas's own and of Arrow may be missing.
            plain[name] = plain[name].astype("uint8" if str(kind) == "bool" else "Float64")
    for name, column in more.items():
        plain[name] = np.asarray(column)
    return plain.to_csv(index=False).encode()


def _in_its_words(frame: Any, model: _rosenblatt.Model) -> Any:
    """The frame, with truths as texts where the model learned from a table that has them so: as "True" or "true"."""
    kinds, names = dict(model.columns or ()), model.names or []
    plain = frame.copy(deep=False)
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place]
        if kinds.get(str(name)) == "category" and any(isinstance(value, (bool, np.bool_)) for value in column):
            known = [one.removeprefix(f"{name}=") for one in names if one.startswith(f"{name}=")]
            texts = {text.lower() == "true": text for text in known if text.lower() in ("true", "false")}
            if texts:
                texts = {True: "True", False: "False"} | texts
                plain[name] = [texts[bool(value)] if isinstance(value, (bool, np.bool_)) else value for value in column]
    return plain


def rows_for(model: _rosenblatt.Model, frame: Any) -> tuple[sparse.csr_matrix, list[str]]:
    """The rows of a data frame as a model reads them, before its maps; and notes."""
    content = written(_in_its_words(frame, model))
    try:
        (values, indices, offsets), notes = _rosenblatt.read_rows(model, content, {"header": True, "format": "csv"})
    except _rosenblatt.DataError as error:
        raise _rosenblatt.DataError(in_rows(str(error), content)) from None
    rows = sparse.csr_matrix((values, indices, offsets), shape=(len(offsets) - 1, model.features))
    rows.has_canonical_format = True
    return rows, [in_rows(note, content) for note in notes]


def in_rows(message: str, content: bytes) -> str:
    """A message about the text of a data frame, with rows of the frame, counted from 0, where it has lines of the text."""

    def row(line: str) -> int:
        records = csv.reader(io.StringIO(content.decode(), newline=""))
        # A record may have several lines; the first is the header.
        return next((row for row, _ in enumerate(records, -1) if records.line_num >= int(line)), -1)

    def place(found: re.Match[str]) -> str:
        return "the columns: " if row(found[1]) < 0 else f"row {row(found[1])}: "

    message = re.sub(r"^the data:(\d+)(?::\d+)?: ", place, message)
    return re.sub(r"\bon line (\d+)", lambda found: f"in row {row(found[1])}", message)
