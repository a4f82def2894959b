"""Programs as others write them: the estimators among the types of pandas, polars and SciPy, joblib, and scikit-learn's tools."""

import copy
import multiprocessing
import pickle
import subprocess
import sys
import threading

import joblib
import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SequentialFeatureSelector
from sklearn.impute import SimpleImputer
from sklearn.inspection import permutation_importance
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier

from rosenblatt import (
    AveragedPerceptron,
    DataError,
    KernelPerceptron,
    PassiveAggressiveClassifier,
    Perceptron,
    PerceptronTagger,
    VotedPerceptron,
    audit,
    load,
    separable,
    trace,
)

pandas = pytest.importorskip("pandas", reason="pandas is not installed")


@pytest.fixture(scope="module")
def fruit():
    """A table with numbers, missing ones, texts and categories, and an index that is not 0, 1, 2, …"""
    random = np.random.default_rng(0)
    y = random.integers(2, size=240)
    frame = pandas.DataFrame(
        {
            "grams": 100 + 50 * y + random.normal(size=240),
            "sweet": np.where(random.random(240) < 0.1, np.nan, y + random.normal(size=240)),
            "colour": np.where(random.random(240) < 0.85, np.where(y, "red", "green"), "brown"),
            "ripe": pandas.Categorical(random.choice(["no", "yes", "almost"], size=240)),
        },
        index=pandas.Index(random.permutation(240) + 1000, name="id"),
    )
    return frame, pandas.Series(np.where(y, "apple", "pear"), index=frame.index, name="kind")


@pytest.fixture(scope="module")
def whole(fruit):
    frame, labels = fruit
    return frame.drop(columns="sweet"), labels


