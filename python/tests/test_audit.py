"""Audits from Python: bounds, suspects, costs and proofs."""

import numpy as np
import pytest

from rosenblatt import CertificateError, audit, separable, verify


def flipped(seed=0, rows=60, flips=3):
    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(rows, 2)), 3)
    X[:, 0] += np.where(X[:, 0] > 0, 1, -1)
    y = (X[:, 0] > 0).astype(int)
    wrong = random.choice(rows, flips, replace=False)
    y[wrong] = 1 - y[wrong]
    return X, y, set(wrong.tolist())


def test_flipped_labels_are_the_first_suspects():
    X, y, wrong = flipped()
    result = audit(X, y)
    assert result.exact and result.at_most == len(wrong)
    assert wrong == set(list(result.suspects)[: len(wrong)]) == set(result.mistakes.tolist())
    kept = np.setdiff1d(np.arange(len(y)), result.mistakes)
    assert separable(X[kept], y[kept])
    side = X @ result.weights + result.intercept > 0
    assert set(np.flatnonzero(side != (y == 1)).tolist()) == wrong
    assert result.verify()["at_least"] == str(len(wrong))
    assert "3" in repr(result)


def test_a_proof_is_of_its_data():
    X, y, _ = flipped()
    result = audit(X, y)
    with pytest.raises(CertificateError, match="SHA-256"):
        verify(result.proof, X, 1 - y)
    with pytest.raises(CertificateError):
        verify(result.proof.replace('"at_least": "3"', '"at_least": "4"'), X, y)


def test_costs_and_many_classes():
    X = [[0], [1], [2], [3]]
    result = audit(X, ["a", "b", "a", "b"], class_weight={"a": 1, "b": 0.5})
    assert result.at_most == result.at_least == 0.5 and result.verify()["costs"] == ("1/2", "1")
    assert audit(X, ["a", "b", "a", "b"], class_weight="balanced").at_most == 1
    joint = audit([[0], [1], [2], [1]], ["a", "b", "c", "a"])
    assert joint.at_least == joint.at_most == 1 and joint.proof is None
    with pytest.raises(ValueError, match="class_weight"):
        audit(X, [0, 1, 2, 3], class_weight={0: 2})
