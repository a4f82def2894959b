"""Wall time, CPU time, memory and test error beside other programs, on data generated from a seed, in one run.

Usage: bench/speed [--rows N] [--dense N] [--runs N] [--seeds N] [--only PART ...]

Every program is a separate process, from the file to the trained model; they take turns, and the best of three turns
counts. (Programs that take half a minute, scikit-learn on sparse text and LIBLINEAR, have one turn.) A ratio is theirs over
ours. The yardstick is a C loop that parses and learns without any check.
"""

import argparse
import functools
import itertools
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

from shared import HERE, ROOT, machine, make, options, table

OURS = Path(os.environ.get("ROSENBLATT", ROOT / "target" / "release" / "rosenblatt"))
PYTHON = sys.executable
AVERAGED = "rosenblatt averaged"
MISTAKES_ONLY = "rosenblatt averaged, on mistakes only"
LIBLINEAR = "LIBLINEAR -s 1, to its tolerance"

SKLEARN_SVM = """
import sys
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron, SGDClassifier
train, test, passes, averaged = sys.argv[1:]
x, y = load_svmlight_file(train)
x.indices, x.indptr = x.indices.astype("int32"), x.indptr.astype("int32")
common = dict(max_iter=int(passes), tol=None, random_state=0)
if averaged == "averaged":
    model = SGDClassifier(loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, average=True, **common)
else:
    model = Perceptron(**common)
model.fit(x, y)
if test:
    tx, ty = load_svmlight_file(test, n_features=x.shape[1])
    print(1 - model.score(tx, ty))
"""
SKLEARN_SEEDS = """
import json, sys
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier
train, test, seeds = sys.argv[1:]
x, y = load_svmlight_file(train)
x.indices, x.indptr = x.indices.astype("int32"), x.indptr.astype("int32")
tx, ty = load_svmlight_file(test, n_features=x.shape[1])
def error(passes, seed):
    common = dict(penalty=None, learning_rate="constant", eta0=1.0, max_iter=passes, tol=None, random_state=seed)
    return 1 - SGDClassifier(loss="perceptron", average=True, **common).fit(x, y).score(tx, ty)
print(json.dumps([[error(passes, seed) for seed in range(int(seeds))] for passes in (1, 10)]))
"""
SKLEARN_CSV = """
import sys, time
reader, path, passes = sys.argv[1:]
if reader == "pandas":
    import pandas
    table = pandas.read_csv(path, header=None).to_numpy()
else:
    import polars
    table = polars.read_csv(path, has_header=False).to_numpy()
from sklearn.linear_model import Perceptron
x, y = table[:, 1:].copy(), table[:, 0]
begin = time.perf_counter()
Perceptron(max_iter=int(passes), tol=None, random_state=0, shuffle=True).fit(x, y)
print((time.perf_counter() - begin) / int(passes))
"""


def run(command, env=None):
    """Wall and CPU seconds, peak memory in MB, and standard output of one process."""
    return measured(command, env)[:4]


def measured(command, env=None):
    """The same, and the user part of the CPU time."""
    read, write = os.pipe()
    begin = time.perf_counter()
    child = subprocess.Popen([str(c) for c in command], stdout=write, stderr=subprocess.DEVNULL, cwd=HERE, env=env)
    os.close(write)
    with os.fdopen(read) as out:
        said = out.read()
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begin
    if status:
        raise SystemExit(f"failed: {' '.join(str(c) for c in command)}")
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, said, used.ru_utime


def turns(programs, count):
    """The best wall time, best CPU time, peak memory and last output of each program, in turns."""
    best = {}
    for _ in range(count):
        for name, command in programs.items():
            wall, cpu, memory, said = run(command)
            if name in best:
                old = best[name]
                wall, cpu, memory = min(wall, old[0]), min(cpu, old[1]), max(memory, old[2])
            best[name] = (wall, cpu, memory, said)
    return best


def compare(title, best, ours, errors=None):
    print(f"### {title}\n")
    wall, cpu = best[ours][:2]
    rows = []
    for name, (w, c, memory, _) in best.items():
        ratio = "" if name == ours else f"{w / wall:.1f} ×"
        cpus = "" if name == ours else f"{c / cpu:.2f} ×"
        row = [name, f"{w:.2f}", ratio, f"{c:.2f}", cpus, f"{memory:.0f}"]
        rows.append(row + ([f"{errors[name]:.4f}" if errors.get(name) is not None else ""] if errors else []))
    head = ["", "wall s", "to ours", "CPU s", "to ours", "memory MB"] + (["test error"] if errors else [])
    table(head, rows)


def vw(*arguments):
    return [PYTHON, "-m", "vowpalwabbit", "--quiet", *arguments]


def vw_error(model):
    """Scores from Vowpal Wabbit, judged by their sign."""
    run(vw("-t", "-i", model, "-d", "sparse.test.vw", "-p", "vw.answers"))
    with open(HERE / "vw.answers") as answers, open(HERE / "sparse.test.vw") as labels:
        pairs = [(float(a.split()[0]) >= 0, line[0] != "-") for a, line in zip(answers, labels)]
    return sum(a != b for a, b in pairs) / len(pairs)


