"""Test errors and wall times beside scikit-learn, on the same features and the same splits, in one run.

Usage: bench/peers [--write] [times|errors] [DATA]    DATA: a folder with the data sets (default ../shared/data)

Files in LIBSVM format go to every program as they are; times are from the file to the trained model, the minimum of
three, the programs taking turns. Tables and texts are turned into numbers by `rosenblatt convert` (words counted, categories
one-hot, missing values marked), every column divided by its greatest absolute value in the training part, and every program
gets these numbers: once where the data have a test file, else in five stratified folds, of which the mean error is shown.
The first is the table of times, the second that of errors; both if none is named. --write puts them into README.md.
"""

import gzip
import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file, load_svmlight_files
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC

warnings.simplefilter("ignore", ConvergenceWarning)

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target" / "release" / "rosenblatt"
TIMED = {
    "a9a": ("a9a/a9a.gz", "a9a/a9a.t.gz"),
    "letter": ("letter/letter.scale.gz", "letter/letter.scale.t.gz"),
    "usps": ("usps/usps_train.libsvm.gz", "usps/usps_test.libsvm.gz"),
    "reuters acq": ("reuters_acq/train.dat.gz", "reuters_acq/test.dat.gz"),
    "imdb words": ("imdb_bow/imdb_bow_train.libsvm.gz", "imdb_bow/imdb_bow_test.libsvm.gz"),
}
# The files, and how they are read: the rows of a test file come after those of the training file.
PREPARED = {
    "sms spam, words": (["sms_spam/SMSSpamCollection.tsv.gz"], "--format tsv --header no --label 1 --text 2"),
    "adult, as it is": (["adult/adult.data.gz"], "--format csv --header no --missing indicator"),
    "reuters R8, words": (
        ["reuters_r8_r52/r8-train.tsv.gz", "reuters_r8_r52/r8-test.tsv.gz"],
        "--format tsv --header no --label 1 --text 2",
    ),
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
FOLDS = 5
# What `tune` tries for the column of tuned errors, on five folds of the training part.
GRID = "learner=averaged,pa1,arow c=0.001,0.01,0.1 r=1,10,100 epochs=5,20"


def say(*arguments):
    run = subprocess.run([PROGRAM, *arguments, "--json"], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return json.loads(run.stdout)


def ours(train, test):
    with tempfile.NamedTemporaryFile() as model:
        begin = time.perf_counter()
        say("train", train, "-o", model.name)
        seconds = time.perf_counter() - begin
        return say("eval", model.name, test)["error"], seconds


def tuned(train, test):
    return say("tune", train, "--grid", GRID, "--test", test)["test_error"]


def load(train, test):
    x, y, x_test, y_test = load_svmlight_files([train, test])
    for matrix in (x, x_test):  # the loader makes 64-bit indices, which the learners refuse
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return x, y, x_test, y_test


def theirs(make, train, test):
    begin = time.perf_counter()
    x, y, x_test, y_test = load(train, test)
    loaded = time.perf_counter() - begin
    begin = time.perf_counter()
    model = make().fit(x, y)
    # Loading reads both files; the training file's share is by its number of rows.
    share = x.shape[0] / (x.shape[0] + x_test.shape[0])
    return 1.0 - model.score(x_test, y_test), loaded * share + time.perf_counter() - begin


def timed(data):
    names = ["rosenblatt", *PEERS]
    yield "| test error % (seconds from file to model) | " + " | ".join(names) + " |"
    yield "|---" * (len(names) + 1) + "|"
    for name, files in TIMED.items():
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
        yield f"| {name} | " + " | ".join(cells) + " |"


def numbers(files, options, folder):
    """The rows of all files in one LIBSVM file with whole numbers as labels, and how many the first file has."""
    counts, both = [], folder / "raw"
    with open(both, "wb") as out:
        for file in files:
            rows = [row for row in gzip.open(file).read().split(b"\n") if row.strip()]
            counts.append(len(rows))
            out.writelines(row + b"\n" for row in rows)
    subprocess.run(
        [PROGRAM, "convert", both, folder / "words.svm", *options.split()], check=True, capture_output=True
    )
    labels = {}
    with open(folder / "words.svm") as words, open(folder / "numbers.svm", "w") as out:
        for row in words:
            label, _, rest = row.partition(" ")
            out.write(f"{labels.setdefault(label.strip(), len(labels))} {rest.strip()}\n")
    return folder / "numbers.svm", counts[0] if len(files) == 2 else None


def prepared(data):
    names = ["rosenblatt", "rosenblatt, tuned", *PEERS]
    yield "| error % | " + " | ".join(names) + " |"
    yield "|---" * (len(names) + 1) + "|"
    for name, (files, options) in PREPARED.items():
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            file, train_rows = numbers([data / file for file in files], options, folder)
            x, y = load_svmlight_file(str(file))
            if train_rows is None:
                splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(x, y))
            else:
                splits = [(np.arange(train_rows), np.arange(train_rows, x.shape[0]))]
            errors = {program: [] for program in names}
            for train_part, test_part in splits:
                scaler = MaxAbsScaler().fit(x[train_part])
                train, test = str(folder / "train.svm"), str(folder / "test.svm")
                dump_svmlight_file(scaler.transform(x[train_part]), y[train_part], train, zero_based=False)
                dump_svmlight_file(scaler.transform(x[test_part]), y[test_part], test, zero_based=False)
                errors["rosenblatt"].append(ours(train, test)[0])
                errors["rosenblatt, tuned"].append(tuned(train, test))
                for peer, make in PEERS.items():
                    errors[peer].append(theirs(make, train, test)[0])
        cells = [f"{100 * np.mean(errors[n]):.2f}" for n in names]
        how = f"{FOLDS} folds" if train_rows is None else "test file"
        yield f"| {name} ({how}) | " + " | ".join(cells) + " |"


def main():
    arguments = sys.argv[1:]
    write = "--write" in arguments
    tables = {"times": timed, "errors": prepared}
    wanted = [a for a in arguments if a in tables] or tables
    places = [a for a in arguments if a != "--write" and a not in tables]
    data = Path(places[0] if places else ROOT / ".." / "shared" / "data").resolve()
    readme = ROOT / "README.md"
    for name in wanted:
        lines = []
        for line in tables[name](data):
            print(line, flush=True)
            lines.append(line)
        print()
        if write:
            text = readme.read_text().split("\n")
            begin = text.index(lines[0])
            end = begin + next(i for i, line in enumerate(text[begin:]) if not line.startswith("|"))
            text[begin:end] = lines
            readme.write_text("\n".join(text))


if __name__ == "__main__":
    main()
