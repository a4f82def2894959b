"""What other people's programs did, and what came of it: each of these failed once."""

import itertools
import os
import pickle
import signal
import subprocess
import sys
import threading
import warnings
from collections import UserDict
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

from rosenblatt import (
    AveragedPerceptron,
    DataError,
    KernelPerceptron,
    ModelError,
    Perceptron,
    PerceptronTagger,
    SettingsError,
    audit,
    load,
    separable,
)


class Wide(AveragedPerceptron):
    def __init__(self, k=3, *, margin=0.5):
        super().__init__(margin=margin, max_iter=4)
        self.k = k


class Wider(Wide):
    """Says nothing of a constructor: it has that of `Wide`, and not a made one."""

    def extra(self):
        return self.k


class Mixed:
    def __init__(self, *, depth=1, **given):
        super().__init__(**given)
        self.depth = depth


class Both(Mixed, Perceptron):
    """The constructor of the first of its bases."""


def test_a_subclass_of_a_subclass_keeps_its_constructor(blobs):
    clf = clone(Wider(7)).fit(*blobs)
    assert (clf.extra(), clf.margin, clf.n_iter_) == (7, 0.5, 4) and clf.get_params() == {"k": 7, "margin": 0.5}
    both = Both(depth=2, max_iter=3, tol=None).fit(*blobs)
    assert (both.depth, both.n_iter_) == (2, 3)


