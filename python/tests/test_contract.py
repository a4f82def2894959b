"""scikit-learn's own checks, for every estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt
from rosenblatt._base import BaseClassifier

ESTIMATORS = [
    cls() for cls in vars(rosenblatt).values() if isinstance(cls, type) and issubclass(cls, BaseClassifier)
]

# Two small steps are not one large one, in no learner that takes one example at a time: scikit-learn expects the same of
# its own Perceptron and SGDClassifier. The batch perceptron looks at all examples first, and passes.
TWICE = "an example of weight 2 moves the weights once, by twice as much; the same example twice moves them twice"
# The check gives one class ten million times the weight of the others. ALMA brings its weights back to length 1 after
# every step, so that after a step of length 1000 nothing is left of what was learned before.
UNIT_BALL = "a step that is long against 1 makes ALMA forget all before it"


def expected_failures(estimator):
    expected = {}
    if not isinstance(estimator, rosenblatt.BatchPerceptron):
        expected["check_sample_weight_equivalence_on_dense_data"] = TWICE
        expected["check_sample_weight_equivalence_on_sparse_data"] = TWICE
    if isinstance(estimator, rosenblatt.ALMA):
        expected["check_class_weight_classifiers"] = UNIT_BALL
    return expected


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures, xfail_strict=True)
def test_scikit_learn(estimator, check):
    check(estimator)
