"""Counts the instructions of a few jobs and compares them with bench/instructions.json.

Usage: bench/instructions [--write]

Counts are for one thread, without the start of the program. They depend on the compiler: write them again with a new one. A
job that takes 2% more than before fails. Valgrind lacks some instructions of newer processors: a job that it cannot run is
named and left out.
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

SPARSE, AVERAGED = ["train", "sparse.train.svm", "--scale", "none"], ["--learner", "averaged"]
DENSE = ["train", "dense.csv", "--scale", "none", "--label", "1"]
JOBS = {
    "libsvm text, one pass": [*SPARSE, *AVERAGED, "--epochs", "1"],
    "libsvm text, three passes": [*SPARSE, *AVERAGED, "--epochs", "3"],
    "libsvm text, arow": [*SPARSE, "--epochs", "1", "--learner", "arow"],
    "libsvm text, through a cache": [*SPARSE, *AVERAGED, "--epochs", "3", "--cache", "sparse.cache"],
    "csv, one pass": [*DENSE, *AVERAGED, "--epochs", "1"],
    "csv, three passes": [*DENSE, *AVERAGED, "--epochs", "3"],
}


def count(arguments):
    """Instructions of a run; None if valgrind lacks one of them."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", OURS, *arguments, "--threads", "1"]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
    if "Unrecognised instruction" in done.stderr:
        return None
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        raise SystemExit(done.stderr)
    return int(found[1])


def main():
    subprocess.run(["./sparse", "40000", "."], cwd=HERE, check=True)
    with open(HERE / "dense.csv", "w") as out:
        subprocess.run(["./dense", "30000"], cwd=HERE, check=True, stdout=out)
    start = count(["help", "learners"])
    compiler = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    followed = {}
    for name, job in JOBS.items():
        counted = count(job)
        if counted is None:
            print(f"{name:28} left out: valgrind does not know one of its instructions")
        else:
            followed[name] = counted - start
    if "--write" in sys.argv:
        KEPT.write_text(json.dumps({"compiler": compiler, "instructions": followed}, indent=2) + "\n")
    kept = json.loads(KEPT.read_text())
    if kept["compiler"] != compiler:
        print(f"those kept are of {kept['compiler']}, these of {compiler}: --write keeps these")
    worse = False
    for name, now in followed.items():
        if name not in kept["instructions"]:
            print(f"{name:28} {now:15,}  not kept yet: --write")
            continue
        ratio = now / kept["instructions"][name]
        more = ratio > MORE and kept["compiler"] == compiler
        worse |= more
        print(f"{name:28} {now:15,}  {ratio:6.3f} of what it was{'  MORE' if more else ''}")
    return int(worse)


if __name__ == "__main__":
    sys.exit(main())
