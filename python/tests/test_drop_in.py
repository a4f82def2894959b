"""What clients of scikit-learn reach for; each of these once failed, or was missing."""

import inspect
import pickle
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import (
    ALMA,
    AROW,
    AveragedPerceptron,
    PassiveAggressiveClassifier,
    Perceptron,
    PerceptronTagger,
    SettingsError,
    VotedPerceptron,
    load,
)


@pytest.fixture(scope="module")
def separable_rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 50))
    return X, (X @ random.normal(size=50) > 0).astype(int)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_passive_aggressive_goes_on_until_every_margin_is_1(separable_rows, loss):
    """It stopped at the first pass without a mistake, with 38 of 200 margins below 1."""
    X, y = separable_rows
    clf = PassiveAggressiveClassifier(C=10.0, loss=loss, max_iter=5000, tol=None).fit(X, y)
    margins = (2 * y - 1) * clf.decision_function(X)
    assert margins.min() > 1 - 1e-6
    assert clf.stopped_ == "separated"


def test_weights_of_rows_limit_the_step_and_do_not_lengthen_it():
    """Balanced PA-II multiplied the step, overshot, and reached weights of 1e99."""
    random = np.random.default_rng(1)
    X, y = random.normal(size=(2000, 5)), (random.random(2000) < 0.02).astype(int)
    for loss in ("hinge", "squared_hinge"):
        clf = PassiveAggressiveClassifier(loss=loss, class_weight="balanced", C=10.0, max_iter=20, tol=None).fit(X, y)
        assert abs(clf.coef_).max() < 100
    # One row of weight c and C is the same row of weight 1 and c C.
    one = PassiveAggressiveClassifier(C=0.5, loss="squared_hinge").partial_fit(X[:1], y[:1], [0, 1], sample_weight=[3.0])
    other = PassiveAggressiveClassifier(C=1.5, loss="squared_hinge").partial_fit(X[:1], y[:1], [0, 1])
    assert one.coef_.tobytes() == other.coef_.tobytes()


def test_what_answers_separates_if_asked_to():
    """`stopped_` was 'separated', and the mean that answers was wrong on 3 rows."""
    X, y = load_digits(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="the last weights separate the rows, but the average that answers is wrong"):
        assert AveragedPerceptron(max_iter=1000).fit(X, y).score(X, y) < 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = AveragedPerceptron(max_iter=1000, stop="kept").fit(X, y)
    assert clf.stopped_ == "separated" and clf.score(X, y) == 1 and clf.margin_ > 0
    with pytest.raises(SettingsError, match="stop='best': expected one of last, kept"):
        AveragedPerceptron(stop="best").fit(X, y)


def test_the_last_pass_warns_as_in_scikit_learn(blobs):
    X, y = blobs
    with pytest.warns(ConvergenceWarning, match="Maximum number of iteration reached"):
        Perceptron(max_iter=2).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Perceptron(max_iter=2, tol=None).fit(X, y)


def few(rows, features, each, classes, seed=0):
    random = np.random.default_rng(seed)
    indices = np.concatenate([np.sort(random.choice(features, each, replace=False)) for _ in range(rows)])
    X = sparse.csr_matrix(
        (random.normal(size=rows * each), indices.astype(np.int32), np.arange(0, rows * each + 1, each)),
        shape=(rows, features),
    )
    return X, random.integers(classes, size=rows)


@pytest.mark.parametrize("cls", [AveragedPerceptron, Perceptron, VotedPerceptron, PassiveAggressiveClassifier, AROW])
def test_rows_are_scored_between_batches_as_by_the_model(cls):
    X, y = few(80, 300, 10, 3)
    clf = cls(shuffle=False)
    for i in range(0, 80, 8):
        clf.partial_fit(X[i : i + 8], y[i : i + 8], classes=[0, 1, 2])
        row = X[i : i + 1]
        quick, label = clf.decision_function(row), clf.predict(row)
        other = pickle.loads(pickle.dumps(clf))
        other._model, other._online = other._fitted_model(), None
        assert quick.tobytes() == other.decision_function(row).tobytes()
        assert label == other.predict(row)


def test_rows_are_scored_between_batches_with_weights_that_are_scaled():
    """ALMA's; it made a model for each row."""
    X, y = few(80, 300, 10, 2)
    clf = ALMA(shuffle=False)
    for i in range(0, 80, 8):
        clf.partial_fit(X[i : i + 8], y[i : i + 8], classes=[0, 1])
        quick = clf.decision_function(X[i : i + 1])
        assert quick.tobytes() == pickle.loads(pickle.dumps(clf))._fitted_model().scores(X[i : i + 1]).ravel().tobytes()


