"""scikit-learn's base classes.

They have no types, and to mypy a class with a base of unknown type takes any keyword: a misspelt parameter would pass. So mypy,
and mypy alone, sees what is used of them here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

#: mypy takes this name for true.
MYPY = False

if MYPY:
    import numpy as np
    from typing_extensions import Self

    class BaseEstimator:
        """Parameters, and routing of metadata."""

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def get_metadata_routing(self) -> Any: ...
        def set_fit_request(self, **requests: bool | str | None) -> Self: ...
        def set_partial_fit_request(self, **requests: bool | str | None) -> Self: ...
        def set_score_request(self, **requests: bool | str | None) -> Self: ...
        def __sklearn_tags__(self) -> Any: ...
        def __sklearn_clone__(self) -> Self: ...
        def __setstate__(self, state: Any) -> None: ...
        @classmethod
        def _get_param_names(cls) -> list[str]: ...

    class ClassifierMixin:
        """A score."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...
        def __sklearn_tags__(self) -> Any: ...

    class CallbackSupport:
        """Callbacks."""

        def set_callbacks(self, *callbacks: Any) -> Self: ...

else:
    from sklearn.base import BaseEstimator, ClassifierMixin

    try:
        from sklearn.callback import CallbackSupportMixin as CallbackSupport
    except ImportError:

        class CallbackSupport:
            """This scikit-learn has no callbacks."""


if TYPE_CHECKING:
    from typing import Callable, TypeVar

    Method = TypeVar("Method", bound=Callable[..., Any])

    def with_callbacks(method: Method) -> Method:
        """Runs callbacks during `fit`."""
        return method

else:
    try:
        from sklearn.callback import with_callbacks
    except ImportError:

        def with_callbacks(method):
            """Does nothing: this scikit-learn has no callbacks."""
            return method


__all__ = ["BaseEstimator", "CallbackSupport", "ClassifierMixin", "with_callbacks"]