def our_error(model, test="sparse.test.svm"):
    return json.loads(run([OURS, "eval", model, test, "--json"])[3])["error"]


# Rows have length 1; scikit-learn slows its intercept on sparse data by the square of this.
BIAS = ["--bias", 0.1]
TRAIN = [OURS, "train", "sparse.train.svm", *BIAS, "--json"]
WITH_MARGIN = ["--learner", "margin", "--keep", "average"]
AGGRESSIVE = ["--learner", "pa1", "--keep", "average"]


@functools.cache
def margin():
    """The margin of the averaged model, chosen by the error of ten passes on a tenth of the training rows."""
    search = ["--grid", "margin=0,0.1,0.25,0.5,1,2", "--holdout", 0.1, "--json"]
    found = json.loads(run([OURS, "tune", "sparse.train.svm", *BIAS, *WITH_MARGIN, *search])[3])
    tried = ", ".join(f"{one['setting']['margin']}: {one['mean_error']:.4f}" for one in found["trials"])
    print(f"Error on a tenth of the training rows by margin: {tried}\n")
    return [*WITH_MARGIN, "--set", f"margin={found['best']['setting']['margin']}"]


def sparse(args):
    best_margin = margin()
    train = [*TRAIN, *best_margin]
    for passes in (1, 10):
        vw_passes = ["--passes", passes, "--cache_file", "vw.cache", "-k", "--holdout_off"] if passes > 1 else []
        programs = {
            AVERAGED: [*train, "--epochs", passes, "-o", "ours.model"],
            MISTAKES_ONLY: [*TRAIN, "--learner", "averaged", "--epochs", passes, "-o", "plain.model"],
            "rosenblatt pa1, averaged": [*TRAIN, "--epochs", passes, *AGGRESSIVE, "-o", "pa1.model"],
            "Vowpal Wabbit": vw("-d", "sparse.train.vw", "-b", "18", "--loss_function", "logistic", "-f", "vw.model", *vw_passes),
            "yardstick in C (plain perceptron)": ["./stream", "sparse.train.svm", passes],
        }
        if passes == 1:
            programs["rosenblatt arow"] = [*TRAIN, "--epochs", 1, "--learner", "arow", "-o", "arow.model"]
            programs["rosenblatt averaged, one thread"] = [*train, "--epochs", 1, "--threads", 1, "-o", "one.model"]
        else:
            programs["rosenblatt averaged, cache"] = [*train, "--epochs", passes, "--memory", "200M", "-o", "cached.model"]
        best = turns(programs, args.runs)
        once = {
            name: [PYTHON, "-c", SKLEARN_SVM, "sparse.train.svm", "", passes, kind]
            for name, kind in [("scikit-learn Perceptron", "last"), ("scikit-learn averaged", "averaged")]
        }
        if passes > 1 and shutil.which("liblinear-train"):
            once[LIBLINEAR] = ["liblinear-train", "-s", 1, "-q", "sparse.train.svm", "liblinear.model"]
        best |= {f"{name}, once": said for name, said in turns(once, 1).items()}
        errors = {
            AVERAGED: our_error("ours.model"),
            MISTAKES_ONLY: our_error("plain.model"),
            "rosenblatt pa1, averaged": our_error("pa1.model"),
            "Vowpal Wabbit": vw_error("vw.model"),
        }
        for name, command in once.items():
            if name == LIBLINEAR:
                said = run(["liblinear-predict", "sparse.test.svm", "liblinear.model", "liblinear.answers"])[3]
                wrong = 1 - float(re.search(r"Accuracy = ([0-9.]+)%", said)[1]) / 100
            else:
                command[command.index("")] = "sparse.test.svm"
                wrong = float(run(command)[3])
            errors[f"{name}, once"] = wrong
        if passes == 1:
            errors["rosenblatt arow"] = our_error("arow.model")
            same(HERE / "ours.model", HERE / "one.model")
        else:
            same(HERE / "ours.model", HERE / "cached.model")
        compare(f"LIBSVM text, {size('sparse.train.svm')}, {passes} pass{'es' if passes > 1 else ''}", best, AVERAGED, errors)


def seeds(args):
    """Test errors over several seeds: means and standard errors."""
    theirs = json.loads(run([PYTHON, "-c", SKLEARN_SEEDS, "sparse.train.svm", "sparse.test.svm", args.seeds])[3])
    train = [*TRAIN, "-o", "seed.model"]
    learners = {AVERAGED: margin(), MISTAKES_ONLY: [], "rosenblatt pa1, averaged": AGGRESSIVE}
    rows = []
    for name, settings in [*learners.items(), ("scikit-learn averaged", None)]:
        row = [name]
        for number, passes in enumerate((1, 10)):
            if settings is None:
                errors = theirs[number]
            else:
                errors = []
                for seed in range(args.seeds):
                    run([*train, *settings, "--epochs", passes, "--seed", seed])
                    errors.append(our_error("seed.model"))
            error = statistics.stdev(errors) / len(errors) ** 0.5
            row.append(f"{statistics.mean(errors):.4f} ± {error:.4f} ({min(errors):.4f} to {max(errors):.4f})")
        rows.append(row)
    print(f"### Test error over {args.seeds} seeds: mean ± standard error (least to greatest)\n")
    table(["", "1 pass", "10 passes"], rows)


