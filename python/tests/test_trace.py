"""Steps, and pictures."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

from rosenblatt import AveragedPerceptron, KernelPerceptron, Perceptron, SettingsError, plot_boundary, trace

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def lines(command, path, *args):
    return [json.loads(line) for line in command("trace", path, "--json", *args).splitlines()]


@pytest.mark.parametrize("proof", [False, True])
def test_the_steps_are_those_of_the_command_line(proof, command, tmp_path):
    random = np.random.RandomState(5)
    X = np.round(random.normal(size=(30, 2)), 3)
    y = (X @ [1.0, -2.0] > 0.3).astype(int)
    path = tmp_path / "some.csv"
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", fmt=["%.3f", "%.3f", "%d"])
    theirs = lines(command, path, *(["--proof"] if proof else []))
    if proof:
        end = theirs.pop()
    ours = trace(X, y, proof=proof)
    assert len(ours) == len(theirs) > 30
    for mine, line in zip(ours, theirs):
        line["row"] = line.pop("example") - 1
        line["label"] = int(line["label"])
        assert {**mine, "weights": mine["weights"].tolist()} == line
    if proof:
        assert (ours.bound, ours.mistakes) == (end["bound"], end["mistakes"]) and ours.mistakes <= ours.bound
        assert all(s["lower"] <= s["u_dot_w"] + 1e-9 and s["norm"] <= s["upper"] + 1e-9 for s in ours)


def test_many_classes_and_other_learners(command, iris):
    path, X, y = iris
    theirs = lines(command, path, "--learner", "averaged", "--epochs", 2, "--order", "shuffled")
    ours = trace(X, y, AveragedPerceptron(max_iter=2))
    assert len(ours) == len(theirs) == 300
    assert ours[-1]["weights"].tolist() == theirs[-1]["weights"] and ours[-1]["bias"].tolist() == theirs[-1]["bias"]


def test_a_circle_proves_that_nothing_separates():
    result = trace(SQUARE, [0, 1, 1, 0])
    assert result.stopped == "no-progress" and result.cycle
    sides = np.array([-1, 1, 1, -1])
    total = sum(n * sides[row] * np.append(SQUARE[row], 1.0) for row, n in result.cycle.items())
    assert (total == 0).all()
    with pytest.raises(SettingsError, match="no separating vector was found"):
        trace(SQUARE, [0, 1, 1, 0], proof=True)


def test_as_a_frame():
    frame = trace(SQUARE, ["no", "no", "no", "yes"]).to_frame()
    assert list(frame.columns) == ["epoch", "step", "row", "label", "score", "mistake", "weights", "bias"]
    assert frame.label[:4].tolist() == ["no", "no", "no", "yes"] and frame.mistake.sum() == 18
    assert "<table" in trace(SQUARE, [0, 0, 0, 1])._repr_html_()


@pytest.fixture
def axes():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def test_a_picture_of_the_boundary(axes, tmp_path):
    X, y = load_iris(return_X_y=True)
    clf = AveragedPerceptron(max_iter=3).fit(X[:, 2:], y)
    assert plot_boundary(clf, X[:, 2:], y, ax=axes, resolution=50) is axes
    wrong = int((clf.predict(X[:, 2:]) != y).sum())
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["0", "1", "2", f"{wrong} wrong"]
    assert sum(len(points.get_offsets()) for points in axes.collections[-4:-1]) == 150
    assert len(axes.collections[-1].get_offsets()) == wrong > 0
    axes.figure.savefig(tmp_path / "iris.png")
    assert (tmp_path / "iris.png").stat().st_size > 5000


def test_other_columns_and_other_classifiers(axes):
    pandas = pytest.importorskip("pandas")
    from sklearn.svm import SVC

    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["a", "b", "c"])[y]
    clf = KernelPerceptron(gamma=0.5).fit(X, names)
    plot_boundary(clf, X, names, features=(2, 3), ax=axes, resolution=20)
    assert axes.get_xlabel() == "petal length (cm)"
    assert isinstance(X, pandas.DataFrame)
    plot_boundary(SVC().fit(SQUARE, [0, 1, 1, 0]), SQUARE, [0, 1, 1, 0], ax=axes, resolution=20)
    with pytest.raises(ValueError, match="features="):
        plot_boundary(Perceptron().fit(SQUARE, [0, 0, 0, 1]), SQUARE, [0, 0, 0, 1], features=(0, 2), ax=axes)


def test_without_matplotlib_it_says_so(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot_boundary(Perceptron().fit(SQUARE, [0, 0, 0, 1]), SQUARE, [0, 0, 0, 1])
