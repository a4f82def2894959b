"""What users did and what went wrong: each of these failed once."""

import copy
import pickle

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import (
    AveragedPerceptron,
    DataError,
    KernelPerceptron,
    Perceptron,
    PerceptronTagger,
    SettingsError,
    load,
)

SENTENCES = [["the", "dog", "barks"], ["a", "cat", "runs"], ["the", "old", "cat", "barks"], ["dogs", "run"]]
TAGS = [["D", "N", "V"], ["D", "N", "V"], ["D", "A", "N", "V"], ["N", "V"]]


@pytest.mark.parametrize("given", [{}, dict(averaged=False), dict(search="greedy"), dict(templates="chunk19")], ids=str)
@pytest.mark.parametrize("features", [False, True])
def test_batches_of_sentences_are_one_pass(given, features):
    X = [[{"word": word, "length": len(word)} for word in one] for one in SENTENCES] if features else SENTENCES
    if "templates" in given:
        if features:
            return
        X = [[(word, word[-1]) for word in one] for one in SENTENCES]
    whole = PerceptronTagger(max_iter=1, shuffle=False, **given).fit(X, TAGS)
    parts = PerceptronTagger(shuffle=False, **given)
    for start, end in ((0, 1), (1, 2), (2, 4)):
        assert parts.partial_fit(X[start:end], TAGS[start:end]) is parts
    assert parts.state_features_ == whole.state_features_
    assert parts.transition_features_ == whole.transition_features_
    assert (parts.classes_, parts.mistakes_, parts.n_iter_) == (whole.classes_, whole.mistakes_, 1)
    assert parts._fitted_model().to_bytes() == whole._fitted_model().to_bytes()


@pytest.mark.parametrize("again", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))], ids=["copied", "pickled"])
def test_a_tagger_goes_on_where_its_pickle_stopped(again):
    tagger = PerceptronTagger().partial_fit(SENTENCES[:2], TAGS[:2])
    other = again(tagger)
    for one in (tagger, other):
        one.partial_fit(SENTENCES[2:], TAGS[2:])
        one.partial_fit([["soon", "dogs", "run"]], [["R", "N", "V"]])
    assert other.state_features_ == tagger.state_features_
    assert other.transition_features_ == tagger.transition_features_
    assert other.classes_ == ["D", "N", "V", "A", "R"]


def test_a_fitted_tagger_learns_more(tmp_path):
    tagger = PerceptronTagger().fit(SENTENCES, TAGS)
    before = tagger.state_features_
    # A sentence that is already right changes nothing.
    assert tagger.partial_fit(SENTENCES[:1], TAGS[:1]).state_features_ == before
    tagger.save(tmp_path / "tagger")
    loaded = PerceptronTagger.load(tmp_path / "tagger")
    for _ in range(5):
        loaded.partial_fit([["hello", "cat"]], [["X", "N"]])
    assert loaded.tag(["hello", "cat"]) == [("hello", "X"), ("cat", "N")]
    assert loaded.tag(["the", "dog", "barks"]) == list(zip(SENTENCES[0], TAGS[0]))


def test_what_a_batch_of_sentences_lacks():
    with pytest.raises(DataError, match='every token so far has the tag "N": name all tags in the first batch'):
        PerceptronTagger().partial_fit([["dog"]], [["N"]])
    assert PerceptronTagger().partial_fit([["dog"]], [["N"]], classes=["N", "V"]).predict([["dog"]]) == [["N"]]
    with pytest.raises(SettingsError, match="^tag_dictionary needs all sentences at once"):
        PerceptronTagger(tag_dictionary=2).partial_fit(SENTENCES, TAGS)
    with pytest.raises(SettingsError, match="^constrain='auto'"):
        PerceptronTagger(constrain="auto").partial_fit(SENTENCES, TAGS)


def test_skops_stores_taggers():
    io_of = pytest.importorskip("skops.io")
    for tagger in (PerceptronTagger().fit(SENTENCES, TAGS), PerceptronTagger().partial_fit(SENTENCES, TAGS)):
        content = io_of.dumps(tagger)
        again = io_of.loads(content, trusted=io_of.get_untrusted_types(data=content))
        assert again.predict(SENTENCES) == tagger.predict(SENTENCES)


