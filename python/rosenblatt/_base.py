"""The base class of all estimators: scikit-learn's contract on top of the native module."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from ._arrays import DTYPES, canonical, classes_of, names_of
from ._callbacks import CallbackSupport, Passes, with_callbacks
from ._fields import Fields, Help
from ._files import FileMethods
from ._rosenblatt import OnlineTrainer, Model, Paused, SettingsError, Trainer


class BaseClassifier(FileMethods, CallbackSupport, ClassifierMixin, Fields, BaseEstimator):
    """Fits, predicts, continues with batches, saves. A subclass names a learner of the registry and its parameters."""

    _learner = "averaged"

    max_iter: Annotated[int, Help("At most this many passes; training stops early after a pass without a mistake.")] = 10
    tol: Annotated[
        float | None,
        Help(
            "Stop after `n_iter_no_change` passes in a row without a share of mistakes that is lower than the best before "
            "by more than this. None: never."
        ),
    ] = None
    n_iter_no_change: Annotated[int, Help("How many passes to wait, for `tol` and `early_stopping`.")] = 5
    early_stopping: Annotated[
        bool,
        Help("Hold out a part of the data, stop when its error no longer decreases, and keep the best pass."),
    ] = False
    validation_fraction: Annotated[float, Help("The share of each class to hold out.")] = 0.1
    shuffle: Annotated[
        bool,
        Help(
            "Shuffle the rows in every pass (in `partial_fit`: in every batch). False: in the given order; then batches "
            "give the same model as one pass over all of them, bit for bit."
        ),
    ] = True
    random_state: Annotated[
        int | np.random.RandomState | None,
        Help("The seed; a whole number gives the same model as on the command line. None draws one."),
    ] = 0
    fit_intercept: Annotated[bool, Help("Whether to learn a bias.")] = True
    intercept_scaling: Annotated[
        float,
        Help(
            "The constant input of the bias: the bias learns more slowly with a smaller one. 0.1 suits texts and other "
            "rows of length about 1."
        ),
    ] = 1.0
    multiclass: Annotated[
        str,
        Help(
            "More than two classes: 'single' (one joint classifier, which updates against the highest-scoring wrong class), "
            "'uniform' (against all that outscore the true one), or 'one-vs-rest'."
        ),
    ] = "single"
    class_weight: Annotated[
        dict[Any, float] | str | None,
        Help("Class weights: {class: weight}, or 'balanced', in `partial_fit` by the counts so far."),
    ] = None
    warm_start: Annotated[bool, Help("Start from the weights of the last fit.")] = False
    verbose: Annotated[int, Help("Print a line after every pass.")] = 0

    # Arguments of the native module.

    def _keep(self) -> str | None:
        """Which weights are kept; None: the learner's default."""
        return None

    def _kernel(self, X: Any) -> dict[str, Any]:
        return {}

    def _trainer(self, X: Any, epochs: int, classes: Any = None) -> Trainer:
        weight = self.class_weight
        if isinstance(weight, str) and weight != "balanced":
            raise SettingsError(f"class_weight={weight!r}: expected a dict, 'balanced' or None")
        if isinstance(self.random_state, (int, np.integer)):
            seed = int(self.random_state)
        else:
            seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        if seed < 0 or epochs < 1:
            raise SettingsError(f"random_state={seed}, max_iter={epochs}: expected a seed of at least 0 and at least one pass")
        return Trainer(
            self._learner_name(),
            params=self._settings(),
            keep=self._keep(),
            multiclass=self.multiclass,
            bias=float(self.intercept_scaling) if self.fit_intercept else 0.0,
            epochs=epochs,
            shuffle=bool(self.shuffle),
            seed=seed,
            balanced=isinstance(weight, str),
            class_weight=(
                dict(zip(names_of(weight, classes), map(float, weight.values()))) if isinstance(weight, dict) else None
            ),
            **self._kernel(X),
        )

    def _feature_names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None or len(set(names)) < len(names) else list(names)

    # Training.

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BaseClassifier:
        """Trains on all rows, in up to `max_iter` passes; rows of weight zero are skipped."""
        before = self._fitted_model() if self.warm_start and hasattr(self, "classes_") else None
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=DTYPES, order="C", ensure_all_finite=False)
        X = canonical(X)
        classes = _classes(y)
        if len(classes) < 2:
            raise ValueError(f"y has one class only, {classes[0]!r}: at least two are needed")
        weights = _weights(sample_weight, X)
        trainer = self._trainer(X, self.max_iter, classes)
        names = names_of(classes)
        if before is not None and (before.labels, before.features) != (names, X.shape[1]):
            raise ValueError("warm_start: the classes or the features differ from those of the last fit")
        codes = _codes(classes, y)
        passes = Passes(self, X, y, sample_weight, classes)
        X, codes, weights, held = self._hold_back(X, codes, weights)
        with passes:
            model, report, paused = trainer.fit(
                X,
                codes,
                names,
                names=self._feature_names(),
                weights=weights,
                held=held,
                patience=self.n_iter_no_change,
                tolerance=None if self.early_stopping else self.tol,
                start=before,
                pass_ended=passes.ended if passes.wanted else None,
                look=passes.look,
            )
        self._model: Model | None = model
        self._paused: Paused | None = paused
        self._online: OnlineTrainer | None = None
        self.classes_ = classes
        self._set_report(report)
        return self

    def _hold_back(self, X: Any, codes: Any, weights: Any) -> tuple[Any, Any, Any, Any]:
        """Splits the rows into training rows and those for early stopping."""
        if not self.early_stopping:
            return X, codes, weights, None
        from sklearn.model_selection import StratifiedShuffleSplit

        split = StratifiedShuffleSplit(test_size=self.validation_fraction, random_state=self.random_state)
        rest, some = next(split.split(np.zeros((len(codes), 1)), codes))
        return X[rest], codes[rest], None if weights is None else weights[rest], (X[some], codes[some])

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> BaseClassifier:
        """Trains on one more batch, once. All batches together are one pass.

        New classes may appear at any time. If `classes` names all of them in the first call, their order of appearance
        does not matter.
        """
        first = not hasattr(self, "classes_")
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=DTYPES, order="C", ensure_all_finite=False, reset=first
        )
        X = canonical(X)
        weights = _weights(sample_weight, X, some=False)
        known = [] if first else [self.classes_]
        named = np.unique(np.concatenate([*known, _classes(y), *([] if classes is None else [np.unique(classes)])]))
        if len(named) < 2:
            raise ValueError(f"y has one class only so far, {named[0]!r}: name all of them with `classes`")
        online = None if first else self._online
        if online is None:
            online = self._online_trainer(self._trainer(X, 1, named), named if first else self.classes_, X.shape[1], first)
        if not first and len(named) > len(self.classes_):
            online.admit(names_of(named))
        self.classes_, self._online, self._paused, self._model = named, online, None, None
        online.learn(X, _codes(named, y), weights)
        history = online.mistakes_by_epoch
        self._set_report({"mistakes_by_epoch": history, "margin": float("nan"), "stopped": "max-epochs"})
        return self

    def _online_trainer(self, trainer: Trainer, classes: Any, features: int, first: bool) -> OnlineTrainer:
        """A trainer for batches: it continues after `fit`, starts from the weights of a file, or at zero."""
        if not first and self._paused is not None:
            return self._paused.resume(trainer)
        start = None if first else self._model
        return OnlineTrainer(trainer, names_of(classes), features, names=self._feature_names(), start=start)

    def _fitted_model(self) -> Model:
        """The model; after a batch it is built on demand."""
        if self._model is None:
            assert self._online is not None
            self._model = self._online.model()
        return self._model

    def _set_report(self, report: dict[str, Any]) -> None:
        """Sets the attributes that describe the training."""
        self.__dict__.pop("_weights", None)
        self.n_iter_ = max(1, len(report["mistakes_by_epoch"]))
        self.mistakes_ = sum(report["mistakes_by_epoch"])
        self.margin_ = report["margin"]
        self.stopped_ = report["stopped"]
        self.history_ = {"mistakes": list(report["mistakes_by_epoch"])}
        if "validation_error_by_epoch" in report:
            self.history_["validation_error"] = list(report["validation_error_by_epoch"])

    # Prediction.

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return canonical(
            validate_data(
                self, X, accept_sparse="csr", dtype=DTYPES, order="C", ensure_all_finite=False, reset=False
            )
        )

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        X = self._rows(X)
        return self.classes_[self._fitted_model().classify(X)]

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores of each row: one for two classes (positive: the second), else one for each class."""
        X = self._rows(X)
        scores = self._fitted_model().scores(X)
        return scores.ravel() if scores.shape[1] == 1 else scores

    @property
    def coef_(self) -> np.ndarray:
        """The weights: one row for two classes, else one for each class."""
        return self._hyperplane()[0]

    @property
    def intercept_(self) -> np.ndarray:
        """The bias of each row of `coef_`."""
        return self._hyperplane()[1]

    def _hyperplane(self) -> tuple[np.ndarray, np.ndarray]:
        if "classes_" not in self.__dict__:
            raise AttributeError(f"this {type(self).__name__} has not been fitted yet")
        if "_weights" not in self.__dict__:
            self._weights = self._fitted_model().weights()
        if self._weights is None:
            raise AttributeError("a kernel machine has no weights in the space of the features")
        return self._weights

    # Files.

    def save(self, path: Any) -> None:
        """Writes the model, for `rosenblatt.load` and the command line; as JSON if the name ends in .json."""
        check_is_fitted(self)
        self._fitted_model().save(path)

    def _take(self, model: Model) -> None:
        """Takes over a model from a file, and the settings that the file records."""
        facts = model.facts
        self._set_from(facts)
        self._model, self._online, self._paused = model, None, None
        self.classes_ = classes_of(model.labels)
        self.n_features_in_ = model.features
        if model.names is not None:
            self.feature_names_in_ = np.array(model.names, dtype=object)
        self._set_report({**facts, "margin": float("nan")})

    def _set_from(self, facts: dict[str, Any]) -> None:
        for name, setting in self._set_by().items():
            if setting in facts["params"]:
                text = facts["params"][setting]
                setattr(self, name, text if isinstance(getattr(self, name), str) else float(text))
        self.max_iter = max(1, len(facts["mistakes_by_epoch"]))
        self.fit_intercept = facts["bias"] > 0
        self.intercept_scaling = facts["bias"] or 1.0
        self.multiclass = facts["multiclass"]
        self.shuffle = facts["order"] == "shuffled"
        self.random_state = facts["seed"] or 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _classes(y: np.ndarray) -> np.ndarray:
    """The sorted classes; continuous targets are refused."""
    if y.dtype.kind not in "biuUS":
        check_classification_targets(y)
    return np.unique(y)


def _codes(classes: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The index of each label among the classes."""
    codes = y == classes[1] if len(classes) == 2 else np.searchsorted(classes, y)
    return codes.astype(np.uint32)


def _weights(sample_weight: Any, X: Any, some: bool = True) -> np.ndarray | None:
    """The checked weights of the rows; `some`: at least one must be positive."""
    if sample_weight is None:
        return None
    if not some and not np.any(sample_weight):
        return np.zeros(len(_check_sample_weight(np.ones_like(sample_weight), X, dtype=np.float64)))
    return np.ascontiguousarray(_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))
