"""The native module, in Rust."""

from os import PathLike
from typing import Any, Callable, Iterable, Mapping, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "OnlineTrainer",
    "CertificateError",
    "DataError",
    "DictLearner",
    "Mixture",
    "Model",
    "ModelError",
    "OnlineTagger",
    "Paused",
    "SettingsError",
    "Tagger",
    "TaggerTrainer",
    "Trainer",
    "audit",
    "canonical_labels",
    "fit_file",
    "lab_answer",
    "lab_files",
    "learners",
    "load_libsvm",
    "merge_labels",
    "parameters",
    "predict_file",
    "proved_bytes",
    "read_bytes",
    "read_rows",
    "read_shard",
    "run_program",
    "separable",
    "separable_file",
    "sum_reports",
    "trace",
    "verify",
]

class CertificateError(ValueError): ...
class DataError(ValueError): ...
class ModelError(ValueError): ...
class SettingsError(ValueError): ...

def canonical_labels(labels: list[str]) -> list[str]: ...
def learners() -> list[dict[str, Any]]: ...
def parameters() -> dict[str, str]: ...

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
        bias: float = 1.0,
        epochs: int = 10,
        shuffle: bool = True,
        seed: int = 0,
        balanced: bool = False,
        class_weight: dict[str, float] | None = None,
        kernel: str | None = None,
        budget: int | None = None,
        policy: str | None = None,
        stop: str = "last",
    ) -> Trainer: ...
    def examine(
        self,
        x: Any,
        classes: NDArray[np.uint32],
        labels: list[str],
        *,
        names: list[str] | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> list[tuple[str, str]]: ...
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
        start_at: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
        calibrated: bool = False,
        pass_ended: Callable[[int, int, Model | None], bool] | None = None,
        look: bool = False,
    ) -> tuple[Model, dict[str, Any], Paused]: ...

@final
class OnlineTrainer:
    def __new__(
        cls,
        trainer: Trainer,
        labels: list[str],
        features: int,
        names: list[str] | None = None,
        start: Model | None = None,
    ) -> OnlineTrainer: ...
    def admit(self, labels: list[str]) -> None: ...
    def learn(self, x: Any, classes: NDArray[np.uint32], weights: NDArray[np.float64] | None = None) -> None: ...
    @property
    def mistakes_by_epoch(self) -> list[int]: ...
    @property
    def presented(self) -> int: ...
    def model(self) -> Model: ...
    def classify(self, x: Any) -> tuple[NDArray[np.uint32], int]: ...
    def scores(self, x: Any) -> NDArray[np.float64]: ...
    @staticmethod
    def resumed(state: tuple[bytes, int, list[int], bool, dict[str, float] | None]) -> OnlineTrainer: ...

@final
class DictLearner:
    def __new__(cls, trainer: Trainer) -> DictLearner: ...
    def learn(self, x: Mapping[Any, Any], y: Any, weight: float = 1.0) -> None: ...
    def classify(self, x: Mapping[Any, Any]) -> Any: ...
    def scores(self, x: Mapping[Any, Any]) -> tuple[Any, dict[Any, float]] | None: ...
    @property
    def classes(self) -> list[Any]: ...
    def weights(self) -> tuple[list[dict[Any, float]], list[float]]: ...
    @staticmethod
    def resumed(state: tuple[Any, ...]) -> DictLearner: ...

@final
class Paused:
    def resume(self, trainer: Trainer) -> OnlineTrainer: ...
    def without_weights(self, model: Model) -> Model | None: ...
    def with_weights(self, model: Model) -> Model: ...
    @staticmethod
    def from_bytes(bytes: bytes, counts: list[int]) -> Paused: ...

@final
class Model:
    def classify(self, x: Any) -> NDArray[np.uint32]: ...
    def scores(self, x: Any) -> NDArray[np.float64]: ...
    def weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None: ...
    def with_weights(self, values: NDArray[np.float64], bias: NDArray[np.float64]) -> Model: ...
    def ln_probabilities(self, x: Any) -> NDArray[np.float64] | None: ...
    @property
    def is_calibrated(self) -> bool: ...
    @property
    def columns(self) -> list[tuple[str, str]] | None: ...
    def explain(self, x: Any) -> list[tuple[str, str | None, float, float, list[tuple[str, float, float]]]]: ...
    def to_onnx(self) -> bytes: ...
    @property
    def maps(self) -> list[str]: ...
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

