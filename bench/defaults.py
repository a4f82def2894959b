"""The error without options beside scikit-learn's linear classifiers, on every labelled set of the data.

Usage: bench/defaults [--write] [--seeds N] [--only NAME,NAME] [--ours "OPTIONS"] [--learners] [--tune SECONDS] [DATA]

DATA is a folder with the data sets (default ../shared/data). --learners compares the learners and what they keep instead, each
with the preparation that is the default. --tune SECONDS measures `tune` without a grid and with that limit instead, beside the
defaults and the others on the same rows: the training file is tuned on, the test file is used once; without a test file, as many of
the first seed's five folds as begin within SECONDS, at least one. All sets but MNIST, which --only names, take less than
half an hour with 60 seconds, and the others' training.

Every program gets the same rows: those of the training and the test file if the set has both, else five stratified folds
of each of five seeds. Ours gets the files as they are and options only to say what the columns mean (which is the label,
which is text). The others get what a careful user of scikit-learn would give them: numbers standardised (those of sparse
rows divided and not shifted; rows of length 1 as they are), categories one-hot, texts as tf-idf.

The standard error is that of the best peer's error e on n rows, √(e(1 − e)/n). --ours measures other options;
--write puts the table into RESULTS.md. Errors of the others are kept in target/defaults and measured once.
"""

import argparse
import gzip
import json
import shlex
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_svmlight_files
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

warnings.simplefilter("ignore")

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "target" / "defaults"
PROGRAM = ROOT / "target" / "release" / "rosenblatt"
FOLDS = 5
TEXT = "--format tsv --header no --label 1 --text 2"
# The kind of the data, the files (the second for testing), and what the columns mean.
SETS = {
    "a9a": ("libsvm", ["a9a/a9a.gz", "a9a/a9a.t.gz"], ""),
    "adult": ("table", ["adult/adult.data.gz", "adult/adult.test.gz"], "--format csv --header no --missing indicator"),
    "agaricus": ("libsvm", ["mushrooms/agaricus.txt.train.gz", "mushrooms/agaricus.txt.test.gz"], ""),
    "banknote": ("table", ["banknote/banknote_authentication.csv.gz"], "--format csv --header no"),
    "breast cancer": ("table", ["breast_cancer_wisconsin/breast-cancer-wisconsin.data.gz"],
                      "--format csv --header no --drop 1 --missing mean"),
    "electricity": ("table", ["electricity/electricity.csv.gz"], "--format csv --header no"),
    "fourclass": ("libsvm", ["fourclass_scale/fourclass_scale.gz"], ""),
    "german": ("libsvm", ["german_numer_scale/german.numer_scale.gz"], ""),
    "heart": ("libsvm", ["heart_scale/heart_scale.gz"], ""),
    "imdb": ("text", ["imdb/imdb_train.tsv.gz", "imdb/imdb_test.tsv.gz"], TEXT),
    "imdb words": ("libsvm", ["imdb_bow/imdb_bow_train.libsvm.gz", "imdb_bow/imdb_bow_test.libsvm.gz"], ""),
    "ionosphere": ("table", ["ionosphere/ionosphere.csv.gz"], "--format csv --header no"),
    "iris": ("table", ["iris/iris.csv.gz"], "--format csv --header no"),
    "iris scaled": ("libsvm", ["iris_scale/iris.scale.gz"], ""),
    "letter": ("libsvm", ["letter/letter.scale.gz", "letter/letter.scale.t.gz"], ""),
    "letter raw": ("table", ["letter/letter-recognition.data.gz"], "--format csv --header no --label 1"),
    "mnist": ("images", ["mnist/train-images-idx3-ubyte.gz", "mnist/t10k-images-idx3-ubyte.gz"], ""),
    "mushrooms": ("libsvm", ["mushrooms/mushrooms.gz"], ""),
    "pendigits": ("libsvm", ["pendigits/pendigits.gz", "pendigits/pendigits.t.gz"], ""),
    "pima": ("table", ["pima_diabetes/pima-indians-diabetes.csv.gz"], "--format csv --header no"),
    "rcv1 sample": ("vw", ["rcv1_small_vw/rcv1_small.dat.gz", "rcv1_small_vw/rcv1_small_test.data.gz"], "--format vw"),
    "reuters acq": ("libsvm", ["reuters_acq/train.dat.gz", "reuters_acq/test.dat.gz"], ""),
    "reuters R8": ("text", ["reuters_r8_r52/r8-train.tsv.gz", "reuters_r8_r52/r8-test.tsv.gz"], TEXT),
    "reuters R52": ("text", ["reuters_r8_r52/r52-train.tsv.gz", "reuters_r8_r52/r52-test.tsv.gz"], TEXT),
    "sms spam": ("text", ["sms_spam/SMSSpamCollection.tsv.gz"], TEXT),
    "sonar": ("table", ["sonar/sonar.csv.gz"], "--format csv --header no"),
    "usps": ("libsvm", ["usps/usps_train.libsvm.gz", "usps/usps_test.libsvm.gz"], ""),
    "w8a": ("libsvm", ["w8a/w8a.gz"], ""),
    "wdbc": ("table", ["breast_cancer_wisconsin/wdbc_sklearn.csv.gz"], "--format csv --header no"),
    "wine": ("table", ["wine/wine.csv.gz"], "--format csv --header no"),
}
PEERS = {
    "Perceptron": lambda seed: Perceptron(random_state=seed),
    "averaged SGD": lambda seed: SGDClassifier(average=True, random_state=seed),
    "LinearSVC": lambda seed: LinearSVC(random_state=seed),
    "LogisticRegression": lambda seed: LogisticRegression(max_iter=1000),
}


