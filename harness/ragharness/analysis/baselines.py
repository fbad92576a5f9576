"""Published baselines: the settings, scores and outcomes of a run without its texts, and whether they hold.

A baseline is a folder of ``baselines/``: ``baseline.toml`` (how it was made), ``result.json`` (its
scores) and ``records.jsonl.gz`` (its outcomes, a question a line, answers as their digests).
"""

from __future__ import annotations

import gzip
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ragharness.analysis.intervals import wilson
from ragharness.analysis.scores import RunOnDisk, Scores, read_scores
from ragharness.config import RunConfig
from ragharness.errors import RagharnessError, UnknownName, UsageError
from ragharness.questions.questionset import frozen_set
from ragharness.records import Record, Retrieved, Supports, YesNo
from ragharness.runner.grading import came_out
from ragharness.runner.run_folder import Settings, differences, moment
from ragharness.support import resources
from ragharness.support.options import to_toml

# What a new run must agree in: every outcome; the ranking up to ties; the buckets within their intervals;
# nothing, for what others cannot run.
Reproduction = Literal["bytes", "ranking", "intervals", "reported"]
_REFERENCES = ("extractive", "blind", "refuse")
_SHIFTING = ("dense", "hybrid")
_NAME = re.compile(r"\w[\w.-]{0,199}")
_OWN_MACHINE = ("base_url",)  # settings of a pipeline that say where it runs, not what it is
_TIE = 1e-4  # scores of a dense retriever that differ by less are tied
_DIGITS = 6  # decimals of a score that are kept: sums in another order differ behind them
_AXES = ("reason", "citation_exists", "citation_supports", "refusal_quality", "extra_claim_count")