# Forks, threads and Ctrl-C.

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def in_a_fork(work):
    """The exit status of a child that does the work: 0, 7 if it is refused, or minus the signal that ended it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 9
        try:
            signal.alarm(20)
            work()
            status = 0
        except SettingsError as error:
            status = 7 if "forked while another thread trained" in str(error) else 8
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@needs_fork
@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted by /proc")
def test_a_forked_process_keeps_its_threads(blobs):
    """Each call made a pool of threads: 100 µs, where the parent takes 4."""
    X, y = blobs
    clf = AveragedPerceptron().fit(X, y)
    clf.predict(X[:1])

    def work():
        seen = set()
        for _ in range(20):
            clf.predict(X[:1])
            seen.add(tuple(sorted(os.listdir("/proc/self/task"))))
        assert len(seen) == 1

    assert in_a_fork(work) == 0
    assert in_a_fork(lambda: in_a_fork(work) == 0 or os._exit(3)) == 0


@needs_fork
def test_a_process_that_was_forked_while_another_thread_learned_does_not_wait_forever():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40_000, 40)), random.integers(2, size=40_000)
    clf, ended = AveragedPerceptron().partial_fit(X, y), threading.Event()

    def learn():
        while not ended.is_set():
            clf.partial_fit(X, y)

    learner = threading.Thread(target=learn)
    learner.start()
    found = {in_a_fork(lambda: clf.predict(X[:3])) for _ in range(6)}
    ended.set()
    learner.join()
    assert found <= {0, 7}
    assert in_a_fork(lambda: clf.predict(X[:3])) == 0


LONG = """
import itertools
from rosenblatt import PerceptronTagger
X, y = [["the", "dog", "barks"]], [["D", "N", "V"]]
tagger = PerceptronTagger().fit(X, y)
print("ready", flush=True)
{}
"""


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such signal")
@pytest.mark.parametrize(
    "call",
    [
        "for _ in itertools.count(): tagger.predict(X * 20_000)",
        "tagger.predict(itertools.repeat(X[0]))",
        "tagger.predict_marginals(itertools.repeat(X[0]))",
        "tagger.fit(itertools.repeat(X[0]), itertools.repeat(y[0]))",
    ],
)
def test_ctrl_c_ends_the_tagging_of_many_sentences(call):
    """It was heard after the last."""
    process = subprocess.Popen([sys.executable, "-c", LONG.format(call)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    try:
        process.communicate(timeout=0.5)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    try:
        _, said = process.communicate(timeout=20)
    finally:
        process.kill()
    assert said.decode().strip().endswith("KeyboardInterrupt")


# Messages.


@pytest.mark.parametrize(
    "weight, message",
    [
        ({0: None, 1: 2}, "class_weight: 0 has the weight None: expected a finite number"),
        ({0: "x", 1: 2}, "class_weight: 0 has the weight 'x'"),
        ({0: float("inf"), 1: 2}, "class_weight: 0 has the weight inf"),
    ],
)
def test_class_weights_are_named(weight, message, blobs):
    X, y = blobs
    with pytest.raises(SettingsError, match=message):
        Perceptron(class_weight=weight).fit(X, y > 0)


def test_messages_name_what_python_calls_it(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match=r"^y has one class only, 1\.0: at least two"):
        Perceptron().fit(X, np.ones(300))
    with pytest.raises(ValueError, match=r"labels such as 1, where 'a' is a class"):
        Perceptron().partial_fit(X[:2], ["a", "b"]).partial_fit(X[:2], [1, 2])
    with pytest.raises(SettingsError, match="^random_state=-1: expected a seed"):
        Perceptron(random_state=-1).fit(X, y)
    with pytest.raises(ValueError, match="^early_stopping=True, validation_fraction=0.1: 4 rows cannot be split"):
        Perceptron(early_stopping=True).fit(X[:4], [0, 1, 0, 1])
    wide = sparse.csr_array((np.ones(2), np.array([0, 2**33]), np.array([0, 1, 2])), shape=(2, 2**34))
    with pytest.raises(DataError, match="feature index 8589934592: expected one from 0 to 4294967295"):
        Perceptron().fit(wide, [0, 1])
    with pytest.raises(SettingsError, match="gamma='scale' needs an array of numbers"):
        KernelPerceptron().fit_file(b"a,y\n1,p\n2,q\n")
    pandas = pytest.importorskip("pandas")
    labels = pandas.Series(y).astype("string")
    labels[4] = pandas.NA
    for call in (Perceptron().fit, Perceptron().fit(X, y).partial_fit):
        with pytest.raises(ValueError, match="^row 4 of y has no label"):
            call(X, labels)
    with pytest.raises(ValueError, match="^diagnose takes numbers"):
        Perceptron().diagnose(pandas.DataFrame({"a": ["x", "y"]}), [0, 1])


def test_classes_of_a_set_and_of_all_whole_numbers(blobs):
    """Signed and unsigned numbers became floats, and 'a known class is missing'."""
    X, y = blobs
    assert Perceptron().partial_fit(X, y, classes={0, 1, 2}).classes_.tolist() == [0, 1, 2]
    clf = Perceptron().partial_fit(X, y.astype(np.uint64)).partial_fit(X, y.astype(np.int64) - 1)
    assert clf.classes_.tolist() == [-1, 0, 1, 2] and clf.classes_.dtype == np.int64


def test_warnings_are_about_a_line_of_the_program(blobs):
    """They named lines of this package, where `warnings` shows each but once."""
    X, y = blobs
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        Perceptron(max_iter=2).fit(X, y)
        Wide().fit_file(b"a,b,y\n1,,p\n2,1,q\n", missing="mean")
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"a": ["x", "y"], "b": ["2020-01-01", "2020-01-02"]})
        AveragedPerceptron().fit(frame, [0, 1]).predict(frame.assign(c=1))
    assert len(found) >= 4 and {one.filename for one in found} == {__file__}


def test_rows_of_weight_zero_need_not_be_separated(blobs):
    """'The average is wrong on 28% of them: stop='kept' trains on', and of those it was not to learn from."""
    X, y = blobs
    settings = dict(max_iter=200, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        AveragedPerceptron(**settings).fit(X, y > 0, sample_weight=(y > 0).astype(float))
        AveragedPerceptron(class_weight={False: 0, True: 1}, **settings).fit(X, y > 0)


# Tables.


@pytest.fixture
def table():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"colour": ["red", "blue"] * 20, "size": np.arange(40.0)}), np.array([0, 1] * 20)


@pytest.mark.parametrize(
    "labels", [["", "b"], ["NA", "b"], ["?", "nan"], ["1", "1.0"], [" a", "a"], ["'a'", "a"], ["10", "9"], ["a", " b", "NA"]]
)
def test_labels_of_a_table_are_those_that_were_given(labels, table, tmp_path):
    """Some stand for nothing in a file, or are one there: 'all examples have the label "a"'."""
    frame, y = table
    y = np.array(labels)[np.arange(40) % len(labels) if len(labels) > 2 else y]
    clf = AveragedPerceptron(max_iter=200).fit(frame, y)
    assert sorted(clf.classes_.tolist()) == sorted(labels) and clf.score(frame, y) > (0.9 if len(labels) == 2 else 0.3)
    clf.save(tmp_path / "model")
    # Of a file, classes that all are whole numbers are.
    assert [str(one) for one in load(tmp_path / "model").predict(frame)] == clf.predict(frame).tolist()
    clf.partial_fit(frame[:2], ["zz", y[1]])
    assert set(clf.classes_.tolist()) == {*labels, "zz"}


@pytest.mark.parametrize("labels", [[1, 2], ["yes", "zero"], ["+", "-"], ["true", "unknown"], [True, False]])
def test_two_classes_of_a_table_are_in_order(labels, table):
    """1 is the positive one of a file, and came second: a score for 'the greater label' was turned around."""
    frame, y = table
    y = np.array(sorted(labels))[y]
    clf = AveragedPerceptron().fit(frame, y)
    assert clf.classes_.tolist() == sorted(labels)
    assert cross_val_score(AveragedPerceptron(max_iter=50), frame, y, scoring="roc_auc", cv=2).min() > 0.9


def test_class_weights_of_a_table(table):
    """A key for a class that is not in this fold was an error."""
    frame, y = table
    plain = AveragedPerceptron(class_weight={0: 1, 1: 3}).fit(frame, y).decision_function(frame)
    for given, labels in (({0: 1, 1: 3, 9: 1}, y), ({False: 1, True: 3}, y), ({0: 1, 1: 3}, y == 1)):
        clf = AveragedPerceptron(class_weight=given).fit(frame, labels)
        assert clf.decision_function(frame).tobytes() == plain.tobytes()
    odd = AveragedPerceptron(class_weight={"": 1, "NA": 3}).fit(frame, np.array(["", "NA"])[y])
    assert odd.decision_function(frame).tobytes() == plain.tobytes()


# ONNX.


@pytest.mark.parametrize("labels", [np.array([False, True]), np.array([1.0, 2.0]), np.array([3, -1]), np.array(["a", "b"]), np.arange(3)])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_skl2onnx_converts_all_types(labels, kind, blobs):
    """Truths, whole floats and inputs of 64 bits made files that do not load."""
    runtime, skl2onnx = pytest.importorskip("onnxruntime"), pytest.importorskip("skl2onnx")
    from rosenblatt import register_onnx

    register_onnx()
    X, y = blobs
    X, y = (X if kind != np.int64 else np.round(X)).astype(kind), labels[y % len(labels)]
    clf = AveragedPerceptron().fit(X, y)
    expected = [str(int(one)) if y.dtype.kind in "bf" else str(one) for one in clf.predict(X)]
    scores = clf.decision_function(X)
    scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    for fitted in (clf, clone(clf).fit(X, y).sparsify()):
        model = skl2onnx.to_onnx(fitted, X[:1], options={"zipmap": False})
        found = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"X": X})
        assert [str(one) for one in found[0]] == expected
        np.testing.assert_allclose(found[1], scores, rtol=1e-12 if kind == np.float64 else 1e-3, atol=1e-9 if kind == np.float64 else 1e-2)
    numbered = skl2onnx.to_onnx(clf, X[:1], options={"zipmap": False, "nocl": True})
    found = runtime.InferenceSession(numbered.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"X": X})[0]
    assert clf.classes_[found].tolist() == clf.predict(X).tolist()


# One dict at a time.


class Name(str):
    """A name that takes Python's code to look up."""

    def __hash__(self):
        return sum(1 for _ in range(20)) + str.__hash__(self)

    def __eq__(self, other):
        return str.__eq__(self, other)


