"""What each rule of the grader earns: every yes/no rule answered with no, one at a time."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

from ragharness import graders, language
from ragharness.analysis.labelled import Labelled, agrees, judge, outcome_of
from ragharness.graders import load_grader
from ragharness.graders.verdicts import Case, differences, grade


def rules() -> dict[str, FunctionType]:
    """Functions and methods of the grader that are declared to return a bool, by module and name."""
    return {
        f"{module.__name__.removeprefix('ragharness.')}.{name}": function
        for module in _modules()
        for name, function in _functions(module)
        if function.__annotations__.get("return") in (bool, "bool")
    }


def _modules() -> Iterator[ModuleType]:
    for package in (graders, language):
        yield package
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield import_module(module.name)


def _functions(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    for name, value in vars(module).items():
        if getattr(value, "__module__", "") == module.__name__:
            for member in list(vars(value).values()) if inspect.isclass(value) else [value]:
                function = inspect.unwrap(
                    getattr(member, "fget", None) or getattr(member, "__func__", member)
                )
                if inspect.isfunction(function):
                    yield (name if function.__closure__ else function.__qualname__), function


@contextmanager
def without(function: FunctionType) -> Iterator[None]:
    """Let a function return False wherever it is called, however it was imported."""

    def no(*_: object, **__: object) -> bool:
        return False

    code = function.__code__
    function.__code__ = no.__code__.replace(co_freevars=code.co_freevars)
    _clear_caches()
    try:
        yield
    finally:
        function.__code__ = code
        _clear_caches()


def _clear_caches() -> None:
    for module in _modules():
        for value in vars(module).values():
            clear: Any = getattr(value, "cache_clear", None)
            if clear is not None:
                clear()


def earned(grader: str, answers: Sequence[Labelled], cases: Sequence[Case]) -> list[dict[str, Any]]:
    """What changes without each rule, the rule that earns most first; printed as it is measured."""
    outcomes, passes = _graded(grader, answers, cases)
    rows = []
    for rule, function in rules().items():
        with without(function):
            try:
                outcomes_now, passes_now = _graded(grader, answers, cases)
            except Exception as error:
                raise RuntimeError(f"without {rule} the grader fails") from error
        pairs = list(zip(outcomes, outcomes_now, strict=True))
        gains = [
            _worth(answer.label, after) - _worth(answer.label, before)
            for answer, (before, after) in zip(answers, pairs, strict=True)
        ]
        row = {
            "rule": rule,
            "changed": sum(before != after for before, after in pairs),
            "better": sum(gain > 0 for gain in gains),
            "worse": sum(gain < 0 for gain in gains),
            "lost": sum(before and not after for before, after in zip(passes, passes_now, strict=True)),
            "gained": sum(after and not before for before, after in zip(passes, passes_now, strict=True)),
        }
        print(*row.values(), flush=True)
        rows.append(row)
    return sorted(
        rows, key=lambda row: (row["better"] - row["worse"], row["gained"] - row["lost"], row["rule"])
    )


def _graded(name: str, answers: Sequence[Labelled], cases: Sequence[Case]) -> tuple[list[str], list[bool]]:
    """Outcome of every answer, and whether every case comes out as expected."""
    grader = load_grader(name)
    verdicts = (
        grade(grader, case.question, case.answer, case.retrieved, case.supporting, case.status)
        for case in cases
    )
    return [outcome_of(judge(grader, answer)) for answer in answers], [
        not differences(verdict, case.expected) for verdict, case in zip(verdicts, cases, strict=True)
    ]


def _worth(label: str, outcome: str) -> int:
    """How well an outcome suits a label, with review between; a refusal is not well called wrong."""
    if outcome == "needs_review":
        return 1
    return 2 if agrees(label, outcome) and (label != "refusal" or outcome == "refused") else 0
