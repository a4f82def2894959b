"""Compares two binaries of rosenblatt on the jobs of the benches, with the same options.

Usage: bench/beside OLD NEW [--turns N] [--only PART,...] [--instructions] [--seconds] [--data FOLDER]

Parts: speed, tagger, kernel, separable. Instructions are counted by valgrind on one thread, without the start of the program, and
are exact on a loaded machine. Seconds are user and system time of all threads; the binaries take turns, and the least of each
counts. Without --instructions or --seconds, both. Options that an old binary does not know are left out for it: --scale none is
what it did, and its `verify` compared a certificate with no reading.
"""

import argparse
import os
import random
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "target" / "beside"
PLAIN = ["--learner", "averaged", "--scale", "none"]


def jobs(data):
    """Name, part, arguments, and whether its instructions are counted."""
    sparse, small = ["train", "sparse.train.svm", *PLAIN], ["train", "small.svm", *PLAIN]
    table, chunks = ["train", "dense.csv", *PLAIN, "--label", "1"], data / "conll2000" / "train.txt.gz"
    usps = data / "usps" / "usps_train.libsvm.gz"
    return [
        ("libsvm text, 1 pass", "speed", [*sparse, "--epochs", "1", "-o", "sparse.model"], False),
        ("libsvm text, 10 passes", "speed", [*sparse, "--epochs", "10"], False),
        ("libsvm text, through a cache", "speed", [*sparse, "--epochs", "3", "--cache", "sparse.cache"], False),
        ("csv, 1 pass", "speed", [*table, "--epochs", "1"], False),
        ("csv, 5 passes", "speed", [*table, "--epochs", "5"], False),
        ("predict", "speed", ["predict", "sparse.model", "sparse.train.svm", "-o", "answers"], False),
        ("tagger, train", "tagger", ["train", chunks, "--epochs", "3", "--templates", "chunk19", "-o", "tagger"], False),
        ("tagger, tag", "tagger", ["predict", "tagger", data / "conll2000" / "test.txt.gz", "-o", "tags"], False),
        ("kernel, poly:4", "kernel", ["train", usps, "--learner", "averaged", "--kernel", "poly:4", "--epochs", "2"], False),
        ("separable, yes", "separable", ["separable", "yes.csv", "--label", "1", "--certificate", "yes.proof"], False),
        ("separable, no", "separable", ["separable", "no.csv", "--label", "1", "--certificate", "no.proof"], False),
        ("verify", "separable", ["verify", "yes.proof", "yes.csv", "--label", "1"], False),
        ("libsvm text, one pass", "speed", [*small, "--epochs", "1", "-o", "small.model"], True),
        ("libsvm text, three passes", "speed", [*small, "--epochs", "3"], True),
        ("libsvm text, arow", "speed", ["train", "small.svm", "--epochs", "1", "--learner", "arow", "--scale", "none"], True),
        ("libsvm text, cache, three passes", "speed", [*small, "--epochs", "3", "--cache", "small.cache"], True),
        ("csv, one pass", "speed", ["train", "small.csv", *PLAIN, "--label", "1", "--epochs", "1"], True),
        ("csv, three passes", "speed", ["train", "small.csv", *PLAIN, "--label", "1", "--epochs", "3"], True),
        ("predict", "speed", ["predict", "small.model", "small.svm", "-o", "answers"], True),
        ("tagger", "tagger", ["train", "small.conll", "--epochs", "2", "--templates", "chunk19"], True),
        ("kernel, poly:2", "kernel", ["train", "tiny.svm", "--learner", "averaged", "--kernel", "poly:2", "--epochs", "2"], True),
        ("separable", "separable", ["separable", "small.yes.csv", "--label", "1"], True),
    ]


def points(path, rows, features, flip):
    """Points beyond a margin of a random hyperplane; `flip` of them have the other label."""
    draw = random.Random(1958)
    w = [draw.gauss(0, 1) for _ in range(features)]
    length = sum(v * v for v in w) ** 0.5
    with open(path, "w") as out:
        while rows:
            x = [round(draw.gauss(0, 1), 5) for _ in range(features)]
            side = sum(a * b for a, b in zip(w, x)) / length
            if abs(side) >= 0.02:
                label = (side > 0) != (rows <= flip)
                out.write(",".join([str(int(label)), *map(str, x)]) + "\n")
                rows -= 1


