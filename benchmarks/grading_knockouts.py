"""What each rule of the grader earns: every yes/no rule answered with no, one at a time."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import ragharness
from ragharness import graders, language
from ragharness.analysis.calibration.labelled import Labelled
from ragharness.graders import Grader
from ragharness.graders.verdicts.labelled_cases import Case


class Earned(NamedTuple):
    """What changes without a rule."""

    rule: str
    changed: int
    """Labelled answers with another outcome."""
    better: int
    """Of them those on which people agree more."""
    worse: int
    lost: int
    """Labelled cases that came out as expected and do not now."""
    gained: int


def rules() -> dict[str, FunctionType]:
    """Return every function and method of the grader that is declared to return a bool, by its place."""
    found: dict[str, FunctionType] = {}
    for module in _modules(graders, language):
        for name, function in _functions(module):
            if function.__annotations__.get("return") in (bool, "bool"):
                found[f"{module.__name__.removeprefix('ragharness.')}.{name}"] = function
    return found


def _modules(*packages: ModuleType) -> Iterator[ModuleType]:
    for package in packages:
        yield package
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield import_module(each.name)


def _functions(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    for name, value in vars(module).items():
        own = getattr(value, "__module__", "") == module.__name__
        members = list(vars(value).values()) if own and inspect.isclass(value) else [value] if own else []
        for member in members:
            inner = inspect.unwrap(getattr(member, "fget", None) or getattr(member, "__func__", member))
            if inspect.isfunction(inner):
                yield (name if inner.__closure__ else inner.__qualname__), inner


@contextmanager
def without(function: FunctionType) -> Iterator[None]:
    """Let a function return False wherever it is called, however it was imported."""

    def no(*_: object, **__: object) -> bool:
        return False

    code = function.__code__
    function.__code__ = no.__code__.replace(co_freevars=code.co_freevars)
    forget()
    try:
        yield
    finally:
        function.__code__ = code
        forget()


def forget() -> None:
    """Empty every cache of the package, so that no earlier reading answers."""
    for module in _modules(ragharness.language, ragharness.graders):
        for value in vars(module).values():
            clear: Any = getattr(value, "cache_clear", None)
            if clear is not None:
                clear()


def earned(
    load: Callable[[], Grader],
    answers: Sequence[Labelled],
    cases: Sequence[Case],
    outcome: Callable[[Grader, Labelled], str],
    expected: Callable[[Grader, Case], bool],
    value: Callable[[str, str], int],
) -> Iterator[Earned]:
    """Yield what every rule earns; ``value`` says how well an outcome suits a label."""

    def all_of() -> tuple[list[str], list[bool]]:
        grader = load()
        return [outcome(grader, each) for each in answers], [expected(grader, each) for each in cases]

    told, held = all_of()
    for rule, function in rules().items():
        with without(function):
            try:
                now, holds = all_of()
            except Exception as error:
                raise RuntimeError(f"without {rule} the grader fails") from error
        change = [
            value(each.label, b) - value(each.label, a) for each, a, b in zip(answers, told, now, strict=True)
        ]
        yield Earned(
            rule,
            sum(a != b for a, b in zip(told, now, strict=True)),
            sum(each > 0 for each in change),
            sum(each < 0 for each in change),
            sum(a and not b for a, b in zip(held, holds, strict=True)),
            sum(b and not a for a, b in zip(held, holds, strict=True)),
        )
