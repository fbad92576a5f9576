"""``RunContext``: everything that a run needs, loaded from its configuration."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragharness.config import RunConfig
from ragharness.corpus.download.pinned import is_offline, is_remote
from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.corpus.passages import EvidenceIndex, kept_passages, withhold
from ragharness.errors import UnknownName, UsageError
from ragharness.graders import load_grader
from ragharness.pipelines import Context, Pipeline, load_pipeline
from ragharness.questions.loading import load_questions
from ragharness.questions.questionset import QuestionSet, shortfall
from ragharness.records import Question
from ragharness.retrievers import build_retriever
from ragharness.runner.cluster import Cluster, Grading
from ragharness.runner.grading import GradingContext, named
from ragharness.runner.question import QuestionRunner
from ragharness.runner.run_schema import Settings
from ragharness.support.messages import without_secrets
from ragharness.support.options import Options

Setting = str | int | float


@dataclass(frozen=True)
class RunContext:
    """What asks the questions of a run, and what grades their answers."""

    runner: QuestionRunner
    grading: GradingContext
    settings: Settings
    shortfall: str = ""
    """Why the questions can carry no result; empty: they can."""
    source: str = ""
    """Where the corpus was read from; empty: from where it always is."""
    elsewhere: Grading | None = None
    """What grades on other machines; None: this process does."""

    @property
    def corpus(self) -> Corpus:
        """The corpus that is asked about."""
        return self.grading.corpus

    @property
    def questions(self) -> QuestionSet:
        """The questions of the run: all of the set, or those that were chosen."""
        return self.grading.questions


def load_context(
    config: RunConfig, on_progress: Callable[..., None] | None = None, cache: Path | None = None
) -> RunContext:
    """Load corpus, questions, index, pipeline and grader; ``cache`` is a folder for indexes and answers.

    Raises RagharnessError where one cannot be had.
    """
    offline = config.offline or is_offline()
    corpus = load_corpus(
        str(config.corpus),
        split=config.part,
        source=config.source,
        offline=config.offline,
        on_progress=on_progress,
    )
    own = Path(config.questions) if config.questions else None
    questions = load_questions(corpus, path=own, size=config.size, seed=config.seed)
    lacking = shortfall(questions) if corpus.folder and own is None else ""
    passages = kept_passages(corpus, config.passage_words)
    evidence = EvidenceIndex(corpus)
    indexed = withhold(passages, questions.withheld_documents, questions.withheld_spans)
    asked = Options.parse(
        config.retriever_option, flag="--retriever-option", on_progress=on_progress, offline=offline
    )
    retriever = build_retriever(
        config.retriever, indexed, evidence, cache and cache / "indexes", asked, config.rerank
    )
    wanted = Options.parse(
        config.pipeline_options, flag="--pipeline-option", on_progress=on_progress, offline=offline
    )
    context = Context(corpus, questions, indexed, wanted, cache and cache / "answers", config.k)
    pipeline, cluster = _loaded(config, context)
    grader = load_grader(
        config.grader,
        settings=config.grader_option,
        ask_all=config.all_graders,
        offline=offline,
        cache=cache and cache / "answers",
    )
    # What is withheld, and so what is found, is that of the whole set: a part of it is asked as in the whole.
    questions = choose(questions, config.only, config.limit, config.sample_seed)
    grading = GradingContext(corpus, questions, passages, evidence, grader)
    runner = QuestionRunner(pipeline, retriever, grading, config.k)
    settings = Settings(
        corpus=corpus.id,
        split=corpus.split,
        corpus_hash=corpus.hash,
        question_set=questions.hash,
        questions=len(questions.questions),
        retriever=without_secrets(retriever.name),
        retriever_settings=_shown(retriever.settings),
        k=config.k,
        passage_words=config.passage_words,
        pipeline=without_secrets(pipeline.spec),
        pipeline_fingerprint=pipeline.fingerprint,
        pipeline_settings=_shown(pipeline.settings),
        grader=named(grader),
        epochs=config.epochs,
    )
    elsewhere = cluster.grader(config, grading) if cluster is not None else None
    return RunContext(runner, grading, settings, lacking, _absolute(config.source), elsewhere)


def _absolute(source: str) -> str:
    """Return a path as it can be found from any working folder, a URL of a folder as it is."""
    if is_remote(source):
        return source
    return str(Path(source).resolve()) if source and Path(source).exists() else ""


def _shown(settings: Mapping[str, Setting]) -> dict[str, Setting]:
    """Return settings as they are written down, and compared with those written down before."""
    return {
        name: without_secrets(value) if isinstance(value, str) else value for name, value in settings.items()
    }


def _loaded(config: RunConfig, context: Context) -> tuple[Pipeline, Cluster | None]:
    if config.engine == "local":
        return (_isolated if config.isolate else load_pipeline)(config.pipeline, context), None
    from ragharness.runner.cluster import Cluster, Workers

    cluster = Cluster(Options.parse(config.engine_option, flag="--engine-option"))
    pipeline = Workers(config.pipeline, cluster).pipeline
    context.options.finish(f"the pipeline {config.pipeline!r}")
    return pipeline, cluster


def _isolated(spec: object, context: Context) -> Pipeline:
    from ragharness.runner.isolation import Isolation

    if not isinstance(spec, str):
        raise UsageError(
            "expected an importable pipeline with --isolate, found an object of this process",
            help="name it, so that another process can import it: pipeline='package.module:name'",
        )
    pipeline = Isolation(spec).pipeline
    context.options.finish(f"the pipeline {spec!r}")
    return pipeline


def choose(questions: QuestionSet, only: Iterable[str] = (), limit: int = 0, seed: int = 0) -> QuestionSet:
    """Return the questions named in ``only`` (commas part them), at most ``limit`` of them, in their order.

    An empty ``only`` and a ``limit`` of 0 leave all. Raises UnknownName for an id that is not in the set.
    """
    wanted = {name for part in only for name in map(str.strip, part.split(",")) if name}
    for name in sorted(wanted - questions.by_id.keys()):
        raise UnknownName("question", name, questions.by_id, help="ragharness questions show")
    if only and not wanted:
        raise UsageError("expected --only ID,... with the id of a question, found none")
    chosen = wanted or questions.by_id.keys()
    if limit:
        mixed = in_fair_order([each for each in questions.questions if each.id in chosen], seed)
        chosen = {each.id for each in mixed[:limit]}
    if len(chosen) == len(questions.questions):
        return questions
    return _narrowed(questions, chosen)


def in_fair_order(questions: Sequence[Question], seed: int = 0) -> list[Question]:
    """Return the questions so that the first ones, however many, are a fair sample, the rows in proportion.

    The questions of each row are shuffled by the hash of seed and id and spread evenly from 0 to 1. A larger
    sample of the same seed holds every smaller one.
    """
    rows: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        rows[question.row].append(question)
    placed = []
    for row, asked in rows.items():
        shuffled = sorted(asked, key=lambda each: hashlib.sha256(f"{seed}:{each.id}".encode()).digest())
        placed += [
            ((place + 0.5) / len(asked), -len(asked), row, each.id, each)
            for place, each in enumerate(shuffled)
        ]
    return [each for *_, each in sorted(placed, key=lambda found: found[:-1])]


def _narrowed(questions: QuestionSet, chosen: Collection[str]) -> QuestionSet:
    kept = [place for place, each in enumerate(questions.questions) if each.id in chosen]
    return replace(
        questions,
        questions=tuple(questions.questions[place] for place in kept),
        places=tuple(questions.places[place] for place in kept) if questions.places else (),
    )
