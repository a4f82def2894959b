"""Test errors and wall times beside scikit-learn, on the same features and the same splits, in one run.

Usage: bench/peers [--write] [times|errors] [DATA]    DATA: a folder with the data sets (default ../shared/data)

Files in LIBSVM format go to every program as they are; times are from the file to the trained model, the minimum of
three, the programs taking turns. Texts become word counts, tables one-hot categories (a missing value is one of them) and
standardised numbers, both fitted on the training part; every program gets the same numbers, once if the data have a test
file, else in five stratified folds, of which the mean error is shown.
`times` prints the first table, `errors` the second; the default is both. --write puts them into README.md and RESULTS.md.
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
from sklearn.compose import ColumnTransformer
from sklearn.datasets import dump_svmlight_file, load_svmlight_files
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import OneHotEncoder, StandardScaler
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
# The file, its features, and the test file, if there is one.
PREPARED = {
    "sms spam, words": ("texts", "sms_spam/SMSSpamCollection.tsv.gz", None),
    "adult, as it is": ("columns", "adult/adult.data.gz", None),
    "reuters R8, words": ("texts", "reuters_r8_r52/r8-train.tsv.gz", "reuters_r8_r52/r8-test.tsv.gz"),
    "imdb, words and pairs": ("pairs", "imdb/imdb_train.tsv.gz", "imdb/imdb_test.tsv.gz"),
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
# The grid of `tune` for the column of tuned errors, validated on a fifth of the training part.
GRID = "scale=none,unit learner=averaged,pa1,arow c=0.01,0.1 r=1,10,100 epochs=5,20"


def say(*arguments):
    run = subprocess.run([PROGRAM, *arguments, "--json"], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return json.loads(run.stdout)


def ours(train, test):
    with tempfile.NamedTemporaryFile() as model:
        begin = time.perf_counter()
        say("train", train, "--learner", "averaged", "--scale", "none", "-o", model.name)
        seconds = time.perf_counter() - begin
        return say("eval", model.name, test)["error"], seconds


def tuned(train, test):
    return say("tune", train, "--learner", "averaged", "--scale", "none", "--grid", GRID, "--holdout", "0.2", "--test", test)["test_error"]


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


def texts(rows, longest=1):
    """Label, tab, text: counts of words, or of words and pairs of them."""
    label, text = zip(*(row.split("\t", 1) for row in rows))
    words = CountVectorizer(token_pattern=r"(?u)\b\w+\b", ngram_range=(1, longest), min_df=longest)
    return np.array(text, dtype=object), np.array(label), words


def columns(rows):
    """Columns, the label last: numbers standardised, others one-hot."""
    table = [[field.strip() for field in row.split(",")] for row in rows]
    values, label = np.array([row[:-1] for row in table], dtype=object), np.array([row[-1] for row in table])
    numeric = [j for j in range(values.shape[1]) if all(v.lstrip("-").isdigit() for v in values[:, j])]
    others = [j for j in range(values.shape[1]) if j not in numeric]
    encode = ColumnTransformer(
        [("numbers", StandardScaler(), numeric), ("categories", OneHotEncoder(handle_unknown="ignore"), others)],
        sparse_threshold=1.0,
    )
    return values, label, encode


KINDS = {"texts": texts, "pairs": lambda rows: texts(rows, longest=2), "columns": columns}


def lines(file):
    with gzip.open(file, "rt", encoding="utf-8") as text:
        return [row.rstrip("\n") for row in text if row.strip()]


def prepared(data):
    names = ["rosenblatt", "rosenblatt, tuned", *PEERS]
    yield "| error % | " + " | ".join(names) + " |"
    yield "|---" * (len(names) + 1) + "|"
    for name, (kind, train_file, test_file) in PREPARED.items():
        rows = lines(data / train_file)
        train_rows = len(rows)
        rows += lines(data / test_file) if test_file else []
        x, label, encoder = KINDS[kind](rows)
        y = np.unique(label, return_inverse=True)[1]
        if test_file:
            splits = [(np.arange(train_rows), np.arange(train_rows, len(y)))]
        else:
            splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(x, y))
        errors = {program: [] for program in names}
        for train_part, test_part in splits:
            with tempfile.TemporaryDirectory() as folder:
                train, test = f"{folder}/train.svm", f"{folder}/test.svm"
                numbers = encoder.fit_transform(x[train_part])
                dump_svmlight_file(numbers, y[train_part], train, zero_based=False)
                dump_svmlight_file(encoder.transform(x[test_part]), y[test_part], test, zero_based=False)
                errors["rosenblatt"].append(ours(train, test)[0])
                errors["rosenblatt, tuned"].append(tuned(train, test))
                for peer, make in PEERS.items():
                    errors[peer].append(theirs(make, train, test)[0])
        cells = [f"{100 * np.mean(errors[n]):.2f}" for n in names]
        how = "test file" if test_file else f"{FOLDS} folds"
        yield f"| {name} ({how}) | " + " | ".join(cells) + " |"


def put(table):
    """Replaces the table with the same head."""
    for page in (ROOT / "README.md", ROOT / "RESULTS.md"):
        text = page.read_text().split("\n")
        if table[0] in text:
            begin = text.index(table[0])
            end = begin + next(i for i, line in enumerate(text[begin:]) if not line.startswith("|"))
            text[begin:end] = table
            page.write_text("\n".join(text))
            return
    raise SystemExit(f"no page has a table with this head: {table[0]}")


def main():
    arguments = sys.argv[1:]
    write = "--write" in arguments
    tables = {"times": timed, "errors": prepared}
    wanted = [a for a in arguments if a in tables] or tables
    places = [a for a in arguments if a != "--write" and a not in tables]
    data = Path(places[0] if places else ROOT / ".." / "shared" / "data").resolve()
    for name in wanted:
        table = []
        for line in tables[name](data):
            print(line, flush=True)
            table.append(line)
        print()
        if write:
            put(table)


if __name__ == "__main__":
    main()
