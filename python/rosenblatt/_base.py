"""The base class of all estimators: scikit-learn's contract on top of the native module."""

from __future__ import annotations

import time
import zlib
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ._answers import Answers, report_of
from ._arrays import DTYPES, canonical, check_finite, classes_of, has_unit_rows, is_plain, is_plain_target, names_of
from ._callbacks import Passes
from ._fields import REGISTRY, Among, Fields, Help, Within
from ._files import FileMethods
from ._frames import has_words, is_frame, tabled
from ._hyperplane import Hyperplane
from ._notes import warn
from ._rosenblatt import Model, OnlineTrainer, Paused, SettingsError, Trainer, canonical_labels
from ._sklearn import BaseEstimator, CallbackSupport, ClassifierMixin, with_callbacks
from ._targets import (
    are_known,
    classes_in,
    classes_named,
    codes_of,
    joined,
    named_weights,
    only_one,
    row_weights,
    target_of,
    two_parts,
    without_gaps,
)

if TYPE_CHECKING:
    from typing_extensions import Self


class BaseClassifier(Answers, FileMethods, Hyperplane, CallbackSupport, ClassifierMixin, Fields, BaseEstimator):
    """Fits, predicts, continues with batches, saves. A subclass names a learner of the registry and its parameters."""

    _learner = "averaged"

    max_iter: Annotated[int, Help("At most this many passes; training stops early after a pass without a mistake."), Within(1)] = 10
    tol: Annotated[
        float | None,
        Help(
            "Stop after `n_iter_no_change` passes in a row without a share of mistakes that is lower than the best before "
            "by more than this. None: never."
        ),
        Within(0),
    ] = None
    n_iter_no_change: Annotated[int, Help("How many passes to wait, for `tol` and `early_stopping`."), Within(1)] = 5
    early_stopping: Annotated[
        bool,
        Help("Hold out a part of the data, stop when its error no longer decreases, and keep the best pass."),
    ] = False
    validation_fraction: Annotated[float, Help("The share of each class to hold out."), Within(0, 1, open=True)] = 0.1
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
        float | str,
        Help(
            "The constant input of the bias: the bias learns more slowly with a smaller one. 'auto': 0.1 if there are more "
            "than 100 features and the first rows have length 1, as texts often do, else 1; files are learned from with 1."
        ),
        Within(0, open=True),
    ] = "auto"
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
    stop: Annotated[
        str,
        Help(
            "Which weights have to separate the rows before training stops: 'last', or 'kept', those that answer, too. The "
            "mean of all weights and the vote may err where the last weights do not."
        ),
    ] = "last"
    calibrate: Annotated[
        bool,
        Help("Learn probabilities in `fit`, from the scores of five models that each leave out a fifth of the rows."),
    ] = False
    warm_start: Annotated[bool, Help("Start from the weights of the last fit.")] = False
    coef_dtype: Annotated[
        str,
        Help("The type of `coef_`, 'float64' or 'float32'; it trains with 64 bits."),
        Among(("float64", "float32")),
    ] = "float64"
    verbose: Annotated[int, Help("Print a line after every pass."), Within(0)] = 0

    _attributes = {
        "classes_": "the sorted classes",
        "coef_": "the weights: one row for two classes, else one for each class",
        "intercept_": "the bias of each row of `coef_`",
        "n_iter_": "passes made",
        "t_": "examples presented, and one",
        "mistakes_": "wrong predictions before a step, in all passes",
        "margin_": "the least geometric margin of the rows; negative if one of them is on the wrong side",
        "stopped_": "why training stopped: 'separated' (by the last weights), 'max-epochs', 'no-progress' or 'small-step'",
        "history_": "for each pass its mistakes, and with `early_stopping` the error on the rows held out",
        "report_": "all that is known of the training, a `Report`; not after `partial_fit`, nor of a loaded model",
        "n_features_in_": "the number of features",
        "feature_names_in_": "their names, if they have any",
    }

    # Arguments of the native module.

    def _keep(self) -> str | None:
        """Which weights are kept; None: the learner's default."""
        return None

    def _kernel(self, X: Any) -> dict[str, Any]:
        return {}

    def _bias(self, X: Any) -> float:
        """The constant input of the bias; 0: there is none."""
        if not self.fit_intercept:
            return 0.0
        if self.intercept_scaling != "auto":
            if isinstance(self.intercept_scaling, str):
                raise SettingsError(f"intercept_scaling={self.intercept_scaling!r}: expected a number or 'auto'")
            return float(self.intercept_scaling)
        return 0.1 if X is not None and has_unit_rows(X) else 1.0

    def _trainer(
        self, X: Any, epochs: int, classes: Any = None, bias: float | None = None, all_classes: bool = False
    ) -> Trainer:
        """`bias` is its constant input, if known; `all_classes`: there will be no others. Without X it is for a table or file."""
        self._check()
        weight = self.class_weight
        if isinstance(weight, str) and weight != "balanced":
            raise SettingsError(f"class_weight={weight!r}: expected a dict, 'balanced' or None")
        if isinstance(self.random_state, (int, np.integer)):
            seed = int(self.random_state)
        else:
            seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        if seed < 0:
            raise SettingsError(f"random_state={seed}: expected a seed of at least 0")
        settings = dict(
            params=self._settings(),
            keep=self._keep(),
            multiclass=self.multiclass,
            bias=self._bias(X) if bias is None else bias,
            epochs=epochs,
            shuffle=bool(self.shuffle),
            seed=seed,
            balanced=isinstance(weight, str),
            class_weight=named_weights(weight, classes, all_classes, X is None and all_classes) if isinstance(weight, dict) else None,
            stop=self.stop,
            **self._kernel(X),
        )
        try:
            return Trainer(self._learner_name(), **settings)
        except SettingsError as error:
            raise self._in_fields(error) from None

    def _feature_names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None or len(set(names)) < len(names) else list(names)

    # Training.

    @with_callbacks
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, coef_init: Any = None, intercept_init: Any = None
    ) -> Self:
        """Trains on all rows, in up to `max_iter` passes; rows of weight zero are skipped.

        X is an array, a sparse matrix, a data frame or a table of Arrow. Texts and categories in it are prepared as
        `fit_dataframe` says.

        `coef_init` and `intercept_init` are the weights to start from; without them it starts at zero.
        """
        X = tabled(X)
        if has_words(X):
            if coef_init is not None or intercept_init is not None:
                raise ValueError("coef_init: a table with texts or categories has no features before it is read")
            return self.fit_dataframe(X, y, sample_weight)
        before = self._fitted_model() if self.warm_start and self.__sklearn_is_fitted__() else None
        y = without_gaps(y)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=DTYPES, order="C", ensure_all_finite=False)
        X = canonical(X)
        classes = classes_in(y)
        if len(classes) < 2:
            raise ValueError(f"{only_one(classes)}: at least two are needed")
        weights = row_weights(sample_weight, X, some=not self.early_stopping)
        if before is not None and np.array_equal(np.sort(self.classes_), classes):
            # A file may have them in another order.
            classes = self.classes_
        begun = self._start(classes, X.shape[1], coef_init, intercept_init)
        if before is not None and begun is not None:
            raise ValueError("warm_start and coef_init: there are two starts, leave out one")
        bias = None if before is None else before.facts["bias"]
        trainer = self._trainer(X, self.max_iter, classes, bias, all_classes=True)
        names = names_of(classes)
        if self.calibrate and before is not None:
            raise SettingsError("calibrate=True needs a start at zero: leave out warm_start")
        if before is not None and (
            canonical_labels(before.labels) != canonical_labels(names) or before.features != X.shape[1]
        ):
            raise ValueError("warm_start: the classes or the features differ from those of the last fit")
        codes = codes_of(classes, y)
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
                start_at=begun,
                calibrated=bool(self.calibrate),
                pass_ended=passes.ended if passes.wanted else None,
                look=passes.look,
            )
        self._model, self._paused, self._online = model, paused, None
        self.classes_ = classes
        self.__dict__.pop("_sparse", None)
        self._set_report(report)
        self._warn(report, weights)
        return self

    def _start(self, classes: np.ndarray, features: int, coef: Any, intercept: Any) -> tuple[Any, Any] | None:
        """The given start, in the shapes of `coef_` and `intercept_`."""
        if coef is None and intercept is None:
            return None
        outputs = 1 if len(classes) == 2 else len(classes)
        parts = []
        for name, given, shape in (("coef_init", coef, (outputs, features)), ("intercept_init", intercept, (outputs,))):
            part = np.zeros(shape) if given is None else np.require(given, np.float64, ["C", "A"])
            if part.size != np.prod(shape):
                raise ValueError(f"Provided {name} does not match dataset: it has shape {part.shape}, expected {shape}")
            parts.append(part.reshape(shape))
        return parts[0], parts[1]

    def _warn(self, report: dict[str, Any], weights: np.ndarray | None) -> None:
        """Warns where training did not reach its end, as scikit-learn does, and where what answers does not separate."""
        kept = self._keep() or REGISTRY[self._learner_name()]["keep"]
        by_class = self.class_weight.values() if isinstance(self.class_weight, dict) else ()
        # Rows of weight zero count as errors, too, but nothing was to separate them.
        error = report["train_error"] if (weights is None or weights.all()) and all(by_class) else 0.0
        if self.tol is not None and report["stopped"] == "max-epochs":
            message = "Maximum number of iteration reached before convergence. Consider increasing max_iter to improve the fit."
        elif report["stopped"] == "separated" and kept != "last" and error > 0:
            message = (
                f"the last weights separate the rows, but the {kept} that answers is wrong on {error:.2%} of them: "
                "stop='kept' trains on until it is not"
            )
        else:
            return
        warn(message, ConvergenceWarning)

    def _hold_back(self, X: Any, codes: Any, weights: Any) -> tuple[Any, Any, Any, Any]:
        """Splits the rows into training rows and those for early stopping."""
        if not self.early_stopping:
            return X, codes, weights, None
        # An error names a row of X, not of the part of it that is learned from.
        check_finite(X)
        rest, some = two_parts(codes, weights, self.validation_fraction, self.random_state)
        if not self.shuffle:
            rest = np.sort(rest)
        return X[rest], codes[rest], None if weights is None else weights[rest], (X[some], codes[some])

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Trains on one more batch, once. All batches together are one pass.

        New classes may appear at any time. If `classes` names all of them in the first call, their order of appearance
        does not matter.
        """
        first = not self.__sklearn_is_fitted__()
        if first and self.early_stopping:
            raise ValueError("early_stopping should be False with partial_fit, unless fit comes first: a batch holds out no rows")
        if first and has_words(X := tabled(X)):
            raise ValueError("a table with texts or categories begins with fit, which finds its columns; then partial_fit")
        if not first and self._is_table(X := self._tabled(X)):
            X = self._table_rows(self._fitted_model(), X)
            y = target_of(y, X.shape[0])
        elif not (self._is_plain(X) and is_plain_target(y, X)):
            X, y = validate_data(
                self, X, without_gaps(y), accept_sparse="csr", dtype=DTYPES, order="C", ensure_all_finite=False, reset=first
            )
            X = canonical(X)
        weights = row_weights(sample_weight, X, some=False)
        if first or classes is not None or not are_known(self.classes_, y):
            known = [self.classes_] if "classes_" in self.__dict__ else []
            named = joined([*known, *([] if classes is None else [classes_named(classes)]), classes_in(y)])
            if known and len(named) == len(self.classes_):
                # The same ones, which a file may have in another order.
                named = self.classes_
        else:
            named = self.classes_
        if len(named) < 2:
            raise ValueError(f"{only_one(named)} so far: name all of them with `classes`")
        online = None if first else self._online
        if online is None:
            bias = None if first or self._model is None else self._model.facts["bias"]
            trainer = self._trainer(X, 1, named, bias)
            online = self._online_trainer(trainer, named if first else self.classes_, X.shape[1], first)
        if not first and len(named) > len(self.classes_):
            # Those of a table may have other names than those of an array.
            given = dict(zip(self.classes_.tolist(), self._fitted_model().labels))
            online.admit([given.get(one, name) for one, name in zip(named.tolist(), names_of(named))])
            self.classes_ = named
        self.classes_, self._online, self._paused, self._model = named, online, None, None
        online.learn(X, codes_of(named, y), weights)
        history, presented = online.mistakes_by_epoch, online.presented
        self._set_report(
            {"mistakes_by_epoch": history, "presented": presented, "margin": float("nan"), "stopped": "max-epochs"}
        )
        return self

    def _online_trainer(self, trainer: Trainer, classes: Any, features: int, first: bool) -> OnlineTrainer:
        """A trainer for batches: it continues after `fit`, starts from the weights of a file, or at zero."""
        if not first and self._paused is not None:
            return self._paused.resume(trainer)
        start = None if first else self._model
        labels = names_of(classes) if start is None else start.labels
        return OnlineTrainer(trainer, labels, features, names=self._feature_names(), start=start)

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None or self._online is not None

    def _fitted_model(self) -> Model:
        """The model; after a batch it is built on demand."""
        # Another thread may be training: a local name is the same in both lines.
        online = self._online
        if online is not None:
            return online.model()
        assert self._model is not None
        return self._model

    def _set_report(self, report: dict[str, Any]) -> None:
        """Sets the attributes that describe the training."""
        self.__dict__.pop("_weights", None)
        self.__dict__.pop("report_", None)
        whole = report_of(report)
        if whole is not None:
            self.report_ = whole
        self.n_iter_ = max(1, len(report["mistakes_by_epoch"]))
        self.mistakes_ = sum(report["mistakes_by_epoch"])
        self.margin_ = report["margin"]
        self.stopped_ = report["stopped"]
        self.t_ = float(report["presented"] + 1)
        self.history_ = {"mistakes": list(report["mistakes_by_epoch"])}
        if "validation_error_by_epoch" in report:
            self.history_["validation_error"] = list(report["validation_error_by_epoch"])

    # Prediction.

    def _is_plain(self, X: Any) -> bool:
        """Whether X needs no conversion and has the features of the fit: then scikit-learn's checks, which take longer
        than the prediction of a row, would find nothing."""
        return (
            "feature_names_in_" not in self.__dict__
            and is_plain(X)
            and X.shape[1] == self.__dict__.get("n_features_in_")
        )

    def _is_table(self, X: Any) -> bool:
        """Whether X is a data frame, and the model reads tables with texts or categories."""
        return is_frame(X) and self._fitted_model().columns is not None

    def _rows(self, X: Any) -> Any:
        if self.__sklearn_is_fitted__() and self._is_plain(X):
            return X
        check_is_fitted(self)
        if self._is_table(X := self._tabled(X)):
            return self._table_rows(self._fitted_model(), X)
        return canonical(
            validate_data(
                self, X, accept_sparse="csr", dtype=DTYPES, order="C", ensure_all_finite=False, reset=False
            )
        )

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        X = self._rows(X)
        for _ in range(100):
            # Another thread may be adding classes: then those and the answers do not belong together for a moment.
            online, classes = self._online, self.classes_
            if online is None:
                return classes[self._fitted_model().classify(X)]
            answers, known = online.classify(X)
            if known == len(classes):
                break
            time.sleep(0.001)
        return classes[answers]

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores of each row: one for two classes (positive: the second), else one for each class."""
        X = self._rows(X)
        scores = (self._online or self._fitted_model()).scores(X)
        return scores.ravel() if scores.shape[1] == 1 else scores

    def __getstate__(self) -> Any:
        # The weights are in the model: a copy of them need not be pickled. Objects of the native module become plain bytes
        # and lists, which skops stores, too.
        # It is copied first, in one step: another thread may be training.
        whole: Any = super().__getstate__()
        state = dict(whole)
        state.pop("_weights", None)
        model, paused = state.get("_model"), state.get("_paused")
        bare = None if model is None or paused is None else paused.without_weights(model)
        for name in _NATIVE.keys() & state.keys():
            if state[name] is not None:
                state[name] = list(state[name].__reduce__()[1])
        if bare is not None:
            # The end of the training has the weights, too: once is enough.
            state["_model"], state["_bare_model"] = None, zlib.compress(bare.to_bytes())
        return state

    def __setstate__(self, state: Any) -> None:
        state = dict(state)
        for name, restore in _NATIVE.items():
            if isinstance(state.get(name), list):
                state[name] = restore(*state[name])
        bare = state.pop("_bare_model", None)
        if bare is not None:
            state["_model"] = state["_paused"].with_weights(Model.from_bytes(zlib.decompress(bare)))
        super().__setstate__(state)

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
        self.calibrate = model.is_calibrated

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


#: Attributes of the native module, and what restores them from their pickled arguments.
_NATIVE: dict[str, Any] = {
    "_model": Model.from_bytes,
    "_paused": Paused.from_bytes,
    "_online": lambda state: OnlineTrainer.resumed(tuple(state)),
}