def test_other_threads_predict_while_one_learns():
    """'Already mutably borrowed'."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(100_000, 20)), random.integers(2, size=100_000)
    clf = AveragedPerceptron(shuffle=False).partial_fit(X[:10], y[:10], classes=[0, 1])
    expected = AveragedPerceptron(shuffle=False).partial_fit(X[:10], y[:10], classes=[0, 1])
    for _ in range(3):
        expected.partial_fit(X, y)
    failures = []

    def predict():
        try:
            while learner.is_alive():
                clf.predict(X[:3])
                clf.coef_
                pickle.dumps(clf)
        except Exception as error:
            failures.append(error)

    learner = threading.Thread(target=lambda: [clf.partial_fit(X, y) for _ in range(3)])
    others = [threading.Thread(target=predict) for _ in range(3)]
    learner.start()
    [thread.start() for thread in others]
    [thread.join(timeout=60) for thread in (learner, *others)]
    assert failures == []
    assert clf.predict(X).tolist() == expected.predict(X).tolist()
    assert clf.coef_.tobytes() == expected.coef_.tobytes()


def test_rows_of_length_1_learn_their_bias_slowly():
    """Texts hashed and divided by their lengths: half of every step went into the bias."""
    random = np.random.default_rng(0)
    X = sparse.csr_matrix(random.normal(size=(50, 200)) * (random.random((50, 200)) < 0.1))
    X = X.multiply(1 / np.maximum(1e-9, np.sqrt(X.multiply(X).sum(axis=1)))).tocsr()
    y = random.integers(2, size=50)
    small = PassiveAggressiveClassifier(intercept_scaling=0.1).fit(X, y)
    for rows in (X, X.toarray(), X.toarray().astype(np.float32)):
        clf = PassiveAggressiveClassifier().fit(rows, y)
        np.testing.assert_allclose(clf.coef_, small.coef_, rtol=1e-4, atol=1e-6)
    assert PassiveAggressiveClassifier().fit(X, y).coef_.tobytes() == small.coef_.tobytes()
    assert PassiveAggressiveClassifier().partial_fit(X, y)._fitted_model().facts["bias"] == 0.1
    for other in (2 * X, X[:, :50]):
        assert PassiveAggressiveClassifier().fit(other, y)._fitted_model().facts["bias"] == 1.0
    # What goes on keeps the bias it began with.
    clf = PassiveAggressiveClassifier(warm_start=True).fit(X, y)
    assert clf.fit(2 * X, y)._fitted_model().facts["bias"] == 0.1
    assert clf.partial_fit(2 * X, y)._fitted_model().facts["bias"] == 0.1
    with pytest.raises(SettingsError, match="intercept_scaling='often': expected a number or 'auto'"):
        PassiveAggressiveClassifier(intercept_scaling="often").fit(X, y)


def test_class_weights_of_classes_that_do_not_occur(blobs):
    X, y = blobs
    X, y = X[y < 2], y[y < 2]
    plain = Perceptron(class_weight={0: 1.0, 1: 5.0}).fit(X, y)
    assert Perceptron(class_weight={0: 1.0, 1: 5.0, 7: 2.0}).fit(X, y).coef_.tobytes() == plain.coef_.tobytes()
    with pytest.raises(ValueError):
        Perceptron(class_weight={0: 1.0, 7: 2.0}).fit(X, y)


def test_skops_stores_models(blobs):
    """Its loader made an object without a constructor, and failed."""
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    X, y = blobs
    for clf in (AveragedPerceptron().fit(X, y), AveragedPerceptron().partial_fit(X, y)):
        data = skops.dumps(clf)
        other = skops.loads(data, trusted=skops.get_untrusted_types(data=data))
        assert other.coef_.tobytes() == clf.coef_.tobytes()
        assert other.partial_fit(X, y).coef_.tobytes() == clf.partial_fit(X, y).coef_.tobytes()


def test_pickles_hold_plain_bytes(blobs):
    X, y = blobs
    for clf in (AveragedPerceptron().fit(X, y), VotedPerceptron().fit(X, y), AveragedPerceptron().partial_fit(X, y)):
        state = clf.__getstate__()
        assert not any(type(value).__module__.endswith("_rosenblatt") for value in state.values())
        assert any(isinstance(state.get(name), (bytes, list)) for name in ("_model", "_bare_model", "_online"))


def test_feature_values_without_a_meaning():
    for value, expected in [(None, "found None"), (b"x", "found bytes")]:
        with pytest.raises(TypeError, match=f'feature "a": .*{expected}'):
            PerceptronTagger().fit([[{"a": value}]], [["N"]])


def test_help_has_types_and_attributes():
    for cls in (Perceptron, AveragedPerceptron, VotedPerceptron):
        text = inspect.getdoc(cls)
        assert "Attributes\n----------\nclasses_" in text and "intercept_scaling : float or str" in text
        assert inspect.signature(cls).parameters["max_iter"].annotation is int


def test_probabilities(blobs, tmp_path):
    X, y = blobs
    for rows, labels in [(X, y), (sparse.csr_matrix(X), y), (X[y < 2], y[y < 2])]:
        clf = AveragedPerceptron(calibrate=True).fit(rows, labels)
        chances = clf.predict_proba(rows)
        assert chances.shape == (len(labels), len(clf.classes_))
        np.testing.assert_allclose(chances.sum(axis=1), 1)
        np.testing.assert_allclose(np.log(chances), clf.predict_log_proba(rows), atol=1e-9)
        assert (chances.argmax(axis=1) == labels).mean() > 0.8
        assert clf.coef_.tobytes() == AveragedPerceptron().fit(rows, labels).coef_.tobytes()
        clf.save(tmp_path / "model")
        assert load(tmp_path / "model").predict_proba(rows).tobytes() == chances.tobytes()
        assert pickle.loads(pickle.dumps(clf)).predict_proba(rows).tobytes() == chances.tobytes()
    assert not hasattr(AveragedPerceptron().fit(X, y), "predict_proba")
    with pytest.raises(AttributeError) as refused:
        AveragedPerceptron().fit(X, y).predict_proba(X)
    assert "pass calibrate=True" in str(refused.value.__cause__)
    with pytest.raises(AttributeError, match="after partial_fit"):
        AveragedPerceptron(calibrate=True).fit(X, y).partial_fit(X, y).predict_proba(X)


def test_probabilities_are_those_of_the_command_line(tmp_path, command, iris):
    path, X, y = iris
    options = ("--learner", "averaged", "--scale", "none", "--calibrate", "-o", tmp_path / "model")
    command("train", path, *options)
    theirs = load(tmp_path / "model")
    ours = AveragedPerceptron(calibrate=True).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)


def test_explanations_add_up(blobs):
    pandas = pytest.importorskip("pandas")
    X, y = blobs
    frame = pandas.DataFrame(X, columns=list("abcde"))
    for labels in (y, np.where(y == 0, "no", "yes")):
        clf = AveragedPerceptron().fit(frame, labels)
        for why, label, scores in zip(clf.explain(frame[:9]), clf.predict(frame[:9]), clf.decision_function(frame[:9])):
            assert why.label == label
            assert why.score == pytest.approx(why.bias + sum(term.contribution for term in why.terms))
            if np.ndim(scores) == 0:
                assert why.score == pytest.approx(scores) and why.runner_up is None
            else:
                assert why.score == pytest.approx(np.sort(scores)[-1] - np.sort(scores)[-2])
            assert {term.feature for term in why.terms} <= set("abcde")


def test_findings_are_objects_and_count_from_0():
    X, y = [[1.0], [2.0], [1.0], [3.0]], ["a", "a", "b", "b"]
    found = AveragedPerceptron().diagnose(X, y)
    one = next(finding for finding in found if finding.kind == "Contradiction")
    assert str(one).startswith("examples 0 and 2 have the same features, as floats, and different labels")
    assert AveragedPerceptron(max_iter=100).diagnose([[1.0], [-1.0]], [0, 1]) == []


def test_starts_and_attributes_of_scikit_learn(blobs):
    X, y = blobs
    settings = dict(max_iter=2, tol=None, shuffle=False)
    begun = Perceptron(**settings).fit(X, y)
    ours = Perceptron(**settings).fit(X, y, coef_init=begun.coef_, intercept_init=begun.intercept_)
    warm = Perceptron(**settings, warm_start=True).fit(X, y).fit(X, y)
    assert ours.coef_.tobytes() == warm.coef_.tobytes()
    assert ours.t_ == 2 * len(X) + 1
    with pytest.raises(ValueError, match="coef_init does not match dataset"):
        Perceptron().fit(X, y, coef_init=np.zeros((2, 2)))
    before = ours.decision_function(X)
    assert sparse.issparse(ours.sparsify().coef_)
    assert (ours.coef_.toarray() == warm.coef_).all() and ours.decision_function(X).tobytes() == before.tobytes()
    assert isinstance(ours.densify().coef_, np.ndarray)
    single = Perceptron(**settings, coef_dtype="float32").fit(X, y)
    assert single.coef_.dtype == np.float32 and (single.coef_ == begun.coef_.astype(np.float32)).all()


def test_onnx_has_the_classes_in_order(blobs):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    X, y = blobs
    X = X.astype(np.float32)
    for labels in (y, y > 0, np.array(["no", "yes"])[(y > 1).astype(int)], 5 - y):
        clf = AveragedPerceptron().fit(X, labels)
        session = runtime.InferenceSession(clf.to_onnx(), providers=["CPUExecutionProvider"])
        names, scores = session.run(["label", "scores"], {"X": np.vstack([X, np.zeros_like(X[:1])])})
        expected = clf.predict(np.vstack([X, np.zeros_like(X[:1])]))
        assert [str(name) for name in names] == [str(one) for one in expected]
        assert (names.dtype.kind == "i") == (clf.classes_.dtype.kind == "i")
        ours = clf.decision_function(X)
        ours = np.column_stack([-ours, ours]) if ours.ndim == 1 else ours
        np.testing.assert_allclose(scores[:-1], ours, rtol=1e-3, atol=1e-2)


def test_skl2onnx_converts_pipelines(blobs):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    skl2onnx = pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    from rosenblatt import register_onnx
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    register_onnx()
    X, y = blobs
    X = X.astype(np.float32)
    for labels in (y, np.array(["no", "yes"])[(y > 1).astype(int)]):
        pipeline = make_pipeline(StandardScaler(), AveragedPerceptron()).fit(X, labels)
        model = skl2onnx.to_onnx(pipeline, X[:1], options={"zipmap": False})
        session = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        assert session.run(None, {"X": X})[0].tolist() == pipeline.predict(X).tolist()
    with pytest.raises(ValueError, match="votes among many hyperplanes"):
        skl2onnx.to_onnx(VotedPerceptron().fit(X, y), X[:1])


def test_the_command_comes_with_the_package(tmp_path, command):
    (tmp_path / "d.csv").write_text("a,y\n1,p\n-1,q\n2,p\n-2,q\n")
    arguments = ["train", "d.csv", "--learner", "perceptron", "-o", "model"]
    done = subprocess.run([sys.executable, "-m", "rosenblatt", *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ours = (tmp_path / "model").read_bytes()
    subprocess.run([command.program, *arguments[:-1], "theirs"], cwd=tmp_path, check=True, capture_output=True)
    assert ours == (tmp_path / "theirs").read_bytes()
    done = subprocess.run([sys.executable, "-m", "rosenblatt", "no-such"], capture_output=True, text=True)
    assert done.returncode == 2 and "no-such" in done.stderr
    from importlib.metadata import entry_points

    assert [point.value for point in entry_points(group="console_scripts", name="rosenblatt")] == ["rosenblatt.__main__:main"]


def test_tagger_has_what_clients_of_crfsuite_read(capsys):
    X = [[{"word": "the"}, {"word": "dog"}], [{"word": "a"}, {"word": "cat"}]]
    y = [["D", "N"], ["D", "N"]]
    tagger = PerceptronTagger(verbose=1).fit(X, y, X_dev=X[:1], y_dev=y[:1])
    assert tagger.dev_accuracy_ == 1.0 and "pass 1:" in capsys.readouterr().out
    assert {tag for _, tag in tagger.state_features_} <= set(tagger.classes_)
    assert any(feature == "word=dog" for feature, _ in tagger.state_features_)
    assert all(isinstance(weight, float) for weight in tagger.transition_features_.values())
    with pytest.raises(ValueError, match="belong together"):
        tagger.fit(X, y, X)


def test_data_frames_with_texts_and_categories(tmp_path, command):
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    y = random.integers(2, size=200)
    frame = pandas.DataFrame(
        {
            "grams": 100 + 50 * y + random.normal(size=200),
            "colour": pandas.Categorical(np.where(random.random(200) < 0.9, y, 1 - y)),
            "words": [("good, fine" if one else 'bad "poor"') + " thing" for one in y],
        }
    )
    labels = np.array(["no", "yes"])[y]
    clf = AveragedPerceptron().fit_dataframe(frame, labels, text="words", tf_idf=True)
    assert clf.predict_dataframe(frame).tolist() == labels.tolist()
    frame.assign(label=labels).to_csv(tmp_path / "d.csv", index=False)
    options = ["--learner", "averaged", "--text", "words", "--category", "colour", "--label", "label", "--tf-idf"]
    command("train", tmp_path / "d.csv", *options, "-o", tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.predict_dataframe(frame).tolist() == labels.tolist()
    assert loaded.mistakes_ == clf.mistakes_
