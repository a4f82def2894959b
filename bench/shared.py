"""Shared by the speed benchmarks: data, tables, and the description of the machine."""

import os
import platform
import subprocess
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "target" / "speed"


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def machine(software):
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    print(f"{date.today()}, {os.cpu_count()} cores of {model}, {software}, commit {commit}\n")


def options(parser):
    """The options for the size of the data."""
    parser.add_argument("--rows", type=int, default=800_000, help="rows of sparse data, a tenth of them for testing")
    parser.add_argument("--dense", type=int, default=1_000_000, help="rows of dense data")
    parser.add_argument("--runs", type=int, default=3)


def make(args):
    """Generates the data, unless they exist."""
    made, wanted = HERE / "made", f"{args.rows} sparse and {args.dense} dense rows\n"
    if not made.exists() or made.read_text() != wanted:
        made.unlink(missing_ok=True)
        subprocess.run(["./sparse", str(args.rows), "."], cwd=HERE, check=True)
        with open(HERE / "dense.csv", "w") as out:
            subprocess.run(["./dense", str(args.dense)], cwd=HERE, check=True, stdout=out)
        made.write_text(wanted)
