"""Verdicts and their proofs, checked by the other code and by hand."""

import json
import subprocess
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import rosenblatt
from rosenblatt import CertificateError, Perceptron, SettingsError, separable, separable_file, verify

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
AND, XOR = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])


def cancels(X, y, positive, witness):
    """Σ p·y·(x, 1) = 0, in fractions."""
    total = [Fraction(0)] * (X.shape[1] + 1)
    for row, weight in witness.items():
        side = weight if y[row] == positive else -weight
        for j, value in enumerate([*X[row], 1.0]):
            total[j] += side * Fraction(float(value))
    return len(witness) > 0 and all(weight > 0 for weight in witness.values()) and not any(total)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("names", [None, np.array(["no", "yes"])])
def test_and_and_xor(kind, names):
    label = (lambda y: y) if names is None else (lambda y: names[y])
    good = separable(kind(SQUARE), label(AND))
    assert good and good.verdict == "separable" and good.verify()["verdict"] == "separable"
    low, high = good.margin
    assert low <= np.sqrt(2) / 4 <= high and high - low <= 1e-6 * high
    assert ((SQUARE @ good.weights + good.intercept > 0) == (AND == 1)).all()
    bad = separable(kind(SQUARE), label(XOR))
    assert not bad and bad.verdict == "inseparable" and bad.verify()["verdict"] == "inseparable"
    assert cancels(SQUARE, XOR, 1, bad.witness)
    assert separable(kind(SQUARE), label(XOR), degree=2).verify()["degree"] == 2


def test_classes_that_touch():
    result = separable([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1])
    assert result.verdict == "weakly-separable" and result.contradiction == (1, 2)
    assert result.verify()["verdict"] == "weakly-separable"


def test_floats_are_the_fractions_that_they_are():
    """As decimals 0.1 + 0.2 = 0.3; as floats the middle point lies a little aside."""
    X = np.array([[0.1, 0.0], [0.2, 0.0], [0.3, 0.0]])
    result = separable(X, [0, 1, 0])
    assert cancels(X, [0, 1, 0], 1, result.witness) and result.verify()


def test_random_data_are_decided_as_a_perceptron_finds(tmp_path):
    random = np.random.RandomState(3)
    verdicts = set()
    for k in range(12):
        X = random.normal(size=(14, 5)).astype([np.float64, np.float32][k % 2])
        y = random.randint(2, size=14)
        if len(set(y)) < 2:
            continue
        result = separable(X, y)
        assert result.verify()["examples"] == 14
        verdicts.add(result.verdict)
        if result:
            clf = Perceptron(max_iter=int(result.bound) + 2, tol=None).fit(X, y)
            assert clf.stopped_ == "separated" and clf.mistakes_ <= result.bound
        else:
            assert cancels(X, y, 1, result.witness)
    assert verdicts == {"separable", "inseparable"}


def test_a_proof_is_of_its_data_and_whole():
    result = separable(SQUARE, XOR)
    assert verify(result.proof, SQUARE, XOR)["support"] == 4
    other = SQUARE.copy()
    other[0, 0] = 1e-300
    with pytest.raises(CertificateError, match="SHA-256"):
        verify(result.proof, other, XOR)
    with pytest.raises(CertificateError, match="SHA-256"):
        verify(result.proof, SQUARE, AND)
    with pytest.raises(CertificateError, match="changed"):
        verify(result.proof.replace('"inseparable"', '"separable"'), SQUARE, XOR)
    with pytest.raises(CertificateError):
        verify("{}", SQUARE, XOR)


def test_the_proof_goes_to_the_command_line(command, tmp_path):
    result = separable(SQUARE, XOR)
    result.save(tmp_path / "proof.json")
    assert json.loads((tmp_path / "proof.json").read_text()) == result.certificate
    np.save(tmp_path / "X.npy", SQUARE)
    np.save(tmp_path / "y.npy", XOR)
    said = command("verify", tmp_path / "proof.json", tmp_path / "X.npy", "--labels", tmp_path / "y.npy")
    assert "inseparable" in said
    assert verify(tmp_path / "proof.json", tmp_path / "X.npy", tmp_path / "y.npy")["verdict"] == "inseparable"


