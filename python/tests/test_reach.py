"""More of what clients reach for; each of these once failed, or was missing."""

import gzip
import io
import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

import rosenblatt
from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    PassiveAggressiveClassifier,
    Perceptron,
    PerceptronTagger,
    SettingsError,
    VotedPerceptron,
    load,
    load_libsvm,
)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Perceptron(tol=-1), "tol=-1: expected a number of at least 0"),
        (lambda: PassiveAggressiveClassifier(max_iter=0), "max_iter=0: expected a whole number of at least 1"),
        (lambda: Perceptron(eta0=-1), "eta0=-1.0: "),
        (lambda: PassiveAggressiveClassifier(C=-1), "C=-1.0: "),
        (lambda: Perceptron(coef_dtype="int8"), "coef_dtype='int8': expected 'float64' or 'float32'"),
        (lambda: Perceptron(penalty="l3"), "penalty='l3': expected 'l2' or 'l1' or 'elasticnet'"),
        (lambda: Perceptron(penalty="l1", alpha=-1), "alpha=-1: "),
        (lambda: Perceptron(penalty="l1", schedule="inverse"), "schedule='inverse': with a penalty"),
    ],
)
def test_parameters_are_checked_by_their_names(make, message, blobs):
    """Classes that had another default lost the limits, and the learner's parameters had the names of the library."""
    with pytest.raises(SettingsError) as refused:
        make().fit(*blobs)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    "given", [dict(max_iter=2.5), dict(tag_dictionary=-1), dict(shuffle="no"), dict(averaged="no"), dict(search=3)], ids=str
)
def test_parameters_of_the_tagger_are_checked(given):
    (name, value), *_ = given.items()
    with pytest.raises(SettingsError, match=f"^{name}={value!r}: expected "):
        PerceptronTagger(**given).fit([["a"]], [["A"]])


@pytest.mark.parametrize("token, found", [(None, "found None"), (b"a", r"found bytes \(decode them\)")])
def test_tokens_without_a_meaning(token, found):
    with pytest.raises(TypeError, match=f"expected a token as str.*{found}"):
        PerceptronTagger().fit([[token]], [["A"]])


def unaligned(array):
    raw = np.frombuffer(b"\0" + array.tobytes() + bytes(8), np.uint8)[1 : 1 + array.nbytes]
    moved = raw.view(array.dtype).reshape(array.shape)
    assert not moved.flags.aligned
    return moved


def test_weights_that_are_not_aligned(blobs):
    X, y = blobs
    clf = Perceptron().fit(X, y)
    weights, bias = np.array(clf.coef_), np.array(clf.intercept_)
    before = clf.decision_function(X)
    clf.coef_, clf.intercept_ = unaligned(2 * weights), unaligned(2 * bias)
    np.testing.assert_allclose(clf.decision_function(X), 2 * before)
    settings = dict(max_iter=2, tol=None)
    ours = Perceptron(**settings).fit(X, y, coef_init=unaligned(weights), intercept_init=unaligned(bias))
    assert ours.coef_.tobytes() == Perceptron(**settings).fit(X, y, coef_init=weights, intercept_init=bias).coef_.tobytes()


def test_weights_are_set_before_the_first_fit(blobs):
    """As a client of federated learning begins: with zeros, and then with the mean of others' weights."""
    X, y = blobs
    for labels in (y, y > 0):
        trained = AveragedPerceptron().fit(X, labels)
        client = AveragedPerceptron()
        with pytest.raises(AttributeError, match="assign classes_ first"):
            client.coef_ = trained.coef_
        client.classes_ = np.unique(labels)
        with pytest.raises(ValueError, match="coef_ has"):
            client.coef_ = np.zeros((7, 5))
        client.coef_ = np.zeros_like(trained.coef_)
        client.intercept_ = np.zeros_like(trained.intercept_)
        assert not client.decision_function(X).any()
        client.coef_, client.intercept_ = trained.coef_, trained.intercept_
        assert client.predict(X).tolist() == trained.predict(X).tolist()
        assert client.set_params(warm_start=True).fit(X, labels).score(X, labels) > 0.8
    # Classes alone are no weights, and are known to the first batch.
    fresh = Perceptron()
    fresh.classes_ = np.array([0, 1, 2])
    assert fresh.partial_fit(X[y < 2], y[y < 2]).coef_.shape == (3, 5)


