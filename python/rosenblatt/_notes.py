"""Warnings, at the line of the user's program that they are about."""

from __future__ import annotations

import os
import sys
import warnings

#: Files whose lines nobody wrote who reads a warning: those of this package, and scikit-learn's wrapper of `fit`.
_INSIDE = (os.path.dirname(__file__) + os.sep, os.path.join("sklearn", "callback") + os.sep)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warns of the call from outside of this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and any(part in frame.f_code.co_filename for part in _INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
