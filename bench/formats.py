"""Every format from the file to the model, and to answers, beside the programs that people use for it, in one run.

Usage: bench/formats [--rows N] [--copies N] [--runs N] [--data FOLDER] [--only PART ...]

Parts: vw, text, table, jsonl, parquet, pipe. Every program is a separate process that takes turns with the others, one pass over
the data; the least of three turns counts. A ratio is theirs over ours. Texts are IMDb's reviews, tables are adult, both
repeated and shuffled from a seed, so that the test error says only that the programs do the same work; Vowpal Wabbit's text
is generated (bench/yardstick/sparse.c). Speeds are megabytes of the file a second.
"""

import argparse
import csv
import gzip
import json
import os
import random
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from shared import HERE, ROOT, machine, table
from speed import OURS, PYTHON, run, vw

HASHED = ["--ngrams", 2, "--hash-bits", 20]
COLUMNS = [
    "age", "workclass", "fnlwgt", "education", "education_num", "marital", "occupation", "relationship", "race", "sex",
    "gain", "loss", "hours", "country", "income",
]  # fmt: skip

FASTTEXT = """
import sys, fasttext
what, path, model = sys.argv[1:4]
if what == "train":
    fasttext.train_supervised(path, epoch=1, wordNgrams=2, bucket=1 << 20, thread=2, verbose=0).save_model(model)
else:
    found = fasttext.load_model(model)
    wrong = rows = 0
    with open(path) as lines:
        while batch := [line for _, line in zip(range(4096), lines)]:
            split = [line.rstrip("\\n").split(" ", 1) for line in batch]
            answers = found.predict([text for _, text in split])[0]
            wrong += sum(answer[0] != label for answer, (label, _) in zip(answers, split))
            rows += len(batch)
    print(wrong / rows)
"""
HASHING = """
import sys, pickle
from itertools import islice
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
what, path, model = sys.argv[1:4]
words = HashingVectorizer(n_features=1 << 20, ngram_range=(1, 2), alternate_sign=False, norm="l2", token_pattern=r"\\w+")
found = SGDClassifier(loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, average=True)
if what == "predict":
    found = pickle.load(open(model, "rb"))
wrong = rows = 0
with open(path) as lines:
    while batch := [line.rstrip("\\n").split("\\t", 1) for line in islice(lines, 4096)]:
        x, y = words.transform([text for _, text in batch]), [label for label, _ in batch]
        if what == "train":
            found.partial_fit(x, y, classes=["neg", "pos"])
        else:
            wrong += (found.predict(x) != y).sum()
            rows += len(batch)
if what == "train":
    pickle.dump(found, open(model, "wb"))
else:
    print(wrong / rows)
"""
FRAMES = """
import sys, pickle
reader, what, path, model = sys.argv[1:5]
if reader == "parquet":
    import pyarrow.parquet
    frame = pyarrow.parquet.read_table(path).to_pandas()
    columns = list(frame.columns)
else:
    import polars
    frame = polars.read_csv(path) if reader == "csv" else polars.read_ndjson(path)
    columns = frame.columns
from sklearn.compose import make_column_transformer
from sklearn.linear_model import Perceptron
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
x, y = (frame.drop(columns=["income"]), frame["income"]) if reader == "parquet" else (frame.drop("income"), frame["income"])
numbers = ["age", "fnlwgt", "education_num", "gain", "loss", "hours"]
others = [name for name in columns if name not in numbers and name != "income"]
if what == "train":
    maps = make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), others))
    found = make_pipeline(maps, Perceptron(max_iter=1, tol=None, random_state=0)).fit(x, y.to_numpy())
    pickle.dump(found, open(model, "wb"))
else:
    found = pickle.load(open(model, "rb"))
    print((found.predict(x) != y.to_numpy()).mean())
"""


def lines_of(path):
    with gzip.open(path, "rt", encoding="utf-8") as text:
        return text.read().splitlines()


def make_texts(args):
    """Reviews as `label<TAB>text` and as fastText's text: lower case, words and marks apart, as its own examples have it."""
    for part, copies in (("train", args.copies), ("test", 1)):
        lines = [line.replace("\r", " ") for line in lines_of(args.data / "imdb" / f"imdb_{part}.tsv.gz")] * copies
        if part == "train":
            random.Random(1958).shuffle(lines)
        with open(HERE / f"imdb.{part}.tsv", "w") as tsv, open(HERE / f"imdb.{part}.txt", "w") as plain:
            for line in lines:
                label, text = line.split("\t", 1)
                words = "".join(c if c.isalnum() or c == "_" else " " for c in text.lower()).split()
                tsv.write(line + "\n")
                plain.write(f"__label__{label} {' '.join(words)}\n")


