"""The border: what is refused and how, Ctrl-C, progress, documentation that is run."""

import doctest
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

import rosenblatt
from rosenblatt import (
    AveragedPerceptron,
    BatchPerceptron,
    DataError,
    KernelPerceptron,
    ModelError,
    PassiveAggressiveClassifier,
    Perceptron,
    SettingsError,
)

X = np.array([[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]])
Y = np.array(["spam", "spam", "ham", "ham"])


@pytest.mark.parametrize(
    "make, kind, said",
    [
        (lambda: AveragedPerceptron(eta0=0), SettingsError, "eta0=0.0: averaged takes above 0 here"),
        (lambda: AveragedPerceptron(schedule="slow"), SettingsError, "constant|inverse-sqrt|inverse"),
        (lambda: AveragedPerceptron(multiclass="all"), SettingsError, "single, uniform, one-vs-rest"),
        (lambda: AveragedPerceptron(max_iter=0), SettingsError, "max_iter=0: expected a whole number of at least 1"),
        (lambda: AveragedPerceptron(random_state=-1), SettingsError, "a seed of at least 0"),
        (lambda: AveragedPerceptron(class_weight="fair"), SettingsError, "'balanced'"),
        (lambda: AveragedPerceptron(class_weight={"eggs": 2.0}), SettingsError, '"eggs"'),
        (lambda: AveragedPerceptron(class_weight={"spam": -2.0}), SettingsError, "zero or more"),
        (lambda: Perceptron(penalty="l3"), SettingsError, "penalty='l3': expected"),
        (lambda: PassiveAggressiveClassifier(C=0), SettingsError, "C=0.0"),
        (lambda: PassiveAggressiveClassifier(loss="log"), SettingsError, "'squared_hinge'"),
        (lambda: KernelPerceptron(kernel="sigmoid"), SettingsError, "'poly'"),
        (lambda: KernelPerceptron(gamma=-1.0), SettingsError, "above 0"),
        (lambda: KernelPerceptron(keep="pocket"), SettingsError, "pocket"),
        (lambda: KernelPerceptron(budget=3), SettingsError, "budget"),
        (lambda: BatchPerceptron(step="median"), SettingsError, "sum|mean"),
    ],
)
def test_settings_are_refused_when_it_is_fitted(make, kind, said):
    clf = make()
    with pytest.raises(kind) as refused:
        clf.fit(X, Y)
    assert said in str(refused.value) and isinstance(refused.value, ValueError)


def test_an_unknown_parameter_is_refused_at_once():
    with pytest.raises(TypeError, match="no parameter 'epochs': it has margin, eta0, schedule, max_iter"):
        AveragedPerceptron(epochs=3)
    with pytest.raises(TypeError):
        AveragedPerceptron(10)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none(value):
    bad = X.copy()
    bad[2, 1] = value
    clf = AveragedPerceptron().fit(X, Y)
    for refused in (lambda: AveragedPerceptron().fit(bad, Y), lambda: clf.predict(bad), lambda: clf.partial_fit(bad, Y)):
        with pytest.raises(DataError, match="row 2, feature 1: .* is not a finite number"):
            refused()


def test_rows_that_cannot_be_learned_from():
    with pytest.raises(DataError, match="squares overflow"):
        AveragedPerceptron().fit(X * 1e200, Y)
    with pytest.raises(ValueError, match="one class only"):
        AveragedPerceptron().fit(X, ["spam"] * 4)
    with pytest.raises(ValueError, match="features"):
        AveragedPerceptron().fit(X, Y).predict(X[:, :1])
    from scipy import sparse

    wrong = sparse.csr_array(X)
    wrong.indices[1] = -1
    with pytest.raises((DataError, ValueError)):
        AveragedPerceptron().fit(wrong, Y)


@pytest.mark.parametrize("classes, features", [(10, 200_000_000), (2, 2**31 + 1)])
def test_weights_that_do_not_fit_raise_a_memory_error(classes, features):
    """The interpreter ended."""
    places = np.arange(classes)
    rows = csr_matrix((np.ones(classes), (places, places)), shape=(classes, features))
    with pytest.raises(MemoryError, match="weights of|features"):
        AveragedPerceptron().fit(rows, places)


def test_files(tmp_path):
    clf = AveragedPerceptron().fit(X, Y)
    with pytest.raises(FileNotFoundError, match="no such file"):
        rosenblatt.load(tmp_path / "none")
    with pytest.raises(OSError):
        clf.save(tmp_path / "no" / "place")
    (tmp_path / "lie").write_bytes(b"RSNBLATT and nothing more")
    with pytest.raises(ModelError, match="lie"):
        rosenblatt.load(tmp_path / "lie")
    clf.save(str(tmp_path / "model"))
    whole = (tmp_path / "model").read_bytes()
    (tmp_path / "cut").write_bytes(whole[:-9])
    with pytest.raises(ModelError):
        rosenblatt.load(str(tmp_path / "cut"))
    assert os.listdir(tmp_path / "..") and sorted(os.listdir(tmp_path)) == ["cut", "lie", "model"]


def long_training():
    random = np.random.RandomState(0)
    rows = random.normal(size=(20_000, 20))
    return AveragedPerceptron(max_iter=1_000_000), rows, random.randint(2, size=20_000)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_stops_training():
    clf, rows, y = long_training()
    # A shell that starts a command in the background lets it ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        clf.fit(rows, y)
    assert time.monotonic() - began < 5 and not hasattr(clf, "classes_")


