"""What the tests on clusters share: partitions as files, and the model that every engine must give, byte for byte.

Every engine runs in processes of its own: a process has one Spark session. All traffic stays on 127.0.0.1.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PARTS = 5
ROUNDS = 4


def environment(**more):
    """For a driver and its workers."""
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_", "DASK_"))}
    return {**keep, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": str(HERE), **more}


@pytest.fixture(scope="session")
def program():
    places = [os.environ.get("ROSENBLATT_COMMAND"), ROOT / "target/debug/rosenblatt", ROOT / "target/release/rosenblatt"]
    found = next((shutil.which(place) for place in places if place and shutil.which(place)), None)
    assert found is not None, "no program: build it with `cargo build`, or name it in ROSENBLATT_COMMAND"
    return found


@pytest.fixture(scope="session")
def java():
    if shutil.which("java") is None:
        pytest.skip("SKIPPED: no Java, so nothing was tested on Spark")


def lines(classes, seed):
    """LIBSVM rows of overlapping classes, sparse, with values of few digits."""
    random = np.random.RandomState(seed)
    centres = random.normal(size=(classes, 20))
    text = []
    for _ in range(1001):
        label = random.randint(classes)
        x = centres[label] + random.normal(scale=1.5, size=20)
        kept = np.flatnonzero(random.uniform(size=20) < 0.6)
        text.append(f"{label} " + " ".join(f"{j + 1}:{x[j]:.3f}" for j in kept) + "\n")
    return text


@pytest.fixture(scope="session")
def cases(tmp_path_factory, program):
    """For two and for three classes: the partitions, and the bytes that `rosenblatt train --shards` gives on one machine."""
    made = {}
    for name, classes in [("two", 2), ("three", 3)]:
        folder = tmp_path_factory.mktemp(name)
        text = lines(classes, classes)
        (folder / "all.svm").write_text("".join(text))
        cut = [i * len(text) // PARTS for i in range(PARTS + 1)]
        for i in range(PARTS):
            (folder / f"part-{i}.svm").write_text("".join(text[cut[i] : cut[i + 1]]))
        for mixing in ("momentum", "uniform", "errors"):
            settings = ["--learner", "averaged", "--scale", "none", "--epochs", ROUNDS, "--seed", 7]
            command = [program, "train", folder / "all.svm", "--shards", PARTS, "--mixing", mixing, *settings]
            subprocess.run([*map(str, command), "-o", folder / f"{mixing}.model"], check=True, capture_output=True)
        made[name] = folder
    return made


def run_driver(script, *args, **env):
    """Runs a driver to its end; its output if it fails."""
    command = [sys.executable, str(HERE / script), *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(**env), timeout=900)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    return done.stdout
