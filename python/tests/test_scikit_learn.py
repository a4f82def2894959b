"""The estimators among scikit-learn's own tools, and beside its perceptron."""

import copy
import io
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn import linear_model
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt import AveragedPerceptron, KernelPerceptron, PassiveAggressiveClassifier, Perceptron, VotedPerceptron


def test_replacing_the_import_is_enough():
    theirs = linear_model.Perceptron().get_params()
    assert set(theirs) <= set(Perceptron().get_params())
    for name, value in theirs.items():
        assert Perceptron().get_params()[name] == value, name
    X, y = load_digits(return_X_y=True)
    for settings in [{}, {"max_iter": 40, "tol": None}, {"early_stopping": True}, {"class_weight": "balanced"}]:
        ours = Perceptron(**settings).fit(X[:1000], y[:1000])
        other = linear_model.Perceptron(**settings).fit(X[:1000], y[:1000])
        assert ours.coef_.shape == other.coef_.shape and ours.intercept_.shape == other.intercept_.shape
        assert ours.score(X[1000:], y[1000:]) > other.score(X[1000:], y[1000:]) - 0.03
    for name in ("C", "fit_intercept", "max_iter", "tol", "early_stopping", "validation_fraction", "n_iter_no_change"):
        assert name in PassiveAggressiveClassifier().get_params()


def test_a_pipeline_a_grid_and_two_processes():
    X, y = load_digits(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), AveragedPerceptron())
    assert cross_val_score(pipeline, X, y, n_jobs=2).mean() > 0.9
    grid = GridSearchCV(pipeline, {"averagedperceptron__max_iter": [1, 5], "averagedperceptron__eta0": [0.5]}, n_jobs=2)
    assert grid.fit(X, y).best_params_ == {"averagedperceptron__eta0": 0.5, "averagedperceptron__max_iter": 5}
    assert OneVsRestClassifier(AveragedPerceptron()).fit(X, y).score(X, y) > 0.9
    texts, kinds = ["buy now", "buy cheap", "see you soon", "see you there"], [1, 1, 0, 0]
    words = make_pipeline(CountVectorizer(), PassiveAggressiveClassifier()).fit(texts, kinds)
    assert words.predict(["cheap", "soon"]).tolist() == [1, 0]


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_a_process_of_its_own(start, blobs):
    """A forked process once waited forever for threads that only its parent had."""
    import multiprocessing

    X, y = blobs
    clf = AveragedPerceptron().fit(X, y)
    clf.predict(X)
    with multiprocessing.get_context(start).Pool(1) as pool:
        assert (pool.apply_async(clf.predict, (X,)).get(timeout=60) == clf.predict(X)).all()


@pytest.mark.parametrize("clf", [AveragedPerceptron(), VotedPerceptron(), KernelPerceptron(gamma=0.3)], ids=str)
def test_it_is_the_same_elsewhere(clf, blobs, tmp_path):
    X, y = blobs
    clf = clone(clf).fit(X, np.array(["a", "b", "c"])[y])
    scores = clf.decision_function(X)
    buffer = io.BytesIO()
    joblib.dump(clf, buffer)
    clf.save(tmp_path / "model")
    others = [pickle.loads(pickle.dumps(clf)), joblib.load(buffer), copy.copy(clf), copy.deepcopy(clf)]
    for other in [*others, rosenblatt.load(tmp_path / "model")]:
        assert other.decision_function(X).tobytes() == scores.tobytes()
        assert other.predict(X).tolist() == clf.predict(X).tolist()
    assert not hasattr(clone(clf), "classes_")