def make_tables(args):
    """Adult, 40 times for each five copies, as CSV with a header, JSON Lines and Parquet."""
    import pyarrow.csv
    import pyarrow.parquet

    for part, name, copies in (("train", "adult.data.gz", 8 * args.copies), ("test", "adult.test.gz", 1)):
        lines = [line.rstrip(".") for line in lines_of(args.data / "adult" / name) if line.count(",") == 14]
        rows = [[field.strip() for field in line.split(",")] for line in lines] * copies
        rows = [["Unknown" if field == "?" else field for field in row] for row in rows]
        random.Random(1958).shuffle(rows)
        with open(HERE / f"adult.{part}.csv", "w", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([COLUMNS, *rows])
        with open(HERE / f"adult.{part}.jsonl", "w") as out:
            for row in rows:
                values = [int(field) if field.isdigit() else field for field in row]
                out.write(json.dumps(dict(zip(COLUMNS, values)), separators=(",", ":")) + "\n")
        frame = pyarrow.csv.read_csv(HERE / f"adult.{part}.csv")
        pyarrow.parquet.write_table(frame, HERE / f"adult.{part}.parquet", row_group_size=1 << 16)


def make(args):
    """Makes the data, unless they exist."""
    made, wanted = HERE / "formats.made", f"{args.rows} rows, {args.copies} copies\n"
    if made.exists() and made.read_text() == wanted:
        return
    made.unlink(missing_ok=True)
    subprocess.run(["./sparse", str(args.rows), "."], cwd=HERE, check=True)
    (HERE / "made").unlink(missing_ok=True)  # bench/speed makes its own
    make_texts(args)
    make_tables(args)
    made.write_text(wanted)


def megabytes(name):
    return (HERE / name).stat().st_size / 1e6


def measured(title, path, programs, runs, errors=None, once=()):
    """Runs the programs by turns and prints their table; the first is ours."""
    best = {}
    for turn in range(runs):
        for name, command in programs.items():
            if turn and name in once:
                continue
            wall, cpu, memory, _ = run(command)
            old = best.get(name, (wall, cpu, memory))
            best[name] = (min(wall, old[0]), min(cpu, old[1]), max(memory, old[2]))
    found = {name: run(command)[3] for name, command in (errors or {}).items()}
    ours, rows = next(iter(best.values())), []
    for name, (wall, cpu, memory) in best.items():
        first = name == next(iter(best))
        row = [name + (", once" if name in once else ""), f"{wall:.2f}", "" if first else f"{wall / ours[0]:.1f} ×"]
        row += [f"{megabytes(path) / wall:.0f}", f"{cpu:.2f}", "" if first else f"{cpu / ours[1]:.1f} ×", f"{memory:.0f}"]
        error = found.get(name, "").strip()
        if error.startswith("{"):
            error = json.loads(error)["error"]
        rows.append(row + ([f"{float(error):.4f}" if error else ""] if errors else []))
    print(f"#### {title}: {megabytes(path):.0f} MB\n")
    head = ["", "wall s", "to ours", "MB/s", "CPU s", "to ours", "memory MB"] + (["test error"] if errors else [])
    table(head, rows)


def train(path, model, *options):
    return [OURS, "train", path, "--epochs", 1, "--quiet", *options, "-o", model]


def predict(model, path):
    return [OURS, "predict", model, path, "--quiet", "-o", "formats.answers"]


def evaluate(model, path):
    return [OURS, "eval", model, path, "--json"]


def python(script, *arguments):
    return [PYTHON, "-c", script, *arguments]


def has_fasttext():
    return subprocess.run([PYTHON, "-c", "import fasttext"], capture_output=True).returncode == 0


def part_vw(args):
    path = "sparse.train.vw"
    plain = ["--learner", "averaged", "--bias", "0.1"]
    programs = {"rosenblatt": train(path, "vw.ours", *plain), "Vowpal Wabbit": vw("-d", path, "-f", "vw.theirs")}
    measured("Vowpal Wabbit's text, 1 pass", path, programs, args.runs, {"rosenblatt": evaluate("vw.ours", "sparse.test.vw")})
    programs = {"rosenblatt": predict("vw.ours", path), "Vowpal Wabbit": vw("-t", "-i", "vw.theirs", "-d", path, "-p", "vw.answers")}
    measured("Vowpal Wabbit's text, predict", path, programs, args.runs)


def part_text(args):
    path, words = "imdb.train.tsv", ["--header", "no", "--label", 1, "--text", 2]
    programs = {
        "rosenblatt": train(path, "text.ours", *words, *HASHED),
        "rosenblatt, one thread": train(path, "text.one", *words, *HASHED, "--threads", 1),
        "rosenblatt, words alone, with names": train(path, "text.words", *words),
        "rosenblatt, and runs of 3 to 6 characters": train(path, "text.chars", *words, *HASHED, "--char-ngrams", "3..6"),
        "scikit-learn, hashed": python(HASHING, "train", path, "text.sklearn"),
    }
    test = "imdb.test.tsv"
    errors = {
        "rosenblatt": evaluate("text.ours", test),
        "rosenblatt, words alone, with names": evaluate("text.words", test),
        "rosenblatt, and runs of 3 to 6 characters": evaluate("text.chars", test),
        "scikit-learn, hashed": python(HASHING, "predict", test, "text.sklearn"),
    }
    answers = {
        "rosenblatt": predict("text.ours", path),
        "scikit-learn, hashed": python(HASHING, "predict", path, "text.sklearn"),
    }
    if has_fasttext():
        programs["fastText, two threads"] = python(FASTTEXT, "train", "imdb.train.txt", "text.fasttext")
        errors["fastText, two threads"] = python(FASTTEXT, "predict", "imdb.test.txt", "text.fasttext")
        answers["fastText"] = python(FASTTEXT, "predict", "imdb.train.txt", "text.fasttext")
    once = ["scikit-learn, hashed", "rosenblatt, and runs of 3 to 6 characters"]
    measured("Text, words and pairs hashed to 2^20, 1 pass", path, programs, args.runs, errors, once)
    measured("Text, predict", path, answers, args.runs, once=once)


def part_frame(args, suffix, title, reader, peer):
    path, test = f"adult.train.{suffix}", f"adult.test.{suffix}"
    label = ["--label", "income"]
    # The same maps as the peer's: numbers to variance one, categories one-hot; and what costs no look at all rows first.
    programs = {
        "rosenblatt": train(path, f"{suffix}.ours", *label, "--scale", "standard"),
        "rosenblatt, unscaled": train(path, f"{suffix}.plain", *label, "--scale", "none"),
        peer: python(FRAMES, reader, "train", path, f"{suffix}.sklearn"),
    }
    errors = {"rosenblatt": evaluate(f"{suffix}.ours", test), peer: python(FRAMES, reader, "predict", test, f"{suffix}.sklearn")}
    measured(f"{title}, 1 pass", path, programs, args.runs, errors)
    programs = {"rosenblatt": predict(f"{suffix}.ours", path), peer: python(FRAMES, reader, "predict", path, f"{suffix}.sklearn")}
    measured(f"{title}, predict", path, programs, args.runs)


def part_table(args):
    part_frame(args, "csv", "Numbers and categories as CSV", "csv", "polars + scikit-learn")


def part_jsonl(args):
    part_frame(args, "jsonl", "Numbers and categories as JSON Lines", "jsonl", "polars + scikit-learn")


def part_parquet(args):
    part_frame(args, "parquet", "Numbers and categories as Parquet", "parquet", "pyarrow + scikit-learn")


def part_pipe(args):
    """Answers to the lines of a pipe, beside answers to the same file."""
    train_on = [*train("adult.train.csv", "pipe.ours", "--label", "income", "--scale", "standard")]
    run(train_on)
    piped = ["sh", "-c", f"cat adult.train.csv | '{OURS}' predict pipe.ours - --quiet -o formats.answers"]
    programs = {"rosenblatt, a pipe": piped, "rosenblatt, the file": predict("pipe.ours", "adult.train.csv")}
    measured("A pipe of CSV, predict", "adult.train.csv", programs, args.runs)


PARTS = {"vw": part_vw, "text": part_text, "table": part_table, "jsonl": part_jsonl, "parquet": part_parquet, "pipe": part_pipe}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=800_000, help="rows of Vowpal Wabbit's text, a tenth of them for testing")
    parser.add_argument("--copies", type=int, default=30, help="how often IMDb is repeated: 30 is 1 GB")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ROSENBLATT_DATA", ROOT.parent / "shared" / "data")))
    parser.add_argument("--only", nargs="*", default=list(PARTS), choices=PARTS)
    args = parser.parse_args()
    make(args)
    peers = []
    for name in ("vowpalwabbit", "fasttext", "fasttext-wheel", "scikit-learn", "polars", "pyarrow"):
        try:
            peers.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            pass
    machine(", ".join(peers))
    print(f"Load of the machine at the start: {', '.join(f'{load:.1f}' for load in os.getloadavg())}\n", flush=True)
    for part in args.only:
        PARTS[part](args)


if __name__ == "__main__":
    main()
