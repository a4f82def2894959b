"""Perceptrons for Dask: the estimators of `rosenblatt`, trained on the blocks of Dask's arrays and DataFrames.

::

    from rosenblatt.dask import AveragedPerceptron

    clf = AveragedPerceptron(max_iter=10).fit(X, y)    # blocks of rows are partitions
    clf.predict(X)                                     # a Dask array
    clf.summary_["mistakes"]                           # by round and partition

In every round each block makes one pass from the mixed weights. The model depends on the rows of each block, the number of
blocks, the seed and the rounds, and on nothing else: the same rows in as many shards give the same bytes on the command line.

Build the data from delayed reads or tasks, which are repeated if a worker dies. Data that were scattered to workers are lost
with them, and the run fails.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from scipy import sparse

import dask
from dask.base import tokenize
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from . import _estimators
from ._arrays import canonical
from ._fields import Help
from ._rosenblatt import Mixture, SettingsError, canonical_labels, sum_reports
from ._shards import WIDE, Rows, begin, coded, label_text, local_round, rows_of_file, train

__all__ = ["AROW", "AveragedPerceptron", "MarginPerceptron", "PassiveAggressiveClassifier", "Perceptron"]


# What tasks do.


def _rows(key: int, x: Any, y: Any, weights: Any = None) -> Rows:
    x = x.to_numpy() if hasattr(x, "to_numpy") else x
    x = canonical(x.tocsr().astype(np.float64)) if sparse.issparse(x) else np.ascontiguousarray(x, dtype=np.float64)
    try:
        classes, labels = coded(y)
    except ValueError as error:
        raise type(error)(f"partition {key}: {error}") from None
    return Rows(x, classes, labels, None if weights is None else np.ascontiguousarray(weights, dtype=np.float64))


def _survey(rows: Rows, key: int) -> dict[str, Any]:
    return rows.survey(key)


def _round(state: bytes, shard: int, key: int, rows: Rows) -> bytes:
    try:
        return local_round(Mixture.from_bytes(state), shard, rows)
    except ValueError as error:
        raise type(error)(f"partition {key}: {error}") from None


def _blocks(collection: Any) -> list[Any]:
    """The blocks of rows of an array or a DataFrame, delayed."""
    if hasattr(collection, "to_delayed"):
        blocks = np.asarray(collection.to_delayed(), dtype=object)
        if blocks.ndim == 2:
            if blocks.shape[1] > 1:
                raise ValueError("X has blocks of columns: rechunk it to whole rows, X.rechunk({1: -1})")
            blocks = blocks[:, 0]
        return list(blocks)
    return list(collection)


class _OnDask:
    """Trains on blocks; everything else is as in the local class."""

    mixing: Annotated[
        str, Help("How blocks are mixed in each round: their mean, with 'momentum' or 'uniform', or 'errors' (each by its updates).")
    ] = "momentum"
    checkpoint_dir: Annotated[
        str | None,
        Help("A folder: the state is written there after every round, and a training of the same settings resumes."),
    ] = None

    def fit(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Trains on the blocks of rows of X and y (and of the weights), which must be cut at the same rows."""
        parts = [_blocks(X), _blocks(y)]
        if sample_weight is not None:
            parts.append(_blocks(sample_weight))
        if len({len(part) for part in parts}) > 1:
            raise ValueError(f"X and y have {' and '.join(str(len(part)) for part in parts)} blocks: cut them at the same rows")
        make = dask.delayed(_rows)
        self._fit_rows([make(key, *block) for key, block in enumerate(zip(*parts))])
        # In a model classes are texts, and read as numbers where all look like some.
        kind, labels = str(getattr(y, "dtype", "")), np.array(self._fitted_model().labels)
        if kind.startswith("bool"):
            self.classes_ = labels == "true"
        elif kind.startswith(("str", "<U", "large_string")):
            self.classes_ = labels
        self.__dict__.pop("feature_names_in_", None)
        if hasattr(X, "columns") and all(isinstance(name, str) for name in X.columns):
            self.feature_names_in_ = np.array(list(X.columns), dtype=object)
        return self

    def fit_files(self: Any, paths: list[str]) -> Any:
        """Trains on LIBSVM files, each a partition. They must be readable under these names where tasks run."""
        return self._fit_rows([dask.delayed(rows_of_file)(str(path)) for path in paths])

    def _fit_rows(self: Any, shards: list[Any]) -> Any:
        for name in ("early_stopping", "warm_start", "calibrate"):
            if getattr(self, name):
                raise SettingsError(f"{name}=True: rounds on blocks hold out no rows and start at zero; leave it out")
        # Kept by the workers between rounds; a task of a lost worker is repeated.
        rows = list(dask.persist(*shards))
        survey = dask.delayed(_survey)
        surveys = dask.compute(*[survey(part, key) for key, part in enumerate(rows)])
        trainer = self._weighted([label for survey in surveys for label in survey["labels"]])._trainer(None, self.max_iter)
        state, numbers = begin(trainer, self.mixing, list(surveys))

        def run(bytes_of_state: bytes, state: Mixture) -> list[bytes]:
            name = "rosenblatt-state-" + tokenize(bytes_of_state)
            shared = dask.delayed(bytes_of_state, name=name, traverse=False)
            one, total = dask.delayed(_round), dask.delayed(sum_reports)
            reports = [one(shared, shard, key, rows[key]) for key, shard in numbers.items()]
            while state.width * state.shards >= WIDE and len(reports) > 1:
                reports = [total(reports[i : i + Mixture.FAN]) for i in range(0, len(reports), Mixture.FAN)]
            return list(dask.compute(*reports))

        state = train(state, self.max_iter, run, self.checkpoint_dir)
        given = self.get_params()
        self._take(state.model())
        self.set_params(**given)
        self.summary_ = state.report()
        return self

    def _weighted(self: Any, labels: list[str]) -> Any:
        """The same estimator with the class weights by the texts of the labels; if all have one, others count for nothing."""
        if not isinstance(self.class_weight, dict):
            return self
        keys = canonical_labels([label_text(key) for key in self.class_weight])
        given, known = dict(zip(keys, self.class_weight.values())), set(canonical_labels(labels))
        if known <= given.keys():
            given = {key: given[key] for key in sorted(known)}
        return clone(self).set_params(class_weight=given)

    def predict(self: Any, X: Any) -> Any:
        """The class of each row: a Dask array for a Dask collection."""
        check_is_fitted(self)
        return self._lazily(super().predict, X, self.classes_.dtype)  # type: ignore[misc]

    def _lazily(self: Any, predict: Any, X: Any, dtype: Any) -> Any:
        if not dask.is_dask_collection(X):
            return predict(X)
        if hasattr(X, "map_partitions"):
            return X.map_partitions(predict, meta=np.empty(0, dtype))
        return X.map_blocks(predict, dtype=dtype, drop_axis=1, meta=np.empty(0, dtype))


# Made from the registry.
_MARGIN: Any = _estimators.ESTIMATORS["MarginPerceptron"]
_AROW: Any = _estimators.ESTIMATORS["AROW"]


class AveragedPerceptron(_OnDask, _estimators.AveragedPerceptron):  # type: ignore[misc]  # blocks have no start vector
    """The averaged perceptron: the mean of the weights after every example of every block. The default choice."""


class Perceptron(_OnDask, _estimators.Perceptron):  # type: ignore[misc]  # blocks have no start vector
    """The plain perceptron: the last mixed weights."""


class PassiveAggressiveClassifier(_OnDask, _estimators.PassiveAggressiveClassifier):  # type: ignore[misc]  # blocks have no start vector
    """Passive-aggressive: the smallest sufficient update. The weights are mixed; no bound is stated."""


class MarginPerceptron(_OnDask, _MARGIN):
    """The perceptron with margin: moves until every margin exceeds `margin`."""


class AROW(_OnDask, _AROW):
    """AROW: a confidence for each weight. Weights and variances are mixed; no bound is stated."""