def test_pickles_hold_weights_once():
    """A fitted estimator pickled its model and the end of its training, which has the same weights."""
    X = sparse.random(50, 100_000, 0.001, random_state=0, format="csr")
    y, weights = np.arange(50) % 2, 8 * 100_000
    for clf, vectors in ((Perceptron(), 1), (PassiveAggressiveClassifier(), 1), (AveragedPerceptron(stop="kept"), 2)):
        clf.fit(X, y)
        data = pickle.dumps(clf)
        # The mean needs the last weights, too, to go on from.
        assert len(data) < vectors * weights + 10_000
        other = pickle.loads(data)
        assert other.coef_.tobytes() == clf.coef_.tobytes()
        assert other.partial_fit(X, y).coef_.tobytes() == clf.partial_fit(X, y).coef_.tobytes()


@pytest.mark.parametrize(
    "clf",
    [AveragedPerceptron(early_stopping=True), VotedPerceptron(), KernelPerceptron(), AveragedPerceptron(calibrate=True)],
    ids=str,
)
def test_pickles_answer_as_before(clf, blobs):
    X, y = blobs
    clf.fit(X, y)
    other = pickle.loads(pickle.dumps(clf))
    assert other.decision_function(X).tobytes() == clf.decision_function(X).tobytes()
    if clf.calibrate:
        assert other.predict_proba(X).tobytes() == clf.predict_proba(X).tobytes()


# The types.

WRONG = """
from rosenblatt import AveragedPerceptron, Perceptron, PerceptronTagger, VotedPerceptron
right: Perceptron = Perceptron(max_iter=3).fit([[1.0]], [1]).partial_fit([[1.0]], [1])
VotedPerceptron(eta0=2.0)
Perceptron(max_itr=3)
AveragedPerceptron(margn=3)
VotedPerceptron(max_itr=3)
PerceptronTagger(max_itr=3)
Perceptron(max_iter="x")
"""


def test_a_wrong_keyword_fails_under_mypy(tmp_path):
    """scikit-learn's classes have no types, and so any keyword passed, and `fit` gave Any."""
    pytest.importorskip("mypy")
    (tmp_path / "wrong.py").write_text(WRONG)
    done = subprocess.run([sys.executable, "-m", "mypy", "wrong.py"], capture_output=True, text=True, cwd=tmp_path)
    lines = [line.split(":")[1] for line in done.stdout.splitlines() if " error: " in line]
    assert lines == ["5", "6", "7", "8", "9"], done.stdout


def test_the_types_know_every_parameter_of_the_registry():
    from pathlib import Path

    text = (Path(rosenblatt.__file__).parent / "_estimators.py").read_text()
    declared = text.split("class Registered(BaseClassifier):")[1].split("\n\n\n")[0]
    for entry in rosenblatt.learners():
        for param in entry["params"]:
            name = {"rate": "eta0"}.get(param["name"], param["name"])
            assert f"\n        {name}: " in declared, f"{name} of {entry['name']}"


# Tables.


@pytest.fixture(scope="module")
def mixed():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    y = random.integers(2, size=200)
    frame = pandas.DataFrame(
        {
            "grams": 100 + 50 * y + random.normal(size=200),
            "colour": pandas.Categorical(np.array(["pale", "dark"])[np.where(random.random(200) < 0.9, y, 1 - y)]),
            "ripe": random.random(200) < 0.5,
            "kind": np.where(random.random(200) < 0.9, np.where(y, "round, sweet", 'a "pear"'), "other"),
        }
    )
    return frame, y


def test_frames_with_texts_and_categories_go_straight_into_fit(mixed, tmp_path, command):
    """'could not convert string to float'."""
    frame, y = mixed
    for labels in (y, y == 1, np.array(["no", "yes"])[y]):
        clf = AveragedPerceptron(calibrate=False).fit(frame, labels)
        assert clf.classes_.dtype == labels.dtype and clf.score(frame, labels) > 0.95
        assert clf.decision_function(frame).shape == (200,)
        assert clf.explain(frame[:2])[0].label == clf.predict(frame[:2])[0]
        # Columns go by their names.
        assert clf.predict(frame[["kind", "ripe", "grams", "colour"]]).tolist() == clf.predict(frame).tolist()
        assert clf.predict_dataframe(frame).tolist() == clf.predict(frame).tolist()
        again = pickle.loads(pickle.dumps(clf)).partial_fit(frame[:50], labels[:50])
        assert again.score(frame, labels) > 0.9
    # As the command line reads the same table.
    plain = frame.assign(ripe=frame["ripe"].astype(int))
    plain.assign(label=y).to_csv(tmp_path / "d.csv", index=False)
    options = ["--learner", "averaged", "--category", "colour", "--label", "label"]
    command("train", tmp_path / "d.csv", *options, "-o", tmp_path / "model")
    loaded = load(tmp_path / "model")
    ours = AveragedPerceptron().fit(frame, y)
    np.testing.assert_array_equal(loaded.predict(frame), ours.predict(frame))
    assert loaded.decision_function(frame).tobytes() == ours.decision_function(frame).tobytes()


