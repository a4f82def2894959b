"""Spark in this process: everything that an estimator and a model do."""

import shutil
import sys
from pathlib import Path

import numpy as np
import scipy.sparse
from drive import estimator, same, session, vectors

import rosenblatt
from rosenblatt import _shards
from rosenblatt import spark as rs

FOLDERS = {"two": Path(sys.argv[1]), "three": Path(sys.argv[2])}
SCRATCH = Path(sys.argv[3])
PARTS = 5


def parts(folder):
    return [str(folder / f"part-{i}.svm") for i in range(PARTS)]


def refused(work):
    try:
        work()
    except Exception as error:
        return str(error)
    raise AssertionError("nothing was refused")


spark = session("local[2]")
frames = {name: vectors(spark, parts(folder)) for name, folder in FOLDERS.items()}

# The same bytes from a DataFrame, from files and on one machine.
for name, mixings in {"two": ("momentum", "errors"), "three": ("momentum", "uniform")}.items():
    folder = FOLDERS[name]
    for mixing in mixings:
        same(estimator(mixing).fitFiles(spark, str(folder / "part-*.svm")), folder, mixing)
    same(estimator().fit(frames[name]), folder)
print("bytes: DataFrame and files")

# Empty partitions change nothing.
frame, folder = frames["three"], FOLDERS["three"]
same(estimator().fit(frame.union(frame.where("part > 99"))), folder)
empty = [SCRATCH / "empty.svm", SCRATCH / "comment.svm"]
empty[0].write_text("")
empty[1].write_text("# no example\n\n")
files = parts(folder)
same(estimator().fitFiles(spark, [files[0], str(empty[0]), *files[1:], str(empty[1])]), folder)

# One class in a partition is normal.
loaded = [rosenblatt.load_libsvm(path, n_features=20) for path in files]
x, y = scipy.sparse.vstack([x for x, _ in loaded], format="csr"), np.concatenate([y for _, y in loaded])
one_class = [_shards.Rows(x[y == label], *_shards.coded(y[y == label])) for label in np.unique(y)]
expected = _shards.train_here(one_class, estimator()._trainer(), "momentum", 4).model().to_bytes()
by_class = frame.repartitionByRange(3, "label").sortWithinPartitions("part", "row")
assert bytes(estimator().fit(by_class)._native.to_bytes()) == bytes(expected), "a class in each partition"
print("empty partitions and single classes")

# Every learner; summary, prediction, local model.
for learner in (rs.Perceptron, rs.MarginPerceptron, rs.PassiveAggressiveClassifier, rs.AROW, rs.AveragedPerceptron):
    model = learner(maxIter=2, seed=1).fitFiles(spark, str(folder / "part-*.svm"))
    assert np.shape(model.summary["mistakes"]) == (2, PARTS), model.summary
    assert len(model.summary["mixed_mistakes"]) == 2
answers = model.transform(frame).select("label", "prediction", "rawPrediction", "features").toPandas()
assert (answers.label == answers.prediction).mean() > 0.6
x = np.array([vector.toArray() for vector in answers.features])
local = model.toLocal()
assert isinstance(local, rosenblatt.AveragedPerceptron)
assert (local.predict(x) == answers.prediction).all()
assert np.array_equal(local.decision_function(x), np.array([v.toArray() for v in answers.rawPrediction]))
print("learners and predictions")

# Pipelines, files, cross-validation.
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import BinaryClassificationEvaluator, MulticlassClassificationEvaluator
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

place = str(SCRATCH / "pipeline")
shutil.rmtree(place, ignore_errors=True)
pipeline = Pipeline(stages=[estimator()])
pipeline.write().overwrite().save(place)
pipeline = Pipeline.load(place)
assert pipeline.getStages()[0].getOrDefault("mixing") == "momentum"
fitted = pipeline.fit(frames["three"])
fitted.write().overwrite().save(place)
again = PipelineModel.load(place)
same(again.stages[0], folder)
assert again.stages[0].summary == fitted.stages[0].summary and again.stages[0].getSeed() == 7
own = estimator()
grid = ParamGridBuilder().addGrid(own.maxIter, [1, 2]).build()
evaluator = MulticlassClassificationEvaluator(metricName="accuracy")
cross = CrossValidator(estimator=own, estimatorParamMaps=grid, evaluator=evaluator, numFolds=2, seed=3)
best = cross.fit(frames["two"])
assert min(best.avgMetrics) > 0.6, best.avgMetrics
assert BinaryClassificationEvaluator().evaluate(best.bestModel.transform(frames["two"])) > 0.7
print("pipeline and cross-validation")

# Other forms of features, labels as text, weights.
from pyspark.ml.functions import vector_to_array
from pyspark.sql import functions as F

columns = frames["two"].withColumn("a", vector_to_array("features"))
numbers = columns.select("label", *[F.col("a")[i].alias(f"x{i}") for i in range(20)])
names = [f"x{i}" for i in range(20)]
by_columns, by_list = estimator(featuresCols=names).fit(numbers), estimator(featuresCol="a").fit(columns)
assert bytes(by_columns._native.to_bytes()) == bytes(by_list._native.to_bytes())
texts = columns.withColumn("label", F.when(F.col("label") > 0, "yes").otherwise("no")).withColumn("w", F.lit(2.0))
named = estimator(featuresCol="a", weightCol="w", rawPredictionCol="raw").fit(texts)
assert named.labels == ["no", "yes"]
assert {row.prediction for row in named.transform(texts).collect()} == {"no", "yes"}
print("columns, texts and weights")

# A tree of sums for wide models gives the same bytes.
wide = rs.WIDE
rs.WIDE = 1
same(estimator().fitFiles(spark, str(FOLDERS["two"] / "part-*.svm")), FOLDERS["two"])
rs.WIDE = wide
print("tree of sums")

# What is refused, and what the error says.
frame = frames["two"]
null = frame.withColumn("features", F.when(F.col("row") == 3, None).otherwise(F.col("features")))
said = refused(lambda: estimator().fit(null))
assert "row 4: features is null" in said and "partition" in said, said
said = refused(lambda: estimator().fit(frame.withColumn("label", F.when(F.col("row") == 3, None).otherwise(F.col("label")))))
assert "row 4: label is null" in said, said
from pyspark.ml.linalg import Vectors

mixed = spark.createDataFrame([(Vectors.dense([1.0, 2.0]), 0.0), (Vectors.dense([1.0]), 1.0)], ["features", "label"])
said = refused(lambda: estimator().fit(mixed.coalesce(1)))
assert "row 2: a vector of size 1, where size 2 came before" in said, said
said = refused(lambda: estimator().fit(mixed.repartitionByRange(2, "label")))
assert "size 1" in said and "size 2" in said, said
broken = SCRATCH / "broken.svm"
broken.write_text("0 1:1\n1 2:x\n")
said = refused(lambda: estimator().fitFiles(spark, [*parts(FOLDERS["two"]), str(broken)]))
assert f"{broken}:2:" in said, said
said = refused(lambda: estimator().fit(frame.withColumn("label", F.lit(1.0))))
assert "at least two classes" in said, said
said = refused(lambda: estimator(margins=1))
assert "no parameter 'margins'" in said, said
print("refusals")