def test_threads_share_a_learner_of_dicts():
    """'Already borrowed', where a name or a value is an object of Python."""
    pytest.importorskip("river")
    from rosenblatt.river import AveragedPerceptron

    model, failures, ended = AveragedPerceptron(), [], threading.Event()

    def ask():
        while not ended.is_set():
            try:
                model.predict_one({Name("a"): Fraction(1, 3)})
                pickle.dumps(model)
            except Exception as error:
                failures.append(repr(error))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=ask) for _ in range(3)]
    try:
        [thread.start() for thread in threads]
        for i in range(300):
            model.learn_one({Name("a"): Fraction(1, 3), Name(f"b{i}"): 2}, i % 3)
    finally:
        ended.set()
        [thread.join() for thread in threads]
        sys.setswitchinterval(before)
    assert failures == [] and len(model.weights[0]) == 301


def test_examples_need_not_be_dicts():
    """A mapping, or a row of pandas."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("river")
    from rosenblatt.river import AveragedPerceptron

    model = AveragedPerceptron()
    model.learn_one(UserDict(a=1.0), "x")
    model.learn_one(pandas.Series({"a": -1.0}), "y")
    assert model.predict_one(UserDict(a=-2)) == "y" and set(model.weights) == {"a"}
    with pytest.raises(TypeError):
        model.learn_one(3, "x")
    with pytest.raises(DataError, match="feature 'a': a whole number too large"):
        model.learn_one({"a": 10**400}, "x")


RIGHT = """
from rosenblatt.river import AROW, AveragedPerceptron
model = AveragedPerceptron(margin=1.0)
model.learn_one({"a": 1}, "x")
AROW().predict_one({"a": 1})
"""


def test_classifiers_of_dicts_have_types(tmp_path):
    """mypy: 'Module "rosenblatt.river" has no attribute "AveragedPerceptron"'."""
    pytest.importorskip("mypy"), pytest.importorskip("river")
    (tmp_path / "right.py").write_text(RIGHT)
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "right.py"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


# The tagger.

SENTENCES = [[("the", "D"), ("dog", "N"), ("barks", "V")], [("a", "D"), ("cat", "N"), ("runs", "V")]]


def test_a_text_is_no_sentence_to_tag():
    """Its letters were tagged."""
    tagger = PerceptronTagger()
    tagger.train(SENTENCES)
    for call in (lambda: tagger.tag("the dog"), lambda: tagger.tag_sents(["the dog"])):
        with pytest.raises(TypeError, match="found the text 'the dog'; split it into words"):
            call()


@pytest.mark.parametrize(
    "X, y, error, message",
    [
        ([["a", "b"]], [["N", None]], TypeError, "^sentence 0, token 1: expected a tag: found None"),
        ([["a", "b"]], [["N", float("nan")]], TypeError, "^sentence 0, token 1: expected a tag: found nan"),
        ([["a", "b"]], [["N", b"V"]], TypeError, "^sentence 0, token 1: expected a tag: found b'V'"),
        ([["a", "b"]], [["N", ""]], DataError, "^sentence 0, token 1: an empty tag"),
        ([["a"], None], [["N"], ["V"]], TypeError, "^sentence 1: expected a list of tokens: found NoneType"),
        ([["a"], [1]], [["N"], ["V"]], TypeError, "^expected a token as str, .*: found int"),
    ],
)
def test_what_is_no_sentence_is_named(X, y, error, message):
    """None became the tag 'None'; a number was 'not iterable'."""
    with pytest.raises(error, match=message):
        PerceptronTagger().fit(X, y)


def test_scores_and_settings_of_a_tagger_are_named():
    X, y = [[[pair[k] for pair in one] for one in SENTENCES] for k in (0, 1)]
    tagger = PerceptronTagger().fit(X, y)
    with pytest.raises(ValueError, match="^2 sentences, but 1 lists of tags"):
        tagger.score(X, y[:1])
    with pytest.raises(ValueError, match="^sentence 1: 3 tokens, but 2 tags"):
        tagger.score(X, [y[0], y[1][:2]])
    with pytest.raises(SettingsError, match="^search='best': expected 'viterbi', 'greedy' or 'beam:N'"):
        PerceptronTagger(search="best").fit(X, y)


def test_a_folder_as_nltk_has_it(tmp_path):
    """`PerceptronTagger(lang=…)` and `PerceptronTagger(loc=…)` were TypeErrors; NLTK's own example asks for `save_dir`."""
    tagger = PerceptronTagger(load=False, lang="xx")
    tagger.train(SENTENCES, save_loc=tagger.save_dir)
    assert os.listdir(tagger.save_dir) == ["averaged_perceptron_tagger_xx.json"]
    tagger.train(SENTENCES, save_loc=f"{tmp_path}/new/")
    for other in (PerceptronTagger(lang="xx", loc=tmp_path / "new"), PerceptronTagger(True, "xx", tagger.save_dir)):
        assert other.tag(["the", "dog"]) == tagger.tag(["the", "dog"])
        assert clone(other).get_params() == PerceptronTagger().get_params()
    assert not hasattr(PerceptronTagger(load=False, lang="xx", loc=tmp_path / "new"), "classes_")
    (tmp_path / "averaged_perceptron_tagger_eng.weights.json").write_text("{}")
    with pytest.raises(ModelError, match="a model of NLTK's own tagger"):
        PerceptronTagger(loc=tmp_path)