def fit_file(
    trainer: Trainer,
    path: str | PathLike[str] | bytes,
    reading: dict[str, Any],
    preparing: dict[str, Any],
    *,
    cache: str = "auto",
    memory: int | None = None,
    tolerance: float | None = None,
    patience: int = 5,
    pass_ended: Callable[[int, int, None], bool] | None = None,
) -> tuple[Model, dict[str, Any], list[str]]: ...
def predict_file(
    model: Model, path: str | bytes | PathLike[str], reading: dict[str, Any], output: str | PathLike[str] | None = None
) -> tuple[NDArray[np.uint32], list[str]]: ...
def read_bytes(path: str | PathLike[str]) -> bytes: ...
def read_rows(
    model: Model, path: str | PathLike[str] | bytes, reading: dict[str, Any]
) -> tuple[tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int64]], list[str]]: ...
def load_libsvm(
    path: str | PathLike[str] | bytes,
    *,
    features: int | None = None,
    zero_based: bool | None = None,
    single: bool = False,
) -> tuple[
    NDArray[np.floating],
    NDArray[np.uint32],
    NDArray[np.signedinteger],
    int,
    NDArray[np.float64] | tuple[NDArray[np.uint32], list[str]],
]: ...
def separable(
    x: Any,
    classes: NDArray[np.uint32],
    labels: list[str],
    *,
    positive: str | None = None,
    gap: float = 1e-06,
    time_limit: float | None = None,
    bias: bool = True,
    degree: int = 1,
) -> dict[str, Any]: ...
def audit(
    x: Any,
    classes: NDArray[np.uint32],
    labels: list[str],
    *,
    positive: str | None = None,
    costs: tuple[str, str] | None = None,
    time_limit: float | None = 10.0,
    bias: bool = True,
    degree: int = 1,
) -> dict[str, Any]: ...
def proved_bytes(x: Any, classes: NDArray[np.uint32], labels: list[str]) -> bytes: ...
def separable_file(
    path: str | PathLike[str],
    reading: dict[str, Any],
    *,
    gap: float = 1e-06,
    time_limit: float | None = None,
    bias: bool = True,
    degree: int = 1,
) -> dict[str, Any]: ...
def verify(certificate: bytes, data: bytes, labels: bytes | None = None) -> dict[str, Any]: ...
def run_program(arguments: list[str]) -> int: ...
def lab_answer(request: str) -> str: ...
def lab_files() -> list[tuple[str, str]]: ...
def trace(
    trainer: Trainer, x: Any, classes: NDArray[np.uint32], labels: list[str], *, proof: bool = False
) -> tuple[list[dict[str, Any]], dict[str, Any]]: ...

@final
class TaggerTrainer:
    def __new__(
        cls,
        *,
        templates: str | None = None,
        epochs: int = 10,
        shuffle: bool = True,
        seed: int = 0,
        averaged: bool = True,
        search: str = "viterbi",
        constrain: str | None = None,
        encode: str | None = None,
        dictionary: int | None = None,
    ) -> TaggerTrainer: ...
    def fit(self, sentences: Iterable[Iterable[Any]], tags: Iterable[Iterable[Any]]) -> Tagger: ...
    def fit_file(
        self,
        path: str | PathLike[str],
        *,
        format: str | None = None,
        tag: str | None = None,
        skip_untagged: bool = False,
    ) -> tuple[Tagger, list[str]]: ...

@final
class OnlineTagger:
    def __new__(cls, trainer: TaggerTrainer, tags: list[str], start: Tagger | None = None) -> OnlineTagger: ...
    def learn(self, sentences: Iterable[Iterable[Any]], tags: Iterable[Iterable[Any]]) -> None: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def mistakes(self) -> int: ...
    def tagger(self) -> Tagger: ...
    @staticmethod
    def resumed(last: bytes, sums: bytes, batches: int, encode: str | None = None) -> OnlineTagger: ...

@final
class Tagger:
    def tag(self, sentences: Iterable[Iterable[Any]]) -> list[list[str]]: ...
    def marginals(self, sentences: Iterable[Iterable[Any]]) -> list[list[dict[str, float]]]: ...
    def tag_file(self, path: str | PathLike[str]) -> list[tuple[list[str], list[str]]]: ...
    def strengths(self) -> tuple[list[tuple[str, str, float]], list[tuple[str, str, float]]]: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def dictionary(self) -> dict[str, str]: ...
    @property
    def facts(self) -> dict[str, Any]: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Tagger: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> Tagger: ...

@final
class Mixture:
    FAN: int
    @staticmethod
    def begin(
        trainer: Trainer,
        mixing: str,
        shards: int,
        labels: list[str],
        counts: list[int],
        features: int,
        first: int = 1,
    ) -> Mixture: ...
    def local_round(
        self,
        shard: int,
        x: Any,
        classes: NDArray[np.uint32],
        weights: NDArray[np.float64] | None = None,
    ) -> bytes: ...
    def mix(self, reports: list[bytes]) -> None: ...
    @property
    def rounds(self) -> int: ...
    @property
    def shards(self) -> int: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def features(self) -> int: ...
    @property
    def first(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def ended(self) -> str | None: ...
    def model(self) -> Model: ...
    def report(self) -> dict[str, Any]: ...
    def to_bytes(self) -> bytes: ...
    def to_task_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Mixture: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> Mixture: ...

def merge_labels(shards: list[list[str]]) -> list[str]: ...
def read_shard(
    path: str | PathLike[str],
) -> tuple[
    NDArray[np.float64],
    NDArray[np.uint32],
    NDArray[np.int64],
    int,
    int,
    NDArray[np.uint32],
    list[str],
    int,
]: ...
def sum_reports(reports: list[bytes]) -> bytes: ...
