"""`partial_fit`: batches as they come."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import rosenblatt
from rosenblatt import (
    ALMA,
    AROW,
    AveragedPerceptron,
    BatchPerceptron,
    KernelPerceptron,
    MarginPerceptron,
    PassiveAggressiveClassifier,
    Perceptron,
    VotedPerceptron,
)

ONLINE = [
    Perceptron(tol=None),
    AveragedPerceptron(),
    AveragedPerceptron(schedule="inverse-sqrt", multiclass="one-vs-rest"),
    VotedPerceptron(),
    MarginPerceptron(),
    PassiveAggressiveClassifier(tol=None),
    AROW(),
    ALMA(),
    KernelPerceptron(gamma=0.2),
]
CUTS = [1, 2, 60, 61, 200]


def batches(clf, X, y, cuts=CUTS, **first):
    for start, end in zip([0, *cuts], [*cuts, len(y)]):
        clf.partial_fit(X[start:end], y[start:end], **(first if start == 0 else {}))
    return clf


@pytest.mark.parametrize("clf", ONLINE, ids=str)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_batches_are_one_pass(clf, classes, weighted, blobs):
    X, y = blobs
    X, y = X[y < classes], y[y < classes]
    weight = np.random.RandomState(1).randint(3, size=len(y)).astype(float) if weighted else None
    whole = clone(clf).set_params(max_iter=1, shuffle=False).fit(X, y, sample_weight=weight)
    parts = clone(clf).set_params(shuffle=False)
    for start, end in zip([0, *CUTS], [*CUTS, len(y)]):
        some = None if weight is None else weight[start:end]
        parts.partial_fit(X[start:end], y[start:end], classes=np.unique(y), sample_weight=some)
        # Whoever goes on in another process goes on at the same place.
        parts = pickle.loads(pickle.dumps(parts))
    assert parts._fitted_model().to_bytes() == whole._fitted_model().to_bytes()
    assert (parts.mistakes_, parts.n_iter_) == (whole.mistakes_, 1)


def test_shuffled_blocks_are_one_pass():
    # The first pass takes blocks of 65,536 rows in order, each shuffled within: so do batches of that size.
    random = np.random.RandomState(0)
    X = random.normal(size=(150_000, 3)).astype(np.float32)
    y = (X @ [1, -2, 0.5] + random.normal(size=len(X)) > 0).astype(int)
    whole = AveragedPerceptron(max_iter=1).fit(X, y)
    parts = batches(AveragedPerceptron(), X, y, cuts=[65_536, 131_072], classes=[0, 1])
    assert parts._fitted_model().to_bytes() == whole._fitted_model().to_bytes()


@pytest.mark.parametrize("multiclass", ["single", "one-vs-rest"])
@pytest.mark.parametrize("clf", [Perceptron(tol=None), AveragedPerceptron(), VotedPerceptron(), AROW()], ids=str)
def test_a_class_may_come_at_any_time(clf, multiclass, blobs):
    X, y = blobs
    y = 10 * y
    clf = clone(clf).set_params(multiclass=multiclass, shuffle=False)
    two = y < 20
    clf.partial_fit(X[two], y[two])
    before, scores = clf.predict(X[two]), clf.decision_function(X[two])
    # An empty seat changes no answer about the others, and for one machine no difference of scores.
    clf.partial_fit(X[:1], y[:1], classes=[0, 10, 20], sample_weight=[0.0])
    after = clf.decision_function(X[two])
    assert after.shape == (two.sum(), 3)
    if multiclass == "single" and not isinstance(clf, VotedPerceptron):
        assert np.allclose(after[:, 1] - after[:, 0], scores, rtol=1e-9, atol=1e-9)
    assert (np.where(after[:, 1] >= after[:, 0], 10, 0) == before).mean() > 0.99
    for _ in range(5):
        clf.partial_fit(X, y)
    assert clf.score(X, y) > 0.75
    # And a fourth between them, by its number.
    clf.partial_fit(X[:5] + 40.0, np.full(5, 5))
    assert clf.classes_.tolist() == [0, 5, 10, 20]
    assert clf.decision_function(X).shape == (300, 4)
    for _ in range(20):
        clf.partial_fit(X, y).partial_fit(X[:5] + 40.0, np.full(5, 5))
    assert clf.predict(X[:5] + 40.0).tolist() == [5] * 5


def test_late_classes_equal_a_dull_twin(blobs):
    """The perceptron for many classes, a class that comes late beginning at zero, on plain lists."""
    X, y = blobs
    order = np.argsort(y == 2, kind="stable")
    X, y = X[order], y[order]
    two = (y < 2).sum()
    clf = Perceptron(tol=None, shuffle=False).partial_fit(X[:two], y[:two]).partial_fit(X[two:], y[two:])
    w = np.zeros(6)
    for x, label in zip(X[:two], y[:two]):
        x = np.append(x, 1.0)
        if (1 if label else -1) * (w @ x) <= 0:
            w += (1 if label else -1) * x
    all_w = np.stack([-w / 2, w / 2, np.zeros(6)])
    for x, label in zip(X[two:], y[two:]):
        x = np.append(x, 1.0)
        scores = all_w @ x
        worst = max((k for k in range(3) if k != label), key=lambda k: scores[k])
        if scores[label] <= scores[worst]:
            all_w[label] += x
            all_w[worst] -= x
    assert np.allclose(clf.coef_, all_w[:, :-1]) and np.allclose(clf.intercept_, all_w[:, -1])


@pytest.mark.parametrize("clf", [KernelPerceptron(), ALMA()], ids=str)
def test_some_learners_must_know_all_classes(clf, blobs):
    X, y = blobs
    with pytest.raises(rosenblatt.SettingsError, match="needs all classes"):
        clone(clf).partial_fit(X[y < 2], y[y < 2]).partial_fit(X, y)
    clone(clf).partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2]).partial_fit(X, y)


def test_balanced_while_streaming(blobs):
    X, y = blobs
    rare = (y != 1) | (np.arange(len(y)) % 9 == 0)
    X, y = X[rare], y[rare]
    clf = batches(AveragedPerceptron(class_weight="balanced", shuffle=False), X, y, cuts=[30, 31, 100], classes=[0, 1, 2])
    # Each example weighs n / (classes * n of its class), as counted up to and with it.
    met = np.zeros(3)
    weight = []
    for label in y:
        met[label] += 1
        weight.append(met.sum() / (3 * met[label]))
    twin = AveragedPerceptron(max_iter=1, shuffle=False).fit(X, y, sample_weight=weight)
    assert clf.coef_.tobytes() == twin.coef_.tobytes()


def test_given_class_weights_may_name_classes_that_come_later(blobs):
    X, y = blobs
    clf = AveragedPerceptron(class_weight={0: 2.0, 2: 0.5}, shuffle=False)
    two = y < 2
    clf.partial_fit(X[two], y[two])
    twin = AveragedPerceptron(max_iter=1, shuffle=False).fit(X[two], y[two], sample_weight=np.where(y[two] == 0, 2.0, 1.0))
    assert clf.coef_.tobytes() == twin.coef_.tobytes()
    clf.partial_fit(X, y)


def test_a_batch_perceptron_steps_once_a_batch(blobs):
    X, y = blobs
    clf = BatchPerceptron(shuffle=False).partial_fit(X, y).partial_fit(X, y)
    assert clf.coef_.tobytes() == BatchPerceptron(max_iter=2, shuffle=False).fit(X, y).coef_.tobytes()


@pytest.mark.parametrize("clf", ONLINE, ids=str)
def test_it_goes_on_where_fit_ended(clf, blobs):
    X, y = blobs
    clf = clone(clf).set_params(shuffle=False)
    twice = clone(clf).set_params(max_iter=2).fit(X, y)
    on = pickle.loads(pickle.dumps(clone(clf).set_params(max_iter=1).fit(X, y))).partial_fit(X, y)
    assert (on.decision_function(X) == twice.decision_function(X)).all()
    assert on.history_ == twice.history_


def test_one_class_is_not_enough_to_begin(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="name all of them with `classes`"):
        AveragedPerceptron().partial_fit(X[y == 1], y[y == 1])
    clf = AveragedPerceptron().partial_fit(X[y == 1], y[y == 1], classes=[0, 1])
    assert clf.classes_.tolist() == [0, 1]
