"""What mixing costs: test error of the averaged perceptron by rounds, for 1 to 32 partitions and all mixings.

Usage: bench/shards [--rows N] [--only W1 a9a MNIST] [--data DIR]

The rounds are made in this process; on Spark and Dask the same partitions give the same models.
"""

import argparse
import gzip
import itertools
import os
import subprocess
from pathlib import Path

import numpy as np
from shared import HERE, ROOT, machine, table

from rosenblatt import load_libsvm
from rosenblatt._rosenblatt import Trainer
from rosenblatt._shards import Rows, coded, train_here

ROUNDS = 10
SHOWN = (1, 2, 5, 10)
PARTITIONS = (1, 2, 4, 8, 32)


def w1(rows):
    """The sparse data of bench/speed: training and test rows."""
    made, wanted = HERE / "made-sparse", f"{rows} sparse rows\n"
    if not made.exists() or made.read_text() != wanted:
        subprocess.run(["./sparse", str(rows), "."], cwd=HERE, check=True)
        made.write_text(wanted)
    x, y = load_libsvm(HERE / "sparse.train.svm")
    tx, ty = load_libsvm(HERE / "sparse.test.svm", n_features=x.shape[1])
    return x, y, tx, ty


def a9a(data):
    x, y = load_libsvm(data / "a9a" / "a9a.gz", n_features=123)
    tx, ty = load_libsvm(data / "a9a" / "a9a.t.gz", n_features=123)
    return x, y, tx, ty


def mnist(data):
    def images(name):
        pixels = np.frombuffer(gzip.open(data / "mnist" / f"{name}-images-idx3-ubyte.gz").read(), np.uint8, offset=16)
        labels = np.frombuffer(gzip.open(data / "mnist" / f"{name}-labels-idx1-ubyte.gz").read(), np.uint8, offset=8)
        return pixels.reshape(-1, 784) / 255.0, labels.astype(int)

    return *images("train"), *images("t10k")


def cut(x, y, parts):
    """Neighbouring rows, as `rosenblatt train --shards` cuts them."""
    at = [i * len(y) // parts for i in range(parts + 1)]
    return [Rows(x[a:b], *coded(y[a:b])) for a, b in itertools.pairwise(at)]


def errors(sets):
    """Error by rounds."""
    for name, (x, y, tx, ty) in sets.items():
        rows = []
        for mixing, parts in itertools.product(("momentum", "uniform", "errors"), PARTITIONS):
            if parts == 1 and mixing != "momentum":
                continue
            seen = {}

            def ended(state, seen=seen):
                if state.rounds in SHOWN:
                    model = state.model()
                    labels = np.array([float(label) for label in model.labels])
                    seen[state.rounds] = float((labels[model.classify(tx)] != ty).mean())

            train_here(cut(x, y, parts), Trainer("averaged", params={}), mixing, ROUNDS, round_ended=ended)
            rows.append([str(parts), "" if parts == 1 else mixing, *[f"{100 * seen[n]:.2f}" for n in SHOWN if n in seen]])
        print(f"### {name}: test error % of the averaged perceptron\n")
        table(["partitions", "mixing", *[f"{n} rounds" for n in SHOWN]], rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=800_000, help="rows of W1, a tenth of them for testing")
    parser.add_argument("--only", nargs="*", default=["W1", "a9a", "MNIST"])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ROSENBLATT_DATA", ROOT.parent / "shared" / "data")))
    args = parser.parse_args()
    machine("one process")
    sets = {"W1": lambda: w1(args.rows), "a9a": lambda: a9a(args.data), "MNIST": lambda: mnist(args.data)}
    for name in args.only:
        errors({name: sets[name]()})


if __name__ == "__main__":
    main()
