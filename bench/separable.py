"""Separability: our decision with its proof beside the linear program of HiGHS, in one run.

Usage: bench/separable [ROWS ...]    default: 2000 20000; 1000000 runs ours alone

For each size: points of a Gaussian in 100 dimensions, labelled by a hyperplane (separable, no point closer than 0.02)
and the same with every 97th label flipped (not separable). Ours reads the CSV file, decides, writes the certificate,
and a second program verifies it. HiGHS gets the matrix in memory: max t such that y(w·x + b) >= t, |w|, |b| <= 1.
Times are the minimum of three (one for the largest), the programs taking turns.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.optimize import linprog

PROGRAM = Path(__file__).resolve().parent.parent / "target" / "release" / "rosenblatt"
FEATURES = 100
LARGEST_FOR_HIGHS = 20_000


def points(rows):
    random = np.random.default_rng(1958)
    w = random.normal(size=FEATURES)
    w /= np.linalg.norm(w)
    parts, found = [], 0
    while found < rows:
        x = np.round(random.normal(size=(rows, FEATURES)), 5)
        x = x[np.abs(x @ w) >= 0.02][: rows - found]
        parts.append(x)
        found += len(x)
    x = np.concatenate(parts)
    return x, np.where(x @ w > 0, 1, -1)


def ours(path, folder):
    proof = folder / "proof.json"
    begin = time.perf_counter()
    said = subprocess.run([PROGRAM, "separable", path, "--label", "1", "--certificate", proof, "--json"],
                          capture_output=True)
    decided = time.perf_counter() - begin
    assert said.returncode in (0, 1), said.stderr
    begin = time.perf_counter()
    subprocess.run([PROGRAM, "verify", proof, path, "--label", "1"], check=True, capture_output=True)
    return json.loads(said.stdout)["verdict"], decided, time.perf_counter() - begin


def highs(x, y):
    begin = time.perf_counter()
    a = -y[:, None] * np.column_stack([x, np.ones(len(x))])
    a = np.column_stack([a, np.ones(len(x))])
    goal = np.zeros(FEATURES + 2)
    goal[-1] = -1
    limits = [(-1, 1)] * (FEATURES + 1) + [(0, None)]
    solved = linprog(goal, A_ub=a, b_ub=np.zeros(len(x)), bounds=limits, method="highs")
    return "separable" if -solved.fun > 1e-9 else "not separable", time.perf_counter() - begin


def main():
    sizes = [int(n) for n in sys.argv[1:]] or [2_000, 20_000]
    print("| rows × 100 | verdict | ours: read, decide, prove (s) | verify (s) | HiGHS, no proof (s) | ratio |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for rows in sizes:
            x, y = points(rows)
            turned = y.copy()
            turned[::97] *= -1
            for labels in (y, turned):
                path = folder / "points.csv"
                np.savetxt(path, np.column_stack([labels, x]), fmt=["%d"] + ["%.5f"] * FEATURES, delimiter=",")
                both = rows <= LARGEST_FOR_HIGHS
                mine, theirs, checks = [], [], []
                for _ in range(3 if both else 1):
                    verdict, decided, checked = ours(path, folder)
                    mine.append(decided)
                    checks.append(checked)
                    if both:
                        other, seconds = highs(x, labels)
                        assert (other == "separable") == (verdict == "separable"), (other, verdict)
                        theirs.append(seconds)
                peer = f"{min(theirs):.2f} | {min(theirs) / min(mine):.0f}" if theirs else "- | -"
                print(f"| {rows:,} | {verdict} | {min(mine):.2f} | {min(checks):.2f} | {peer} |", flush=True)


if __name__ == "__main__":
    main()
