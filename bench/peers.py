"""Test errors and wall times beside scikit-learn, on the same files, in one run.

Usage: bench/peers [DATA]    DATA: a folder with the data sets (default ../shared/data)

Times are from the file to the trained model, the minimum of three, the programs taking turns.
"""

import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_files
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.svm import LinearSVC

warnings.simplefilter("ignore", ConvergenceWarning)

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target" / "release" / "rosenblatt"
SETS = {
    "a9a": ("a9a/a9a.gz", "a9a/a9a.t.gz"),
    "letter": ("letter/letter.scale.gz", "letter/letter.scale.t.gz"),
    "usps": ("usps/usps_train.libsvm.gz", "usps/usps_test.libsvm.gz"),
    "reuters acq": ("reuters_acq/train.dat.gz", "reuters_acq/test.dat.gz"),
    "imdb words": ("imdb_bow/imdb_bow_train.libsvm.gz", "imdb_bow/imdb_bow_test.libsvm.gz"),
}
PEERS = {
    "Perceptron": lambda: Perceptron(max_iter=10, tol=None, random_state=0),
    "averaged SGD": lambda: SGDClassifier(
        loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0,
        average=True, max_iter=10, tol=None, random_state=0,
    ),
    "LinearSVC": lambda: LinearSVC(random_state=0),
}
RUNS = 3


def ours(train, test):
    with tempfile.NamedTemporaryFile() as model:
        begin = time.perf_counter()
        subprocess.run([PROGRAM, "train", train, "-o", model.name, "--json"], check=True, capture_output=True)
        seconds = time.perf_counter() - begin
        said = subprocess.run([PROGRAM, "eval", model.name, test, "--json"], check=True, capture_output=True)
    return json.loads(said.stdout)["error"], seconds


def theirs(make, train, test):
    begin = time.perf_counter()
    x, y, x_test, y_test = load_svmlight_files([train, test])
    for matrix in (x, x_test):  # the loader makes 64-bit indices, which the learners refuse
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    loaded = time.perf_counter() - begin
    begin = time.perf_counter()
    model = make().fit(x, y)
    # Loading reads both files; the training file's share is by its number of rows.
    share = x.shape[0] / (x.shape[0] + x_test.shape[0])
    return 1.0 - model.score(x_test, y_test), loaded * share + time.perf_counter() - begin


def main():
    data = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".." / "shared" / "data").resolve()
    names = ["rosenblatt", *PEERS]
    print("| test error % (seconds from file to model) | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for name, files in SETS.items():
        train, test = (str(data / file) for file in files)
        programs = {"rosenblatt": lambda: ours(train, test)}
        for peer, make in PEERS.items():
            programs[peer] = lambda make=make: theirs(make, train, test)
        best = {}
        for _ in range(RUNS):
            for program, run in programs.items():
                error, seconds = run()
                best[program] = (error, min(seconds, best.get(program, (0, seconds))[1]))
        cells = [f"{100 * best[n][0]:.2f} ({best[n][1]:.2f})" for n in names]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
