"""Audits of real data: the bracket and its time, and wrong labels found again.

Usage: bench/audit [--program FILE] [--seconds S] [DATA]    DATA: the folder of data sets, default ../shared/data

The first table is of the data as they are: bounds of the least number of mistakes of any hyperplane, each certificate
checked by `rosenblatt verify`. The second is of separable data with 2% of the labels flipped: how many of the k flipped rows
are among the first 2k suspects.
"""

import argparse
import csv
import gzip
import json
import random
import subprocess
import tempfile
import time
from pathlib import Path

from shared import ROOT, machine, table

SETS = [
    ("iris, versicolor and virginica", "iris/iris.csv.gz", "iris"),
    ("pima", "pima_diabetes/pima-indians-diabetes.csv.gz", None),
    ("heart_scale", "heart_scale/heart_scale.gz", None),
    ("banknote", "banknote/banknote_authentication.csv.gz", None),
    ("german", "german_numer_scale/german.numer_scale.gz", None),
    ("breast cancer, original", "breast_cancer_wisconsin/breast-cancer-wisconsin.data.gz", "original"),
    ("breast cancer, diagnostic", "breast_cancer_wisconsin/wdbc_sklearn.csv.gz", "sklearn"),
]


def opened(path):
    return gzip.open(path, "rt") if path.suffix == ".gz" else open(path)


def run(program, *arguments):
    begin = time.perf_counter()
    done = subprocess.run([program, *map(str, arguments), "--json"], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout), time.perf_counter() - begin


def audited(program, path, folder, seconds, *more):
    proof = folder / "audit.json"
    found, took = run(program, "audit", path, "--time-limit", seconds, "--certificate", proof, *more)
    checked, check = run(program, "verify", proof, path)
    assert checked["verified"], checked
    return found, took, check


def brackets(args, folder):
    rows = []
    for name, file, special in SETS:
        path = args.data / file
        if not path.exists():
            print(f"SKIPPED: no {path}")
            continue
        if special == "iris":
            lines = [line for line in opened(path).read().splitlines() if line and "setosa" not in line]
            path = folder / "iris.csv"
            path.write_text("\n".join(lines) + "\n")
        if special == "original":
            # Without the column of numbers of patients, and without the 16 rows that lack a value.
            lines = [line for line in opened(path).read().splitlines() if line and "?" not in line]
            path = folder / "breast.csv"
            path.write_text("\n".join(line.split(",", 1)[1] for line in lines) + "\n")
        if special == "sklearn":
            # Without the line of counts.
            lines = opened(path).read().splitlines()[1:]
            path = folder / "wdbc.csv"
            path.write_text("\n".join(lines) + "\n")
        found, took, check = audited(args.program, path, folder, args.seconds)
        share = lambda key: f"{100 * found['error'][key]:.1f}%"
        rows.append((name, str(found["examples"]), str(found["features"]), f"{found['at_least']} ({share('lower')})",
                     f"{found['at_most']} ({share('upper')})", str(found["witnesses"]), f"{took:.1f}", f"{check:.2f}"))
    table(("data", "rows", "features", "at least", "at most", "witnesses", "seconds", "check"), rows)


def flips(args, folder):
    rows = []
    for name, file in [("mushrooms", "mushrooms/mushrooms.gz"), ("wdbc", "breast_cancer_wisconsin/wdbc_sklearn.csv.gz")]:
        path = args.data / file
        if not path.exists():
            print(f"SKIPPED: no {path}")
            continue
        text = opened(path).read().splitlines()[1 if "sklearn" in file else 0 :]
        wanted = found_again = 0
        for seed in range(args.repeats):
            rng = random.Random(seed)
            flipped, wrong = flip(text, rng, "csv" in file)
            data = folder / ("flipped.csv" if "csv" in file else "flipped.svm")
            data.write_text("\n".join(flipped) + "\n")
            found, took, _ = audited(args.program, data, folder, args.seconds)
            first = [s["example"] for s in found["suspects"][: 2 * len(wrong)]]
            hits = len(wrong & set(first))
            wanted, found_again = wanted + len(wrong), found_again + hits
            rows.append((name, str(seed), str(len(wrong)), f"{hits} ({100 * hits / len(wrong):.0f}%)",
                         str(found["at_least"]), str(found["at_most"]), f"{took:.1f}"))
        rows.append((name, "all", str(wanted), f"{found_again} ({100 * found_again / wanted:.1f}%)", "", "", ""))
    table(("data", "seed", "flipped", "among the first 2k suspects", "at least", "at most", "seconds"), rows)


def flip(lines, rng, is_csv):
    """The lines with 2% of their labels exchanged, and the examples (from 1)."""
    if is_csv:
        records = list(csv.reader(lines))
        body = records if any(c.replace(".", "", 1).isdigit() for c in records[0]) else records[1:]
        at = next(j for j in range(len(body[0])) if len({r[j] for r in body}) == 2)
        labels = sorted({r[at] for r in body})
        wrong = set(rng.sample(range(len(body)), max(1, len(body) // 50)))
        for i in wrong:
            body[i][at] = labels[1 - labels.index(body[i][at])]
        return [",".join(r) for r in records], {i + 1 for i in wrong}
    body = [line for line in lines if line.strip()]
    labels = sorted({line.split()[0] for line in body})
    wrong = set(rng.sample(range(len(body)), max(1, len(body) // 50)))
    for i in wrong:
        old, rest = body[i].split(maxsplit=1)
        body[i] = f"{labels[1 - labels.index(old)]} {rest}"
    return body, {i + 1 for i in wrong}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--program", type=Path, default=ROOT / "target" / "release" / "rosenblatt")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    machine("rosenblatt audit")
    with tempfile.TemporaryDirectory() as folder:
        brackets(args, Path(folder))
        flips(args, Path(folder))
