"""Progress: scikit-learn's callbacks where the installed version has them, and `verbose`."""

from __future__ import annotations

from typing import Any


class Passes:
    """Runs the callbacks after every pass, and prints a line if `verbose`."""

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any, classes: Any) -> None:
        self.estimator = estimator
        #: Whether callbacks need the model after every pass.
        self.look = bool(getattr(estimator, "_skl_callbacks", []))
        self.wanted = self.look or bool(estimator.verbose)
        self.data = {"X": X, "y": y, "metadata": {"sample_weight": sample_weight}}
        self.classes = classes
        self.context: Any = None
        self.seen: dict[str, Any] = {}

    def __enter__(self) -> Passes:
        if hasattr(self.estimator, "_init_callback_context"):
            self.context = self.estimator._init_callback_context(max_subtasks=self.estimator.max_iter)
            self.context.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        return self

    def ended(self, epoch: int, mistakes: int, model: Any) -> bool:
        """Called after a pass; true if a callback requests a stop."""
        if self.estimator.verbose:
            print(f"pass {epoch}: {mistakes:,} mistakes")
        if not self.look:
            return False
        one = self.context.subcontext(task_name="pass")
        one.call_on_fit_task_begin(
            estimator=self.estimator, **self.data, reconstruction_attributes=self.seen or None
        )
        self.seen = {"_model": model, "classes_": self.classes, "n_iter_": epoch}
        return bool(
            one.call_on_fit_task_end(
                estimator=self.estimator, **self.data, reconstruction_attributes=self.seen
            )
        )

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None and self.context is not None:
            self.context.call_on_fit_task_end(
                estimator=self.estimator, **self.data, reconstruction_attributes=self.seen or None
            )
