"""What users did and what went wrong: each of these failed once."""

import copy
import io
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pandas
import pytest
from scipy import sparse

from rosenblatt import (
    AveragedPerceptron,
    DataError,
    KernelPerceptron,
    Perceptron,
    PerceptronTagger,
    SettingsError,
    VotedPerceptron,
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


def test_a_text_is_no_sentence():
    """Its letters were tagged."""
    tagger = PerceptronTagger().fit(SENTENCES, TAGS)
    for call in (lambda: tagger.predict(["the dog"]), lambda: tagger.fit(["ab"], [["D", "N"]])):
        with pytest.raises(TypeError, match="expected a sentence as a list of tokens: found the text"):
            call()


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


def test_a_table_of_categories_goes_on_as_one():
    """After partial_fit it had forgotten its columns, and predict refused the frame."""
    frame, y = mixed()
    clf = AveragedPerceptron().fit(frame, y).partial_fit(frame, y)
    assert clf.score(frame, y) == 1.0
    assert pickle.loads(pickle.dumps(clf)).predict(frame).tolist() == y.tolist()
    assert clf.explain(frame[:1])[0].label == "a"


def test_lazy_frames():
    polars = pytest.importorskip("polars")
    frame, y = mixed()
    lazy = polars.from_pandas(frame).lazy()
    assert AveragedPerceptron().fit(lazy, y).predict(lazy).tolist() == y.tolist()


def test_file_objects():
    content = b"red,size,kind\n1,3,a\n0,1,b\n1,2,a\n0,2,b\n"
    clf = AveragedPerceptron().fit_file(io.BytesIO(content))
    for source in (io.BytesIO(content), content, io.StringIO(content.decode())):
        assert clf.predict_file(source).tolist() == ["a", "b", "a", "b"]


@pytest.mark.parametrize(
    "given, message",
    [
        (dict(hash_bits=99), "hash_bits=99: "),
        (dict(min_count=-1), "min_count=-1: expected a whole number"),
        (dict(ngrams="x"), "ngrams='x': expected a whole number"),
        (dict(scale="q"), "scale='q': expected one of auto, none"),
        (dict(tf="q"), "tf='q': expected one of"),
    ],
)
def test_options_of_files_are_named(given, message):
    with pytest.raises(SettingsError) as refused:
        AveragedPerceptron().fit_file(b"x,kind\n1,a\n2,b\n", **given)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "clf, message",
    [
        (KernelPerceptron(degree=0), "degree=0: expected a whole number of at least 1"),
        (KernelPerceptron(gamma=-1.0), "gamma=-1.0: expected a number above 0"),
        (Perceptron(intercept_scaling=0), "intercept_scaling=0: expected a number above 0"),
        (Perceptron(penalty="l3"), "penalty='l3': expected 'l2' or 'l1' or 'elasticnet' or None"),
        (Perceptron(multiclass="ovo"), "multiclass='ovo': expected one of single"),
    ],
    ids=str,
)
def test_ranges(clf, message, blobs):
    with pytest.raises(SettingsError) as refused:
        clf.fit(*blobs)
    assert str(refused.value).startswith(message)


def test_rows_too_long_are_counted_from_0():
    X = np.array([[1.0], [1e200], [2.0]])
    for call in (Perceptron().fit, Perceptron().partial_fit):
        with pytest.raises(DataError, match="^row 1: the values are too large"):
            call(X, [0, 1, 1])


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


def test_answers_belong_to_their_classes_while_classes_are_added():
    """Classes are sorted: an answer by the new numbers was looked up in the old list."""
    X = np.eye(3)
    clf = AveragedPerceptron().partial_fit(X, ["m", "n", "m"])
    for _ in range(20):
        clf.partial_fit(X, ["m", "n", "m"])
    wrong = []

    def learn():
        for number in range(300):
            clf.partial_fit(X[:2], [f"a{number:03}", "n"], sample_weight=[1e-9, 1.0])

    def ask():
        while thread.is_alive():
            try:
                answer = clf.predict(X[1:2])[0]
                if answer != "n":
                    wrong.append(answer)
            except Exception as error:
                wrong.append(repr(error))

    thread = threading.Thread(target=learn)
    thread.start()
    ask()
    thread.join()
    assert wrong == []