# The learners and what they keep, beside the default.
LEARNERS = ["", "averaged", "perceptron", "voted", "pocket", "margin --keep average", "margin", "pa --keep average",
            "pa1 --keep average", "pa1 --keep average --set c=0.1", "pa1 --keep average --set c=0.01", "pa1",
            "pa2 --keep average", "pa2 --keep average --set c=0.1", "pa2", "arow", "arow --set r=10", "alma"]


def lines(file):
    with gzip.open(file, "rt", encoding="utf-8", newline="\n") as text:
        rows = [row.rstrip("\r\n") for row in text if row.strip()]
    # Lines that are no rows: of adult's test file, of wdbc, and the names of electricity's columns.
    return rows[1:] if rows[0].startswith(("|1x3", "569,30", "date,")) else rows


def label_of(kind, where, row):
    if kind == "table":
        fields = [field.strip() for field in row.split(",")]
        return fields[0 if "--label 1" in where else -1].rstrip(".")
    text = row.split("\t" if kind == "text" else None, 1)[0]
    return str(float(text)) if kind in ("libsvm", "vw") else text


def splits(name, data, seeds):
    """The training and the test file of each split."""
    kind, files, where = SETS[name]
    place = HERE / "splits" / name.replace(" ", "_")
    if kind == "images":
        return [(0, str(data / files[0]), str(data / files[1]))]
    end = {"libsvm": "svm", "table": "csv", "text": "tsv", "vw": "vw"}[kind]
    place.mkdir(parents=True, exist_ok=True)
    if len(files) == 2:
        pair = []
        for part, file in zip(("train", "test"), files):
            path = place / f"{part}.{end}"
            if not path.exists():
                rows = lines(data / file)
                rows = [row.rstrip(".") for row in rows] if name == "adult" else rows
                path.write_text("\n".join(rows) + "\n", encoding="utf-8")
            pair.append(str(path))
        return [(0, *pair)]
    rows = lines(data / files[0])
    labels = [label_of(kind, where, row) for row in rows]
    made = []
    for seed in range(seeds):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        for k, parts in enumerate(folds.split(rows, labels)):
            pair = []
            for part, chosen in zip(("train", "test"), parts):
                path = place / f"{seed}-{k}-{part}.{end}"
                if not path.exists():
                    path.write_text("\n".join(rows[i] for i in chosen) + "\n", encoding="utf-8")
                pair.append(str(path))
            made.append((seed, *pair))
    return made


def say(program, *arguments):
    run = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(shlex.join(map(str, [program, *arguments])) + "\n" + run.stderr)
    return json.loads(run.stdout)


def ours(program, name, train, test, seed, options, command="train"):
    where = shlex.split(SETS[name][2])
    model = str(HERE / f"{command}{options.replace(' ', '')[:60].replace('/', '')}.model")
    try:
        say(program, command, train, *where, *options.split(), "--seed", str(seed), "-o", model)
        return say(program, "eval", model, test, "--format" if "--format" in where else "--threads",
                   where[where.index("--format") + 1] if "--format" in where else "2",
                   *(["--header", "no"] if "--header" in where else []))["error"]
    finally:
        Path(model).unlink(missing_ok=True)


