"""Training on shards, whatever carries the bytes.

A driver holds a `Mixture`. In every round each shard makes one pass from its bytes and reports what it changed; the driver
mixes the reports in the order of the shards. So the model depends on the rows of each shard, the number of shards, the seed
and the rounds, and on nothing else.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np
from scipy import sparse

from ._arrays import canonical
from ._rosenblatt import DataError, Mixture, SettingsError, Trainer, canonical_labels, merge_labels, read_shard

#: With so many weights in all reports together they are summed by tasks, and the driver receives one.
WIDE = 1 << 23


@dataclass
class Rows:
    """The rows of a shard. `classes` are places in `labels`; `sized`: the number of columns is the number of features;
    `fingerprint`: of the bytes of the file that they are from."""

    x: Any
    classes: np.ndarray
    labels: list[str]
    weights: np.ndarray | None = None
    first: int = 1
    sized: bool = True
    fingerprint: int | None = None

    def survey(self, key: int) -> dict[str, Any]:
        """What the driver must know of a shard before the first round."""
        counts = np.bincount(self.classes, minlength=len(self.labels)).tolist()
        features = int(self.x.shape[1])
        return {
            "key": key,
            "rows": len(self.classes),
            "features": features,
            "first": self.first,
            "sized": self.sized,
            "labels": self.labels,
            "counts": counts,
            "fingerprint": self.fingerprint,
        }


def label_text(label: Any) -> str:
    """A label as model files write it: whole numbers without a point, so that 1.0 of a DataFrame is the 1 of a file."""
    if isinstance(label, (float, np.floating)):
        if not np.isfinite(label):
            raise DataError(f"label {label}: expected a finite number or a text")
        return str(int(label)) if float(label).is_integer() else repr(float(label))
    if isinstance(label, (bool, np.bool_)):
        return "true" if label else "false"
    return str(label)


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except TypeError:
        # The NA of pandas is neither equal to itself nor not.
        return True


def coded(labels: Any) -> tuple[np.ndarray, list[str]]:
    """The labels as codes, and their texts."""
    labels = np.asarray(labels)
    if labels.dtype == object:
        # Nothing can be put in order beside None or the NA of pandas.
        missing = [row for row, label in enumerate(labels.ravel().tolist()) if _is_missing(label)]
        if missing:
            raise DataError(f"row {missing[0]}: the label is missing")
    values, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.uint32).ravel(), [label_text(value) for value in values.tolist()]


def rows_of_file(path: str) -> Rows:
    """A LIBSVM file as a shard. One without examples is a shard without rows, as it is elsewhere a partition."""
    try:
        values, indices, offsets, features, first, classes, labels, fingerprint = read_shard(path)
    except DataError as error:
        if not str(error).startswith(f"{path}: no examples"):
            raise
        return Rows(sparse.csr_matrix((0, 0)), np.zeros(0, np.uint32), [], sized=False)
    x = sparse.csr_matrix((values, indices.view(np.int32), offsets), shape=(len(offsets) - 1, features), copy=False)
    x.has_canonical_format = True
    return Rows(x, classes, labels, first=first, sized=False, fingerprint=fingerprint)


def begin(trainer: Trainer, mixing: str, surveys: list[dict[str, Any]]) -> tuple[Mixture, dict[int, int]]:
    """The state before the first round, and the shard of each key. Shards without rows have no number."""
    surveys = sorted((survey for survey in surveys if survey["rows"]), key=lambda survey: survey["key"])
    if not surveys:
        raise DataError("no examples: there are no rows to learn from")
    sizes = {survey["features"]: survey["key"] for survey in reversed(surveys) if survey["sized"]}
    if len(sizes) > 1:
        (one, at), (other, there) = sorted(sizes.items(), key=lambda item: item[1])[:2]
        raise DataError(f"partition {at} has vectors of size {one}, partition {there} of size {other}")
    first = min(survey["first"] for survey in surveys)
    features = max(survey["features"] + survey["first"] - first for survey in surveys)
    labels = merge_labels([survey["labels"] for survey in surveys])
    counts = [0] * len(labels)
    for survey in surveys:
        for place, count in zip(_places(labels, survey["labels"]), survey["counts"]):
            counts[place] += count
    state = Mixture.begin(trainer, mixing, len(surveys), labels, counts, features, first)
    return state, {survey["key"]: shard for shard, survey in enumerate(surveys)}


def _places(labels: list[str], own: list[str]) -> list[int]:
    """The place of each of a shard's labels among all classes: `1` and `1.0` are one label."""
    known = {text: place for place, text in enumerate(canonical_labels(labels))}
    for label, text in zip(own, canonical_labels(own)):
        if text not in known:
            raise DataError(f"label {label!r}: no such class when training began; the data have changed")
    return [known[text] for text in canonical_labels(own)]


def local_round(state: Mixture, shard: int, rows: Rows) -> bytes:
    """One pass of a shard: its report."""
    x = rows.x
    if x.shape[1] != state.features or rows.first != state.first:
        shift = rows.first - state.first
        if rows.sized or x.shape[1] + shift > state.features:
            raise DataError(f"rows of {x.shape[1]} features, where training began with {state.features}")
        x = sparse.csr_matrix((x.data, x.indices + np.int32(shift), x.indptr), shape=(x.shape[0], state.features))
        x.has_canonical_format = True
    places = np.array(_places(state.labels, rows.labels), dtype=np.uint32)
    weights = None if rows.weights is None else _aligned(rows.weights)
    if sparse.issparse(x):
        x.data, x.indices, x.indptr = _aligned(x.data), _aligned(x.indices), _aligned(x.indptr)
    else:
        x = _aligned(x)
    return state.local_round(shard, canonical(x), places[rows.classes], weights)


def _aligned(array: np.ndarray) -> np.ndarray:
    """The array where its type may lie in memory: what an engine has received may begin anywhere."""
    return np.require(array, requirements=["C", "A"])


def train(
    state: Mixture,
    rounds: int,
    run_round: Callable[[bytes, Mixture], list[bytes]],
    checkpoint_dir: str | None = None,
    round_ended: Callable[[Mixture], Any] | None = None,
) -> Mixture:
    """Rounds until the limit, or until no shard makes a mistake. `run_round` returns the reports in the order of the shards,
    or sums of `Mixture.FAN` of them.

    With a directory for checkpoints the state is written there after every round, and a training of the same settings goes
    on where it was."""
    latest = None
    if checkpoint_dir is not None:
        os.makedirs(checkpoint_dir, exist_ok=True)
        started, latest = (os.path.join(checkpoint_dir, name) for name in ("begin.mixture", "latest.mixture"))
        if os.path.exists(started):
            with open(started, "rb") as file:
                if file.read() != state.to_bytes():
                    raise SettingsError(f"{checkpoint_dir}: the checkpoint of a training with other settings or data")
            if os.path.exists(latest):
                state = Mixture.load(latest)
        else:
            state.save(started)
    while state.ended is None and state.rounds < rounds:
        state.mix(run_round(state.to_task_bytes(), state))
        if latest is not None:
            state.save(latest)
        if round_ended is not None:
            round_ended(state)
    return state


def train_here(shards: list[Rows], trainer: Trainer, mixing: str, rounds: int, **settings: Any) -> Mixture:
    """The rounds in this process, one shard after the other."""
    kept = [rows for rows in shards if len(rows.classes)]
    state, _ = begin(trainer, mixing, [rows.survey(key) for key, rows in enumerate(kept)])

    def run(_: bytes, state: Mixture) -> list[bytes]:
        return [local_round(state, shard, rows) for shard, rows in enumerate(kept)]

    return train(state, rounds, run, **settings)
