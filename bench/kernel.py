"""Kernel perceptrons on MNIST: beside scikit-learn's SVC, on all of MNIST, and with a budget; in one run.

Usage: bench/kernel [DATA] [--runs N]    DATA: a folder with mnist/*.gz (default ../shared/data)

Ours are whole commands, which read text files and write model and predictions; SVC's times are fit and predict alone, with
the arrays in memory. Times are the minimum of N runs (default 3), the programs taking turns; the budgets run once.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.svm import SVC

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target" / "release" / "rosenblatt"
SMALL = 10_000


def digits(folder, name):
    with gzip.open(folder / f"mnist/{name}-images-idx3-ubyte.gz") as file:
        x = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)
    with gzip.open(folder / f"mnist/{name}-labels-idx1-ubyte.gz") as file:
        return x, np.frombuffer(file.read(), np.uint8, offset=8)


def write(path, x, y):
    """In LIBSVM's format, without the zeros."""
    with open(path, "w") as file:
        for row, label in zip(x, y):
            at = np.flatnonzero(row)
            # The last index is named in every row, so that all files have the same features.
            cells = [f"{j + 1}:{v}" for j, v in zip(at, row[at])]
            if not len(at) or at[-1] != 783:
                cells.append("784:0")
            file.write(f"{label} {' '.join(cells)}\n")


def run(*args):
    """Seconds, peak memory in MB, and the output."""
    begin = time.perf_counter()
    process = subprocess.Popen([PROGRAM, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begin
    assert process.returncode == 0, args
    return seconds, usage.ru_maxrss / 1024, said


def error(said, y):
    return 100 * np.mean(np.array(said.split(), dtype=np.uint8) != y)


def ours(train, test, y, folder, *options):
    """Train and predict: seconds of both, memory, test error, report."""
    model = folder / "model"
    learn, memory, report = run("train", train, "-o", model, "--json", "--multiclass", "one-vs-rest", *options)
    answer, _, labels = run("predict", model, test)
    return learn, answer, memory, error(labels, y), json.loads(report)


def main():
    args = sys.argv[1:]
    runs = int(args.pop(args.index("--runs") + 1)) if "--runs" in args else 3
    args = [a for a in args if a != "--runs"]
    data = Path(args[0] if args else os.environ.get("ROSENBLATT_DATA", ROOT / ".." / "shared" / "data")).resolve()
    (x, y), (x_test, y_test) = digits(data, "train"), digits(data, "t10k")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        small, whole, test = (folder / name for name in ("small.svm", "whole.svm", "test.svm"))
        write(small, x[:SMALL], y[:SMALL])
        write(whole, x, y)
        write(test, x_test, y_test)

        mine, peer, full = [], [], []
        for _ in range(runs):
            mine.append(ours(small, test, y_test, folder, "--kernel", "poly:4", "--epochs", "3"))
            begin = time.perf_counter()
            svc = SVC(kernel="poly", degree=4).fit(x[:SMALL] / 255.0, y[:SMALL])
            fitted = time.perf_counter()
            wrong = 100 * np.mean(svc.predict(x_test / 255.0) != y_test)
            peer.append((fitted - begin, time.perf_counter() - fitted, wrong))
            full.append(run("train", whole, "-o", folder / "model", "--json", "--multiclass", "one-vs-rest",
                            "--kernel", "poly:2", "--epochs", "1"))
        learn, answer, memory, wrong, report = min(mine, key=lambda r: r[0] + r[1])
        fit, predict, wrong_svc = min(peer, key=lambda r: r[0] + r[1])
        print(f"{SMALL:,} images to learn from, {len(y_test):,} to answer:\n")
        print("| | train (s) | predict (s) | together (s) | test error % | support vectors |")
        print("|---|---|---|---|---|---|")
        print(f"| rosenblatt, poly:4, averaged, 3 passes, files and all | {learn:.2f} | {answer:.2f} | "
              f"{learn + answer:.2f} | {wrong:.2f} | {report['support_vectors']:,} |")
        print(f"| scikit-learn SVC, poly, degree 4 | {fit:.2f} | {predict:.2f} | {fit + predict:.2f} | "
              f"{wrong_svc:.2f} | {svc.n_support_.sum():,} |")
        print(f"\nratio {(fit + predict) / (learn + answer):.1f}\n")
        seconds, memory, report = min(full, key=lambda r: r[0])
        report = json.loads(report)
        print(f"All 60,000, poly:2, ten classes, one pass: {seconds:.2f} s with reading "
              f"({report['seconds']['learn']:.2f} s to learn and judge), {memory:,.0f} MB, "
              f"{report['support_vectors']:,} support vectors; SVC on its {SMALL:,}: {fit + predict:.2f} s\n", flush=True)

        print("A budget of 1,000 support vectors, poly:4, one pass over all 60,000, the last vector:\n")
        print("| policy | support vectors | mistakes | test error % | train (s) | memory (MB) |")
        print("|---|---|---|---|---|---|")
        for policy in (None, "random", "forgetron", "projectron"):
            options = ["--kernel", "poly:4", "--epochs", "1", "--keep", "last"]
            if policy:
                options += ["--budget", "1000", "--policy", policy]
            learn, answer, memory, wrong, report = ours(whole, test, y_test, folder, *options)
            print(f"| {policy or 'unlimited'} | {report['support_vectors']:,} | {report['mistakes']:,} | "
                  f"{wrong:.2f} | {learn:.1f} | {memory:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
