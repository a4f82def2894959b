"""The package and the program: the same weights, bit for bit, and models that move both ways."""

import warnings

import numpy as np
import pytest

import rosenblatt
from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    PassiveAggressiveClassifier,
    Perceptron,
)

# Every learner of the registry, by its class; those with scikit-learn's defaults are set to those of the program.
LEARNERS = {entry["name"]: getattr(rosenblatt, entry["type_name"])() for entry in rosenblatt.learners()}
LEARNERS |= {
    "perceptron": Perceptron(max_iter=10, tol=None),
    "penalized": Perceptron(max_iter=10, tol=None, penalty="l2"),
    "pa": PassiveAggressiveClassifier(max_iter=10, tol=None, C=np.inf),
    "pa1": PassiveAggressiveClassifier(max_iter=10, tol=None),
    "pa2": PassiveAggressiveClassifier(max_iter=10, tol=None, loss="squared_hinge"),
}


def same_bits(one, other):
    assert one.coef_.tobytes() == other.coef_.tobytes()
    assert one.intercept_.tobytes() == other.intercept_.tobytes()


def test_every_learner_of_the_registry_is_here():
    for entry in rosenblatt.learners():
        assert LEARNERS[entry["name"]]._learner_name() == entry["name"]
        assert entry["type_name"] in rosenblatt.__all__
        params = {param["name"] for param in entry["params"]}
        assert set(LEARNERS[entry["name"]]._settings()) == params


@pytest.mark.parametrize("learner", LEARNERS)
def test_iris(learner, command, iris, tmp_path):
    path, X, y = iris
    command("train", path, "--scale", "none", "--learner", learner, "-o", tmp_path / "model")
    theirs = rosenblatt.load(tmp_path / "model")
    ours = LEARNERS[learner].fit(X, y)
    same_bits(ours, theirs)
    assert (ours.mistakes_, ours.n_iter_, ours.stopped_) == (theirs.mistakes_, theirs.n_iter_, theirs.stopped_)
    assert (ours.decision_function(X) == theirs.decision_function(X)).all()
    assert theirs.classes_.tolist() == ours.classes_.tolist()
    # What was read from the file is what was asked for.
    assert type(theirs) is type(ours)
    for name, value in ours.get_params().items():
        if name not in ("tol", "max_iter", "intercept_scaling"):
            assert theirs.get_params()[name] == value, name
    # Where it was left to the rows, the file has the number that they got.
    assert (ours.intercept_scaling, theirs.intercept_scaling) == ("auto", 1.0)


@pytest.mark.parametrize(
    "ours, options",
    [
        (AveragedPerceptron(margin=0.5), "--learner margin --keep average --set margin=0.5"),
        (rosenblatt.MarginPerceptron(margin=2.0), "--learner margin --set margin=2"),
        (PassiveAggressiveClassifier(C=0.25, average=True, max_iter=10), "--learner pa1 --keep average --set c=0.25"),
        (PassiveAggressiveClassifier(C=0.25, max_iter=10), "--learner pa1 --set c=0.25"),
    ],
)
def test_settings_come_back_from_a_file(ours, options, command, iris, tmp_path):
    """What `partial_fit` would go on with is what the file says: C of PA-I used to be forgotten."""
    path, X, y = iris
    command("train", path, "--scale", "none", *options.split(), "-o", tmp_path / "model")
    theirs, ours = rosenblatt.load(tmp_path / "model"), ours.set_params(tol=None).fit(X, y)
    same_bits(ours, theirs)
    assert type(theirs) is type(ours)
    own = ("margin", "C", "average", "loss")
    assert [getattr(ours, name, None) for name in own] == [getattr(theirs, name, None) for name in own]


@pytest.mark.parametrize(
    "options, kind, alike",
    [
        ("--learner perceptron --keep average", AveragedPerceptron, True),
        ("--learner averaged --keep last", Perceptron, True),
        ("--learner pa1 --keep vote", PassiveAggressiveClassifier, False),
        ("--learner margin --kernel poly:2", KernelPerceptron, False),
    ],
)
def test_a_file_is_gone_on_with_as_it_was_made_or_a_warning_says_not(options, kind, alike, command, iris, tmp_path):
    path, X, _ = iris
    command("train", path, "--scale", "none", *options.split(), "-o", tmp_path / "model")
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        clf = rosenblatt.load(tmp_path / "model")
    assert type(clf) is kind and len(clf.predict(X)) == len(X)
    assert [str(w.message).partition(": ")[2].split(";")[0] for w in heard] == (
        [] if alike else [f"no estimator trains {options.split()[1]} and keeps {'vote' if 'vote' in options else 'last'}"]
    )