def test_other_threads_go_on_meanwhile():
    clf, rows, y = long_training()
    clf.set_params(max_iter=30)
    steps = 0
    learning = threading.Thread(target=clf.fit, args=(rows, y))
    learning.start()
    while learning.is_alive():
        steps += 1
        time.sleep(0.001)
    assert clf.n_iter_ == 30 and steps > 5


def test_verbose(capsys):
    clf = AveragedPerceptron(verbose=1).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"pass {i}: {count} mistakes" for i, count in enumerate(clf.history_["mistakes"], 1)]


class Recorder:
    """What a callback is result."""

    def __init__(self, stop_after=None):
        self.result, self.scores, self.stop_after = [], [], stop_after

    def setup(self, estimator, context):
        self.result.append("setup")

    def teardown(self, estimator, context):
        self.result.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.result.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
        self.result.append(f"end {context.task_name}")
        if context.task_name == "pass":
            self.scores.append(fitted_estimator.score(X, y))
        return len(self.scores) == self.stop_after


def test_callbacks_of_scikit_learn(blobs):
    pytest.importorskip("sklearn.callback")
    X, y = blobs
    seen = Recorder()
    clf = AveragedPerceptron(max_iter=3).set_callbacks(seen).fit(X, y)
    assert seen.result == ["setup", "begin fit", *["begin pass", "end pass"] * 3, "end fit", "teardown"]
    # Each pass was shown as an estimator that answers; the last is the one that remains.
    each = [AveragedPerceptron(max_iter=epochs).fit(X, y).score(X, y) for epochs in (1, 2, 3)]
    assert seen.scores == each
    early = Recorder(stop_after=2)
    clf = AveragedPerceptron(max_iter=9).set_callbacks(early).fit(X, y)
    assert (clf.n_iter_, clf.stopped_) == (2, "interrupted")


def test_a_progress_bar(blobs, capsys):
    callback = pytest.importorskip("sklearn.callback")
    pytest.importorskip("rich")
    X, y = blobs
    clf = AveragedPerceptron(max_iter=5).set_callbacks(callback.ProgressBar()).fit(X, y)
    assert clf.n_iter_ == 5 and "AveragedPerceptron" in capsys.readouterr().out


def test_what_a_callback_raises_is_raised(blobs):
    pytest.importorskip("sklearn.callback")

    class Broken(Recorder):
        def on_fit_task_end(self, estimator, context):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        AveragedPerceptron().set_callbacks(Broken()).fit(*blobs)


def estimators():
    from rosenblatt._base import BaseClassifier

    return [c for c in vars(rosenblatt).values() if isinstance(c, type) and issubclass(c, BaseClassifier)]


ENGINES = [("dask", "dask"), ("river", "river"), ("spark", "pyspark")]


def modules():
    import importlib
    import importlib.util
    import pkgutil

    # The engines of these are installed for python/cluster and python/tests/others only; __main__ would run the command.
    left_out = {"_rosenblatt", "__main__"}
    left_out |= {name for name, engine in ENGINES if not importlib.util.find_spec(engine)}
    names = [m.name for m in pkgutil.iter_modules(rosenblatt.__path__) if m.name not in left_out]
    return [rosenblatt, *(importlib.import_module(f"rosenblatt.{name}") for name in names)]


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.__name__)
def test_examples_in_the_documentation(module):
    assert doctest.testmod(module).failed == 0


def test_what_the_readme_shows(tmp_path):
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    shown = readme.split("```python\n")[1:]
    assert shown
    for block in shown:
        program = [sys.executable, "-W", "error", "-c", block.split("```")[0]]
        done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout, done.stderr
    # It names classes, but need not name all: each learner has one, and `rosenblatt help learners` lists the learners.
    named = set(re.findall(r"`(\w*(?:Perceptron|Classifier)|[A-Z]{4})`", readme))
    assert {"Perceptron", "PassiveAggressiveClassifier", "KernelPerceptron"} <= named <= set(rosenblatt.__all__)


@pytest.mark.parametrize("cls", estimators(), ids=lambda cls: cls.__name__)
def test_every_parameter_is_documented(cls):
    for name, value in cls().get_params().items():
        assert re.search(rf"\n{name} : [\w ]+, default={re.escape(repr(value))}\n    ", cls.__doc__), name


def test_types(tmp_path):
    """The stubs say what the compiled module has, and mypy agrees with the package, seen from any other folder."""
    assert (Path(rosenblatt.__file__).parent / "py.typed").exists()
    pytest.importorskip("mypy")
    settings = str(Path(__file__).parents[2] / "pyproject.toml")
    whole = ["mypy", "--no-error-summary", "--config-file", settings, "-p", "rosenblatt"]
    for check in (whole, ["mypy.stubtest", "rosenblatt._rosenblatt"]):
        done = subprocess.run([sys.executable, "-m", *check], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_fitted_estimator_shows_itself():
    clf = AveragedPerceptron(max_iter=3)
    assert repr(clf) == "AveragedPerceptron(max_iter=3)" == repr(clone(clf).fit(X, Y))


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_stops_a_decision():
    random = np.random.RandomState(0)
    rows, y = random.normal(size=(2_000, 900)), random.randint(2, size=2_000)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        rosenblatt.separable(rows, y)
    assert time.monotonic() - began < 20


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_stops_a_verification(tmp_path):
    """It was heard after the last row."""
    path = tmp_path / "many.csv"
    path.write_text("x,y,label\n" + "".join(f"{i % 1000}.{i:09d},{i % 77},{'ab'[i % 2]}\n" for i in range(300_000)))
    proof = rosenblatt.separable_file(path).proof
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        rosenblatt.verify(proof, path)
        time.sleep(1)
    assert time.monotonic() - began < 1
