"""Parameters as data: an estimator declares fields, and its constructor, documentation and settings follow.

A field is an annotated class attribute with a default. The annotation documents it: ``Help("text")``, or ``Sets("rate")``
for a parameter of the learner, which the registry in Rust documents.
"""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

from ._rosenblatt import learners

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_):
        """For type checkers: annotated attributes are the parameters of the constructor."""
        return lambda cls: cls


REGISTRY = {entry["name"]: entry for entry in learners()}


@dataclass(frozen=True)
class Help:
    """The documentation of a field."""

    text: str


@dataclass(frozen=True)
class Sets:
    """The parameter of the learner that a field sets."""

    name: str


@dataclass_transform(kw_only_default=True)
class Fields:
    """Makes a keyword-only constructor that stores the fields of a class and its bases."""

    _learner: str = ""
    _hints: dict[str, Any] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._hints = _hints(cls)
        fields = {name: getattr(cls, name) for name in cls._hints}

        def __init__(self, **given):
            for name in given:
                if name not in fields:
                    raise TypeError(f"{cls.__name__} has no parameter {name!r}: it has {', '.join(fields)}")
            for name, default in fields.items():
                setattr(self, name, given.get(name, default))

        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters = [inspect.Parameter(name, keyword, default=default) for name, default in fields.items()]
        __init__.__signature__ = inspect.Signature([own, *parameters])  # type: ignore[attr-defined]
        __init__.__qualname__ = f"{cls.__qualname__}.__init__"
        cls.__init__ = __init__  # type: ignore[method-assign]
        if cls.__doc__ and not cls.__name__.startswith("_"):
            cls.__doc__ = f"{inspect.cleandoc(cls.__doc__)}\n\n{_documentation(cls, fields)}"

    def _set_by(self) -> dict[str, str]:
        """The fields that set a parameter of the learner, with that parameter."""
        known = {param["name"] for param in REGISTRY[self._learner_name()]["params"]}
        sets = {name: _meaning(hint, Sets) for name, hint in self._hints.items()}
        return {name: setting.name for name, setting in sets.items() if setting and setting.name in known}

    def _settings(self) -> dict[str, str]:
        """The learner's parameters as text, with numbers by `repr`, which loses no bit."""
        values = {setting: getattr(self, name) for name, setting in self._set_by().items()}
        return {name: value if isinstance(value, str) else repr(float(value)) for name, value in values.items()}

    def _learner_name(self) -> str:
        return self._learner


def _hints(cls: type) -> dict[str, Any]:
    """The fields of a class and its bases, its own first."""
    hints = get_type_hints(cls, include_extras=True)
    fields = {name: hint for name, hint in hints.items() if get_origin(hint) is Annotated}
    own = [name for owner in cls.__mro__ for name in vars(owner).get("__annotations__", {}) if name in fields]
    return {name: fields[name] for name in dict.fromkeys(own)}


def _meaning(hint: Any, kind: type) -> Any:
    return next((extra for extra in get_args(hint)[1:] if isinstance(extra, kind)), None)


def _documentation(cls: type, fields: dict[str, Any]) -> str:
    lines = ["Parameters", "----------"]
    params = {param["name"]: param for param in REGISTRY[cls._learner]["params"]}  # type: ignore[attr-defined]
    for name, hint in _hints(cls).items():
        sets, text = _meaning(hint, Sets), _meaning(hint, Help)
        lines.append(f"{name} : default={fields[name]!r}")
        if text is None and sets.name in params:
            param = params[sets.name]
            text = Help(f"{param['help']} ({param['range']}).")
        lines += textwrap.wrap(text.text, 100, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)
