"""What the drivers share: a session of Spark, slow rounds, and how a process of a cluster is killed in the middle of one."""

import functools
import os
import signal
import subprocess
import threading
import time
from pathlib import Path


def session(master, **more):
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **more,
    }
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def _vectors(batches, parts):
    """The rows of LIBSVM files, as Spark's sparse vectors arrive in Arrow."""
    import numpy as np
    import pyarrow as pa

    from rosenblatt import load_libsvm

    for batch in batches:
        for number in batch.column(0).to_pylist():
            x, y = load_libsvm(parts[number], n_features=20)
            ends = pa.array(x.indptr.astype(np.int32))
            kind, size = pa.array(np.zeros(len(y), np.int8)), pa.array(np.full(len(y), 20, np.int32))
            indices = pa.ListArray.from_arrays(ends, pa.array(x.indices.astype(np.int32)))
            values = pa.ListArray.from_arrays(ends, pa.array(x.data))
            names = ["type", "size", "indices", "values"]
            features = pa.StructArray.from_arrays([kind, size, indices, values], names=names)
            part, row = pa.array(np.full(len(y), number, np.int32)), pa.array(np.arange(len(y), dtype=np.int32))
            yield pa.RecordBatch.from_arrays([part, row, features, pa.array(y)], names=["part", "row", "features", "label"])


def vectors(spark, parts):
    """The rows of LIBSVM files as vectors and labels, a partition for each file, in order."""
    from pyspark.ml.linalg import VectorUDT
    from pyspark.sql.types import DoubleType, IntegerType, StructField, StructType

    kinds = {"part": IntegerType(), "row": IntegerType(), "features": VectorUDT(), "label": DoubleType()}
    schema = StructType([StructField(name, kind) for name, kind in kinds.items()])
    numbers = spark.range(0, len(parts), 1, len(parts))
    return numbers.mapInArrow(functools.partial(_vectors, parts=list(parts)), schema)


def estimator(mixing="momentum", **more):
    from rosenblatt.spark import AveragedPerceptron

    return AveragedPerceptron(maxIter=4, seed=7, mixing=mixing, **more)


def same(model, folder, mixing="momentum"):
    """Whether a model of Spark or Dask has the bytes of the file."""
    native = model._native if hasattr(model, "_native") else model._fitted_model()
    assert bytes(native.to_bytes()) == (Path(folder) / f"{mixing}.model").read_bytes(), "other bytes than on one machine"


def slowly(original, mark, seconds):
    """A round whose tasks take their time, and mark that they have begun the third one."""

    def slow(*args, **more):
        from rosenblatt._rosenblatt import Mixture

        state = more.get("state") or args[0]
        if Mixture.from_bytes(state).rounds == 2:
            Path(mark).touch()
            time.sleep(seconds)
        return original(*args, **more)

    return slow


def one_straggles(original, attempts, seconds):
    """A round, the second, whose first task waits until it is begun a second time, or for so long. Writes which attempts were
    made."""

    def slow(*args, **more):
        from pyspark import TaskContext

        from rosenblatt._rosenblatt import Mixture

        context = TaskContext.get()
        if context.partitionId() == 0 and Mixture.from_bytes(more["state"]).rounds == 1:
            with open(attempts, "a") as file:
                file.write(f"{context.attemptNumber()}\n")
            end = time.monotonic() + seconds
            while context.attemptNumber() == 0 and Path(attempts).read_text().count("\n") < 2 and time.monotonic() < end:
                time.sleep(0.1)
        return original(*args, **more)

    return slow


def kill_when(mark, find):
    """Kills, once, the first process that `find` names when the mark is there. Returns a list with its number."""
    killed = []

    def wait():
        while not Path(mark).exists():
            time.sleep(0.05)
        time.sleep(0.3)
        for pid in find():
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
            return

    threading.Thread(target=wait, daemon=True).start()
    return killed


def children(pid, word):
    """The processes below this one whose command has this word."""
    table = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in table.splitlines()[1:]]
    below, found = {pid}, []
    for _ in rows:
        more = {int(own) for own, parent, _ in rows if int(parent) in below} - below
        if not more:
            break
        below |= more
    for own, _, command in rows:
        if int(own) in below and int(own) != pid and word in command:
            found.append(int(own))
    return found
