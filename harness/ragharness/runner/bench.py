"""Everything that a run needs, loaded from what the user asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragharness.corpus import load_corpus
from ragharness.download import is_offline
from ragharness.errors import UsageError
from ragharness.evidence import EvidenceIndex
from ragharness.graders import load_grader
from ragharness.options import Options
from ragharness.passages import DEFAULT_WORDS, build_passages, withhold
from ragharness.pipelines import Context, load_pipeline
from ragharness.privacy import without_secrets
from ragharness.questions import DEFAULT_SEED, DEFAULT_SIZE, load_questions
from ragharness.retrievers import build_retriever
from ragharness.runner.allowance import RETRIES
from ragharness.runner.choosing import choose
from ragharness.runner.examiner import Examiner
from ragharness.runner.ground import Ground, named
from ragharness.store import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ragharness.corpus import Corpus
    from ragharness.questions import QuestionSet
    from ragharness.runner.isolation import Isolation

    Setting = str | int | float


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What a user asks of a run; the defaults are those of the command line."""

    corpus: str = "sample"
    split: str = ""
    source: str = ""
    offline: bool = False
    questions: Path | None = None
    size: int = DEFAULT_SIZE
    seed: int = DEFAULT_SEED
    pipeline: str = "extractive"
    pipeline_options: tuple[str, ...] = ()
    """Each ``name=value``."""
    retriever: str = "bm25"
    retriever_options: tuple[str, ...] = ()
    k: int = 5
    passage_words: int = DEFAULT_WORDS
    grader: str = "rules"
    concurrency: int = 8
    timeout: float = 60.0
    only: tuple[str, ...] = ()
    """Ids of questions, several parted by commas; empty: all of them."""
    limit: int = 0
    """At most so many questions, the rows in proportion; 0: all of them."""
    sample_seed: int = 0
    """Another one takes other questions under the limit."""
    epochs: int = 1
    """How often each question is asked."""
    retries: int = RETRIES
    """Further attempts where a call failed in passing."""
    retry_errors: bool = False
    """Ask the questions again whose records are errors and time-outs."""
    rpm: float | None = None
    """Calls a minute at most, over all workers."""
    max_cost: float | None = None
    """US dollars at most, over all sessions of the run."""
    max_time: float | None = None
    """Seconds after which a session asks nothing more."""
    isolate: bool = False
    """Run a pipeline of the user's own in processes of its own, one a worker."""
    tags: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise UsageError for a number that cannot be meant."""
        for name, value in (
            ("k", self.k),
            ("passage-words", self.passage_words),
            ("concurrency", self.concurrency),
            ("size", self.size),
            ("epochs", self.epochs),
        ):
            if value < 1:
                raise UsageError(f"expected --{name} to be at least 1, found {value}")
        if not all(map(str.strip, self.tags)):
            raise UsageError("expected --tag NAME, found an empty one")
        for name, value in (("limit", self.limit), ("retries", self.retries)):
            if value < 0:
                raise UsageError(f"expected --{name} to be at least 0, found {value}")
        for name, most in (("rpm", self.rpm), ("max-cost", self.max_cost)):
            if most is not None and not 0 < most < math.inf:
                raise UsageError(f"expected --{name} to be a number above 0, found {most:g}")
        if not 0 < self.timeout < math.inf:
            raise UsageError(f"expected --timeout to be a number of seconds above 0, found {self.timeout:g}")


@dataclass(frozen=True)
class Bench:
    """A corpus, its questions and an examiner: ready to ask."""

    corpus: Corpus
    questions: QuestionSet
    examiner: Examiner
    settings: Settings

    @property
    def ground(self) -> Ground:
        """What answers are graded on."""
        examiner = self.examiner
        return Ground(self.corpus, self.questions, examiner.passages, examiner.evidence, examiner.grader)


def assemble(
    wishes: Wishes, on_progress: Callable[..., None] | None = None, cache: Path | None = None
) -> Bench:
    """Load corpus, questions, index, pipeline and grader; ``cache`` is a folder for indexes and answers.

    Raises RagharnessError where one cannot be had.
    """
    wishes.check()
    offline = wishes.offline or is_offline()
    corpus = load_corpus(
        wishes.corpus,
        split=wishes.split,
        source=wishes.source,
        offline=wishes.offline,
        on_progress=on_progress,
    )
    questions = load_questions(corpus, path=wishes.questions, size=wishes.size, seed=wishes.seed)
    passages = build_passages(corpus.documents, wishes.passage_words)
    evidence = EvidenceIndex(corpus)
    indexed = withhold(passages, questions.withheld_documents, questions.withheld_spans)
    asked = Options.parse(
        wishes.retriever_options, flag="--retriever-option", on_progress=on_progress, offline=offline
    )
    retriever = build_retriever(wishes.retriever, indexed, evidence, cache and cache / "indexes", asked)
    wanted = Options.parse(
        wishes.pipeline_options, flag="--pipeline-option", on_progress=on_progress, offline=offline
    )
    context = Context(corpus, questions, indexed, wanted, cache and cache / "answers", wishes.k)
    isolation = _isolated(wishes.pipeline, wanted) if wishes.isolate else None
    pipeline = isolation.pipeline if isolation else load_pipeline(wishes.pipeline, context)
    grader = load_grader(wishes.grader)
    # What is withheld, and so what is found, is that of the whole set: a part of it is asked as in the whole.
    questions = choose(questions, wishes.only, wishes.limit, wishes.sample_seed)
    examiner = Examiner(pipeline, retriever, grader, evidence, corpus, passages, wishes.k, isolation)
    settings = Settings(
        corpus=corpus.id,
        split=corpus.split,
        corpus_hash=corpus.hash,
        question_set=questions.hash,
        questions=len(questions.questions),
        retriever=without_secrets(retriever.name),
        retriever_settings=_shown(retriever.settings),
        k=wishes.k,
        passage_words=wishes.passage_words,
        pipeline=without_secrets(pipeline.spec),
        pipeline_fingerprint=pipeline.fingerprint,
        pipeline_settings=_shown(pipeline.settings),
        grader=named(grader),
        epochs=wishes.epochs,
    )
    return Bench(corpus, questions, examiner, settings)


def _shown(settings: Mapping[str, Setting]) -> dict[str, Setting]:
    """Return settings as they are written down, and compared with those written down before."""
    return {
        name: without_secrets(value) if isinstance(value, str) else value for name, value in settings.items()
    }


def _isolated(spec: str, options: Options) -> Isolation:
    from ragharness.runner.isolation import Isolation

    isolation = Isolation(spec)
    options.finish(f"the pipeline {spec!r}")
    return isolation
