"""What the tests share: the data sets that lie beside the repository, and the program."""

import gzip
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("ROSENBLATT_DATA", ROOT.parent / "shared" / "data"))


def pytest_terminal_summary(terminalreporter):
    """Says loudly what was not looked at."""
    reasons = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", []))
    for reason, count in reasons.items():
        terminalreporter.write_line(f"{count} tests: {reason}", yellow=True)


@pytest.fixture(scope="session")
def data():
    """The directory of the data sets."""
    if not DATA.is_dir():
        pytest.skip(f"no data sets at {DATA}: name their directory in ROSENBLATT_DATA")
    return DATA


@pytest.fixture(scope="session")
def command():
    """Runs the program `rosenblatt` and returns what it prints."""
    places = [os.environ.get("ROSENBLATT_COMMAND"), ROOT / "target/debug/rosenblatt", ROOT / "target/release/rosenblatt"]
    program = next((shutil.which(place) for place in places if place and shutil.which(place)), None)
    if program is None:
        pytest.skip("no program: build it with `cargo build`, or name it in ROSENBLATT_COMMAND")

    def run(*args):
        done = subprocess.run([program, *map(str, args)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run.program = program
    return run


@pytest.fixture(scope="session")
def iris(data):
    """The file, and what is in it."""
    path = data / "iris" / "iris.csv.gz"
    rows = [line.split(",") for line in gzip.open(path, "rt").read().split()]
    return path, np.array([[float(v) for v in row[:-1]] for row in rows]), np.array([row[-1] for row in rows])


@pytest.fixture(scope="session")
def a9a(data):
    """The file, and what is in it, as CSR."""
    from sklearn.datasets import load_svmlight_file

    path = data / "a9a" / "a9a.gz"
    X, y = load_svmlight_file(gzip.open(path), n_features=123)
    return path, X, y.astype(int)


@pytest.fixture(scope="session")
def mnist(data):
    """The file of the images, and what is in it, as bytes."""
    path = data / "mnist" / "train-images-idx3-ubyte.gz"
    X = np.frombuffer(gzip.open(path).read(), np.uint8, offset=16).reshape(-1, 784)
    y = np.frombuffer(gzip.open(data / "mnist" / "train-labels-idx1-ubyte.gz").read(), np.uint8, offset=8)
    return path, X, y


@pytest.fixture
def blobs():
    """Three classes that overlap a little."""
    random = np.random.RandomState(0)
    y = random.randint(3, size=300)
    return random.normal(size=(300, 5)) + 3.0 * np.eye(3, 5)[y], y