def same(a, b):
    if a.read_bytes() != b.read_bytes():
        raise SystemExit(f"{a} and {b} should have the same bytes")


def predict(args):
    best = turns(
        {
            "rosenblatt predict": [OURS, "predict", "ours.model", "sparse.train.svm", "-o", "ours.answers"],
            "Vowpal Wabbit": vw("-t", "-i", "vw.model", "-d", "sparse.train.vw", "-p", "vw.answers"),
        },
        args.runs,
    )
    compare("Prediction from text, the training file", best, "rosenblatt predict")


def dense(args):
    train = [OURS, "train", "dense.csv", "--label", "1", "--learner", "perceptron", "--json"]
    theirs = {}
    for passes in (1, 5):
        best = turns(
            {
                "rosenblatt": [*train, "--epochs", passes],
                "polars + scikit-learn": [PYTHON, "-c", SKLEARN_CSV, "polars", "dense.csv", passes],
                "pandas + scikit-learn": [PYTHON, "-c", SKLEARN_CSV, "pandas", "dense.csv", passes],
            },
            args.runs,
        )
        compare(f"CSV of numbers, {size('dense.csv')}, {passes} pass{'es' if passes > 1 else ''}", best, "rosenblatt")
        theirs = min(float(best[name][3]) for name in ("polars + scikit-learn", "pandas + scikit-learn"))
    # What ten more passes take, so that reading, checking and reporting are left out.
    few, many = (
        min(json.loads(run([*train, "--epochs", n, "--threads", 1])[3])["seconds"]["learn"] for _ in range(args.runs))
        for n in (10, 20)
    )
    ours = (many - few) / 10
    print(f"An epoch in memory, one thread: ours {ours:.3f} s, scikit-learn {theirs:.3f} s: {theirs / ours:.1f} ×\n")


def growth(args):
    """Half of the rows, twice and eight times as many, without repetition; needs about 20 GB of disk. System time for fresh
    memory is listed separately: it depends on the machine and on what ran before."""
    sizes, best = {}, {}
    large = HERE / "large"
    large.mkdir(exist_ok=True)
    subprocess.run(["./sparse", str(8 * args.rows), str(large)], cwd=HERE, check=True)
    for times in (1, 4, 16):
        sizes[times] = args.rows * 9 // 10 * times // 2
        with open(HERE / f"part{times}.svm", "w") as part:
            subprocess.run(["head", "-n", str(sizes[times]), str(large / "sparse.train.svm")], stdout=part, check=True)
    shutil.rmtree(large)
    # Short runs are easily disturbed: they have more turns.
    for turn, times in itertools.product(range(4 * args.runs), sizes):
        if turn % {1: 1, 4: 2, 16: 4}[times] == 0:
            for passes in (1, 10):
                command = [OURS, "train", f"part{times}.svm", "--epochs", passes, "--threads", 1, "--json"]
                wall, cpu, memory, _, own = measured(command)
                old = best.get((times, passes), (wall, own, cpu - own, memory))
                best[times, passes] = (*map(min, (wall, own, cpu - own), old), max(memory, old[3]))
    for passes in (1, 10):
        rows = []
        for times, lines in sizes.items():
            (wall, own, system, memory), first = best[times, passes], best[1, passes]
            row = [f"{times}", f"{lines:,}", f"{wall:.2f}", f"{wall / first[0]:.2f}", f"{own:.2f}", f"{own / first[1]:.2f}"]
            rows.append([*row, f"{system:.2f}", f"{memory:.0f}"])
        print(f"### Growth, one thread, {passes} pass{'es' if passes > 1 else ''}\n")
        table(["times", "rows", "wall s", "times", "CPU s", "times", "and the system's", "memory MB"], rows)
    for times in sizes:
        (HERE / f"part{times}.svm").unlink()


PARTS = {"sparse": sparse, "seeds": seeds, "predict": predict, "dense": dense, "growth": growth}


def size(name):
    with open(HERE / name, "rb") as data:
        lines = sum(block.count(b"\n") for block in iter(lambda: data.read(1 << 20), b""))
    return f"{(HERE / name).stat().st_size / 1e6:.0f} MB, {lines:,} rows"


def main():
    parser = argparse.ArgumentParser()
    options(parser)
    parser.add_argument("--seeds", type=int, default=8, help="how many seeds to take the mean error of")
    parser.add_argument("--only", nargs="*", default=list(PARTS))
    args = parser.parse_args()
    make(args)
    peers = ", ".join(f"{name} {version(name)}" for name in ("vowpalwabbit", "scikit-learn", "pandas", "polars"))
    machine(f"{platform.system()} {platform.release().split('-')[0]}; {peers}")
    for part in args.only:
        PARTS[part](args)


if __name__ == "__main__":
    main()
