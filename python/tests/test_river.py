"""One example at a time, as a dict: river's contract. (river's own checks: python/tests/others.)"""

import pickle
import random

import pytest

river = pytest.importorskip("river", reason="river is not installed")

import rosenblatt  # noqa: E402
from rosenblatt.river import AROW, AveragedPerceptron, Perceptron  # noqa: E402


def examples(count, classes, features=8, seed=0):
    chance = random.Random(seed)
    for _ in range(count):
        label = chance.randrange(classes)
        x = {f"f{j}": chance.gauss(2.0 * (j % classes == label), 1) for j in range(features) if chance.random() < 0.7}
        yield x, label


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", ["AveragedPerceptron", "Perceptron", "PassiveAggressiveClassifier"])
def test_dicts_learn_as_rows_do(name, classes):
    """The naive twin: the same examples as dense rows."""
    import numpy as np

    stream = list(examples(200, classes))
    model = getattr(rosenblatt.river, name)()
    columns, labels = {}, {}
    for x, _ in stream:
        # New features in the order of their texts, as they are numbered.
        for feature in sorted(set(x) - set(columns), key=repr):
            columns[feature] = len(columns)
    twin = getattr(rosenblatt, name)(shuffle=False, intercept_scaling=1.0)
    for x, y in stream:
        row = np.zeros((1, len(columns)))
        for feature, value in x.items():
            row[0, columns[feature]] = value
        model.learn_one(x, y)
        labels.setdefault(y, len(labels))
        twin.partial_fit(row, np.array([labels[y]]), classes=list(range(max(2, len(labels)))))
        scores = model.decision_function_one(x)
        ours = [scores[label] for label in labels if label in scores]
        if len(ours) == classes:
            theirs = twin.decision_function(row).ravel()
            assert ours[-len(theirs) :] == pytest.approx(theirs, rel=1e-9, abs=1e-9)


def test_features_and_classes_appear_at_any_time():
    model = AveragedPerceptron()
    assert model.predict_one({"a": 1}) is None and model.predict_proba_one({"a": 1}) == {}
    model.learn_one({"a": 1.0}, "x")
    assert model.predict_one({"b": 1}) == "x" and model.predict_proba_one({}) == {"x": 1.0}
    for _ in range(5):
        for x, y in [({"a": 1.0}, "x"), ({"b": 1.0}, "y"), ({3: 1.0}, True)]:
            model.learn_one(x, y)
    assert [model.predict_one(x) for x in ({"a": 1}, {"b": 1}, {3: 1})] == ["x", "y", True]
    assert set(model.weights) == {"x", "y", True} and set(model.weights["x"]) == {"a", "b", 3}
    other = pickle.loads(pickle.dumps(model))
    for each in (model, other):
        each.learn_one({"c": 2.0}, "z")
    assert other.weights == model.weights
    with pytest.raises(TypeError, match="feature 'a': expected a number, found 'red'"):
        model.learn_one({"a": "red"}, "x")
    with pytest.raises(ValueError, match="not a finite number"):
        model.predict_one({"a": float("nan")})
    with pytest.raises(TypeError, match="no parameter 'max_iter'"):
        AveragedPerceptron(max_iter=3)


def test_progressive_validation():
    from river import datasets, evaluate, metrics, preprocessing

    for model in (AveragedPerceptron(), Perceptron(), AROW()):
        pipeline = preprocessing.StandardScaler() | model
        assert evaluate.progressive_val_score(datasets.Phishing(), pipeline, metrics.Accuracy()).get() > 0.8
