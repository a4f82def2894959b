"""The tagger by the names of sklearn-crfsuite's estimator."""

from types import SimpleNamespace

import numpy as np

from rosenblatt import PerceptronTagger


class CRF(PerceptronTagger):
    """Every algorithm is the structured perceptron, with the mean of its weights for `ap` and the last for the others;
    predictions are an array, as theirs are."""

    def __init__(self, algorithm=None, *, verbose=0, max_iter=100, model_filename=None):
        super().__init__(verbose=verbose, max_iter=max_iter, averaged=algorithm == "ap")
        self.algorithm = algorithm
        self.model_filename = model_filename

    @property
    def tagger_(self):
        return SimpleNamespace(labels=lambda: self.classes_)

    def predict(self, X):
        return np.array(list(super().predict(X)))