def make(rows, data):
    """Generates the data, unless they exist."""
    made = HERE / "made"
    if made.exists() and made.read_text() == str(rows):
        return
    subprocess.run(["./sparse", "40000", "."], cwd=HERE, check=True)
    os.replace(HERE / "sparse.train.svm", HERE / "small.svm")
    subprocess.run(["./sparse", str(rows), "."], cwd=HERE, check=True)
    for name, count in [("small.csv", 30_000), ("dense.csv", rows)]:
        with open(HERE / name, "w") as out:
            subprocess.run(["./dense", str(count)], cwd=HERE, check=True, stdout=out)
    with open(HERE / "small.svm") as text, open(HERE / "tiny.svm", "w") as out:
        out.writelines(line for line, _ in zip(text, range(1500)))
    points(HERE / "yes.csv", 20_000, 100, 0)
    points(HERE / "no.csv", 20_000, 100, 20)
    points(HERE / "small.yes.csv", 1000, 30, 0)
    chunks = data / "conll2000" / "train.txt.gz"
    if chunks.exists():
        import gzip

        with gzip.open(chunks, "rt") as text, open(HERE / "small.conll", "w") as out:
            out.writelines(line for line, _ in zip(text, range(20_000)))
    made.write_text(str(rows))


class Binary:
    def __init__(self, path):
        self.path = Path(path).resolve()
        self.start = None
        self.unknown = []
        if not (self.names("train", "--scale") and self.takes("--scale", "none")):
            self.unknown.append(("train", "--scale"))
        if not self.names("verify", "--label"):
            self.unknown.append(("verify", "--label"))

    def names(self, command, option):
        help_text = subprocess.run([self.path, command, "--help"], capture_output=True, text=True).stdout
        return re.search(option + r"\b", help_text) is not None

    def takes(self, *options):
        (HERE / "two.svm").write_text("+1 1:1\n-1 1:-1\n")
        return subprocess.run([self.path, "train", "two.svm", *options], cwd=HERE, capture_output=True).returncode == 0

    def arguments(self, arguments):
        arguments = list(map(str, arguments))
        for command, option in self.unknown:
            if arguments[0] == command and option in arguments:
                at = arguments.index(option)
                del arguments[at : at + 2]
        return arguments

    def clean(self):
        for name in ["sparse.cache", "small.cache"]:
            (HERE / name).unlink(missing_ok=True)

    def instructions(self, arguments):
        """Instructions beyond those of the start; None if valgrind lacks one of them."""
        if self.start is None:
            self.start = self.count(["help", "learners"])
        counted = self.count([*self.arguments(arguments), "--threads", "1"])
        return None if counted is None else counted - self.start

    def count(self, arguments):
        self.clean()
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", self.path, *arguments]
        done = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
        if "Unrecognised instruction" in done.stderr:
            return None
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode not in (0, 1) or not found:
            raise SystemExit(done.stderr)
        return int(found[1])

    def seconds(self, arguments):
        self.clean()
        process = subprocess.Popen([self.path, *self.arguments(arguments)], cwd=HERE, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(map(str, arguments))}: {said}")
        return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--rows", type=int, default=200_000, help="rows of the data that are timed")
    parser.add_argument("--only", default="speed,tagger,kernel,separable")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--seconds", action="store_true")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    args = parser.parse_args()
    make(args.rows, args.data.resolve())
    old, new = Binary(args.old), Binary(args.new)
    parts = args.only.split(",")
    wanted = [job for job in jobs(args.data.resolve()) if job[1] in parts]
    if args.instructions or not args.seconds:
        print("| instructions | old | new | new / old |\n|---|---|---|---|")
        for name, _, arguments, _ in filter(lambda job: job[3], wanted):
            before, now = old.instructions(arguments), new.instructions(arguments)
            if before is None or now is None:
                print(f"| {name} | left out: valgrind does not know one of its instructions | | |", flush=True)
            else:
                print(f"| {name} | {before:,} | {now:,} | {now / before:.3f} |", flush=True)
        print()
    if args.seconds or not args.instructions:
        print(f"| processor seconds, least of {args.turns} turns | old | new | new / old |\n|---|---|---|---|")
        for name, _, arguments, _ in filter(lambda job: not job[3], wanted):
            taken = [[], []]
            for _ in range(args.turns):
                for binary, times in zip((old, new), taken):
                    times.append(binary.seconds(arguments))
            before, now = map(min, taken)
            print(f"| {name} | {before:.2f} | {now:.2f} | {now / before:.3f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
