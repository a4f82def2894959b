"""What the package asks of the library in Rust."""

from os import PathLike
from typing import Any, Callable, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Apprentice", "DataError", "Model", "ModelError", "Paused", "SettingsError", "Trainer", "learners"]

class DataError(ValueError): ...
class ModelError(ValueError): ...
class SettingsError(ValueError): ...

def learners() -> list[dict[str, Any]]: ...

@final
class Trainer:
    def __new__(
        cls,
        learner: str,
        *,
        params: dict[str, str],
        keep: str | None = None,
        multiclass: str = "single",
        tie: str = "update",
        bias: bool = True,
        epochs: int = 10,
        shuffle: bool = True,
        seed: int = 0,
        balanced: bool = False,
        class_weight: dict[str, float] | None = None,
        kernel: str | None = None,
        budget: int | None = None,
        policy: str | None = None,
    ) -> Trainer: ...
    def fit(
        self,
        x: Any,
        classes: NDArray[np.uint32],
        labels: list[str],
        *,
        names: list[str] | None = None,
        weights: NDArray[np.float64] | None = None,
        held: tuple[Any, NDArray[np.uint32]] | None = None,
        patience: int = 5,
        tolerance: float | None = None,
        start: Model | None = None,
        pass_ended: Callable[[int, int, Model | None], bool] | None = None,
        look: bool = False,
    ) -> tuple[Model, dict[str, Any], Paused]: ...

@final
class Apprentice:
    def __new__(
        cls,
        trainer: Trainer,
        labels: list[str],
        features: int,
        names: list[str] | None = None,
        start: Model | None = None,
    ) -> Apprentice: ...
    def admit(self, labels: list[str]) -> None: ...
    def learn(self, x: Any, classes: NDArray[np.uint32], weights: NDArray[np.float64] | None = None) -> None: ...
    @property
    def mistakes_by_epoch(self) -> list[int]: ...
    def model(self) -> Model: ...
    @staticmethod
    def resumed(state: tuple[bytes, int, list[int], bool, dict[str, float] | None]) -> Apprentice: ...

@final
class Paused:
    def resume(self, trainer: Trainer) -> Apprentice: ...
    @staticmethod
    def from_bytes(bytes: bytes, counts: list[int]) -> Paused: ...

@final
class Model:
    def classify(self, x: Any) -> NDArray[np.uint32]: ...
    def scores(self, x: Any) -> NDArray[np.float64]: ...
    def weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def features(self) -> int: ...
    @property
    def names(self) -> list[str] | None: ...
    @property
    def facts(self) -> dict[str, Any]: ...
    @property
    def support_vectors(self) -> int | None: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> Model: ...