class Outcome(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of one question: a record without its texts."""

    question: str
    row: str
    outcome: str  # the bucket, or the status of what has none
    reason: str = ""
    epoch: int = 0
    retrieved: tuple[Retrieved, ...] = ()
    evidence_ranks: tuple[int, ...] = ()
    cited: tuple[str, ...] = ()
    citation_exists: YesNo | None = None
    citation_supports: Supports | None = None
    refusal_quality: int | None = None
    extra_claim_count: int | None = None
    answer: str = ""  # SHA-256 of its text; empty: there is none

    @classmethod
    def of(cls, record: Record) -> Outcome:
        """Outcome of a record."""
        verdict, text = record.verdict, record.answer.text if record.answer else ""
        axes: dict[str, Any] = {name: getattr(verdict, name) for name in _AXES} if verdict else {}
        return cls(
            question=record.question,
            row=record.row,
            outcome=(verdict and verdict.bucket) or record.status,
            epoch=record.epoch,
            retrieved=tuple(Retrieved(hit.id, round(hit.score, _DIGITS)) for hit in record.retrieved),
            evidence_ranks=record.evidence_ranks,
            cited=tuple(sorted(record.cited)),
            answer=sha256(text.encode()).hexdigest() if text else "",
            **axes,
        )


class Baseline(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a baseline was made: ``baseline.toml``."""

    id: str
    reproduces: Reproduction
    date: str
    ragharness: str
    python: str
    platform: str
    seconds: float  # wall time of the run, on the machine that made it
    model_sha256: str = ""  # of the file of a local model
    settings: Settings

    @property
    def folder(self) -> Path:
        """Its folder among the shipped ones."""
        return resources.folder("baselines", self.id)

    @property
    def scores(self) -> Scores:
        """Its scores."""
        return read_scores((self.folder / "result.json").read_bytes())

    @property
    def outcomes(self) -> list[Outcome]:
        """What came of each question, in the order of their ids."""
        lines = gzip.decompress((self.folder / "records.jsonl.gz").read_bytes())
        return msgspec.json.Decoder(Outcome).decode_lines(lines)

    @property
    def options(self) -> dict[str, Any]:
        """The options of ``RunConfig`` that make the same run."""
        made = self.settings
        prompt = {"prompt": str(made.pipeline_settings.get("prompt", "")).partition(" ")[0]}
        options = {**made.pipeline_settings, **prompt} if made.pipeline == "llm" else {}
        unset = (*_OWN_MACHINE, "prompt_digest")
        return {
            "corpus": made.corpus,
            "split": made.split,
            "pipeline": made.pipeline,
            "pipeline_option": [f"{n.replace('_', '-')}={v}" for n, v in options.items() if n not in unset],
            "retriever": made.retriever,
            "k": made.k,
            "passage_words": made.passage_words,
            "epochs": made.epochs,
        }


AnyRun = TypeVar("AnyRun", bound=RunOnDisk)


class Check(NamedTuple):
    """Whether a new run agrees with a baseline."""

    id: str
    status: Literal["reproduced", "differs", "other version", "not checked"]
    found: tuple[str, ...] = ()  # what differs, or why it was not checked


def load_baselines(corpus: str = "") -> list[Baseline]:
    """Published baselines by id, of one corpus where it is named; raises UnknownName where it has none."""
    published = [load_baseline(name) for name in resources.names("baselines")]
    corpora = {baseline.settings.corpus for baseline in published}
    if corpus and corpus not in corpora:
        raise UnknownName("corpus of a baseline", corpus, sorted(corpora))
    return [baseline for baseline in published if corpus in ("", baseline.settings.corpus)]


def load_baseline(name: str) -> Baseline:
    """Baseline of a name; raises UnknownName."""
    path = resources.folder("baselines", name) / "baseline.toml"
    return msgspec.toml.decode(path.read_bytes(), type=Baseline)


def run_baseline(
    baseline: Baseline, run: Callable[..., AnyRun], out: str | Path | None = None, **options: Any
) -> AnyRun:
    """Run a baseline's settings anew by ``ragharness.run``; ``options`` say where. Raises UsageError."""
    if baseline.reproduces == "reported":
        why = f"nobody else can run {baseline.id}: its pipeline is its maker's own"
        raise UsageError(why, help="ragharness baseline list")
    if baseline.settings.pipeline == "llm" and not options.get("base_url"):
        raise UsageError(f"{baseline.id} needs --base-url, the server of its model")
    return run(**{**baseline.options, "out": out, "fresh": True, **options})


def verify(
    baseline: Baseline, run: Callable[..., RunOnDisk], *, model_sha256: str = "", **options: Any
) -> Check:
    """Run a baseline anew and compare; what this machine lacks for it is said, and it is not checked."""
    of_model = baseline.settings.pipeline == "llm"
    if of_model and model_sha256 not in ("", baseline.model_sha256):
        other = f"made with the model {baseline.model_sha256[:12]}, not {model_sha256[:12]}"
        return Check(baseline.id, "differs", (other,))
    with tempfile.TemporaryDirectory() as folder:
        try:
            rerun = run_baseline(baseline, run, Path(folder) / "run", progress=False, **options)
        except RagharnessError as error:
            return Check(baseline.id, "not checked", (str(error),))
        now, made = _comparable(rerun.folder.run.settings), baseline.settings
        outcomes = _outcomes(rerun)
        if now.question_set != made.question_set:
            sets = f"made with the questions {made.question_set[:8]}, not today's {now.question_set[:8]}"
            return Check(baseline.id, "other version", (sets,))
        changed = differences(replace(now, grader=made.grader), made)
        if not changed and now.grader != made.grader and baseline.reproduces == "bytes":
            return _regraded(baseline, outcomes, now.grader)
        changed = changed or _changes(baseline, outcomes, rerun.scores.buckets)
    return Check(baseline.id, "differs" if changed else "reproduced", tuple(changed))


def _regraded(baseline: Baseline, rerun: Sequence[Outcome], grader: str) -> Check:
    """How many answers of a baseline today's grader decides otherwise; other answers are a difference."""
    made = baseline.outcomes
    ungraded = [
        replace(now, **{name: getattr(was, name) for name in ("outcome", *_AXES)})
        for was, now in zip(made, rerun, strict=False)
    ]
    if ungraded != made:
        return Check(baseline.id, "differs", tuple(_changes(baseline, ungraded, {})))
    otherwise = sum(was.outcome != now.outcome for was, now in zip(made, rerun, strict=True))
    by = baseline.settings.grader
    note = f"made by {by}: {grader} decides {otherwise} of its {len(made)} answers otherwise"
    return Check(baseline.id, "other version", (note,))


def add_baseline(run: RunOnDisk, into: Path, name: str = "", *, model_sha256: str = "") -> Baseline:
    """Write a finished run as a baseline into a folder, after grading every answer again.

    Raises UsageError for a run that is not finished, is no result, asked other questions than the frozen
    set, or whose verdicts are not those of today's grader.
    """
    settings, scores = run.folder.run.settings, run.scores
    name = name or _default_name(settings)
    if not _NAME.fullmatch(name):
        raise UsageError(f"--id {name!r} has other signs than letters, digits, dots, dashes and underscores")
    if (missing := scores.questions - scores.asked) or not scores.result:
        why = f"{missing} questions not asked" if missing else scores.sentence
        raise UsageError(f"only a finished run with a result makes a baseline: {why}", help="ragharness run")
    if settings.question_set != frozen_set(settings.corpus).hash:
        asked = f"the run asked other questions ({settings.question_set[:8]})"
        why = f"{asked} than the frozen ones of {settings.corpus}"
        raise UsageError(why, help=f"ragharness run --corpus {settings.corpus}")
    if run.grading is None:
        why = f"grading the answers again needs the corpus {settings.corpus} on this machine"
        raise UsageError(why, help=f"ragharness corpus fetch {settings.corpus}")
    records = list(run.folder.records())
    graded = run.grading.graded
    changed = [record.question for record in records if came_out(graded(record)) != came_out(record)]
    if changed:
        why = f"today's grader decides {len(changed)} answers otherwise ({', '.join(changed[:5])})"
        raise UsageError(why, help=f"ragharness grade {run.folder.path}")
    made = run.folder.run
    shifting: Reproduction = "ranking" if settings.retriever in _SHIFTING else "bytes"
    named: Reproduction = shifting if settings.pipeline in _REFERENCES else "reported"
    baseline = Baseline(
        id=name,
        reproduces="intervals" if settings.pipeline == "llm" else named,
        date=f"{moment(made.created) or datetime.min:%Y-%m-%d}",
        ragharness=made.ragharness,
        python=made.python,
        platform=made.platform,
        seconds=round(scores.seconds, 1),
        model_sha256=model_sha256,
        settings=_comparable(settings),
    )
    folder = into / name
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise UsageError(f"a baseline gets a new folder, but {folder}: {error.strerror}") from error
    anywhere = replace(scores, run=name, folder="", pipeline_settings=baseline.settings.pipeline_settings)
    (folder / "result.json").write_bytes(msgspec.json.encode(anywhere) + b"\n")
    lines = msgspec.json.Encoder().encode_lines(_outcomes(run))
    (folder / "records.jsonl.gz").write_bytes(gzip.compress(lines, mtime=0))
    # The last one: a folder without it is no baseline.
    (folder / "baseline.toml").write_text(to_toml(msgspec.to_builtins(baseline)), encoding="utf-8")
    return baseline


def _default_name(settings: Settings) -> str:
    """Corpus, pipeline, retriever, and k where it is not the usual one."""
    made = settings.pipeline_settings
    model, prompt = (str(made.get(name, "")).partition(" ")[0] for name in ("model", "prompt"))
    k = "" if settings.k == RunConfig.k else f"k{settings.k}"
    parts = filter(None, (settings.corpus, settings.pipeline, model, prompt, settings.retriever, k))
    return re.sub(r"[^\w.-]+", "_", "-".join(parts))


def _comparable(settings: Settings) -> Settings:
    """Settings without what says only where a run was made."""
    anywhere = {name: value for name, value in settings.pipeline_settings.items() if name not in _OWN_MACHINE}
    return replace(settings, pipeline_settings=anywhere, pipeline_fingerprint="")


def _outcomes(run: RunOnDisk) -> list[Outcome]:
    outcomes = map(Outcome.of, run.folder.records())
    return sorted(outcomes, key=lambda outcome: (outcome.question, outcome.epoch))


def _changes(baseline: Baseline, rerun: Sequence[Outcome], buckets: dict[str, int]) -> list[str]:
    if baseline.reproduces == "intervals":
        return list(_outside(baseline.scores, buckets))
    pairs = list(zip_longest(baseline.outcomes, rerun))
    if any(was is None or now is None or was.question != now.question for was, now in pairs):
        return ["it asks other questions"]
    loosely = baseline.reproduces == "ranking"
    return [phrase for was, now in pairs if (phrase := outcome_difference(was, now, loosely=loosely))]


def _outside(scores: Scores, buckets: dict[str, int]) -> Iterator[str]:
    n = scores.questions
    for name, now in buckets.items():
        was = scores.buckets[name]
        low, high = wilson(was, n)
        if not low * n <= now <= high * n:
            yield f"{name}: {now} of {n}, outside {low * n:.0f} to {high * n:.0f} around {was}"


def outcome_difference(was: Outcome, now: Outcome, *, loosely: bool) -> str:
    """In what an outcome differs; empty: in nothing. ``loosely`` lets tied passages change places."""
    if loosely:
        if not _same_up_to_ties(was.retrieved, now.retrieved):
            return f"{was.question}: other passages retrieved"
        if [hit.id for hit in was.retrieved] != [hit.id for hit in now.retrieved]:
            return ""  # the answer may follow the passages
        now = replace(now, retrieved=was.retrieved)
    fields = [name for name in was.__struct_fields__ if getattr(was, name) != getattr(now, name)]
    came = f"({was.outcome} before, now {now.outcome})"
    return f"{was.question}: {', '.join(fields)} {came}" if fields else ""


def _same_up_to_ties(was: Sequence[Retrieved], now: Sequence[Retrieved]) -> bool:
    """Whether two rankings are one, but for passages with nearly the same score."""
    if len(was) != len(now):
        return False
    scores = {hit.id: hit.score for hit in was}
    least = was[-1].score if was else 0.0
    return all(
        abs(a.score - b.score) <= _TIE and abs(scores.get(b.id, least) - b.score) <= _TIE
        for a, b in zip(was, now, strict=True)
    )
