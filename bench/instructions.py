"""Instructions of a few jobs, beside those that bench/instructions.json keeps.

Usage: bench/instructions [--write]

A count is that of one thread, without what starting the program costs. It depends on the compiler: write it anew with
a new one. A job that takes 2% more than before fails.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "target" / "instructions"
KEPT = ROOT / "bench" / "instructions.json"
OURS = ROOT / "target" / "release" / "rosenblatt"
MORE = 1.02

JOBS = {
    "libsvm text, one pass": ["train", "sparse.train.svm", "--epochs", "1"],
    "libsvm text, three passes": ["train", "sparse.train.svm", "--epochs", "3"],
    "libsvm text, arow": ["train", "sparse.train.svm", "--epochs", "1", "--learner", "arow"],
    "csv, one pass": ["train", "dense.csv", "--label", "1", "--epochs", "1"],
    "csv, three passes": ["train", "dense.csv", "--label", "1", "--epochs", "3"],
}


def count(arguments):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", OURS, *arguments, "--threads", "1"]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        raise SystemExit(done.stderr)
    return int(found[1])


def main():
    subprocess.run(["./sparse", "40000", "."], cwd=HERE, check=True)
    with open(HERE / "dense.csv", "w") as out:
        subprocess.run(["./dense", "30000"], cwd=HERE, check=True, stdout=out)
    start = count(["help", "learners"])
    counts = {name: count(job) - start for name, job in JOBS.items()}
    if "--write" in sys.argv or not KEPT.exists():
        KEPT.write_text(json.dumps(counts, indent=2) + "\n")
    kept = json.loads(KEPT.read_text())
    worse = False
    for name, now in counts.items():
        ratio = now / kept[name]
        worse |= ratio > MORE
        print(f"{name:28} {now:15,}  {ratio:6.3f} of what it was{'  MORE' if ratio > MORE else ''}")
    return int(worse)


if __name__ == "__main__":
    sys.exit(main())
