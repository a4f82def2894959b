"""Parameters as data: an estimator declares fields, and its constructor, documentation and settings follow.

A field is an annotated class attribute with a default. The annotation gives its type and documents it: ``Help("text")``, or
``Sets("rate")`` for a parameter of the learner, which the registry in Rust documents and checks. ``Within`` limits a number,
``Among`` a text. A class that gives a field another default keeps its limits.
"""

from __future__ import annotations

import inspect
import math
import numbers
import textwrap
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from ._rosenblatt import SettingsError, learners

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


@dataclass(frozen=True)
class Within:
    """The range of a number: from `low` to `high`, without the ends if `open`."""

    low: float
    high: float = math.inf
    open: bool = False

    def holds(self, value: Any) -> bool:
        return self.low < value < self.high if self.open else self.low <= value <= self.high

    def __str__(self) -> str:
        if math.isinf(self.high):
            return f"{'above' if self.open else 'of at least'} {self.low:g}"
        return f"between {self.low:g} and {self.high:g}{', ends excluded' if self.open else ''}"


@dataclass(frozen=True)
class Among:
    """The texts that a field may be."""

    texts: tuple[str, ...]

    def holds(self, value: Any) -> bool:
        return value in self.texts

    def __str__(self) -> str:
        return " or ".join(map(repr, self.texts))


@dataclass_transform(kw_only_default=True)
class Fields:
    """Makes a keyword-only constructor that stores the fields of a class and its bases.

    A subclass with a constructor of its own keeps it, as in scikit-learn: it calls ``super().__init__`` with fields. So do
    its own subclasses.
    """

    _learner: ClassVar[str] = ""
    #: What `fit` sets, and its documentation.
    _attributes: ClassVar[dict[str, str]] = {}
    _hints: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._hints = _hints(cls)
        fields = {name: getattr(cls, name) for name in cls._hints}
        if cls.__init__ is not object.__init__ and not hasattr(cls.__init__, "fields"):
            return

        def __init__(self, **given):
            for name in given:
                if name not in fields:
                    raise TypeError(f"{cls.__name__} has no parameter {name!r}: it has {', '.join(fields)}")
            for name, default in fields.items():
                setattr(self, name, given.get(name, default))

        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters = [
            inspect.Parameter(name, keyword, default=default, annotation=get_args(cls._hints[name])[0])
            for name, default in fields.items()
        ]
        __init__.__signature__ = inspect.Signature([own, *parameters])  # type: ignore[attr-defined]
        __init__.__qualname__ = f"{cls.__qualname__}.__init__"
        # Distinguishes it from a constructor that somebody wrote.
        __init__.fields = fields  # type: ignore[attr-defined]
        cls.__init__ = __init__  # type: ignore[method-assign]
        if cls.__doc__ and not cls.__name__.startswith("_"):
            cls.__doc__ = f"{inspect.cleandoc(cls.__doc__)}\n\n{_documentation(cls, fields)}"

    def _check(self) -> None:
        """Raises an error that names the first field with a value of another type or out of range."""
        for name, hint in self._hints.items():
            value, within = getattr(self, name), _meaning(hint, Within)
            kinds = _kinds(hint)
            if not any(_is_a(value, kind) for kind in kinds):
                expected = " or ".join(_WORDS.get(kind, kind.__name__) for kind in kinds)
                raise SettingsError(f"{name}={value!r}: expected {expected}")
            if within is not None and isinstance(value, numbers.Real) and not within.holds(value):
                raise SettingsError(f"{name}={value!r}: expected {_WORDS[kinds[0]]} {within}")
            among = _meaning(hint, Among)
            if among is not None and isinstance(value, str) and not among.holds(value):
                none = " or None" if NoneType in kinds else ""
                raise SettingsError(f"{name}={value!r}: expected {among}{none}")

    def _set_by(self) -> dict[str, str]:
        """The fields that set a parameter of the learner, with that parameter."""
        known = {param["name"] for param in REGISTRY[self._learner_name()]["params"]}
        sets = {name: _meaning(hint, Sets) for name, hint in self._hints.items()}
        return {name: setting.name for name, setting in sets.items() if setting and setting.name in known}

    def _settings(self) -> dict[str, str]:
        """The learner's parameters as text, with numbers by `repr`, which loses no bit."""
        values = {setting: getattr(self, name) for name, setting in self._set_by().items()}
        return {name: value if isinstance(value, str) else repr(float(value)) for name, value in values.items()}

    def _in_fields(self, error: SettingsError) -> SettingsError:
        """An error about a parameter of the learner, with the name of its field."""
        text = str(error)
        for name, setting in self._set_by().items():
            if text.startswith(f"{setting}="):
                return SettingsError(name + text[len(setting) :])
        return error

    def _learner_name(self) -> str:
        return self._learner


