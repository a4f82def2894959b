"""Separability of every shape of data, with its time and its memory.

Usage: bench/wide [DATA] [--memory SIZE] [--time-limit S] [--program FILE]

For each shape: the verdict of `rosenblatt separable --certificate`, seconds, the most memory that the process held, and what
`rosenblatt verify` says of the certificate. DATA is the folder of the data sets (default: ../shared/data); without it the made
sets are measured alone.
"""

import argparse
import gzip
import json
import os
import random
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent


def zipf(path, rows, words, length, contradictions):
    """Texts of binary features whose frequencies fall as 1/rank; the first ones occur again with the other label."""
    draw = random.Random(1958)
    ranks = [1 / (rank + 1) for rank in range(words)]
    total, sums = 0.0, []
    for weight in ranks:
        total += weight
        sums.append(total)
    with open(path, "w") as out:
        for row in range(rows - contradictions):
            own = sorted(set(draw.choices(range(1, words + 1), cum_weights=sums, k=length)))
            text = " ".join(f"{word}:1" for word in own)
            label = "+1" if row % 2 else "-1"
            out.write(f"{label} {text}\n")
            if row < contradictions:
                out.write(f"{'-1' if label == '+1' else '+1'} {text}\n")


def dense(path, rows, columns, contradictions):
    draw = random.Random(7)
    with open(path, "w") as out:
        for row in range(rows):
            text = ",".join(f"{draw.gauss(0, 1):.3f}" for _ in range(columns))
            out.write(f"{row % 2},{text}\n")
            if row < contradictions:
                out.write(f"{(row + 1) % 2},{text}\n")


def made(folder):
    four = folder / "four.svm"
    four.write_text("+1 1:1\n-1 1:1\n+1 2:1\n-1 20000:1\n")
    yield "4 rows, one index 20,000", four, []
    far = folder / "far.svm"
    far.write_text("+1 1:1\n-1 1:1\n+1 2:1\n-1 200000000:1\n")
    yield "4 rows, one index 200,000,000", far, []
    texts = folder / "texts.svm"
    zipf(texts, 4_000, 55_000, 300, 5)
    yield "4,000 × 55,000 Zipf, 5 contradictions", texts, []
    many = folder / "many.svm"
    zipf(many, 100_000, 1_000_000, 120, 5)
    yield "100,000 × 1,000,000 Zipf, 5 contradictions", many, []
    wide = folder / "wide.csv"
    dense(wide, 200, 5_000, 2)
    yield "202 × 5,000 dense, 2 contradictions", wide, ["--label", "1"]
    tall = folder / "tall.csv"
    dense(tall, 100_000, 20, 0)
    yield "100,000 × 20 dense, labels at random", tall, ["--label", "1"]
    classes = folder / "classes.svm"
    classes.write_text("".join(f"{i % 100} {i + 1}:1\n" for i in range(2_000)))
    yield "2,000 × 2,000 of 100 classes", classes, []


def real(data):
    for name in ("imdb_bow/imdb_bow_train.libsvm.gz", "reuters_acq/train.dat.gz", "reuters_acq/test.dat.gz"):
        if (data / name).exists():
            yield name.split("/")[0] + " " + name.split("/")[1].split(".")[0], data / name, []


def run(command):
    """Its output, exit status, seconds and most memory."""
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    return out, status >> 8, time.perf_counter() - begin, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="?", type=Path, default=HERE.parent / "shared" / "data")
    parser.add_argument("--memory")
    parser.add_argument("--time-limit")
    parser.add_argument("--program", type=Path, default=HERE / "target" / "release" / "rosenblatt")
    asked = parser.parse_args()
    limits = [part for name in ("memory", "time_limit") if getattr(asked, name)
              for part in ("--" + name.replace("_", "-"), getattr(asked, name))]
    print("| shape | verdict | s | MB | verified |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, path, options in [*made(folder), *real(asked.data)]:
            proof = folder / "proof.json"
            proof.unlink(missing_ok=True)
            proving = [] if "classes" in name else ["--certificate", proof]
            out, status, seconds, memory = run([asked.program, "separable", path, "--json", *options, *proving, *limits])
            verdict = json.loads(out)["verdict"] if status in (0, 1, 3) else f"status {status}"
            checked = "-"
            if proof.exists():
                text = path
                if path.suffix == ".gz":
                    text = folder / "plain"
                    text.write_bytes(gzip.decompress(path.read_bytes()))
                checked = "yes" if run([asked.program, "verify", proof, text, *options])[1] == 0 else "NO"
            print(f"| {name} | {verdict} | {seconds:.1f} | {memory:.0f} | {checked} |", flush=True)


if __name__ == "__main__":
    main()