def test_a_margin_is_not_negative(iris):
    _, X, y = iris
    with pytest.raises(rosenblatt.SettingsError, match="margin"):
        AveragedPerceptron(margin=-1).fit(X, y)


@pytest.mark.parametrize("learner", ["averaged", "pa1", "arow"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("epochs", [1, 3])
def test_a9a(learner, dtype, epochs, command, a9a, tmp_path):
    path, X, y = a9a
    command("train", path, "--scale", "none", "--learner", learner, "--epochs", epochs, "-o", tmp_path / "model")
    # Its values are ones and zeros: 32 bits hold them as well.
    ours = LEARNERS[learner].set_params(max_iter=epochs).fit(X.astype(dtype), y)
    same_bits(ours, rosenblatt.load(tmp_path / "model"))


def test_mnist(command, mnist, tmp_path):
    path, X, y = mnist
    command("train", path, "--scale", "none", "--learner", "averaged", "--epochs", 2, "--seed", 7, "-o", tmp_path / "model")
    ours = AveragedPerceptron(max_iter=2, random_state=7).fit(X, y)
    theirs = rosenblatt.load(tmp_path / "model")
    same_bits(ours, theirs)
    assert theirs.classes_.tolist() == list(range(10))


def test_a_kernel(command, iris, tmp_path):
    path, X, y = iris
    command("train", path, "--scale", "none", "--kernel", "poly:3", "--learner", "voted", "-o", tmp_path / "model")
    theirs = rosenblatt.load(tmp_path / "model")
    assert isinstance(theirs, KernelPerceptron) and theirs.keep == "vote"
    ours = KernelPerceptron(kernel="poly", degree=3, keep="vote").fit(X, y)
    assert ours.n_support_ == theirs.n_support_
    assert (ours.decision_function(X) == theirs.decision_function(X)).all()


def test_the_program_answers_with_a_model_from_here(command, a9a, iris, tmp_path):
    path, X, y = a9a
    clf = AveragedPerceptron(max_iter=1).fit(X, y)
    clf.save(tmp_path / "model")
    assert command("predict", tmp_path / "model", path).split() == [str(label) for label in clf.predict(X)]

    pandas = pytest.importorskip("pandas")
    path, X, y = iris
    table = pandas.DataFrame(X, columns=["sepal length", "sepal width", "petal length", "petal width"])
    clf = AveragedPerceptron().fit(table, y)
    clf.save(tmp_path / "model.json")
    # By the names of the columns, in whatever order they stand.
    table[table.columns[::-1]].to_csv(tmp_path / "new.csv", index=False)
    assert command("predict", tmp_path / "model.json", tmp_path / "new.csv").split() == clf.predict(table).tolist()
    again = rosenblatt.load(tmp_path / "model.json")
    assert again.feature_names_in_.tolist() == table.columns.tolist()
    assert (again.predict(table) == clf.predict(table)).all()


def test_the_model_file_has_the_very_bytes(command, mnist, tmp_path):
    path, X, y = mnist
    labels = tmp_path / "labels"
    np.savetxt(labels, y[:2000], fmt="%d")
    np.save(tmp_path / "rows.npy", X[:2000])
    command("train", tmp_path / "rows.npy", "--labels", labels, "--scale", "none", "--learner", "perceptron", "-o", tmp_path / "theirs.json")
    Perceptron(max_iter=10, tol=None).fit(X[:2000], y[:2000]).save(tmp_path / "ours.json")
    import json

    ours, theirs = (json.loads((tmp_path / name).read_text()) for name in ("ours.json", "theirs.json"))
    # All but the fingerprint of a file that there was not.
    assert theirs["content"]["facts"].pop("data") is not None
    assert ours["content"]["facts"].pop("data") is None
    for result in (ours, theirs):
        result.pop("checksum", None), result.pop("crc32", None)
    assert ours == theirs
