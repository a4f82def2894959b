"""The tagger by the names of sklearn-crfsuite's estimator."""

import numpy as np

from rosenblatt import PerceptronTagger


class CRF(PerceptronTagger):
    """Every algorithm is the structured perceptron; predictions are an array, as theirs are."""

    def __init__(self, algorithm=None, *, verbose=0, max_iter=100, model_filename=None):
        super().__init__(verbose=verbose, max_iter=max_iter)
        self.algorithm = algorithm
        self.model_filename = model_filename

    def predict(self, X):
        return np.array(list(super().predict(X)))