def numbers(kind, name, train, test):
    """What the others get."""
    where = SETS[name][2]
    if kind == "images":
        pixels, classes = [], []
        for file in (train, test):
            pixels.append(np.frombuffer(gzip.open(file).read(), np.uint8, offset=16).reshape(-1, 784).astype(float))
            label = gzip.open(file.replace("images-idx3", "labels-idx1")).read()
            classes.append(np.frombuffer(label, np.uint8, offset=8))
        scale = StandardScaler().fit(pixels[0])
        return scale.transform(pixels[0]), classes[0], scale.transform(pixels[1]), classes[1]
    if kind == "libsvm":
        x, y, xt, yt = load_svmlight_files([train, test])
        for matrix in (x, xt):
            matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
        lengths = np.sqrt(np.asarray(x.multiply(x).sum(axis=1)).ravel())
        dense = x.nnz > 0.5 * x.shape[0] * x.shape[1]
        if np.abs(lengths - 1).max() < 0.01:
            scale = FunctionTransformer()
        elif dense:
            x, xt, scale = x.toarray(), xt.toarray(), StandardScaler()
        else:
            scale = StandardScaler(with_mean=False)
        return scale.fit_transform(x), y, scale.transform(xt), yt
    rows, test_rows = (Path(file).read_text(encoding="utf-8").rstrip("\n").split("\n") for file in (train, test))
    y, yt = (np.array([label_of(kind, where, row) for row in part]) for part in (rows, test_rows))
    if kind == "text":
        words = TfidfVectorizer()
        texts = [[row.split("\t", 1)[1] for row in part] for part in (rows, test_rows)]
        return words.fit_transform(texts[0]), y, words.transform(texts[1]), yt
    if kind == "vw":
        hashes = FeatureHasher(2**20, input_type="pair", alternate_sign=False)
        pairs = [[[(f.split(":")[0], float(f.split(":")[1])) for f in row.split("|f ", 1)[1].split()] for row in part]
                 for part in (rows, test_rows)]
        return hashes.transform(pairs[0]), y, hashes.transform(pairs[1]), yt
    tables = [np.array([[f.strip() for f in row.split(",")] for row in part], dtype=object) for part in (rows, test_rows)]
    label = 0 if "--label 1" in where else -1
    keep = [j for j in range(tables[0].shape[1]) if j != label % tables[0].shape[1] and not ("--drop 1" in where and j == 0)]
    x, xt = (table[:, keep] for table in tables)

    def is_number(value):
        try:
            float(value)
            return True
        except ValueError:
            return value == "?"

    numeric = [j for j in range(x.shape[1]) if all(map(is_number, x[:, j])) and not all(v == "?" for v in x[:, j])]
    others = [j for j in range(x.shape[1]) if j not in numeric]
    for part in (x, xt):
        for j in numeric:
            part[:, j] = [np.nan if v == "?" else float(v) for v in part[:, j]]
    encode = ColumnTransformer([
        ("numbers", make_pipeline(FunctionTransformer(lambda a: a.astype(float)), SimpleImputer(), StandardScaler()), numeric),
        ("categories", OneHotEncoder(handle_unknown="ignore"), others)])
    return encode.fit_transform(x), y, encode.transform(xt), yt