def test_what_is_told_of_a_training(blobs):
    X, y = blobs
    clf = AveragedPerceptron(max_iter=7).fit(X, y)
    assert (clf.stopped_, clf.n_iter_) == ("max-epochs", 7)
    assert clf.mistakes_ == sum(clf.history_["mistakes"]) > 0 and len(clf.history_["mistakes"]) == 7
    assert clf.margin_ < 0
    separable = AveragedPerceptron(max_iter=50).fit(X[y < 2] + 9 * y[y < 2, None], y[y < 2])
    assert separable.stopped_ == "separated" and separable.margin_ > 0 and separable.history_["mistakes"][-1] == 0
    settled = Perceptron(tol=1e-3, n_iter_no_change=3).fit(X, y)
    assert settled.stopped_ == "no-progress" and settled.n_iter_ < 100


def test_early_stopping_keeps_the_best_pass(blobs):
    X, y = blobs
    clf = AveragedPerceptron(max_iter=100, early_stopping=True, n_iter_no_change=4).fit(X, y)
    errors = clf.history_["validation_error"]
    assert clf.stopped_ == "no-progress" and len(errors) == clf.n_iter_
    assert clf.n_iter_ - 1 - int(np.argmin(errors)) == 4


def test_warm_start(blobs):
    X, y = blobs
    clf = Perceptron(max_iter=1, tol=None, shuffle=False, warm_start=True).fit(X, y).fit(X, y)
    twice = Perceptron(max_iter=2, tol=None, shuffle=False).fit(X, y)
    assert clf.coef_.tobytes() == twice.coef_.tobytes()
    with pytest.raises(ValueError, match="warm_start"):
        clf.fit(X[:, :2], y)


def test_weights_of_classes_and_examples(blobs):
    X, y = blobs
    few = (y != 1) | (np.arange(len(y)) % 20 == 0)
    X, y = X[few], y[few]
    counts = np.bincount(y)
    balanced = {label: len(y) / 3 / count for label, count in enumerate(counts)}
    fitted = [
        AveragedPerceptron(class_weight="balanced").fit(X, y),
        AveragedPerceptron(class_weight=balanced).fit(X, y),
        AveragedPerceptron().fit(X, y, sample_weight=[balanced[label] for label in y]),
    ]
    assert len({clf.coef_.tobytes() for clf in fitted}) == 1
    # A weight of zero is as if the row were not there.
    some = np.arange(len(y)) % 3 > 0
    without = AveragedPerceptron(shuffle=False).fit(X[some], y[some])
    assert AveragedPerceptron(shuffle=False).fit(X, y, sample_weight=some).coef_.tobytes() == without.coef_.tobytes()


def test_seeds(blobs):
    X, y = blobs
    weights = [AveragedPerceptron(random_state=seed).fit(X, y).coef_.tobytes() for seed in (0, 0, np.int64(0), 1)]
    assert weights[0] == weights[1] == weights[2] != weights[3]
    state = np.random.RandomState(3)
    drawn = AveragedPerceptron(random_state=state)
    assert drawn.fit(X, y).coef_.tobytes() != drawn.fit(X, y).coef_.tobytes()


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, np.int64, bool])
def test_sparse_of_every_kind(kind, index, dtype, blobs):
    X, y = blobs
    X = np.round(X).clip(0, 5).astype(dtype)
    rows = kind(X)
    if hasattr(rows, "indptr"):
        rows.indices, rows.indptr = rows.indices.astype(index), rows.indptr.astype(index)
    clf = AveragedPerceptron().fit(rows, y)
    twin = AveragedPerceptron().fit(sparse.csr_array(X.astype(float)), y)
    assert clf.coef_.tobytes() == twin.coef_.tobytes()
    assert (clf.predict(rows) == clf.predict(X)).mean() > 0.99


def test_sparse_in_disorder(blobs):
    """Entries of the same place count together, as SciPy says; the user's matrix stays as it is."""
    X, y = blobs
    X = np.round(X)
    rows = sparse.csr_array(X)
    twice = sparse.csr_array(
        (np.repeat(rows.data / 2, 2)[::-1], np.repeat(rows.indices, 2)[::-1], (2 * (rows.indptr[-1] - rows.indptr))[::-1]),
        shape=X.shape,
    )
    before = twice.indices.copy()
    clf = AveragedPerceptron(shuffle=False).fit(twice, y[::-1])
    twin = AveragedPerceptron(shuffle=False).fit(sparse.csr_array(X[::-1]), y[::-1])
    assert clf.coef_.tobytes() == twin.coef_.tobytes()
    assert (twice.indices == before).all()