def test_what_a_frame_with_texts_cannot_do_is_said_before_training(mixed):
    """`calibrate=True` was ignored, and the first batch could not convert a string to a float."""
    frame, y = mixed
    with pytest.raises(SettingsError, match="calibrate=True: files and tables with texts"):
        AveragedPerceptron(calibrate=True).fit(frame, y)
    with pytest.raises(ValueError, match="begins with fit"):
        AveragedPerceptron().partial_fit(frame, y)


def test_weights_of_rows_of_a_frame(mixed):
    frame, y = mixed
    plain, same, other = (
        AveragedPerceptron().fit(frame, y, sample_weight=weight).decision_function(frame)
        for weight in (None, np.ones(200), np.where(y == 1, 9.0, 1.0))
    )
    assert same.tobytes() == plain.tobytes() and other.mean() > plain.mean()
    with pytest.raises(ValueError, match="200 rows, but 3 labels"):
        AveragedPerceptron().fit(frame, y[:3])


def test_tables_of_arrow_and_frames_of_polars(mixed):
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frame, y = mixed
    table = pyarrow.Table.from_pandas(frame)
    expected = AveragedPerceptron().fit(frame, y).decision_function(frame)
    for make in (lambda: table, table.to_reader, lambda: table.to_batches()[0], lambda: polars.from_pandas(frame)):
        clf = AveragedPerceptron().fit(make(), y)
        assert clf.decision_function(make()).tobytes() == expected.tobytes()
    numbers = pyarrow.table({"a": [1.0, -1.0, 2.0], "b": [0, 1, 0]})
    expected = Perceptron().fit(numbers.to_pandas(), [0, 1, 0])
    for make in (lambda: numbers, numbers.to_reader, lambda: numbers.to_batches()[0]):
        clf = Perceptron().fit(make(), [0, 1, 0])
        assert clf.coef_.tobytes() == expected.coef_.tobytes()
        assert clf.feature_names_in_.tolist() == ["a", "b"] and clf.predict(make()).tolist() == [0, 1, 0]


def test_libsvm_from_file_objects(tmp_path):
    text = b"+1 1:0.5 3:2\n-1 2:1\n"
    path = tmp_path / "two.svm.gz"
    path.write_bytes(gzip.compress(text))
    for given in (io.BytesIO(text), io.StringIO(text.decode()), path.open("rb"), gzip.open(path)):
        X, y = load_libsvm(given)
        given.close()
        assert X.toarray().tolist() == [[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]] and y.tolist() == [1.0, -1.0]


# The tagger.


def test_marginals_of_tags():
    sentences = [[("the", "D"), ("dog", "N"), ("barks", "V")], [("a", "D"), ("cat", "N"), ("runs", "V")]]
    tagger = PerceptronTagger(load=False)
    tagger.train(sentences, nr_iter=5)
    words = ["a", "dog", "runs"]
    shares = tagger.predict_marginals([words, []])
    assert [len(sentence) for sentence in shares] == [3, 0]
    for share, tag in zip(shares[0], tagger.predict_single(words)):
        assert set(share) == set(tagger.classes_) and sum(share.values()) == pytest.approx(1)
        assert max(share, key=share.get) == tag
    assert tagger.tag(words, return_conf=True) == [
        (word, tag, share[tag]) for word, tag, share in zip(words, tagger.predict_single(words), shares[0])
    ]
    assert tagger.tag(words, use_tagdict=False) == tagger.tag(words)


# Penalties.


