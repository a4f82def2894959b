"""Perceptrons for Spark: estimators of `pyspark.ml` that train on the partitions of a DataFrame.

::

    from rosenblatt.spark import AveragedPerceptron

    model = AveragedPerceptron(featuresCol="features", labelCol="label", maxIter=10, seed=0).fit(df)
    model.transform(df).select("prediction")
    model.summary["mistakes"]       # by round and partition
    model.toLocal().save("model")   # for `rosenblatt predict`, rosenblatt.load and the server

Each round is one plain stage of `mapInArrow`: every partition makes one pass from the mixed weights, and the driver mixes the
results in the order of the partitions. There is no barrier, no socket and no RDD, so retries, speculation, dynamic allocation
and Spark Connect work as with any other stage.

The model depends on the rows of each partition, their order, the number of partitions, the seed and the rounds, and on
nothing else. It does depend on the number of partitions. Where bytes matter, take files as partitions (`fitFiles`), or
partition by a key and sort within: ``df.repartition(8, "key").sortWithinPartitions("key")``.

The rows of a DataFrame are read once into blocks that Spark caches; those of `fitFiles` are read anew in every round, which
takes less time than Spark needs to hand stored blocks to Python. A partition must fit in the memory of its Python worker.
"""

from __future__ import annotations

import functools
import glob
import json
from typing import Any, Callable, Iterator

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.ml import Estimator, Model
from pyspark.ml.linalg import VectorUDT
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import (
    HasFeaturesCol,
    HasFitIntercept,
    HasLabelCol,
    HasMaxIter,
    HasPredictionCol,
    HasRawPredictionCol,
    HasSeed,
    HasWeightCol,
)
from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DoubleType, StringType, StructField, StructType

from . import _arrow, _estimators
from ._rosenblatt import DataError, Mixture, Model as NativeModel, sum_reports
from ._shards import WIDE, Rows, begin, local_round, rows_of_file, train

__all__ = [
    "AROW",
    "AveragedPerceptron",
    "MarginPerceptron",
    "PassiveAggressiveClassifier",
    "Perceptron",
    "PerceptronModel",
]

_STORED = (
    "partition int, survey binary, width long, offsets binary, indices binary, values binary, classes binary, weights binary"
)
_SURVEY_ARROW = pa.schema([("survey", pa.binary())])
_REPORT = "shard int, report binary"
_REPORT_ARROW = pa.schema([("shard", pa.int32()), ("report", pa.binary())])


# What tasks do. Everything they need is in their arguments.


def _pack(batches: Iterator[Any], features: list[str], label: str, weight: str | None) -> Iterator[Any]:
    """The rows of a partition as stored blocks."""
    context = TaskContext.get()
    return _arrow.Packer(features, label, weight).pack(context.partitionId() if context else 0, batches)


def _survey(batches: Iterator[Any], paths: list[str]) -> Iterator[Any]:
    """What the driver must know of the files of a task."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            survey = json.dumps(rows_of_file(paths[number]).survey(number)).encode()
            yield pa.RecordBatch.from_pylist([{"survey": survey}], schema=_SURVEY_ARROW)


def _rows_of_files(batches: Iterator[Any], surveys: dict[int, dict[str, Any]], paths: list[str]) -> Iterator[tuple[int, Rows]]:
    """The files of a task that have rows, each with its number. `surveys`: what they were when training began."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            if not surveys[number]["rows"]:
                continue
            rows = rows_of_file(paths[number])
            if rows.fingerprint != surveys[number]["fingerprint"]:
                raise DataError(f"{paths[number]}: the file has changed since training began")
            yield number, rows


def _round(
    batches: Iterator[Any],
    state: bytes,
    shards: dict[int, int],
    rows: Callable[[Iterator[Any]], Iterator[tuple[int, Rows]]] = _arrow.restored,
    files: list[str] | None = None,
) -> Iterator[Any]:
    """The round of the partitions of a task: their reports. `rows` makes them; `files`: where those of each partition are from."""
    mixture = Mixture.from_bytes(state)
    for partition, own in rows(batches):
        try:
            report = local_round(mixture, shards[partition], own)
        except ValueError as error:
            where = f"partition {partition}" if files is None else files[partition]
            raise type(error)(f"{where}: {error}") from None
        yield pa.RecordBatch.from_pylist([{"shard": shards[partition], "report": report}], schema=_REPORT_ARROW)