def _hints(cls: type) -> dict[str, Any]:
    """The fields of a class and its bases, its own first."""
    hints = get_type_hints(cls, include_extras=True)
    fields = {name: hint for name, hint in hints.items() if get_origin(hint) is Annotated}
    own = [name for owner in cls.__mro__ for name in vars(owner).get("__annotations__", {}) if name in fields]
    return {name: _limited(fields[name], name, cls) for name in dict.fromkeys(own)}


def _limited(hint: Any, name: str, cls: type) -> Any:
    """The hint of a field, with the limits that a base class sets if it has none."""
    for base in cls.__mro__[1:]:
        inherited = vars(base).get("_hints", {}).get(name)
        for kind in (Within, Among):
            limit = _meaning(inherited, kind)
            if limit is not None and _meaning(hint, kind) is None:
                hint = Annotated[hint, limit]
    return hint


#: The types of fields, in words.
_WORDS = {bool: "True or False", int: "a whole number", float: "a number", str: "a text", NoneType: "None", dict: "a dict"}


def _kinds(hint: Any) -> list[type]:
    """The types that a hint allows."""
    hint = get_args(hint)[0]
    hints = get_args(hint) if get_origin(hint) in (Union, UnionType) else [NoneType if hint is None else hint]
    return [get_origin(kind) or kind for kind in hints]


def _is_a(value: Any, kind: type) -> bool:
    """Whether a value is of a field's type, in scikit-learn's sense: NumPy's numbers are numbers."""
    if kind is bool:
        return isinstance(value, (bool, np.bool_))
    if kind in (int, float):
        return isinstance(value, numbers.Integral if kind is int else numbers.Real)
    return isinstance(value, kind)


def _meaning(hint: Any, kind: type) -> Any:
    return next((extra for extra in get_args(hint)[1:] if isinstance(extra, kind)), None)


def _documentation(cls: type, fields: dict[str, Any]) -> str:
    lines = ["Parameters", "----------"]
    params = {param["name"]: param for param in REGISTRY[cls._learner]["params"]}  # type: ignore[attr-defined]
    for name, hint in _hints(cls).items():
        sets, text = _meaning(hint, Sets), _meaning(hint, Help)
        kinds = " or ".join(kind.__name__.replace("NoneType", "None") for kind in _kinds(hint))
        lines.append(f"{name} : {kinds}, default={fields[name]!r}")
        if text is None and sets.name in params:
            param = params[sets.name]
            text = Help(f"{param['help']} ({param['range']}).")
        lines += textwrap.wrap(text.text, 100, initial_indent="    ", subsequent_indent="    ")
    attributes = cls._attributes  # type: ignore[attr-defined]
    if attributes:
        lines += ["", "Attributes", "----------"]
    for name, text in attributes.items():
        lines += [name, *textwrap.wrap(text[0].upper() + text[1:] + ".", 100, initial_indent="    ", subsequent_indent="    ")]
    return "\n".join(lines)