def prepared(clf):
    """As the first chapter of a textbook prepares such a table."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    others = OneHotEncoder(handle_unknown="ignore", sparse_output=False), make_column_selector(dtype_exclude=np.number)
    columns = ColumnTransformer([("numbers", numbers, ["grams", "sweet"]), ("others", *others)])
    return Pipeline([("columns", columns), ("clf", clf)])


@pytest.mark.parametrize("cls", [Perceptron, AveragedPerceptron, PassiveAggressiveClassifier, VotedPerceptron])
def test_columns_and_a_grid(cls, fruit):
    frame, labels = fruit
    weights = [None, "balanced", {"apple": 2.0, "pear": 1}]
    grid = GridSearchCV(
        prepared(cls(tol=None)), {"clf__max_iter": [1, np.int64(5)], "clf__class_weight": weights}, cv=2, error_score="raise"
    )
    assert grid.fit(frame, labels).best_score_ > 0.9
    assert set(grid.predict(frame)) == {"apple", "pear"}


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_between_the_steps(kind, fruit, tmp_path):
    pytest.importorskip(kind)
    frame, labels = fruit
    pipeline = prepared(AveragedPerceptron()).set_output(transform=kind).fit(frame, labels)
    assert pipeline.score(frame, labels) > 0.9
    assert pipeline[-1].feature_names_in_.tolist() == pipeline[0].get_feature_names_out().tolist()
    kept = Pipeline(
        [*prepared(None).steps[:1], ("chosen", SelectFromModel(Perceptron(penalty="l1"))), ("clf", Perceptron())],
        memory=str(tmp_path),
    )
    for _ in range(2):
        assert kept.set_output(transform=kind).fit(frame, labels).score(frame, labels) > 0.9


LABELS = ["str", "object", "category", "string", "string[pyarrow]", "int8", "Int64", "boolean", "bool", "int64[pyarrow]"]


@pytest.mark.parametrize("kind", [*LABELS, "polars", "frame", "list", "column"])
def test_labels_of_every_type(kind, whole):
    """Of a table with texts they went by another way, without the checks: a frame of one column became an error of pandas,
    and truths that may be missing were no classes."""
    frame, labels = whole
    apple = labels == "apple"
    numbers = np.column_stack([(frame.grams - 125) / 25, apple])
    if kind in LABELS:
        pytest.importorskip("pyarrow")
        y = (labels if kind in LABELS[:5] else apple.astype("int8")).astype(kind)
    else:
        given = {"frame": labels.to_frame, "list": labels.tolist, "column": lambda: labels.to_numpy().reshape(-1, 1)}
        y = given[kind]() if kind in given else pytest.importorskip("polars").Series(labels.to_numpy())
    truth = np.asarray(y).ravel()
    for X in (numbers, frame):
        for clf in (AveragedPerceptron().fit(X, y), AveragedPerceptron().fit(X, y).partial_fit(X, y)):
            assert (clf.predict(X) == truth).mean() > 0.9
        assert pickle.loads(pickle.dumps(clf)).predict(X).tolist() == clf.predict(X).tolist()
    if kind != "list":
        assert (cross_val_predict(AveragedPerceptron(calibrate=True), numbers, y, cv=2) == truth).mean() > 0.9
        assert (cross_val_predict(AveragedPerceptron(), frame, y, cv=2) == truth).mean() > 0.9


def test_labels_that_are_none(whole):
    frame, labels = whole
    for wrong in ([None] * 240, [np.nan] * 240, labels.where(labels != "pear"), [[0, 1]] * 240, [0.5, 1.5] * 120, labels[:-1]):
        for X in (frame, frame[["grams"]]):
            with pytest.raises(ValueError):
                AveragedPerceptron().fit(X, wrong)
            with pytest.raises(ValueError):
                AveragedPerceptron().fit(X, labels).partial_fit(X, wrong)


NUMBERS = ["float16", "Float64", "double[pyarrow]", "Int64", "UInt16", "bool", "boolean", "bool[pyarrow]", "object", "Sparse"]


@pytest.mark.parametrize("kind", NUMBERS)
def test_columns_of_numbers(kind, blobs):
    pytest.importorskip("pyarrow")
    X, y = blobs
    X = np.round(X).clip(0, 1)
    frame = pandas.DataFrame(X, columns=list("abcde")).astype(pandas.SparseDtype("float64", 0) if kind == "Sparse" else kind)
    clf, twin = AveragedPerceptron().fit(frame, y), AveragedPerceptron().fit(X, y)
    assert clf.coef_.tobytes() == twin.coef_.tobytes()
    assert clf.predict(frame).tolist() == twin.predict(X).tolist()
    assert clf.partial_fit(frame, y).coef_.tobytes() == twin.partial_fit(X, y).coef_.tobytes()
    # Beside texts they are the same numbers, though these are written and read again.
    beside, plain = (one.assign(text=np.where(X[:, 0] > 0, "up", "down")) for one in (frame, pandas.DataFrame(X, columns=frame.columns)))
    scores = [AveragedPerceptron().fit(one, y).decision_function(one).tobytes() for one in (beside, plain)]
    assert scores[0] == scores[1]


@pytest.mark.parametrize("kind", ["object", "str", "string", "string[pyarrow]", "category", "large", "dictionary"])
def test_columns_of_texts(kind, whole):
    """Some of Arrow's were taken for numbers."""
    pyarrow = pytest.importorskip("pyarrow")
    frame, labels = whole
    arrow = {"large": pyarrow.large_string(), "dictionary": pyarrow.dictionary(pyarrow.int32(), pyarrow.string())}
    kind = pandas.ArrowDtype(arrow[kind]) if kind in arrow else kind
    other, plain = frame.assign(colour=frame.colour.astype(kind)), AveragedPerceptron().fit(frame, labels)
    clf = AveragedPerceptron().fit(other, labels)
    assert clf.decision_function(other).tobytes() == plain.decision_function(frame).tobytes()


def test_texts_that_look_like_numbers(whole):
    """The tickets of the Titanic: the first are whole numbers, and the first other one was an error."""
    frame = pandas.DataFrame({"ticket": ["113803", "3101", "PC 17599", "3101"] * 5, "pounds": np.arange(20.0)})
    y = [0, 1, 0, 1] * 5
    for kind in ("object", "string"):
        table = frame.astype({"ticket": kind})
        clf = AveragedPerceptron(max_iter=20).fit(table, y)
        assert clf.score(table, y) == 1.0 and any("ticket" in term.feature for term in clf.explain(table[:1])[0].terms)
        assert AveragedPerceptron(max_iter=50).fit_dataframe(table, y, text="ticket").score(table, y) == 1.0


