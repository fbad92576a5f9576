"""Score any RAG pipeline in four buckets: correct, wrong, unsupported, refused.

    import ragharness as rh
    run = rh.run(answer, corpus="contractnli", retriever="hybrid")

The names below are the public surface (docs/python.md); everything else may change between versions.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ragharness.errors import RagharnessError, TemporaryFailure
from ragharness.records import Answer, Document, Evidence, Passage, Question, Record, Usage, Verdict

if TYPE_CHECKING:
    from ragharness.analysis.baselines import Baseline, load_baselines
    from ragharness.analysis.labelling import Labelling
    from ragharness.analysis.rules import Gates
    from ragharness.api import (
        arun,
        calibrate,
        compare,
        gate,
        grade,
        label,
        load_corpus,
        load_questions,
        load_run,
        matrix,
        run,
    )
    from ragharness.config import RunConfig
    from ragharness.results import (
        GateResult,
        MatrixResult,
        QuestionResult,
        Run,
        RunCalibration,
        RunComparison,
        RunVerdict,
    )

_PUBLIC = {
    "api": "arun calibrate compare gate grade label load_corpus load_questions load_run matrix run",
    "analysis.baselines": "Baseline load_baselines",
    "analysis.labelling": "Labelling",
    "analysis.rules": "Gates",
    "config": "RunConfig",
    "errors": "RagharnessError TemporaryFailure",
    "records": "Answer Document Evidence Passage Question Record Usage Verdict",
    "results": "GateResult MatrixResult QuestionResult Run RunCalibration RunComparison RunVerdict",
}
"""The public names by the module that defines them: loaded at first use, so that importing stays cheap."""

_MODULE_OF = {name: module for module, names in _PUBLIC.items() for name in names.split()}
__all__ = [
    "Answer", "Baseline", "Document", "Evidence", "GateResult", "Gates", "Labelling", "MatrixResult",
    "Passage", "Question", "QuestionResult", "RagharnessError", "Record", "Run", "RunCalibration",
    "RunComparison", "RunConfig", "RunVerdict", "TemporaryFailure", "Usage", "Verdict", "__version__",
    "arun", "calibrate", "compare", "gate", "grade", "label", "load_baselines", "load_corpus",
    "load_questions", "load_run", "matrix", "run",
]  # fmt: skip
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
