"""What other people's programs do with the package; each of these once failed."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

from rosenblatt import (
    AveragedPerceptron,
    DataError,
    PassiveAggressiveClassifier,
    Perceptron,
    PerceptronTagger,
    SettingsError,
    VotedPerceptron,
    load,
)


class Shifted(Perceptron):
    """A subclass with a constructor of its own: it was replaced, and `k` was unknown."""

    def __init__(self, k=3, *, eta0=1.0):
        super().__init__(eta0=eta0, max_iter=7, tol=None)
        self.k = k

    def fit(self, X, y, sample_weight=None):
        return super().fit(np.asarray(X) + self.k, y, sample_weight)


def test_a_subclass_keeps_its_constructor(blobs):
    X, y = blobs
    clf = clone(Shifted(5, eta0=0.5)).fit(X, y)
    assert (clf.k, clf.eta0, clf.max_iter, clf.n_iter_) == (5, 0.5, 7, 7)
    assert clf.get_params() == {"k": 5, "eta0": 0.5}
    assert clf.coef_.tobytes() == Perceptron(eta0=0.5, max_iter=7, tol=None).fit(X + 5, y).coef_.tobytes()
    with pytest.raises(TypeError):
        Shifted(3, max_iter=2)


@pytest.mark.parametrize(
    "wrong, expected",
    [
        ({"validation_fraction": 2}, "validation_fraction=2: expected a number between 0 and 1, ends excluded"),
        ({"tol": -1}, "tol=-1: expected a number of at least 0"),
        ({"max_iter": 2.5}, "max_iter=2.5: expected a whole number"),
        ({"max_iter": 0}, "max_iter=0: expected a whole number of at least 1"),
        ({"fit_intercept": "no"}, "fit_intercept='no': expected True or False"),
        ({"n_iter_no_change": 0}, "n_iter_no_change=0"),
        ({"intercept_scaling": -1.0}, "intercept_scaling=-1.0"),
        ({"class_weight": [1, 2]}, r"class_weight=\[1, 2\]: expected a dict or a text or None"),
        ({"shuffle": "yes"}, "shuffle='yes': expected True or False"),
    ],
)
def test_parameters_are_checked_and_named(blobs, wrong, expected):
    X, y = blobs
    for train in (AveragedPerceptron.fit, AveragedPerceptron.partial_fit):
        with pytest.raises(SettingsError, match=expected):
            train(AveragedPerceptron(**wrong), X, y)


def test_numbers_of_numpy_are_numbers(blobs):
    X, y = blobs
    settings = dict(max_iter=np.int64(3), tol=np.float32(0.5), shuffle=np.bool_(False), verbose=False)
    assert AveragedPerceptron(**settings).fit(X, y).n_iter_ <= 3


def test_weights_can_be_set(blobs):
    """Federated averaging sets them; writing into the array was ignored."""
    X, y = blobs
    clf = Perceptron(max_iter=3, tol=None, shuffle=False).fit(X, y)
    weights, bias = clf.coef_.copy(), clf.intercept_.copy()
    with pytest.raises(ValueError, match="read-only"):
        clf.coef_[0, 0] = 7
    clf.coef_ = -2 * weights
    clf.intercept_ = -2 * bias
    np.testing.assert_array_equal(clf.coef_, -2 * weights)
    np.testing.assert_allclose(clf.decision_function(X), -2 * (X @ weights.T + bias), atol=1e-9)
    assert pickle.loads(pickle.dumps(clf)).coef_.tobytes() == clf.coef_.tobytes()
    clf.coef_, clf.intercept_ = weights, bias
    other = Perceptron(max_iter=3, tol=None, shuffle=False).fit(X, y)
    assert clf.partial_fit(X, y).coef_.tobytes() == other.partial_fit(X, y).coef_.tobytes()
    with pytest.raises(ValueError, match="coef_ has shape"):
        clf.coef_ = weights[:, :1]
    two = Perceptron().fit(X[y < 2], y[y < 2])
    two.intercept_ = 0.25
    assert two.intercept_.tolist() == [0.25]


def test_class_weights_by_keys_that_are_equal_to_the_classes(blobs):
    X, y = blobs
    X, y = X[y < 2], y[y < 2]
    plain = AveragedPerceptron(class_weight={0: 1.0, 1: 5.0}).fit(X, y)
    for classes, keys in [
        (y == 1, {False: 1.0, True: 5.0}),
        (y == 1, {0: 1.0, 1: 5.0}),
        (y, {False: 1.0, True: 5.0}),
        (y.astype(float), {0: 1.0, 1: 5.0}),
        (y, {0: 1.0, 1: 5.0, 2: 9.0}),
    ]:
        clf = AveragedPerceptron(class_weight=keys).fit(X, classes)
        assert clf.coef_.tobytes() == plain.coef_.tobytes(), (classes.dtype, keys)


def unaligned(array):
    """The same numbers, one byte off their places."""
    raw = np.empty(array.nbytes + 1, dtype=np.uint8)
    off = raw[1:].view(array.dtype).reshape(array.shape) if array.size else array
    off[...] = array
    return off


@pytest.mark.parametrize("clf", [AveragedPerceptron(), VotedPerceptron(), PassiveAggressiveClassifier()], ids=str)
def test_arrays_that_are_not_aligned(clf, blobs):
    """As Dask hands them over."""
    X, y = blobs
    off, weights = unaligned(X), unaligned(np.linspace(1, 2, len(y)))
    assert not off.flags.aligned
    ours = clone(clf).fit(off, y, sample_weight=weights)
    assert ours.coef_.tobytes() == clone(clf).fit(X, y, sample_weight=np.linspace(1, 2, len(y))).coef_.tobytes()
    assert ours.predict(off).tolist() == ours.predict(X).tolist()
    assert clone(clf).partial_fit(off, y).coef_.tobytes() == clone(clf).partial_fit(X, y).coef_.tobytes()
    csr = sparse.csr_matrix(X)
    parts = sparse.csr_matrix(csr)
    parts.data, parts.indices, parts.indptr = (unaligned(part) for part in (csr.data, csr.indices, csr.indptr))
    assert ours.predict(parts).tolist() == ours.predict(X).tolist()
    assert clone(clf).fit(parts, y).coef_.tobytes() == clone(clf).fit(csr, y).coef_.tobytes()


def test_rows_count_from_zero_and_are_those_of_the_user(blobs):
    X, y = blobs
    for early_stopping in (False, True):
        for rows in (X.copy(), sparse.csr_matrix(X)):
            rows[17, 1] = np.inf
            with pytest.raises(DataError, match="^row 17, feature 1: inf"):
                AveragedPerceptron(early_stopping=early_stopping).fit(rows, y)


def test_early_stopping_keeps_the_given_order(blobs):
    X, y = blobs
    settings = dict(early_stopping=True, shuffle=False, max_iter=1)
    clf = Perceptron(**settings, tol=None).fit(X, y)
    from sklearn.model_selection import StratifiedShuffleSplit

    rest, _ = next(StratifiedShuffleSplit(test_size=0.1, random_state=0).split(X, y))
    rest.sort()
    assert clf.coef_.tobytes() == Perceptron(shuffle=False, max_iter=1, tol=None).fit(X[rest], y[rest]).coef_.tobytes()


def test_a_plain_row_takes_the_short_way_to_the_same_answer(blobs):
    X, y = blobs
    clf = AveragedPerceptron().fit(X, y)
    fast = [clf.predict(X[i : i + 1])[0] for i in range(20)]
    assert fast == clf.predict(X[:20].tolist()).tolist()
    one, other = AveragedPerceptron(shuffle=False), AveragedPerceptron(shuffle=False)
    for i in range(50):
        one.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1, 2])
        other.partial_fit(X[i : i + 1].tolist(), y[i : i + 1].tolist(), classes=[0, 1, 2])
    assert one.coef_.tobytes() == other.coef_.tobytes()
    one.partial_fit(X[:1], np.array([7]))
    assert one.classes_.tolist() == [0, 1, 2, 7]
    for wrong in (X[:, :1], X[:0], X[0]):
        with pytest.raises(ValueError):
            clf.predict(np.ascontiguousarray(wrong))
    with pytest.raises(ValueError, match="not a finite number"):
        clf.predict(np.full((1, X.shape[1]), np.nan))


def test_the_weights_are_pickled_once():
    X = np.random.default_rng(0).normal(size=(40, 5000))
    clf = Perceptron(max_iter=2).fit(X, np.arange(40) % 2)
    before = len(pickle.dumps(clf))
    clf.coef_
    assert len(pickle.dumps(clf)) == before


TOY = [
    [("the", "D"), ("dog", "N"), ("barks", "V")],
    [("a", "D"), ("cat", "N"), ("runs", "V")],
    [("the", "D"), ("old", "A"), ("cat", "N"), ("barks", "V")],
]


def test_what_clients_of_nltk_call(tmp_path):
    tagger = PerceptronTagger(load=False)
    tagger.train(TOY, nr_iter=5)
    assert PerceptronTagger(False).get_params() == PerceptronTagger().get_params()
    assert clone(tagger).get_params() == tagger.get_params()
    with pytest.raises(SettingsError, match="no built-in model"):
        PerceptronTagger(load=True)
    gold = [*TOY, [("dog", "V"), ("runs", "V")]]
    assert tagger.evaluate(gold) == tagger.accuracy(gold) == 11 / 12
    assert tagger.precision(gold) == {"A": 1.0, "D": 1.0, "N": 3 / 4, "V": 1.0}
    assert tagger.recall(gold) == {"A": 1.0, "D": 1.0, "N": 1.0, "V": 4 / 5}
    assert tagger.f_measure(gold)["N"] == pytest.approx(2 / (4 / 3 + 1))
    lines = tagger.evaluate_per_tag(gold, sort_by_count=True, truncate=2).splitlines()
    assert lines[0].split() == ["Tag", "|", "Prec.", "|", "Recall", "|", "F-measure"]
    assert lines[2].split() == ["V", "|", "1.0000", "|", "0.8000", "|", "0.8889"] and len(lines) == 4
    tagger.save_to_json("toy", tmp_path / "folder")
    other = PerceptronTagger(load=False)
    other.load_from_json("toy", tmp_path / "folder")
    assert other.tag_sents([["the", "cat"]]) == tagger.tag_sents([["the", "cat"]])


def test_measures_are_those_of_nltk(tmp_path):
    """The twin: NLTK's own methods, on the answers of our tagger."""
    api = pytest.importorskip("nltk.tag.api", reason="nltk is not installed")
    ours = PerceptronTagger(load=False)
    ours.train(TOY[:2], save_loc=tmp_path, nr_iter=5)
    ours = PerceptronTagger(load=False)
    ours.load_from_json(loc=tmp_path)

    class Theirs(api.TaggerI):
        def tag(self, tokens):
            return ours.tag(tokens)

    gold, theirs = [*TOY, [("dog", "V"), ("runs", "A-LONG-ONE")]], Theirs()
    for measure in ("accuracy", "evaluate", "precision", "recall", "f_measure", "evaluate_per_tag"):
        assert getattr(ours, measure)(gold) == getattr(theirs, measure)(gold), measure
    assert str(ours.confusion(gold)) == str(theirs.confusion(gold))
    assert ours.f_measure(gold, alpha=0.3) == pytest.approx(theirs.f_measure(gold, alpha=0.3))
    for given in (dict(truncate=2), dict(sort_by_count=True), dict(sort_by_count=True, truncate=3, alpha=0.2)):
        assert ours.evaluate_per_tag(gold, **given) == theirs.evaluate_per_tag(gold, **given)