MEMORY = r"""
import re, sys
from pathlib import Path
import numpy as np
from numpy.testing import assert_allclose
from scipy import sparse
from rosenblatt import AveragedPerceptron

kind, dtype = sys.argv[1:]
X = np.ones((20_000, 1_000), dtype)
X[::2, ::3] = 0
if kind == "sparse":
    X = sparse.csr_array(X)
y = np.arange(20_000) % 2
AveragedPerceptron(max_iter=1).fit(X[:200], y[:200])

# Not what getrusage tells: it begins with the most that the parent of this process ever had.
most = lambda: 1024 * int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
Path("/proc/self/clear_refs").write_text("5")
before = most()
AveragedPerceptron(max_iter=1).fit(X, y).predict(X)
print((most() - before) / 1e6)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="no way to ask for the most memory since a moment")
@pytest.mark.parametrize("kind, dtype", [("dense", "f8"), ("dense", "f4"), ("dense", "u1"), ("sparse", "f8"), ("sparse", "f4")])
def test_nothing_is_copied(kind, dtype):
    """20 to 160 million bytes of rows are looked at where they lie, in no more memory than a few numbers a row."""

    def most(*args):
        return float(subprocess.run([sys.executable, "-c", MEMORY, *args], capture_output=True, check=True).stdout)

    assert most(kind, dtype) < 12
    if (kind, dtype) == ("dense", "f8"):
        # The yardstick itself: of other types there is a copy, and it shows.
        assert most("dense", "i4") > 140


def test_tables_with_names(blobs):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    X, y = blobs
    names = ["a", "b", "c", "d", "e"]
    plain = AveragedPerceptron().fit(X, y)
    for table in (pandas.DataFrame(X, columns=names), polars.DataFrame(X, schema=names)):
        clf = AveragedPerceptron().fit(table, y)
        assert clf.coef_.tobytes() == plain.coef_.tobytes()
        assert (clf.predict(table) == plain.predict(X)).all()
        assert clf.feature_names_in_.tolist() == names and clf.n_features_in_ == 5
        with pytest.raises(ValueError, match="feature names"):
            clf.predict(table[names[::-1]])


@pytest.mark.parametrize("labels", [[3, 1, 2], [0.0, 2.0, 4.0], ["b", "a", "ü"], [True, False, True], ["1", "01", "2"]])
def test_labels_of_every_kind(labels, blobs):
    X, y = blobs
    y = np.array(labels)[y]
    clf = AveragedPerceptron().fit(X, y)
    assert clf.classes_.dtype == y.dtype and (clf.classes_ == np.unique(y)).all()
    again = pickle.loads(pickle.dumps(clf))
    assert again.predict(X).dtype == y.dtype and (again.predict(X) == clf.predict(X)).all()


def test_an_intercept_belongs_to_a_constant():
    """Its twin has the constant as one more column, and no intercept."""
    X, y = load_digits(return_X_y=True)
    ours = AveragedPerceptron(max_iter=3, intercept_scaling=0.25).fit(X, y)
    twin = AveragedPerceptron(max_iter=3, fit_intercept=False).fit(np.hstack([X, np.full((len(X), 1), 0.25)]), y)
    assert_allclose(ours.coef_, twin.coef_[:, :-1])
    assert_allclose(ours.intercept_, 0.25 * twin.coef_[:, -1])
    with pytest.raises(ValueError, match="intercept_scaling=-1: expected"):
        AveragedPerceptron(intercept_scaling=-1).fit(X, y)