def test_many_sentences_are_tagged_in_order():
    """They are tagged some thousands at a time."""
    words = [[pair[0] for pair in SENTENCES[i % 2]][: i % 4] for i in range(20_000)]
    tagger = PerceptronTagger().fit(words[3:4] + words[2:3], [["D", "N", "V"], ["D", "N"]])
    single = {tuple(one): tagger.predict([one])[0] for one in words[:8]}
    assert tagger.predict(iter(words)) == [single[tuple(one)] for one in words]
    shares = tagger.predict_marginals(itertools.islice(words, 9000))
    assert [len(one) for one in shares] == [len(one) for one in words[:9000]] and shares[3] == shares[8003]


# What else was refused by a name that nobody gave, or ended in a panic.


def test_a_kernel_machine_is_not_explained_by_features(blobs):
    """It panicked."""
    X, y = blobs
    with pytest.raises(ModelError, match="^a kernel machine has weights of examples, not of features"):
        KernelPerceptron().fit(X, y).explain(X[:1])


@pytest.mark.parametrize(
    "given, message",
    [
        (dict(tf_idf="yes"), "tf_idf='yes': expected True or False"),
        (dict(header="yes"), "header='yes': expected True or False"),
        (dict(category=3), "category=3: expected a text or a list of texts"),
        (dict(scale=3), "scale=3: expected a text"),
        (dict(memory="1G"), "memory='1G': expected a whole number of bytes"),
    ],
)
def test_options_of_other_types_are_named(given, message):
    """'int' object is not iterable."""
    with pytest.raises(SettingsError) as refused:
        AveragedPerceptron().fit_file(b"x,kind\n1,a\n2,b\n", **given)
    assert str(refused.value).startswith(message)


def test_what_is_no_data_frame_is_said(table):
    frame, y = table
    with pytest.raises(TypeError, match="expected a data frame or a table of Arrow: found ndarray"):
        AveragedPerceptron().fit_dataframe(np.eye(2), [0, 1])
    with pytest.raises(SettingsError, match="^label='size': y has the labels"):
        AveragedPerceptron().fit_dataframe(frame, y, label="size")


@pytest.mark.parametrize("decide", [separable, audit])
def test_a_class_that_does_not_occur_is_named(decide, blobs):
    with pytest.raises(SettingsError, match=r"^positive=7: no row has this label; there are \[0, 1, 2\]"):
        decide(*blobs, positive=7)


def test_functions_keep_their_names_in_advice(blobs):
    """'Separable(X, y) proves which': it began a sentence."""
    said = " ".join(map(str, AveragedPerceptron().diagnose(*blobs)))
    assert "Separable(" not in said and "`separable(X, y)` proves" in said