def test_penalties(blobs, tmp_path):
    X, y = blobs
    X = np.hstack([X, np.random.default_rng(0).normal(size=(300, 40))])
    settings = dict(tol=None, max_iter=5)
    plain = Perceptron(**settings).fit(X, y)
    l1 = Perceptron(penalty="l1", alpha=0.05, **settings).fit(X, y)
    l2 = Perceptron(penalty="l2", alpha=0.01, **settings).fit(X, y)
    both = Perceptron(penalty="elasticnet", alpha=0.05, l1_ratio=0.9, **settings).fit(X, y)
    assert (l1.coef_ == 0).mean() > 0.3 and (both.coef_ == 0).mean() > 0.1 and (plain.coef_ == 0).mean() == 0
    assert np.abs(l2.coef_).sum() < np.abs(plain.coef_).sum() / 2
    assert min(clf.score(X, y) for clf in (l1, l2, both)) > 0.75
    # Sparse or dense, in one pass or in batches.
    some = X * (np.random.default_rng(1).random(X.shape) < 0.2)
    one = Perceptron(penalty="elasticnet", alpha=0.01, shuffle=False, max_iter=1, tol=None)
    dense = one.fit(some, y).coef_.copy()
    np.testing.assert_allclose(one.fit(sparse.csr_matrix(some), y).coef_, dense, rtol=1e-9, atol=1e-12)
    batches = Perceptron(penalty="elasticnet", alpha=0.01, shuffle=False)
    for i in range(0, 300, 7):
        rows = sparse.csr_matrix(some[i : i + 7])
        batches.partial_fit(rows, y[i : i + 7], classes=[0, 1, 2])
        quick = batches.decision_function(rows)
        np.testing.assert_allclose(quick, rows @ batches.coef_.T + batches.intercept_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(batches.coef_, dense, rtol=1e-9, atol=1e-12)
    for clf in (l1, l2, both):
        clf.save(tmp_path / "model")
        other = load(tmp_path / "model")
        assert isinstance(other, Perceptron) and other.penalty == clf.penalty
        assert other.alpha == pytest.approx(clf.alpha) and other.coef_.tobytes() == clf.coef_.tobytes()
    assert both.penalty == "elasticnet" and load(tmp_path / "model").l1_ratio == pytest.approx(0.9)
    assert Perceptron(penalty="l2", alpha=0.0, **settings).fit(X, y).coef_.tobytes() == plain.coef_.tobytes()


def test_reports_are_objects(blobs):
    X, y = blobs
    clf = Perceptron(max_iter=3, tol=None).fit(X, y)
    report = clf.report_
    assert (report.stopped, report.epochs, report.mistakes) == (clf.stopped_, clf.n_iter_, clf.mistakes_)
    assert report.presented == 900 and report.updates == report.mistakes
    assert report.train_error == pytest.approx(1 - clf.score(X, y)) and report.margin == clf.margin_
    assert not hasattr(clf.partial_fit(X, y), "report_")
    apart = Perceptron(tol=None).fit([[1.0, 0.0], [-1.0, 0.0]], [1, 0]).report_
    assert apart.bound >= apart.mistakes and apart.margin > 0


@pytest.mark.parametrize("l1_ratio", [0.0, 0.3, 1.0])
def test_penalties_are_the_formula(l1_ratio):
    """Example by example, weight by weight: they shrink towards zero, then move if the answer was wrong."""
    random = np.random.default_rng(3)
    X = random.normal(size=(200, 30)) * (random.random((200, 30)) < 0.2)
    y = (X @ random.normal(size=30) + 0.3 * random.normal(size=200) > 0).astype(int)
    alpha, eta = 0.02, 0.5
    w, b = np.zeros(30), 0.0
    for x, label in zip(X, np.where(y == 1, 1.0, -1.0)):
        wrong = label * (w @ x + b) <= 0
        w = np.sign(w) * np.maximum(0.0, (1 - eta * alpha * (1 - l1_ratio)) * abs(w) - eta * alpha * l1_ratio)
        if wrong:
            w, b = w + eta * label * x, b + eta * label
    settings = dict(penalty="elasticnet", alpha=alpha, l1_ratio=l1_ratio, eta0=eta, shuffle=False, max_iter=1, tol=None)
    for rows in (X, sparse.csr_matrix(X)):
        clf = Perceptron(**settings).fit(rows, y)
        np.testing.assert_allclose(clf.coef_[0], w, rtol=1e-9, atol=1e-12)
        assert clf.intercept_[0] == pytest.approx(b)
    assert (w == 0).any() == (l1_ratio > 0)
