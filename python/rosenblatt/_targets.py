"""Labels and weights of rows, checked."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _check_y

from ._arrays import names_of
from ._rosenblatt import SettingsError


def without_gaps(y: Any) -> Any:
    """The labels; a column of pandas with missing ones is refused, since they can neither be compared nor sorted."""
    if hasattr(y, "isna") and (gaps := np.ravel(y.isna())).any():
        raise ValueError(f"row {gaps.argmax()} of y has no label and cannot be learned from: leave it out")
    return y


def plain(label: Any) -> Any:
    """A label as Python writes it: 1, where NumPy writes np.int64(1)."""
    return label.item() if isinstance(label, np.generic) else label


def classes_named(classes: Any) -> np.ndarray:
    """The sorted classes that `classes` names: an array, a list, or a set."""
    return np.unique(list(classes) if isinstance(classes, (set, frozenset)) else classes)


def only_one(classes: np.ndarray) -> str:
    """The start of the message where there is but one class."""
    return f"y has one class only, {plain(classes[0])!r}"


def classes_in(y: np.ndarray) -> np.ndarray:
    """The sorted classes; continuous targets and missing ones are refused."""
    if y.dtype.kind == "O":
        missing = next((row for row, label in enumerate(y) if label is None), None)
        if missing is not None:
            raise ValueError(f"row {missing} of y is None: a row without a label cannot be learned from, leave it out")
    if y.dtype.kind not in "biuUS":
        check_classification_targets(y)
    return np.unique(y)


def target_of(y: Any, rows: int) -> np.ndarray:
    """The labels of a table, checked as scikit-learn checks those of an array."""
    y = _check_y(without_gaps(y))
    if len(y) != rows:
        raise ValueError(f"{rows} rows, but {len(y)} labels")
    return y


def joined(parts: list[np.ndarray]) -> np.ndarray:
    """The sorted classes of several lists. Numbers and texts do not mix, because NumPy would make texts of all; nor do whole
    numbers become floats, which have other names in a file."""
    first, *others = parts
    for place, part in enumerate(others):
        if (part.dtype.kind in "biuf") != (first.dtype.kind in "biuf"):
            found, known = plain(part[0]), plain(first[0])
            raise ValueError(f"y has labels such as {found!r}, where {known!r} is a class: all numbers, or all texts")
        if part.dtype.kind == "f" and first.dtype.kind in "iu" and (part == part.astype(first.dtype)).all():
            others[place] = part.astype(first.dtype)
    whole = np.concatenate([first, *others])
    if whole.dtype.kind == "f" and all(part.dtype.kind in "iu" for part in (first, *others)):
        # Of signed and unsigned whole numbers NumPy makes floats.
        whole = np.array([number for part in (first, *others) for number in part.tolist()], dtype=np.int64)
    return np.unique(whole)


def codes_of(classes: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The index of each label among the classes."""
    codes = y == classes[1] if len(classes) == 2 else _places(classes, y)
    return codes.astype(np.uint32)


def _places(classes: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The place of each label, if it is one of the classes. Those of a file need not be sorted."""
    if (classes[1:] > classes[:-1]).all():
        return np.searchsorted(classes, y)
    order = np.argsort(classes)
    return order[np.searchsorted(classes, y, sorter=order) % len(classes)]


def are_known(classes: np.ndarray, y: np.ndarray) -> bool:
    """Whether every label is one of the classes."""
    if y.dtype.kind != classes.dtype.kind:
        return False
    if y.dtype.kind == "O":
        # They need not be in an order.
        return set(y) <= set(classes)
    places = _places(classes, y)
    return bool((places < len(classes)).all() and (classes[places] == y).all())


def named_weights(given: dict[Any, float], classes: Any, all_classes: bool, in_table: bool) -> dict[str, float]:
    """The weights by the names of the classes. A key is a class if they are equal: 1 is True, and 1.0. If all classes are
    there and have a key, the other keys count for nothing, as in scikit-learn."""
    for key, weight in given.items():
        if not isinstance(weight, numbers.Real) or not 0 <= weight < math.inf:
            raise SettingsError(f"class_weight: {key!r} has the weight {weight!r}: expected a finite number, zero or more")
    if all_classes and all(one in given for one in classes.tolist()):
        given = {one: given[one] for one in classes.tolist()}
    known = {} if classes is None else dict(zip(classes.tolist(), names_of(classes, in_table=in_table)))
    return {known.get(key, str(key)): float(weight) for key, weight in given.items()}


def row_weights(sample_weight: Any, X: Any, some: bool = True) -> np.ndarray | None:
    """The checked weights of the rows; `some`: at least one must be positive."""
    if sample_weight is None:
        return None
    if not some and not np.any(np.asarray(sample_weight)):
        return np.zeros(len(_check_sample_weight(np.ones_like(sample_weight), X, dtype=np.float64)))
    checked = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    return np.require(checked, requirements=["C", "A"])


def two_parts(codes: np.ndarray, weights: np.ndarray | None, share: float, random_state: Any) -> tuple[np.ndarray, np.ndarray]:
    """The rows to learn from, and a share of each class to judge by, without those of weight zero."""
    from sklearn.model_selection import StratifiedShuffleSplit

    split = StratifiedShuffleSplit(test_size=share, random_state=random_state)
    try:
        rest, some = next(split.split(np.zeros((len(codes), 1)), codes))
    except ValueError as error:
        given = f"early_stopping=True, validation_fraction={share}"
        raise ValueError(f"{given}: {len(codes)} rows cannot be split so that both parts have every class ({error})") from None
    if weights is not None:
        some = some[weights[some] > 0]
        for part, name in ((some, "validation set"), (rest, "rows to learn from")):
            if not weights[part].any():
                raise ValueError(f"The sample weights for {name} are all zero, consider using a different random state.")
    return rest, some
