"""`rosenblatt.spark` and `rosenblatt.dask` beside Spark MLlib on one machine, and the model of the cost of a round.

Usage: bench/spark [--rows N] [--runs N] [--partitions N] [--only speed reading rounds wide]

speed    LinearSVC, LogisticRegression and the averaged perceptron on the same cached DataFrame: seconds and test error by
         iterations, and the seconds to the same test error. A setting that takes long is run once, and so says the table.
reading  the LIBSVM text as a DataFrame of MLlib, and as `fitFiles` reads it.
rounds   warm rounds without work (few rows, so that what remains is the engine's) on Spark and Dask by partitions and
         weights, and what docs/clusters.md computes from them.
wide     rounds of a model of 2**24 weights.

Everything runs on 127.0.0.1 with two tasks at a time.
"""

import argparse
import functools
import itertools
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from shared import HERE, machine, table

from rosenblatt import load_libsvm
from rosenblatt import _shards
from rosenblatt import spark as rs
from rosenblatt.spark import AveragedPerceptron

FEATURES = 47_236


def session():
    from pyspark.sql import SparkSession

    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "8g",
        "spark.driver.maxResultSize": "4g",
        "spark.sql.shuffle.partitions": "8",
        # Else the union of files that are a partition each is one partition.
        "spark.sql.unionOutputPartitioning": "false",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def make(rows, parts):
    """W1, and its training rows cut into files."""
    made, wanted = HERE / "made-sparse", f"{rows} sparse rows\n"
    if not made.exists() or made.read_text() != wanted:
        subprocess.run(["./sparse", str(rows), "."], cwd=HERE, check=True)
        made.write_text(wanted)
    folder = HERE / f"parts-{rows}-{parts}"
    if not folder.exists():
        lines = (HERE / "sparse.train.svm").read_bytes().splitlines(keepends=True)
        at = [i * len(lines) // parts for i in range(parts + 1)]
        scratch = folder.with_suffix(".new")
        scratch.mkdir(exist_ok=True)
        for number, (a, b) in enumerate(itertools.pairwise(at)):
            (scratch / f"part-{number:03}.svm").write_bytes(b"".join(lines[a:b]))
        scratch.rename(folder)
    return sorted(map(str, folder.glob("*.svm")))


def seconds(work):
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


class Rounds:
    """Notes when each round of a training ends, and the bytes of states and reports."""

    def __init__(self, module):
        self.module, self.times, self.received, self.sent = module, [], [], []

    def __enter__(self):
        def train(state, count, run, directory=None):
            def ended(_):
                self.times.append(time.perf_counter())

            def noted(sent, state):
                reports = run(sent, state)
                self.sent.append(len(sent))
                self.received.append(sum(map(len, reports)))
                return reports

            self.times.append(time.perf_counter())
            return _shards.train(state, count, noted, directory, ended)

        self.before, self.module.train = self.module.train, train
        return self

    def __exit__(self, *_):
        self.module.train = self.before

    @property
    def each(self):
        return np.diff(self.times)


def error_of(model, x, y):
    labels = np.array([float(label) for label in model.labels])
    return float((labels[model.classify(x)] != y).mean())


def error_of_mllib(model, x, y):
    scores = x @ model.coefficients.toArray() + model.intercept
    return float(((scores > 0) != (y > 0)).mean())


def frame_of(spark, parts, rows):
    """W1 as MLlib reads it, with labels that it takes, in memory. A partition is a file."""
    from pyspark.sql import functions as F

    read = [spark.read.format("libsvm").option("numFeatures", FEATURES).load(path).coalesce(1) for path in parts]
    frame = read[0]
    for more in read[1:]:
        frame = frame.union(more)
    frame = frame.withColumn("label", F.when(F.col("label") > 0, 1.0).otherwise(0.0)).persist()
    assert frame.count() == rows * 9 // 10 and frame.rdd.getNumPartitions() == len(parts)
    return frame


def speed(spark, args, parts):
    from pyspark.ml.classification import LinearSVC, LogisticRegression

    x, y = load_libsvm(HERE / "sparse.test.svm", n_features=FEATURES)
    frame = frame_of(spark, parts, args.rows)
    print(f"### Training on a cached DataFrame of {args.rows * 9 // 10:,} sparse rows in {len(parts)} partitions\n", flush=True)
    curves, shown = {}, []

    def note(name, steps, took, wrong, runs):
        curves.setdefault(name, []).append((took, wrong, steps))
        shown.append([name, str(steps), f"{took:.1f}", f"{100 * wrong:.2f}", str(runs)])
        print(" | ".join(shown[-1]), flush=True)

    # One fit warms each path up, on few rows.
    few = frame.sample(0.01, seed=1).persist()
    AveragedPerceptron(maxIter=1).fit(few)
    for learner in (LinearSVC, LogisticRegression):
        learner(maxIter=1).fit(few)
    few.unpersist()
    for steps in (1, 2, 3, 5, 10):
        runs = [seconds(lambda: AveragedPerceptron(maxIter=steps).fit(frame)) for _ in range(args.runs)]
        note("AveragedPerceptron", steps, min(t for t, _ in runs), error_of(runs[0][1]._native, x, np.where(y > 0, 1, 0)), args.runs)
    for learner, penalty in itertools.product((LinearSVC, LogisticRegression), args.penalties):
        for steps in args.steps:
            make_one = learner(maxIter=steps, regParam=penalty, tol=1e-9)
            runs = [seconds(lambda: make_one.fit(frame))]
            while len(runs) < args.runs and runs[0][0] < 60:
                runs.append(seconds(lambda: make_one.fit(frame)))
            name = f"{learner.__name__}, regParam {penalty:g}"
            note(name, steps, min(t for t, _ in runs), error_of_mllib(runs[0][1], x, y), len(runs))
    print()
    table(["learner", "iterations", "seconds", "test error %", "runs"], shown)
    own = curves["AveragedPerceptron"]
    rows = []
    for name in ("LinearSVC", "LogisticRegression"):
        theirs = [point for key, points in curves.items() if key.startswith(name) for point in points]
        # The least error that both reach.
        target = max(min(e for _, e, _ in theirs), min(e for _, e, _ in own))
        mine, other = (min(p for p in points if p[1] <= target) for points in (own, theirs))
        rows.append([name, f"{100 * target:.2f}", f"{other[0]:.1f} ({other[2]})", f"{mine[0]:.1f} ({mine[2]})", f"{other[0] / mine[0]:.1f} ×"])
    print("To the same test error: the least that both reach; iterations in brackets.\n")
    table(["MLlib", "test error %", "its seconds", "averaged perceptron, seconds", "ratio"], rows)
    frame.unpersist()


def reading(spark, args, parts):
    size = sum(os.path.getsize(path) for path in parts)
    print(f"### Reading {size / 1e6:.0f} MB of LIBSVM text in {len(parts)} files\n", flush=True)

    def mllib(keep):
        frame = spark.read.format("libsvm").option("numFeatures", FEATURES).load(parts)
        if keep:
            frame.persist().count()
            frame.unpersist(blocking=True)
        else:
            frame.write.format("noop").mode("overwrite").save()

    def survey():
        numbers = spark.range(0, len(parts), 1, len(parts))
        numbers.mapInArrow(functools.partial(rs._survey, paths=parts), "survey binary").collect()

    def fit_files(rounds):
        AveragedPerceptron(maxIter=rounds).fitFiles(spark, parts)

    works = {
        "MLlib, read": lambda: mllib(False),
        "MLlib, read and kept in memory": lambda: mllib(True),
        "fitFiles, read": survey,
        "fitFiles, one round: read twice": lambda: fit_files(1),
        "fitFiles, ten rounds: read eleven times": lambda: fit_files(10),
    }
    took = {name: min(seconds(work)[0] for _ in range(args.runs)) for name, work in works.items()}
    table(["", "seconds", "MB/s"], [[name, f"{t:.2f}", f"{size / 1e6 / t:.0f}"] for name, t in took.items()])
    print(f"Reading is {took['MLlib, read'] / took['fitFiles, read']:.1f} × faster than MLlib\n", flush=True)


def few_rows(folder, parts, features, values):
    """Files of eight rows each, half of which contradict the others, so that no round is the last: next to no work. The values of a
    row say how many weights move, and so how many bytes a report has."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(parts):
        rng, lines = np.random.RandomState(number), []
        for _ in range(4):
            at = np.sort(rng.choice(features - 1, values, replace=False)) + 1
            lines += [f"{label} " + " ".join(f"{j}:1" for j in at) + f" {features}:1\n" for label in (0, 1)]
        paths.append(folder / f"{number:04}.svm")
        paths[-1].write_text("".join(lines))
    return [str(path) for path in paths]


def pass_seconds(parts, rounds=3):
    """Seconds of a pass over the files in this process, and the values in them: what a round has to compute."""
    from rosenblatt._rosenblatt import Trainer

    loaded = [_shards.rows_of_file(path) for path in parts[:2]]
    values = sum(rows.x.nnz for rows in loaded)
    state, _ = _shards.begin(Trainer("averaged", params={}), "momentum", [rows.survey(i) for i, rows in enumerate(loaded)])
    times = []
    for _ in range(rounds):
        took, reports = seconds(lambda: [_shards.local_round(state, i, rows) for i, rows in enumerate(loaded)])
        state.mix(reports)
        times.append(took)
    return min(times) / values, len(state.to_task_bytes())


def fitted(samples):
    """t = t0 + partitions * (t1 + t2 * weights) + bytes / b by least squares; nothing is negative."""
    from scipy.optimize import nnls

    a = np.array([[1.0, parts, parts * features, size] for parts, features, size, _ in samples])
    t = np.array([took for *_, took in samples])
    scale = a.max(axis=0)
    # Relative errors count: small rounds matter as large ones do.
    solution, _ = nnls(a / scale / t[:, None], np.ones(len(t)))
    return solution / scale


def rounds_cost(spark, args, parts):
    from dask.distributed import Client, LocalCluster

    from rosenblatt import dask as rd

    print("### Warm rounds without work: median seconds (least to greatest) of rounds 2 to 7\n", flush=True)
    few, wide = 20, 1 << 18
    shapes = [(2, 1_000, few), (8, 1_000, few), (32, 1_000, few), (8, FEATURES, few), (8, wide, few), (32, wide, few)]
    shapes += [(8, FEATURES, FEATURES // 2), (32, FEATURES, FEATURES // 2), (8, wide, wide // 2), (16, wide, wide // 2)]
    shown, samples = [], {"Spark": [], "Dask": []}
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None)
    with cluster, Client(cluster):
        for count, features, values in shapes:
            files = few_rows(HERE / "few" / f"{count}-{features}-{values}", count, features, values)
            line = [str(count), f"{features:,}"]
            works = {
                "Spark": (rs, lambda: AveragedPerceptron(maxIter=7, shuffle=False).fitFiles(spark, files)),
                "Dask": (rd, lambda: rd.AveragedPerceptron(max_iter=7, shuffle=False).fit_files(files)),
            }
            for name, (module, work) in works.items():
                with Rounds(module) as noted:
                    work()
                each = noted.each[1:]
                state = few_bytes(files)
                samples[name].append((count, features, 2 * count * state, float(np.median(each))))
                line.append(f"{np.median(each):.3f} ({each.min():.3f} to {each.max():.3f})")
            shown.append([*line, f"{state / 1e3:.1f}"])
            print(" | ".join(shown[-1]), flush=True)
    print()
    table(["partitions", "weights", "Spark", "Dask", "a state, kB"], shown)
    per_value, state = pass_seconds(parts)
    print(f"A pass: {1e9 * per_value:.2f} ns a value; the state of W1 has {state / 1e3:.0f} kB\n")
    model(samples, per_value)


def few_bytes(files):
    """The bytes of the state after a round on these files."""
    from rosenblatt._rosenblatt import Trainer

    loaded = [_shards.rows_of_file(path) for path in files]
    return len(_shards.train_here(loaded, Trainer("averaged", params={}), "momentum", 1).to_task_bytes())


def model(samples, per_value):
    """The constants, how well they tell what was measured, and what they say of larger clusters."""
    rows = []
    for name, points in samples.items():
        t0, t1, t2, per_byte = fitted(points)
        told = [t0 + count * (t1 + t2 * features) + per_byte * size for count, features, size, _ in points]
        off = max(abs(a / t - 1) for a, (*_, t) in zip(told, points))
        rate = f"{1e-6 / per_byte:.0f}" if per_byte > 0 else "no limit seen"
        rows.append([name, f"{t0:.3f}", f"{2 * t1:.4f}", f"{2e9 * t2:.1f}", rate, f"{100 * off:.0f}"])
    table(["", "t₀ s", "t₁ s a task", "t₂ ns a weight and task", "b MB/s", "greatest error of the fit %"], rows)
    rows = []
    for name, points in samples.items():
        t0, t1, t2, per_byte = fitted(points)
        for n, count, workers in [(10**7, 8, 8), (10**8, 100, 100), (10**9, 1000, 100), (10**9, 1000, 1000)]:
            work = n * 75 * per_value / workers
            # Two tasks ran at a time where t1 and t2 were measured; bytes pass through one driver wherever it is.
            summed = count * FEATURES >= _shards.WIDE
            levels = math.ceil(math.log(count, 8)) if summed else 0
            engine = t0 * (1 + levels) + 2 * (t1 + t2 * FEATURES) * count / workers
            moved = (count + (1 if summed else count)) * 16 * FEATURES * per_byte
            rows.append([name, f"{n:,}", str(count), str(workers), f"{engine:.2f}", f"{work:.2f}", f"{moved:.2f}", f"{engine + work + moved:.2f}"])
    print("Carried on, a round on rows of 75 values and 47,236 weights, all of which have moved:\n")
    table(["", "rows", "partitions", "tasks at a time", "engine s", "passes s", "bytes s", "round s"], rows)


def wide(spark, args):
    """2**24 weights: sparse reports, a tree of sums."""
    print("### A model of 2**24 weights, 16 partitions of 2,000 rows with 50 values each\n", flush=True)
    folder, features = HERE / "wide-parts", 1 << 24
    if not folder.exists():
        folder.mkdir(parents=True)
        for number in range(16):
            rng, lines = np.random.RandomState(number), []
            for _ in range(2_000):
                at = np.unique((features * rng.uniform(size=50) ** 3).astype(int)) + 1
                lines.append(f"{int(at[0] % 3 == 0)} " + " ".join(f"{j}:1" for j in at) + "\n")
            (folder / f"{number:02}.svm").write_text("".join([*lines[:-1], f"1 1:1 {features}:1\n"]))
    shown, models = [], set()
    for name, limit in [("a tree of sums", rs.WIDE), ("all to the driver", 1 << 60)]:
        before, rs.WIDE = rs.WIDE, limit
        with Rounds(rs) as noted:
            model = AveragedPerceptron(maxIter=4).fitFiles(spark, str(folder / "*.svm"))
        rs.WIDE = before
        models.add(bytes(model._native.to_bytes()))
        received, sent = (np.mean(noted.__dict__[of][1:]) / 1e6 for of in ("received", "sent"))
        shown.append([name, f"{np.median(noted.each[1:]):.2f}", f"{sent:.2f}", f"{received:.2f}"])
    assert len(models) == 1, "the tree changes no byte"
    table(["", "seconds a round", "state, MB", "reports that the driver receives, MB a round"], shown)
    print(f"The model: {len(models.pop()) / 1e6:.1f} MB; a dense state would have {16 * features / 1e6:.0f} MB\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=800_000, help="rows of W1, a tenth of them for testing")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--penalties", type=float, nargs="*", default=[0.0, 1e-5], help="regParam of MLlib")
    parser.add_argument("--steps", type=int, nargs="*", default=[5, 10, 20, 50, 100], help="maxIter of MLlib")
    parser.add_argument("--only", nargs="*", default=["reading", "rounds", "wide", "speed"])
    args = parser.parse_args()
    import dask
    import pyspark

    machine(f"pyspark {pyspark.__version__}, dask {dask.__version__}, load {os.getloadavg()[0]:.1f}")
    parts = make(args.rows, args.partitions)
    spark = session()
    works = {
        "reading": lambda: reading(spark, args, parts),
        "rounds": lambda: rounds_cost(spark, args, parts),
        "wide": lambda: wide(spark, args),
        "speed": lambda: speed(spark, args, parts),
    }
    for name in args.only:
        works[name]()
    spark.stop()


if __name__ == "__main__":
    main()
