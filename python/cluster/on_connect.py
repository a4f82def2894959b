"""Spark Connect: the driver is another process, reached over 127.0.0.1."""

import sys
from pathlib import Path

from drive import estimator, same, vectors
from pyspark.sql import SparkSession

builder = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "4")
spark = builder.config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1").getOrCreate()
assert type(spark).__module__.startswith("pyspark.sql.connect"), type(spark)
for folder in (Path(sys.argv[1]), Path(sys.argv[2])):
    same(estimator().fitFiles(spark, str(folder / "part-*.svm")), folder)
frame = vectors(spark, [str(folder / f"part-{i}.svm") for i in range(5)])
model = estimator("errors").fit(frame)
same(model, folder, "errors")
assert model.transform(frame).where("label = prediction").count() > 600
place = sys.argv[3] + "/connect"
model.save(place)
same(type(model).load(place), folder, "errors")
print("connect")
spark.stop()