def theirs(name, made, seeds, folds=None):
    """The mean error of each of the others; `made` may be some folds of one seed."""
    kept = HERE / "peers.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    key = f"{name}, {seeds} seeds" if folds is None else f"{name}, {folds} folds of one seed"
    if key not in known:
        errors = {peer: [] for peer in PEERS}
        rows = 0
        for seed, train, test in made:
            x, y, xt, yt = numbers(SETS[name][0], name, train, test)
            rows += len(yt)
            for peer, make in PEERS.items():
                slow = name == "mnist" or peer in ("LinearSVC", "LogisticRegression")
                for again in [seed] if len(made) > 1 or slow else range(seeds):
                    model = make(again)
                    if name == "mnist" and slow and hasattr(model, "max_iter"):
                        model.set_params(max_iter=min(100, model.max_iter))  # minutes instead of hours
                    errors[peer].append(1 - model.fit(x, y).score(xt, yt))
        known[key] = {"rows": rows // (seeds if len(made) > 1 else 1), **{peer: float(np.mean(e)) for peer, e in errors.items()}}
        kept.write_text(json.dumps(known, indent=1))
    return known[key]


def learners(args, data, wanted):
    """For each learner: on how many sets it is within a standard error of the best peer, and its error beside that."""
    table = ["| learner, keep | sets within one standard error of the best peer | error / best peer, geometric mean |", "|---|---|---|"]
    print("\n".join(table), flush=True)
    for learner in LEARNERS:
        within, ratios, options = 0, [], f"--learner {learner}" if learner else ""
        for name in wanted:
            made = splits(name, data, 5)[:FOLDS]
            error = float(np.mean([ours(args.program, name, train, test, seed, options) for seed, train, test in made]))
            peers = theirs(name, made, 5)
            best = min(peers[peer] for peer in PEERS)
            within += error <= best + np.sqrt(best * (1 - best) / peers["rows"])
            if best > 0:
                ratios.append(max(error, 1e-4) / best)
        row = f"| {learner or 'the default'} | {within} of {len(wanted)} | {np.exp(np.mean(np.log(ratios))):.3f} |"
        print(row, flush=True)
        table.append(row)
    return table


def tuned(args, data, wanted):
    """`tune` without a grid: its error beside those of the defaults and of the best of the others."""
    table = [f"| error % | tune, {args.tune:g} s | s | folds | the defaults | best of the others | |", "|---" * 7 + "|"]
    print("\n".join(table), flush=True)
    below, below_defaults = 0, 0
    for name in wanted:
        made = splits(name, data, 1)
        errors, begin = [], time.monotonic()
        for _, train, test in made:
            options = f"--time-limit {args.tune:g} {args.ours}"
            errors.append(ours(args.program, name, train, test, 0, options, "tune"))
            spent = time.monotonic() - begin
            if spent >= args.tune:
                break
        made = made[:len(errors)]
        error = float(np.mean(errors))
        default = float(np.mean([ours(args.program, name, train, test, 0, args.ours) for _, train, test in made]))
        peers = theirs(name, made, 1, len(made))
        best = min(PEERS, key=lambda peer: peers[peer])
        # Equal counts of wrong rows may differ in their last digit.
        below += error <= peers[best] + 1e-9
        below_defaults += error <= default + 1e-9
        ratio = f"{error / peers[best]:.2f} × the best" if peers[best] > 0 else f"{100 * error:.2f} above 0"
        row = (f"| {name} | {100 * error:.2f} | {spent / len(made):.0f} | {len(made)} | {100 * default:.2f} | "
               f"{100 * peers[best]:.2f} ({best}) | {'' if error <= peers[best] + 1e-9 else ratio} |")
        print(row, flush=True)
        table.append(row)
    print(f"\n`tune` is at or below the best of the others on {below} of {len(wanted)} sets, at or below the defaults on "
          f"{below_defaults}.")
    return table


def put(table):
    """Replaces the table of RESULTS.md with the same head."""
    page = ROOT / "RESULTS.md"
    text = page.read_text().split("\n")
    begin = text.index(table[0])
    end = begin + next(i for i, line in enumerate(text[begin:]) if not line.startswith("|"))
    text[begin:end] = table
    page.write_text("\n".join(text))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--ours", default="", help="options of ours")
    parser.add_argument("--learners", action="store_true")
    parser.add_argument("--tune", type=float, metavar="SECONDS")
    parser.add_argument("--program", default=str(PROGRAM))
    parser.add_argument("data", nargs="?", default=str(ROOT / ".." / "shared" / "data"))
    args = parser.parse_args()
    data = Path(args.data).resolve()
    HERE.mkdir(parents=True, exist_ok=True)
    wanted = [name for name in SETS if not args.only or name in args.only.split(",")]
    if args.tune is not None:
        table = tuned(args, data, [name for name in wanted if args.only or name != "mnist"])
        return put(table) if args.write else None
    if args.learners:
        table = learners(args, data, wanted)
        return put(table) if args.write else None
    table = ["| error % | rosenblatt | " + " | ".join(PEERS) + " | best + standard error | |", "|---" * (len(PEERS) + 4) + "|"]
    print("\n".join(table), flush=True)
    within = 0
    for name in wanted:
        made = splits(name, data, args.seeds)
        runs = made if len(made) > 1 else [(seed, *made[0][1:]) for seed in range(args.seeds)]
        error = float(np.mean([ours(args.program, name, train, test, seed, args.ours) for seed, train, test in runs]))
        peers = theirs(name, made, args.seeds)
        best = min(peers[peer] for peer in PEERS)
        limit = best + np.sqrt(best * (1 - best) / peers["rows"])
        ratio = error / best if best > 0 else (1.0 if error == 0 else float("inf"))
        within += error <= limit
        cells = [f"{100 * e:.2f}" for e in (error, *(peers[peer] for peer in PEERS), limit)]
        row = f"| {name} | " + " | ".join(cells) + f" | {'' if error <= limit else f'{ratio:.2f} × the best'} |"
        print(row, flush=True)
        table.append(row)
    say_so = f"Ours is at or below the best of the others plus one standard error on {within} of {len(wanted)} sets."
    print("\n" + say_so)
    if args.write:
        put(table)


if __name__ == "__main__":
    main()