def test_files_as_they_are_written(command, tmp_path):
    """In a text 0.1, 0.2 and 0.3 are tenths, and the middle one lies between."""
    path = tmp_path / "tenths.csv"
    path.write_text("x,y\n0.1,a\n0.2,b\n0.3,a\n")
    result = separable_file(path)
    assert result.verdict == "inseparable" and set(result.witness) == {0, 1, 2}
    assert result.witness[0] == result.witness[2] and result.witness[1] == 2 * result.witness[0]
    assert result.verify()["verdict"] == "inseparable"
    theirs = tmp_path / "theirs.json"
    # It says by its exit code that they are not separable.
    done = subprocess.run([command.program, "separable", path, "--certificate", theirs], capture_output=True)
    assert done.returncode == 1 and theirs.read_text() == result.proof


def test_many_classes():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, -1.0]])
    result = separable(X, ["a", "b", "c"])
    assert result and result.certificate is None
    with pytest.raises(ValueError, match="name a `positive`"):
        result.verify()
    one = separable(X, ["a", "b", "c"], positive="b")
    assert one.verify()["positive"] == 1
    with pytest.raises(ValueError, match="z"):
        separable(X, ["a", "b", "c"], positive="z")


def test_how_it_looks_and_what_is_refused():
    result = separable(SQUARE, XOR)
    assert repr(result).splitlines()[0] == "verdict       inseparable: no hyperplane has the classes on its two sides"
    assert result._repr_html_().startswith("<table><tr><th>verdict</th><td>inseparable")
    with pytest.raises(SettingsError, match="gap=2"):
        separable(SQUARE, AND, gap=2)
    with pytest.raises(ValueError, match="inconsistent"):
        separable(SQUARE, AND[:3])
    with pytest.raises(rosenblatt.DataError, match="finite"):
        separable([[np.nan], [1.0]], [0, 1])


def test_it_gives_up_in_time():
    X, y = np.random.RandomState(0).normal(size=(300, 40)), np.arange(300) % 2
    result = separable(X, y, time_limit=0)
    assert result.verdict == "undecided" and result.certificate is None
    with pytest.raises(ValueError, match="undecided"):
        result.verify()


@pytest.mark.parametrize("scale", [1e-160, 1e-80, 1e150])
def test_a_verdict_shows_itself_whatever_the_bound(scale):
    """A bound of infinity made `repr` fail with OverflowError."""
    result = separable([[0.0], [scale], [1.0]], [0, 1, 1])
    assert repr(result).startswith("verdict       separable")
    assert "inf" not in repr(result) and len(repr(result)) < 400 and result._repr_html_()


def test_whole_numbers_are_taken_as_they_are():
    # 2**53 + 1 is not a float: rounded, the two rows were one point with two labels.
    X, y = [[2**53], [2**53 + 1]], [0, 1]
    result = separable(X, y)
    assert result.verdict == "separable" and result.contradiction is None
    assert result.certificate["reading"]["format"] == "libsvm"
    assert result.verify()["verdict"] == verify(result.proof, np.array(X), np.array(y))["verdict"] == "separable"
    with pytest.raises(CertificateError):
        verify(result.proof, [[2**53], [2**53 + 3]], y)
    huge = separable([[0, 10**40], [0, 10**40 + 1], [0, 10**40 + 2]], ["a", "b", "a"], fit_intercept=True)
    assert huge.verdict == "inseparable" and huge.verify()["examples"] == 3
    assert separable([[2**60], [2**60 + 2**10]], y).certificate["reading"]["format"] == "npy"
    with pytest.raises(ValueError, match="dense"):
        separable(sparse.csr_matrix(np.array(X)), y)


def test_a_statement_has_its_scope_and_another_reading_is_not_accepted():
    result = separable(SQUARE, XOR, degree=2)
    assert "with a bias" in repr(result)
    with pytest.raises(CertificateError, match="degree 2"):
        verify(result.proof, SQUARE, XOR)
    proved = verify(result.proof, SQUARE, XOR, reading_as_certified=True)
    assert proved["departures"] and "4 of 4" in proved["statement"]
    assert verify(separable(SQUARE, XOR).proof, SQUARE, XOR)["departures"] == []
