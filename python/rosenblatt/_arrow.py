"""Rows of a DataFrame as Arrow batches: into the rows of a shard, and through a model."""

from __future__ import annotations

import json
from typing import Any, Iterator

import numpy as np
import pyarrow as pa
from scipy import sparse

from ._rosenblatt import DataError
from ._shards import Rows, label_text

#: Bytes of values in a stored block.
BLOCK = 16 << 20

#: Bytes of a partition: Spark may pass all its blocks at once, and their lengths have 31 bits.
MOST = 2_000_000_000

#: Blocks of rows as Spark stores them; the last of a partition has the survey.
STORED = pa.schema(
    [
        ("partition", pa.int32()),
        ("survey", pa.binary()),
        ("width", pa.int64()),
        ("offsets", pa.binary()),
        ("indices", pa.binary()),
        ("values", pa.binary()),
        ("classes", pa.binary()),
        ("weights", pa.binary()),
    ]
)


def _flat(lists: Any, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """The offsets of a column of lists, from 0, and its values."""
    offsets = lists.offsets.to_numpy().astype(np.int64)
    values = lists.values.to_numpy(zero_copy_only=False)[offsets[0] : offsets[-1]]
    return offsets - offsets[0], np.ascontiguousarray(values, dtype=dtype)


class Features:
    """Reads features: one column of vectors or lists of numbers, or several columns of numbers."""

    def __init__(self, columns: list[str]) -> None:
        self.columns = columns
        self.width: int | None = None
        self.seen = 0

    def read(self, batch: Any) -> Any:
        """The rows of a batch, as an array or CSR. All rows have the width of the first."""
        arrays = [batch.column(name) for name in self.columns]
        for name, array in zip(self.columns, arrays):
            if array.null_count:
                row = int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])
                raise DataError(f"row {self.seen + row + 1}: {name} is null")
        if len(arrays) == 1 and pa.types.is_struct(arrays[0].type):
            rows = self._vectors(arrays[0])
        elif len(arrays) == 1 and (pa.types.is_list(arrays[0].type) or pa.types.is_large_list(arrays[0].type)):
            offsets, values = _flat(arrays[0], np.float64)
            self._check(np.diff(offsets))
            rows = values.reshape(len(offsets) - 1, self.width or 0)
        else:
            rows = np.column_stack([array.to_numpy(zero_copy_only=False).astype(np.float64) for array in arrays])
            self._check(np.full(len(batch), rows.shape[1]))
        self._check_finite(rows)
        self.seen += len(batch)
        return rows

    def _check_finite(self, rows: Any) -> None:
        """Refuses what is not a number here, where rows have the numbers that they have in the partition."""
        values = rows.data if sparse.issparse(rows) else rows.ravel()
        wrong = np.flatnonzero(~np.isfinite(values))
        if not len(wrong):
            return
        at = int(wrong[0])
        if sparse.issparse(rows):
            row, column = int(np.searchsorted(rows.indptr, at, side="right")) - 1, int(rows.indices[at])
        else:
            row, column = divmod(at, rows.shape[1])
        name = self.columns[column] if len(self.columns) > 1 else f"{self.columns[0]}[{column}]"
        raise DataError(f"row {self.seen + row + 1}: {name} is {values[at]}, not a finite number")

    def _check(self, sizes: np.ndarray) -> None:
        """Refuses rows of another size than the first."""
        if len(sizes) == 0:
            return
        self.width = int(sizes[0]) if self.width is None else self.width
        other = np.flatnonzero(sizes != self.width)
        if len(other):
            row = int(other[0])
            raise DataError(f"row {self.seen + row + 1}: a vector of size {sizes[row]}, where size {self.width} came before")

    def _vectors(self, struct: Any) -> Any:
        """Vectors of Spark: a struct of the kind (0 sparse, 1 dense), the size, the indices and the values."""
        kind, size, indices, values = (struct.field(name) for name in ("type", "size", "indices", "values"))
        dense = kind.to_numpy(zero_copy_only=False) == 1
        offsets, numbers = _flat(values, np.float64)
        lengths = np.diff(offsets)
        sizes = np.where(dense, lengths, size.fill_null(0).to_numpy(zero_copy_only=False))
        self._check(sizes)
        if dense.all():
            return numbers.reshape(len(sizes), self.width or 0)
        starts, own = _flat(indices, np.int32)
        if dense.any():
            # Dense rows among sparse ones have the indices 0, 1, …
            places = [np.arange(n) if d else own[a:b] for n, d, a, b in zip(lengths, dense, starts[:-1], starts[1:])]
            own = np.concatenate(places).astype(np.int32)
        rows = sparse.csr_matrix((numbers, own, offsets), shape=(len(sizes), self.width or 0), copy=False)
        rows.has_canonical_format = True
        return rows


def vectors(rows: np.ndarray) -> Any:
    """Dense rows as a column of Spark's vectors."""
    count, width = rows.shape
    ends = pa.array(np.arange(0, rows.size + 1, width, dtype=np.int32))
    nothing = pa.nulls(count, pa.int32())
    fields = {
        "type": pa.array(np.ones(count, dtype=np.int8)),
        "size": nothing,
        "indices": pa.nulls(count, pa.list_(pa.int32())),
        "values": pa.ListArray.from_arrays(ends, pa.array(rows.ravel())),
    }
    return pa.StructArray.from_arrays(list(fields.values()), names=list(fields))