def test_cross_val_predict_of_sentences():
    words = [[word for word, _ in sentence] for sentence in TOY * 4]
    tags = [[tag for _, tag in sentence] for sentence in TOY * 4]
    predicted = cross_val_predict(PerceptronTagger(), words, tags, cv=3)
    assert [list(one) for one in predicted] == tags
    same_length = cross_val_predict(PerceptronTagger(), words[:2] * 3, tags[:2] * 3, cv=2)
    assert [list(one) for one in same_length] == tags[:2] * 3


def test_what_goes_on_from_a_prepared_model_is_prepared(tmp_path, command):
    """After `partial_fit` of one row the raw values met weights of scaled ones: 93% right became 68%."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    X = np.column_stack([rng.normal(size=300) + 2 * y, 5000 + 1000 * rng.normal(size=300)])
    lines = [f"{a!r},{b!r},{'up' if one else 'down'}" for (a, b), one in zip(X.tolist(), y)]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,way", *lines]) + "\n")
    command("train", tmp_path / "data.csv", "--learner", "averaged", "--scale", "standard", "-o", tmp_path / "model")
    labels = np.where(y, "up", "down")
    for go_on in (
        lambda clf: clf.partial_fit(X[:1], labels[:1]),
        lambda clf: clf.set_params(warm_start=True).fit(X, labels),
        lambda clf: pickle.loads(pickle.dumps(clf.partial_fit(X[:1], labels[:1]))).partial_fit(X[1:2], labels[1:2]),
    ):
        clf = load(tmp_path / "model")
        before = clf.score(X, labels)
        assert before > 0.8
        np.testing.assert_allclose(X @ clf.coef_[0] + clf.intercept_, clf.decision_function(X), rtol=1e-9, atol=1e-9)
        clf = go_on(clf)
        assert clf.score(X, labels) > before - 0.05
        np.testing.assert_allclose(X @ clf.coef_[0] + clf.intercept_, clf.decision_function(X), rtol=1e-9, atol=1e-9)
        clf.save(tmp_path / "again")
        assert load(tmp_path / "again").decision_function(X).tobytes() == clf.decision_function(X).tobytes()
    command("train", tmp_path / "data.csv", "--learner", "averaged", "--scale", "unit", "-o", tmp_path / "unit")
    with pytest.raises(AttributeError, match="behind its maps"):
        load(tmp_path / "unit").coef_
