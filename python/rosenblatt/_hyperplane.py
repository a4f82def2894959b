"""`coef_` and `intercept_`: read from the model, and set by the user, as federated learning does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from ._arrays import names_of
from ._rosenblatt import Model, OnlineTrainer, Paused

if TYPE_CHECKING:
    from ._rosenblatt import Trainer


class Hyperplane:
    """What was learned, and its weights."""

    #: A model, or after a batch a trainer that makes one; and the end of `fit`, to continue from.
    _model: Model | None = None
    _online: OnlineTrainer | None = None
    _paused: Paused | None = None

    if TYPE_CHECKING:
        # Attributes of an estimator.
        classes_: np.ndarray
        n_features_in_: int
        coef_dtype: str

        def __sklearn_is_fitted__(self) -> bool: ...
        def _fitted_model(self) -> Model: ...
        def _trainer(
            self, X: Any, epochs: int, classes: Any = None, bias: float | None = None, all_classes: bool = False
        ) -> Trainer: ...
        def _set_report(self, report: dict[str, Any]) -> None: ...

    @property
    def coef_(self) -> np.ndarray:
        """The weights: one row for two classes, else one for each class. Assign an array to predict with other weights;
        the array itself is read-only. Before `fit`, assign `classes_` first."""
        weights = self._hyperplane()[0]
        if "_sparse" not in self.__dict__:
            return weights
        return sparse.csr_matrix(weights)

    @coef_.setter
    def coef_(self, weights: Any) -> None:
        weights = weights.toarray() if sparse.issparse(weights) else weights
        weights = np.require(weights, np.float64, ["C", "A"])
        if not self.__sklearn_is_fitted__():
            self._begin_at_zero(weights)
        self._set_hyperplane(weights, self.intercept_)

    @property
    def intercept_(self) -> np.ndarray:
        """The bias of each row of `coef_`; can be assigned, too."""
        return self._hyperplane()[1]

    @intercept_.setter
    def intercept_(self, bias: Any) -> None:
        self._set_hyperplane(np.require(self._hyperplane()[0], np.float64, ["C", "A"]), bias)

    def _begin_at_zero(self, weights: np.ndarray) -> None:
        """A model that has learned nothing, for weights of this shape."""
        if "classes_" not in self.__dict__:
            raise AttributeError("coef_ before fit: assign classes_ first, so that its rows belong to classes")
        self.classes_ = np.asarray(self.classes_)
        outputs = 1 if len(self.classes_) == 2 else len(self.classes_)
        if weights.ndim != 2 or len(weights) != outputs:
            raise ValueError(f"coef_ has {outputs} rows for {len(self.classes_)} classes: found shape {weights.shape}")
        trainer = self._trainer(None, 1, self.classes_)
        self.n_features_in_ = weights.shape[1]
        self._model = OnlineTrainer(trainer, names_of(self.classes_), self.n_features_in_).model()
        self._set_report({"mistakes_by_epoch": [], "presented": 0, "margin": float("nan"), "stopped": "max-epochs"})

    def _set_hyperplane(self, weights: np.ndarray, bias: Any) -> None:
        """Predicts with these weights, and continues from them."""
        shape = self._hyperplane()[0].shape
        bias = np.require(np.broadcast_to(np.asarray(bias, dtype=np.float64), shape[:1]), requirements=["C", "A"])
        if weights.shape != shape:
            raise ValueError(f"coef_ has shape {shape}: found {weights.shape}")
        self._model = self._fitted_model().with_weights(weights, bias)
        self._paused = self._online = None
        self.__dict__.pop("_weights", None)

    def _hyperplane(self) -> tuple[np.ndarray, np.ndarray]:
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"this {type(self).__name__} has not been fitted yet")
        if "_weights" not in self.__dict__:
            found: Any = self._fitted_model().weights()
            if found is not None:
                found = tuple(array.astype(self.coef_dtype, copy=False) for array in found)
            for array in found or ():
                array.setflags(write=False)
            self._weights: tuple[np.ndarray, np.ndarray] | None = found
        if self._weights is None:
            maps = self._fitted_model().maps
            why = f"behind its maps ({'; '.join(maps)}) it" if maps else "a kernel machine"
            raise AttributeError(f"{why} has no weights in the space of the features")
        return self._weights