def mixed():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"size": [1.0, 2.0, 3.0, 0.5] * 3, "colour": ["red", "blue", "red", "green"] * 3})
    return frame, np.array(["a", "b", "a", "b"] * 3)


def test_lazy_frames():
    polars = pytest.importorskip("polars")
    frame, y = mixed()
    lazy = polars.from_pandas(frame).lazy()
    assert AveragedPerceptron().fit(lazy, y).predict(lazy).tolist() == y.tolist()


@pytest.mark.parametrize(
    "clf, message",
    [
        (KernelPerceptron(degree=0), "degree=0: expected a whole number of at least 1"),
        (KernelPerceptron(gamma=-1.0), "gamma=-1.0: expected a number above 0"),
        (Perceptron(intercept_scaling=0), "intercept_scaling=0: expected a number above 0"),
        (Perceptron(penalty="l3"), "penalty='l3': expected 'l2' or 'l1' or 'elasticnet' or None"),
    ],
    ids=str,
)
def test_ranges(clf, message, blobs):
    with pytest.raises(SettingsError) as refused:
        clf.fit(*blobs)
    assert str(refused.value).startswith(message)


def test_offsets_outside_of_a_sparse_matrix():
    """SciPy crashed the process."""
    y = [0, 1, 0, 1]
    for place, offset in ((1, 10**6), (1, -5), (4, 10**6), (0, 1)):
        X = sparse.csr_matrix(np.eye(4))
        X.indptr[place] = offset
        known = Perceptron().fit(np.eye(4), y)
        for call in (lambda: Perceptron().fit(X, y), lambda: known.predict(X), lambda: known.partial_fit(X, np.array(y))):
            with pytest.raises(DataError, match="indptr"):
                call()


def test_numbers_and_texts_are_not_mixed_as_classes():
    """The classes 0 and 1 became '0' and '1'."""
    X = np.array([[1.0], [-1.0]])
    clf = Perceptron().partial_fit(X, [0, 1])
    with pytest.raises(ValueError, match="all numbers, or all texts"):
        clf.partial_fit(X, ["a", "b"])
    assert clf.partial_fit(X, [0.0, 2.0]).classes_.tolist() == [0, 1, 2]


def test_classes_of_a_file_keep_their_order(tmp_path):
    """partial_fit sorted them, and learned the opposite; warm_start refused them."""
    random = np.random.default_rng(0)
    X = random.normal(size=(50, 2))
    y = np.where(X[:, 0] > 0.1, "a", "b")
    rows = [f"{left},{right},{label}" for (left, right), label in zip(X.tolist(), y)]
    content = "\n".join(["left,right,kind", *rows]).encode()
    AveragedPerceptron(max_iter=50).fit_file(content, positive="a", scale="none").save(tmp_path / "model")
    clf = load(tmp_path / "model")
    before = clf.coef_
    assert clf.classes_.tolist() == ["b", "a"] and clf.score(X, y) > 0.9
    clf.partial_fit(X[:1], y[:1])
    assert clf.classes_.tolist() == clf._fitted_model().labels == ["b", "a"]
    assert np.sign(clf.coef_[0, 0]) == np.sign(before[0, 0]) and clf.score(X, y) > 0.9
    clf = load(tmp_path / "model").set_params(warm_start=True)
    assert clf.fit(X, y).classes_.tolist() == ["b", "a"] and clf.score(X, y) > 0.9
    # More classes are sorted with them.
    assert clf.partial_fit(X[:1], ["c"]).classes_.tolist() == ["a", "b", "c"] and clf.score(X, y) > 0.7


def test_fit_after_sparsify_is_dense(blobs):
    """As in scikit-learn; it stayed sparse."""
    clf = Perceptron().fit(*blobs).sparsify()
    assert isinstance(clf.fit(*blobs).coef_, np.ndarray)