def test_rows_of_a_frame_count_from_zero(whole):
    """They were lines of a file that the user never saw."""
    frame, labels = whole
    long = frame.assign(colour=np.where(np.arange(240) == 3, "two\nlines", frame.colour))
    clf = AveragedPerceptron().fit(long, labels)
    for place in (0, 3, 4, 200):
        gap = long.copy()
        gap.iloc[place, 0] = np.nan
        for call in (lambda: AveragedPerceptron().fit(gap, labels), lambda: clf.predict(gap), lambda: clf.partial_fit(gap, labels)):
            with pytest.raises(DataError, match=f'^row {place}: column "grams" has no value'):
                call()
        other = long.assign(colour=np.where(np.arange(240) == place, "blue", long.colour))
        with pytest.warns(UserWarning, match=f'the first: "blue" in column colour in row {place}'):
            clf.predict(other)
    twice = long.set_axis(["grams", "grams", "ripe"], axis=1)
    with pytest.raises(DataError, match='^the columns: two columns are called "grams"'):
        AveragedPerceptron().fit(twice, labels)


NO_PANDAS = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in ("pandas", "pyarrow"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
import polars
from rosenblatt import AveragedPerceptron
frame, y = polars.DataFrame({"a": [1.0, -1.0, 2.0, -2.0], "b": [1, 2, 3, 4], "c": [True, False] * 2}), polars.Series([1, 0, 1, 0])
clf = AveragedPerceptron().fit(frame, y)
print(clf.predict(frame).tolist(), clf.partial_fit(frame.lazy(), y).feature_names_in_.tolist())
"""


def test_polars_needs_no_pandas():
    """A frame of numbers was converted to one of pandas, which failed where that was not installed."""
    pytest.importorskip("polars")
    done = subprocess.run([sys.executable, "-c", NO_PANDAS], capture_output=True, text=True)
    assert done.stdout == "[1, 0, 1, 0] ['a', 'b', 'c']\n", done.stderr


WEIGHTS = {
    "list": list,
    "tuple": tuple,
    "series": lambda w: pandas.Series(w, index=np.arange(len(w))[::-1]),
    "nullable": lambda w: pandas.Series(w).astype("Float64"),
    "object": lambda w: pandas.Series(w).astype(object),
    "single": lambda w: w.astype(np.float32),
    "whole": lambda w: w.astype(int),
    "polars": lambda w: pytest.importorskip("polars").Series(w),
}


@pytest.mark.parametrize("kind", WEIGHTS)
def test_weights_of_every_type(kind, blobs, whole):
    """Those of polars failed in `partial_fit`; those of a table with texts were not checked."""
    for (X, y), cls in ((blobs, VotedPerceptron), (whole, AveragedPerceptron)):
        w = np.arange(len(y)) % 3.0
        given, twin = WEIGHTS[kind](w), cls().fit(X, y, sample_weight=w)
        clf = cls().fit(X, y, sample_weight=given)
        assert clf.decision_function(X).tobytes() == twin.decision_function(X).tobytes()
        assert clf.score(X, y, sample_weight=given) == twin.score(X, y, sample_weight=w)
        clf, twin = clf.partial_fit(X, y, sample_weight=given), twin.partial_fit(X, y, sample_weight=w)
        assert clf.decision_function(X).tobytes() == twin.decision_function(X).tobytes()
        for wrong in (w[:-1], -w, w * np.nan, w[:, None], ["a"] * len(w)):
            with pytest.raises(ValueError):
                cls().fit(X, y, sample_weight=wrong)
        assert cls().fit(X, y, sample_weight=2.0).score(X, y) > 0.7


@pytest.mark.parametrize("dtype", [">f8", ">f4", "f2", "i1", ">i4", "u8", "?", "g", "O"])
def test_arrays_of_every_type(dtype, blobs):
    X, y = blobs
    X = np.round(X).clip(0, 1)
    rows = X.astype(dtype)
    twin = AveragedPerceptron().fit(X, y)
    for one in (rows, np.asfortranarray(rows), np.repeat(rows, 2, axis=1)[:, ::2], rows[::-1][::-1], rows.tolist()):
        clf = AveragedPerceptron().fit(one, y)
        assert clf.coef_.tobytes() == twin.coef_.tobytes() and clf.predict(one).tolist() == twin.predict(X).tolist()
    assert clf.partial_fit(rows, y).coef_.tobytes() == twin.partial_fit(X, y).coef_.tobytes()


KINDS = ["csr_array", "csr_matrix", "csc_array", "coo_matrix", "bsr_array", "dia_array", "dok_array", "lil_matrix"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("clf", [AveragedPerceptron(calibrate=True), Perceptron(early_stopping=True), KernelPerceptron()], ids=str)
def test_sparse_rows_everywhere(kind, clf, blobs):
    X, y = blobs
    X = np.round(X)
    rows, csr = getattr(sparse, kind)(X), sparse.csr_array(X)
    if kind.startswith("csr"):
        rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    ours, twin = clone(clf).fit(rows, y), clone(clf).fit(csr, y)
    assert ours.decision_function(rows).tobytes() == twin.decision_function(csr).tobytes()
    if clf.calibrate:
        assert ours.predict_proba(rows).tobytes() == twin.predict_proba(csr).tobytes()
    again = ours.partial_fit(rows, y).decision_function(rows)
    assert again.tobytes() == twin.partial_fit(csr, y).decision_function(csr).tobytes()
    assert cross_val_score(clone(clf), getattr(sparse, kind)(X).tocsr(), y, cv=2, error_score="raise").mean() > 0.5


def test_what_cannot_be_written_is_read(blobs):
    """As joblib maps large arrays into its processes, and pandas gives its own."""
    X, y = blobs
    csr, weights = sparse.csr_array(X), np.ones(len(y))
    for part in (csr.data, csr.indices, csr.indptr, X, y, weights):
        part.setflags(write=False)
    for rows in (X, csr):
        for clf in (AveragedPerceptron(), KernelPerceptron(), VotedPerceptron(), Perceptron(early_stopping=True)):
            clf.fit(rows, y, sample_weight=weights).partial_fit(rows, y, sample_weight=weights).predict(rows)


def test_processes_and_threads_of_joblib(blobs):
    X, y = blobs
    X, y = np.tile(X, (40, 1)), np.tile(y, 40)
    each = [AveragedPerceptron(max_iter=1, random_state=seed) for seed in range(3)]
    expected = [joblib.hash(clone(clf).fit(X, y)) for clf in each]
    for backend in ("loky", "threading"):
        run = joblib.Parallel(n_jobs=2, backend=backend, max_nbytes="10K")
        found = run(joblib.delayed(lambda clf, X, y: clf.fit(X, y))(clone(clf), X, y) for clf in each)
        assert [joblib.hash(clf) for clf in found] == expected
    assert len({*expected, joblib.hash(AveragedPerceptron()), joblib.hash(AveragedPerceptron(max_iter=3))}) == 5


def test_everything_is_pickled(blobs, tmp_path):
    X, y = blobs
    AveragedPerceptron().fit(X, y).save(tmp_path / "model")
    fitted = [load(tmp_path / "model"), Perceptron().partial_fit(X, y), VotedPerceptron().fit(X, y), KernelPerceptron().fit(X, y)]
    for clf in fitted:
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            other = pickle.loads(pickle.dumps(clf, protocol=protocol))
            assert other.decision_function(X).tobytes() == clf.decision_function(X).tobytes()
    tagger = PerceptronTagger().fit([["a", "b"]], [["A", "B"]])
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert [pool.apply(clf.predict, (X,)).tolist() for clf in fitted] == [clf.predict(X).tolist() for clf in fitted]
        assert pool.apply(tagger.predict, ([["a"]],)) == [["A"]]
    X, y = X[y < 2][:40], y[y < 2][:40]
    clf = AveragedPerceptron().fit(X, y)
    for result in (separable(X, y), trace(X, y), audit(X, y), clf.explain(X[:2]), clf.report_, clf.diagnose(X, y)):
        for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            assert repr(other) == repr(result)


@pytest.mark.parametrize("cls", [Perceptron, AveragedPerceptron, VotedPerceptron])
def test_many_labels_for_a_row(cls):
    X, Y = make_multilabel_classification(random_state=0, n_classes=3)
    for wrapper in (OneVsRestClassifier, MultiOutputClassifier, ClassifierChain):
        assert wrapper(cls()).fit(X, Y).predict(X).shape == Y.shape
        assert np.shape(wrapper(cls(calibrate=True)).fit(X, Y).predict_proba(X))[-1] in (2, 3)
    assert OneVsRestClassifier(cls()).fit(X, sparse.csr_matrix(Y)).predict(X).shape == Y.shape
    batches = MultiOutputClassifier(cls()).partial_fit(X, Y, classes=[[0, 1]] * 3)
    assert batches.partial_fit(X, Y).predict(X).shape == Y.shape


SURE = AveragedPerceptron(calibrate=True)
BOTH = [("one", Perceptron()), ("other", SURE)]


@pytest.mark.parametrize(
    "clf",
    [
        CalibratedClassifierCV(AveragedPerceptron(), cv=3),
        CalibratedClassifierCV(Perceptron(), method="isotonic", ensemble=False),
        VotingClassifier(BOTH),
        VotingClassifier([("one", Perceptron(calibrate=True)), ("other", SURE)], voting="soft"),
        StackingClassifier(BOTH, final_estimator=AveragedPerceptron(), cv=3),
        BaggingClassifier(SURE, n_estimators=3, max_features=4, oob_score=True),
        AdaBoostClassifier(AveragedPerceptron(), n_estimators=3),
        OneVsOneClassifier(Perceptron()),
        make_pipeline(RFE(Perceptron(), n_features_to_select=3), Perceptron()),
        make_pipeline(RFECV(Perceptron(), cv=3), AveragedPerceptron()),
        make_pipeline(SelectFromModel(PassiveAggressiveClassifier(), threshold="median"), Perceptron()),
        make_pipeline(SequentialFeatureSelector(AveragedPerceptron(max_iter=1), n_features_to_select=3, cv=2), SURE),
    ],
    ids=lambda clf: type(getattr(clf, "steps", [[0, clf]])[0][1]).__name__,
)
@pytest.mark.filterwarnings("ignore:Since the number", "ignore:Some inputs do not have OOB", "ignore:Maximum number")
def test_parts_of_other_estimators(clf, blobs):
    X, y = blobs
    labels = np.array(["a", "b", "c"])[y]
    clf = clone(clf).fit(X, labels)
    assert clf.score(X, labels) > 0.7
    assert pickle.loads(pickle.dumps(clf)).predict(X).tolist() == clf.predict(X).tolist()
    assert "Perceptron" in clf._repr_html_() and type(clf).__name__ in repr(clf)


def test_thresholds_and_unlabelled_rows(blobs):
    X, y = blobs
    tuned = TunedThresholdClassifierCV(AveragedPerceptron(), cv=3).fit(X, y > 0)
    assert tuned.score(X, y > 0) > 0.7
    some = np.where(np.arange(len(y)) % 3 == 0, -1, y)
    assert SelfTrainingClassifier(SURE).fit(X, some).score(X, y) > 0.7


def test_tools_that_judge(blobs, whole):
    X, y = blobs
    scores = ["accuracy", "f1_macro", "neg_log_loss", "roc_auc_ovr"]
    found = cross_validate(SURE, X, y, scoring=scores, return_train_score=True, cv=3, error_score="raise")
    assert all(np.isfinite(found[f"{part}_{name}"]).all() for part in ("test", "train") for name in scores)
    for method in ("decision_function", "predict_proba", "predict_log_proba"):
        assert cross_val_predict(SURE, X, y, method=method, cv=3).shape == (len(y), 3)
    curve = learning_curve(AveragedPerceptron(), X, y, cv=3, error_score="raise", exploit_incremental_learning=True)
    assert np.isfinite(curve[2]).all()
    chosen = {"C": [0.01, 0.1, 1.0, np.inf], "max_iter": range(1, 9)}
    RandomizedSearchCV(PassiveAggressiveClassifier(tol=None), chosen, n_iter=3, cv=2, error_score="raise").fit(X, y)
    # A table with texts needs no preparation.
    frame, labels = whole
    grid = GridSearchCV(AveragedPerceptron(), {"max_iter": [1, 3]}, cv=2, error_score="raise").fit(frame, labels)
    assert grid.score(frame, labels) > 0.9
    assert permutation_importance(grid, frame, labels, n_repeats=2).importances_mean[0] > 0


def test_routing_and_settings(blobs):
    X, y = blobs
    weights = np.arange(len(y)) % 3.0
    with sklearn.config_context(enable_metadata_routing=True):
        clf = AveragedPerceptron().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        given = dict(params={"sample_weight": weights}, error_score="raise", cv=3)
        assert (cross_validate(clf, X, y, **given)["test_score"] > 0.7).all()
        grid = GridSearchCV(clf, {"max_iter": [1, 2]}, cv=2, error_score="raise").fit(X, y, sample_weight=weights)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, clone(clf)).fit(X, y, sample_weight=weights)
        assert min(grid.score(X, y, sample_weight=weights), pipeline.score(X, y, sample_weight=weights)) > 0.7
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
            cross_validate(AveragedPerceptron(), X, y, **given)
    with sklearn.config_context(assume_finite=True, transform_output="pandas"):
        gap = X.copy()
        gap[3, 2] = np.nan
        with pytest.raises(DataError, match="^row 3, feature 2: NaN"):
            AveragedPerceptron().fit(gap, y)


@pytest.mark.parametrize("cls", [Perceptron, AveragedPerceptron, PassiveAggressiveClassifier, KernelPerceptron, PerceptronTagger])
def test_parameters_come_back(cls):
    one = cls(max_iter=3)
    assert clone(one).get_params() == one.get_params() == copy.deepcopy(one).get_params()
    assert one.set_params(**one.get_params()) is one and repr(one) == f"{cls.__name__}(max_iter=3)"
    assert eval(repr(one)).get_params() == one.get_params()
    with pytest.raises(ValueError, match="Invalid parameter 'nothing'"):
        one.set_params(nothing=3)


@pytest.mark.parametrize("cls", [Perceptron, AveragedPerceptron, PassiveAggressiveClassifier, VotedPerceptron])
def test_a_stream_of_batches_of_every_kind(cls):
    random = np.random.default_rng(0)
    X = np.round(random.normal(size=(60, 5)), 1)
    y = (X[:, 0] > 0).astype(int)
    ours, twin = cls(), cls()
    kinds = [sparse.csr_array, sparse.coo_matrix, pandas.DataFrame, np.ndarray.tolist, np.asfortranarray, np.float64]
    labels = [np.int8, pandas.Series, np.ndarray.tolist, np.float64, np.uint64, np.int64]
    for i, (kind, of) in enumerate(zip(kinds, labels)):
        rows = slice(10 * i, 10 * i + 10)
        ours.partial_fit(kind(X[rows]), of(y[rows]), classes=[0, 1] if i == 0 else None)
        twin.partial_fit(X[rows], y[rows], classes=[0, 1])
    np.testing.assert_allclose(ours.coef_, twin.coef_, rtol=1e-12)
    assert ours.partial_fit(X[:9], y[:9] + 1).classes_.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="features"):
        ours.partial_fit(X[:, :3], y)
    assert ours.fit(X, y).classes_.tolist() == [0, 1]


def test_threads_of_ones_own(blobs):
    X, y = blobs
    shared = AveragedPerceptron().fit(X, y)
    answers, found = shared.predict(X).tolist(), {}

    def run(seed):
        for _ in range(5):
            weights = AveragedPerceptron(random_state=seed).fit(X, y).coef_.tobytes()
        same = shared.predict(X).tolist() == answers and pickle.loads(pickle.dumps(shared)).predict(X).tolist() == answers
        found[seed] = weights if same and len(shared.explain(X[:3])) == 3 else None

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(6)]
    [thread.start() for thread in threads]
    [thread.join(timeout=60) for thread in threads]
    assert found == {seed: AveragedPerceptron(random_state=seed).fit(X, y).coef_.tobytes() for seed in range(6)}