def _sum(batches: Iterator[Any]) -> Iterator[Any]:
    """Sums of the reports of neighbouring shards."""
    groups: dict[int, list[tuple[int, bytes]]] = {}
    for batch in batches:
        for shard, report in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist()):
            groups.setdefault(shard // Mixture.FAN, []).append((shard, report))
    for group, reports in sorted(groups.items()):
        total = sum_reports([report for _, report in sorted(reports)])
        yield pa.RecordBatch.from_pylist([{"shard": group, "report": total}], schema=_REPORT_ARROW)


def _answer(batches: Iterator[Any], model: bytes, features: list[str], columns: tuple[str, str]) -> Iterator[Any]:
    """The rows of a partition with two columns more: the scores and the prediction."""
    native = NativeModel.from_bytes(model)
    classes = _estimators.classes_of(native.labels)
    numbers = classes.dtype.kind in "if"
    reader, context = _arrow.Features(features), TaskContext.get()
    for batch in batches:
        if not len(batch):
            continue
        try:
            scores = native.scores(reader.read(batch))
        except ValueError as error:
            raise type(error)(f"partition {context.partitionId() if context else 0}, {error}") from None
        if scores.shape[1] == 1:
            scores = np.column_stack([-scores[:, 0], scores[:, 0]])
            best = (scores[:, 1] >= 0).astype(np.int64)
        else:
            best = scores.argmax(axis=1)
        answers = pa.array(classes[best].astype(np.float64) if numbers else classes[best].tolist())
        arrays = [*batch.columns, _arrow.vectors(scores), answers]
        yield pa.RecordBatch.from_arrays(arrays, names=[*batch.schema.names, *columns])


# What the driver does.


class _Settings(
    HasFeaturesCol, HasLabelCol, HasPredictionCol, HasRawPredictionCol, HasWeightCol, HasMaxIter, HasSeed, HasFitIntercept
):
    """Parameters of estimators and models."""

    featuresCols = Param(
        Params._dummy(),
        "featuresCols",
        "columns of numbers, in place of featuresCol",
        typeConverter=TypeConverters.toListString,
    )
    mixing = Param(
        Params._dummy(),
        "mixing",
        "how partitions are mixed in each round: their mean, with momentum or uniform, or errors (each by its updates)",
        typeConverter=TypeConverters.toString,
    )
    shuffle = Param(
        Params._dummy(),
        "shuffle",
        "whether to shuffle the rows of each partition in every round",
        typeConverter=TypeConverters.toBoolean,
    )
    interceptScaling = Param(
        Params._dummy(), "interceptScaling", "the constant input of the bias", typeConverter=TypeConverters.toFloat
    )
    multiclass = Param(
        Params._dummy(),
        "multiclass",
        "more than two classes: single, uniform or one-vs-rest",
        typeConverter=TypeConverters.toString,
    )
    balanced = Param(
        Params._dummy(),
        "balanced",
        "whether all classes have the same total weight",
        typeConverter=TypeConverters.toBoolean,
    )
    checkpointDir = Param(
        Params._dummy(),
        "checkpointDir",
        "a folder of the driver: the state is written there after every round, and a training of the same settings resumes",
        typeConverter=TypeConverters.toString,
    )

    def _set_defaults(self) -> None:
        self._setDefault(
            maxIter=10,
            seed=0,
            fitIntercept=True,
            mixing="momentum",
            shuffle=True,
            interceptScaling=1.0,
            multiclass="single",
            balanced=False,
        )

    def _feature_columns(self) -> list[str]:
        return self.getOrDefault("featuresCols") if self.isDefined("featuresCols") else [self.getFeaturesCol()]

    def _optional(self, name: str) -> Any:
        return self.getOrDefault(name) if self.isDefined(name) else None


class _Estimator(_Settings, Estimator, MLReadable, MLWritable):
    """Trains on the partitions of a DataFrame. A subclass names the local estimator whose parameters it has."""

    #: The local class, and its parameters: {name here: name there}.
    _local = "AveragedPerceptron"
    _own: dict[str, str] = {}

    def __init__(self, **given: Any) -> None:
        super().__init__()
        self._set_defaults()
        local = self._local_class()()
        self._setDefault(**{here: getattr(local, there) for here, there in self._own.items()})
        self.setParams(**given)

    def setParams(self, **given: Any) -> _Estimator:
        """Sets parameters by name."""
        unknown = [name for name in given if not self.hasParam(name)]
        if unknown:
            names = ", ".join(param.name for param in self.params)
            raise TypeError(f"{type(self).__name__} has no parameter {unknown[0]!r}: it has {names}")
        return self._set(**given)

    @classmethod
    def _local_class(cls) -> type:
        return _estimators.ESTIMATORS[cls._local]

    def _trainer(self) -> Any:
        """The settings as the native module takes them: those of the local estimator."""
        own = {there: self.getOrDefault(here) for here, there in self._own.items()}
        local = self._local_class()(
            max_iter=self.getMaxIter(),
            random_state=self.getSeed() % (1 << 64),
            fit_intercept=self.getFitIntercept(),
            intercept_scaling=self.getOrDefault("interceptScaling"),
            shuffle=self.getOrDefault("shuffle"),
            multiclass=self.getOrDefault("multiclass"),
            class_weight="balanced" if self.getOrDefault("balanced") else None,
            **own,
        )
        return local._trainer(None, self.getMaxIter())

    def _fit(self, dataset: DataFrame) -> PerceptronModel:
        features, label = self._feature_columns(), self.getLabelCol()
        weight = self._optional("weightCol") or None
        columns = list(dict.fromkeys([*features, label, *([weight] if weight else [])]))
        pack = functools.partial(_pack, features=features, label=label, weight=weight)
        rows = dataset.select(*columns).mapInArrow(pack, _STORED).persist()
        try:
            found = rows.where(F.col("survey").isNotNull()).select("survey").collect()
            return self._train(rows, [json.loads(bytes(row["survey"])) for row in found])
        finally:
            rows.unpersist()

    def fitFiles(self, spark: SparkSession, paths: str | list[str]) -> PerceptronModel:
        """Trains on LIBSVM files, each a partition: tasks read them with the native reader, no row passes through the JVM.

        `paths` is a pattern or a list; the files must be readable under these names where tasks run, and stay as they are."""
        files = sorted(glob.glob(paths)) if isinstance(paths, str) else list(paths)
        if not files:
            raise FileNotFoundError(f"{paths}: no such files")
        numbers = spark.range(0, len(files), 1, len(files))
        found = numbers.mapInArrow(functools.partial(_survey, paths=files), "survey binary").collect()
        surveys = [json.loads(bytes(row["survey"])) for row in found]
        read = functools.partial(_rows_of_files, surveys={survey["key"]: survey for survey in surveys}, paths=files)
        return self._train(numbers, surveys, rows=read, files=files)

    def _train(self, data: DataFrame, surveys: list[dict[str, Any]], **source: Any) -> PerceptronModel:
        """The rounds. `source`: how a task makes rows of its part of `data`."""
        trainer, rounds = self._trainer(), self.getMaxIter()
        state, shards = begin(trainer, self.getOrDefault("mixing"), surveys)

        def run(bytes_of_state: bytes, state: Mixture) -> list[bytes]:
            work = functools.partial(_round, state=bytes_of_state, shards=shards, **source)
            reports = data.mapInArrow(work, _REPORT)
            if state.width * state.shards >= WIDE:
                reports = _summed(reports, len(shards))
            made = reports.collect()
            return [bytes(row["report"]) for row in sorted(made, key=lambda row: row["shard"])]

        state = train(state, rounds, run, self._optional("checkpointDir"))
        model = PerceptronModel(state.model(), state.report())
        return self._copyValues(model)

    def write(self) -> MLWriter:
        """A writer of the parameters."""
        return DefaultParamsWriter(self)

    @classmethod
    def read(cls) -> MLReader:
        """A reader of the parameters."""
        return DefaultParamsReader(cls)


def _summed(reports: DataFrame, count: int) -> DataFrame:
    """Sums by a tree of tasks, until the driver has one to receive."""
    while count > 1:
        count = -(-count // Mixture.FAN)
        groups = F.floor(F.col("shard") / Mixture.FAN)
        reports = reports.repartition(count, groups).mapInArrow(_sum, _REPORT)
    return reports


def _number(name: str, text: str) -> Param:
    return Param(Params._dummy(), name, text, typeConverter=TypeConverters.toFloat)


class AveragedPerceptron(_Estimator):
    """The averaged perceptron: the mean of the weights after every example of every partition. The default choice."""

    _own = {"margin": "margin", "eta0": "eta0"}

    margin = _number("margin", "update where y(w.x) is at most this; 0: on mistakes only")
    eta0 = _number("eta0", "length of a step")


class Perceptron(_Estimator):
    """The plain perceptron: the last mixed weights. On separable data the sum over rounds of the partitions' mistakes, each
    times its weight, is at most (R/γ)²."""

    _local = "Perceptron"
    _own = {"eta0": "eta0"}

    eta0 = _number("eta0", "length of a step")


class MarginPerceptron(_Estimator):
    """The perceptron with margin: moves until every margin exceeds `margin`."""

    _local = "MarginPerceptron"
    _own = {"margin": "margin", "eta0": "eta0"}

    margin = _number("margin", "move while y(w.x) is at most this")
    eta0 = _number("eta0", "length of a step")


class PassiveAggressiveClassifier(_Estimator):
    """Passive-aggressive: the smallest sufficient update. The weights are mixed; no bound is stated."""

    _local = "PassiveAggressiveClassifier"
    _own = {"C": "C", "loss": "loss", "average": "average"}

    C = _number("C", "the largest step; a larger C trusts a single example more")
    loss = Param(
        Params._dummy(),
        "loss",
        "hinge caps every step at C (PA-I), squared_hinge regularizes it (PA-II)",
        typeConverter=TypeConverters.toString,
    )
    average = Param(
        Params._dummy(), "average", "keep the mean of all weight vectors", typeConverter=TypeConverters.toBoolean
    )


class AROW(_Estimator):
    """AROW: a confidence for each weight. The weights are mixed, and the variances in the same way; no bound is stated."""

    _local = "AROW"
    _own = {"r": "r"}

    r = _number("r", "noise of one example: larger moves less")


class PerceptronModel(_Settings, Model, MLReadable, MLWritable):
    """A trained classifier."""

    def __init__(self, native: NativeModel | None = None, summary: dict[str, Any] | None = None) -> None:
        super().__init__()
        self._set_defaults()
        self._native = native
        #: The rounds: `mistakes` by round and partition, Σμk (`mixed_mistakes`) beside its `bound` (R/γ)², `radius`, `margin`.
        self.summary = summary

    @property
    def numClasses(self) -> int:
        """The number of classes."""
        return len(self._model().labels)

    @property
    def numFeatures(self) -> int:
        """The number of features."""
        return self._model().features

    @property
    def labels(self) -> list[str]:
        """The names of the classes, in the order of the scores."""
        return self._model().labels

    def _model(self) -> NativeModel:
        if self._native is None:
            raise ValueError("this model has not been trained")
        return self._native

    def toLocal(self) -> Any:
        """The model as an estimator of `rosenblatt`, which saves, explains and continues it."""
        return _estimators.of_model(self._model(), "the model")

    def _transform(self, dataset: DataFrame) -> DataFrame:
        model = self._model()
        numbers = _estimators.classes_of(model.labels).dtype.kind in "if"
        scores, answers = self.getRawPredictionCol(), self.getPredictionCol()
        kind = DoubleType() if numbers else StringType()
        more = [StructField(scores, VectorUDT()), StructField(answers, kind)]
        schema = StructType([*dataset.schema.fields, *more])
        answer = functools.partial(
            _answer, model=bytes(model.to_bytes()), features=self._feature_columns(), columns=(scores, answers)
        )
        return dataset.mapInArrow(answer, schema)

    def copy(self, extra: Any = None) -> PerceptronModel:
        """A copy with other parameters."""
        copied = super().copy(extra)
        copied._native, copied.summary = self._native, self.summary
        return copied

    def write(self) -> MLWriter:
        """A writer of the model."""
        return _ModelWriter(self)

    @classmethod
    def read(cls) -> MLReader:
        """A reader of models."""
        return _ModelReader(cls)


class _ModelWriter(MLWriter):
    def __init__(self, model: PerceptronModel) -> None:
        super().__init__()
        self.model = model

    def saveImpl(self, path: str) -> None:
        spark = self.sparkSession
        DefaultParamsWriter.saveMetadata(self.model, path, spark)
        native, summary = self.model._model(), json.dumps(self.model.summary)
        row = [(bytearray(native.to_bytes()), summary)]
        spark.createDataFrame(row, "model binary, summary string").coalesce(1).write.parquet(f"{path}/data")


class _ModelReader(MLReader):
    def __init__(self, cls: type) -> None:
        super().__init__()
        self.cls = cls

    def load(self, path: str) -> PerceptronModel:
        spark = self.sparkSession
        metadata = DefaultParamsReader.loadMetadata(path, spark)
        row = spark.read.parquet(f"{path}/data").first()
        model = self.cls(NativeModel.from_bytes(bytes(row["model"])), json.loads(row["summary"]))
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model