class Packer:
    """Turns the batches of a partition into stored blocks."""

    def __init__(self, features: list[str], label: str, weight: str | None) -> None:
        self.features, self.label, self.weight = Features(features), label, weight
        self.codes: dict[Any, int] = {}
        self.counts: list[int] = []
        self.bytes = 0

    def pack(self, partition: int, batches: Iterator[Any]) -> Iterator[Any]:
        try:
            for batch in batches:
                if len(batch):
                    yield from self._blocks(partition, batch)
        except DataError as error:
            raise DataError(f"partition {partition}, {error}") from None
        survey = {
            "key": partition,
            "rows": sum(self.counts),
            "features": self.features.width or 0,
            "first": 1,
            "sized": True,
            "labels": [label_text(label) for label in self.codes],
            "counts": self.counts,
        }
        yield stored(partition, survey=survey)

    def _blocks(self, partition: int, batch: Any) -> Iterator[Any]:
        labels = batch.column(self.label)
        before = self.features.seen
        if labels.null_count:
            row = int(np.flatnonzero(labels.is_null().to_numpy(zero_copy_only=False))[0])
            raise DataError(f"row {before + row + 1}: {self.label} is null")
        x = self.features.read(batch)
        encoded = labels.dictionary_encode()
        own = [self.codes.setdefault(label, len(self.codes)) for label in encoded.dictionary.to_pylist()]
        classes = np.array(own, dtype=np.uint32)[encoded.indices.to_numpy(zero_copy_only=False)]
        self.counts += [0] * (len(self.codes) - len(self.counts))
        for code, count in enumerate(np.bincount(classes, minlength=len(self.codes)).tolist()):
            self.counts[code] += count
        weights = None
        if self.weight is not None:
            weights = batch.column(self.weight).cast(pa.float64()).to_numpy(zero_copy_only=False)
            wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
            if len(wrong):
                row = int(wrong[0])
                raise DataError(f"row {before + row + 1}: {self.weight} is {weights[row]}: a weight is finite and not negative")
        per_row = max(1, (x.nnz if sparse.issparse(x) else x.size) * 12 // x.shape[0])
        step = max(1, BLOCK // per_row)
        self.bytes += per_row * x.shape[0]
        if self.bytes > MOST:
            raise DataError(f"row {self.features.seen}: the partition is larger than 2 GB; use more partitions")
        for a in range(0, x.shape[0], step):
            part = None if weights is None else weights[a : a + step]
            yield stored(partition, x[a : a + step], classes[a : a + step], part)


def stored(partition: int, x: Any = None, classes: Any = None, weights: Any = None, survey: Any = None) -> Any:
    """One row of the stored table: a block, or the survey of a partition."""

    def raw(array: Any, dtype: Any) -> bytes | None:
        return None if array is None else np.ascontiguousarray(array, dtype=dtype).tobytes()

    is_sparse = sparse.issparse(x)
    values = x.data if is_sparse else x
    row = {
        "partition": partition,
        "survey": None if survey is None else json.dumps(survey).encode(),
        "width": None if x is None else x.shape[1],
        "offsets": raw(x.indptr if is_sparse else None, np.int64),
        "indices": raw(x.indices if is_sparse else None, np.int32),
        "values": raw(values, np.float64),
        "classes": raw(classes, np.uint32),
        "weights": raw(weights, np.float64),
    }
    return pa.RecordBatch.from_pylist([row], schema=STORED)


def restored(batches: Iterator[Any]) -> Iterator[tuple[int, Rows]]:
    """The partitions of stored blocks that have rows, each with its number."""
    blocks: dict[int, list[dict[str, Any]]] = {}
    for batch in batches:
        columns = {name: batch.column(name) for name in STORED.names}
        for i in range(len(batch)):
            survey = columns["survey"][i].as_py()
            partition = columns["partition"][i].as_py()
            if survey is None:
                # Views of the batch's buffers: nothing is copied here.
                block = {name: _view(columns[name], i) for name in ("offsets", "indices", "values", "classes", "weights")}
                blocks.setdefault(partition, []).append({**block, "width": columns["width"][i].as_py()})
            else:
                known = json.loads(survey)
                if known["rows"]:
                    yield partition, _join(blocks.pop(partition), known)


def _view(column: Any, i: int) -> Any:
    value = column[i]
    return None if not value.is_valid else value.as_buffer()


def _join(blocks: list[dict[str, Any]], survey: dict[str, Any]) -> Rows:
    def all_of(name: str, dtype: Any) -> Any:
        parts = [np.frombuffer(block[name], dtype=dtype) for block in blocks]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    classes = all_of("classes", np.uint32)
    weights = None if blocks[0]["weights"] is None else all_of("weights", np.float64)
    width = survey["features"]
    if any(block["offsets"] is not None for block in blocks):
        matrices = [_matrix(block) for block in blocks]
        x = matrices[0] if len(matrices) == 1 else sparse.vstack(matrices, format="csr")
        x.has_canonical_format = True
    else:
        x = all_of("values", np.float64).reshape(len(classes), width)
    return Rows(x, classes, survey["labels"], weights, survey["first"], survey["sized"])


def _matrix(block: dict[str, Any]) -> Any:
    values, rows = np.frombuffer(block["values"], np.float64), len(block["classes"]) // 4
    if block["offsets"] is None:
        return sparse.csr_matrix(values.reshape(rows, block["width"]))
    offsets, indices = np.frombuffer(block["offsets"], np.int64), np.frombuffer(block["indices"], np.int32)
    return sparse.csr_matrix((values, indices, offsets), shape=(rows, block["width"]), copy=False)