LONG = """
import numpy, rosenblatt
random = numpy.random.default_rng(0)
X, y = random.normal(size=(12000, 40)), random.integers(2, size=12000)
print("ready", flush=True)
{}
"""


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such signal")
@pytest.mark.parametrize(
    "call",
    [
        "rosenblatt.KernelPerceptron(max_iter=1000).fit(X, y)",
        "rosenblatt.AveragedPerceptron(calibrate=True, max_iter=10**6).fit(X, y)",
        "rosenblatt.AveragedPerceptron(max_iter=10**7).diagnose(X, y)",
    ],
)
def test_ctrl_c_ends_what_takes_long(call):
    """It waited for the report of a kernel machine, and for all models of the calibration."""
    process = subprocess.Popen([sys.executable, "-c", LONG.format(call)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    try:
        process.communicate(timeout=1)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert said.decode().strip().endswith("KeyboardInterrupt")


def test_votes_and_kernels_answer_from_any_thread(blobs):
    """Their answers are computed on another thread, so that Ctrl-C is seen."""
    X, y = blobs
    for clf in (VotedPerceptron().fit(X, y), KernelPerceptron().fit(X, y)):
        found = []
        thread = threading.Thread(target=lambda: found.append(clf.score(X, y)))
        thread.start()
        thread.join()
        assert found == [clf.score(X, y)]


@pytest.mark.parametrize("word", [str, lambda truth: str(truth).lower()], ids=["True", "true"])
@pytest.mark.parametrize("kind", ["bool", "boolean", "bool[pyarrow]", "object", "polars"])
def test_truths_of_a_frame_are_those_of_the_table(kind, word):
    """A file has them as words, which its model knows as categories: a frame had 1 and 0, of which it knew neither."""
    flags = [row % 3 == 0 for row in range(60)]
    labels = ["red" if flag else "blue" for flag in flags]
    lines = [f"{row % 7},{word(flag)},{label}" for row, (flag, label) in enumerate(zip(flags, labels))]
    clf = AveragedPerceptron(max_iter=20).fit_file("\n".join(["x,flag,label", *lines]).encode(), format="csv", header=True)
    columns = {"x": [float(row % 7) for row in range(60)], "flag": flags}
    if kind == "polars":
        frame = pytest.importorskip("polars").DataFrame(columns)
    else:
        frame = pandas.DataFrame(columns).astype({"flag": kind})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert clf.predict(frame).tolist() == clf.predict_dataframe(frame).tolist() == labels
        assert clf.partial_fit(frame, labels).score(frame, labels) == 1.0


def test_truths_that_are_categories_of_a_frame():
    flags = [row % 3 == 0 for row in range(60)]
    frame, labels = pandas.DataFrame({"flag": flags}), ["red" if flag else "blue" for flag in flags]
    clf = AveragedPerceptron().fit_dataframe(frame, labels, category=["flag"])
    assert clf.predict(frame).tolist() == labels


def test_rows_of_weight_zero_are_not_judged_by(blobs):
    X, y = blobs
    wrong = np.where(np.arange(len(y)) % 2, y, y[::-1])
    weights = (np.arange(len(y)) % 2).astype(float)
    clf = AveragedPerceptron(early_stopping=True, validation_fraction=0.3, max_iter=3).fit(X, wrong, sample_weight=weights)
    from sklearn.model_selection import StratifiedShuffleSplit

    rest, some = next(StratifiedShuffleSplit(test_size=0.3, random_state=0).split(X, wrong))
    some = some[weights[some] > 0]
    twin = AveragedPerceptron(max_iter=1).fit(X[rest], wrong[rest], sample_weight=weights[rest])
    assert clf.history_["validation_error"][0] == pytest.approx(np.mean(twin.predict(X[some]) != wrong[some]))
    with pytest.raises(ValueError, match="weights for validation set are all zero"):
        Perceptron(early_stopping=True).fit(X, y, sample_weight=np.zeros(len(y)))


def test_a_first_batch_cannot_hold_out_rows(blobs):
    """It was passed over. After fit, which held out rows, batches go on."""
    X, y = blobs
    with pytest.raises(ValueError, match="early_stopping should be False with partial_fit"):
        Perceptron(early_stopping=True).partial_fit(X, y)
    Perceptron(early_stopping=True).fit(X, y).partial_fit(X, y)


def test_an_estimator_is_pickled_while_another_thread_learns(blobs):
    """The attributes of the estimator changed while they were copied."""
    X, y = blobs
    clf, done, failures = AveragedPerceptron().partial_fit(X, y), threading.Event(), []
    for number in range(2000):  # so that a copy takes long
        setattr(clf, f"note_{number}", number)

    def pickles():
        try:
            while not done.is_set():
                pickle.loads(pickle.dumps(clf)).predict(X[:1])
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread = threading.Thread(target=pickles)
    thread.start()
    end = time.monotonic() + 1
    while time.monotonic() < end and not failures:
        clf.partial_fit(X[:1], y[:1])
        clf.coef_
    done.set()
    thread.join()
    sys.setswitchinterval(switch)
    assert not failures
