"""Other projects' own tests, run with the classes of this package.

Suites come from the package index: scikit-learn's are in its wheel, river's checks in its package, sklearn-crfsuite's tests
in its source distribution. Fast ones always run; ROSENBLATT_OTHERS=all adds those that take longer or need more packages.
Each test that may fail is listed with the reason, and must fail: the lists are exact.
"""

import importlib.util
import os
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ALL = os.environ.get("ROSENBLATT_OTHERS") == "all"
longer = pytest.mark.skipif(not ALL, reason="takes longer, or needs other packages: ROSENBLATT_OTHERS=all runs it")


def outcomes(tmp_path, *arguments, patch=""):
    """Runs pytest in a process of its own: whether each test passed, by name; skipped ones are left out."""
    report = tmp_path / "report.xml"
    environment = {**os.environ, "ROSENBLATT_PATCH": patch, "PYTHONPATH": str(HERE)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "patched", "-p", "no:cacheprovider", f"--junitxml={report}"]
    done = subprocess.run([*command, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = {}
    for case in xml.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        if "skipped" not in kinds:
            found[case.get("name")] = not kinds & {"failure", "error"}
    assert found, done.stdout
    return found


def failed(found):
    return {name for name, passed in found.items() if not passed}


def test_scikit_learns_perceptron(tmp_path):
    """All of them."""
    found = outcomes(
        tmp_path, "--pyargs", "sklearn.linear_model.tests.test_perceptron", patch="Perceptron=rosenblatt:Perceptron"
    )
    assert failed(found) == set()
    assert len(found) >= 6


PRIVATE = "looks for the private name _average_coef"
BIAS = "the bias is a coordinate of the row and counts in its length, as in the paper's problem, dense or sparse"
CONTAINERS = ("None", "csr_matrix", "csr_array")
PASSIVE_AGGRESSIVE = {
    **{f"test_classifier_accuracy[{one}-{bias}-True]": PRIVATE for one in CONTAINERS for bias in (True, False)},
    **{f"test_classifier_partial_fit[{one}-True]": PRIVATE for one in CONTAINERS},
    **{f"test_classifier_correctness[{loss}-{one}]": BIAS for loss in ("hinge", "squared_hinge") for one in CONTAINERS},
    "test_partial_fit_weight_class_balanced": "balanced weights in partial_fit are no error: they count what came so far",
    "test_class_deprecation[PassiveAggressiveClassifier]": "scikit-learn removes its class; ours stays",
}
#: Regression is another class; of these, SGD's learning rates are compared with scikit-learn's own class.
NOT_OURS = "not regressor and not Regressor and not vs_sgd"


def test_scikit_learns_passive_aggressive(tmp_path):
    suite = "sklearn.linear_model.tests.test_passive_aggressive"
    patch = "PassiveAggressiveClassifier=rosenblatt:PassiveAggressiveClassifier"
    found = outcomes(tmp_path, "--pyargs", suite, "-k", NOT_OURS, patch=patch)
    assert failed(found) == set(PASSIVE_AGGRESSIVE)
    assert len(found) >= 20


BOTH = ("SGDClassifier", "SparseSGDClassifier")
SGD = {
    "test_validation_mask_correctly_subsets": "replaces a private function of scikit-learn",
    **{
        f"{name}[{one}]": reason
        for one in BOTH
        for name, reason in {
            "test_partial_fit_weight_class_balanced": "balanced weights count what came so far",
            "test_partial_fit_exception": "classes may appear at any time, and need not be named first",
            "test_sgd_multiclass": "classes share one machine, which answers one point in three otherwise",
            "test_sgd_multiclass_with_init_coef": "classes share one machine",
            "test_sgd_multiclass_njobs": "classes share one machine",
            "test_sgd_l1": "alpha=0.2 takes a step back within a pass, so that no weights last, in scikit-learn either: which "
            "ones the pass ends with depends on whether an example shrinks them before its step or after",
        }.items()
    },
    **{f"test_sgd_dtype_match[float32-{one}]": "coef_ is float64 unless coef_dtype says otherwise" for one in BOTH},
}


@longer
def test_scikit_learns_sgd_where_its_perceptron_passes(tmp_path):
    """The tests of SGDClassifier with a Perceptron in its place: what scikit-learn's own passes, ours passes, too."""
    arguments = ("--pyargs", "sklearn.linear_model.tests.test_sgd", "-k", "not egressor and not OneClass and not ocsvm")
    (tmp_path / "theirs").mkdir()
    theirs = outcomes(
        tmp_path / "theirs", *arguments, patch="SGDClassifier=sklearn.linear_model._perceptron:Perceptron"
    )
    ours = outcomes(tmp_path, *arguments, patch="SGDClassifier=rosenblatt:Perceptron")
    passed = {name for name, passed in theirs.items() if passed}
    assert len(passed) > 50
    assert failed(ours) & passed == set(SGD)


def river_checks():
    """Every check of river for every classifier; none if river is not here."""
    if not ALL or importlib.util.find_spec("river") is None:
        return
    from river import checks

    import rosenblatt.river

    for name in rosenblatt.river.__all__:
        if name != "DictClassifier":
            cls = getattr(rosenblatt.river, name)
            for check in checks.yield_checks(cls()):
                yield pytest.param(cls, check, id=f"{name}-{check.__name__}")


@longer
@pytest.mark.parametrize("cls, check", list(river_checks()))
def test_rivers_checks(cls, check):
    check(cls())


NO_SUCH = "a name of CRFsuite's own tagger or model file"
SHORT = "the mean of the few passes up to the first without a mistake gets 8 of 10 tags, where more than 8 are wanted"
CRFSUITE = {
    "test_crf_score[ap]": SHORT,
    "test_crf_pickling[ap]": SHORT,
    "test_crf_model_filename": NO_SUCH,
    "test_attributes": NO_SUCH,
}


@longer
def test_sklearn_crfsuites_tests(tmp_path):
    """From its source distribution: the tests of its estimator, with the tagger in the place of CRF."""
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", str(tmp_path)]
    got = subprocess.run([*pip, "sklearn-crfsuite"], capture_output=True, text=True)
    archives = list(tmp_path.glob("*.tar.gz"))
    if not archives:
        pytest.skip(f"no source distribution of sklearn-crfsuite: {got.stderr[-200:]}")
    with tarfile.open(archives[0]) as archive:
        archive.extractall(tmp_path, filter="data")
    suite = next(tmp_path.glob("*/tests/test_crf.py"))
    # Its distribution leaves out the file with the fixtures.
    (suite.parent / "conftest.py").write_text((HERE / "crfsuite_fixtures.py").read_text())
    found = outcomes(tmp_path, str(suite), patch="CRF=crfsuite_shim:CRF")
    assert failed(found) == set(CRFSUITE)
    assert len(found) > 30
