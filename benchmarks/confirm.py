"""What a judge behind the rules gains and costs, simulated on labelled answers.

    python benchmarks/confirm.py FILE [--trials N] [--write]
    python benchmarks/confirm.py benchmarks/own_answers.jsonl contractnli=FOLDER edgar=FOLDER govreport=FOLDER

FILE is one of ``calibrate --answers``, with labels or buckets, or our own answers, of which the part
*unseen* is taken. The simulated judge gives the label that follows from people's, or, in a share of the
answers drawn anew for each trial, one of the two others that decide. Its errors are independent of those of
the rules, which a real judge's are not. Puts the means over all trials into ``confirm.json`` under the name
of the file's folder and stem.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, cast

import ragharness as rh
from bench import HERE, json_lines, parser, read_result, rounded, write_result
from ragharness.analysis.labelled import Labelled, judge, read_labelled
from ragharness.corpus.passages import cached_passages
from ragharness.graders import Chain, Grader, load_grader
from ragharness.graders.judge import Judge
from ragharness.graders.judging import Votes
from ragharness.records import Answer, Judgement, Passage, Question, Reading

RESULT = HERE / "confirm.json"
AGREEMENTS = (0.8, 0.9, 0.95, 1.0)
TRIALS = 20
PER = 130  # answers for which calls are told: a frozen set
DECISIVE = ("agrees", "differs", "refuses")
BUCKETS = {"correct": "correct", "incorrect": "wrong", "refusal": "refused"}
"""Bucket of a label, where people gave no bucket."""


class SimulatedVotes:
    """Labels that follow from people's buckets, some of them replaced."""

    def __init__(self, answers: Sequence[Labelled], agreement: float, seed: int) -> None:
        self.calls = 0
        random = Random(seed)
        self._labels = {}
        for labelled in answers:
            label = label_of(labelled)
            others = [other for other in DECISIVE if other != label]
            label = label if random.random() < agreement else random.choice(others)
            self._labels[labelled.question.text, labelled.answer.text] = label

    def decide(self, decision: str, texts: Mapping[str, str], about: str = "") -> Judgement:
        """Label of an answer."""
        self.calls += 1
        label = self._labels[texts["question"], texts["answer"]]
        return Judgement(decision=decision, prompt="simulated", about=about, label=label)


class RememberedRules:
    """The rules, each answer read once."""

    def __init__(self) -> None:
        self._grader = load_grader()
        self.name, self.version = self._grader.name, self._grader.version
        self._readings: dict[tuple[str, str, tuple[str, ...]], Reading] = {}

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        """Reading of the rules."""
        key = question.text, answer.text, tuple(passage.id for passage in retrieved)
        if key not in self._readings:
            self._readings[key] = self._grader.read(question, answer, retrieved, supporting)
        return self._readings[key]


def bucket_of(labelled: Labelled) -> str:
    """Bucket that people give an answer."""
    return labelled.bucket or BUCKETS[labelled.label]


def label_of(labelled: Labelled) -> str:
    """Label that a judge would give who is of people's opinion."""
    bucket, question = bucket_of(labelled), labelled.question
    if bucket == "refused":
        return "refuses"
    if not question.answerable:
        compared = "unsupported" if question.world_answers else "wrong" if question.distractors else ""
        return "agrees" if bucket == compared else "differs"
    return "differs" if bucket == "wrong" else "agrees"


def own_answers(path: Path, folders: Mapping[str, str]) -> list[Labelled]:
    """Answers to the frozen questions that no rule was mended on."""
    rows = [row for row in json_lines(path) if row["part"] == "unseen"]
    answers = []
    for name in sorted({row["corpus"] for row in rows}):
        corpus = rh.load_corpus(name, source=folders.get(name, ""))
        questions = {question.id: question for question in rh.load_questions(corpus).questions}
        passages = cached_passages(corpus).by_id
        for row in (row for row in rows if row["corpus"] == name):
            question = questions[row["question"]]
            labelled = Labelled(
                question,
                Answer(text=row["answer"]),
                "correct",
                question.answers,
                question.kind,
                tuple(passages[id_] for id_ in row["passages"]),
                frozenset(row["evidence"]),
                judged_alone=False,
                bucket=row["bucket"],
            )
            answers.append(labelled)
    return answers


def figures(answers: Sequence[Labelled], grader: Grader, votes: SimulatedVotes) -> dict[str, float]:
    """Rates of one trial."""
    counts = Counter((bucket_of(each), judge(grader, each).bucket or "review") for each in answers)

    def count(people: str = "", verdict: str = "") -> int:
        return sum(
            n for (ours, theirs), n in counts.items() if people in ("", ours) and verdict in ("", theirs)
        )

    def condemned(bucket: str) -> float:
        spared = count(bucket, bucket) + count(bucket, "review")
        return (count(bucket) - spared) / (count(bucket) or 1)

    same = sum(n for (ours, theirs), n in counts.items() if ours == theirs)
    return {
        "same_bucket": same / len(answers),
        "other_bucket": 1 - (same + count("", "review")) / len(answers),
        "review": count("", "review") / len(answers),
        "false_correct": (count("", "correct") - count("correct", "correct")) / (count("", "correct") or 1),
        "right_condemned": condemned("correct"),
        "refusals_condemned": condemned("refused"),
        "calls": PER * votes.calls / len(answers),
    }


def chains(rules: RememberedRules, votes: SimulatedVotes) -> dict[str, Grader]:
    """Chains by what is written for them."""
    simulated = Judge(cast("Votes", votes), "simulated")
    return {
        "--grader rules,judge": Chain([rules, simulated], {}),
        "--confirm judge": Chain([rules, simulated], {}, confirm=simulated),
        "--grader judge": simulated,
    }


def measured(answers: Sequence[Labelled], count: int) -> list[dict[str, Any]]:
    """Mean rates of the rules and of every chain at every agreement."""
    rules = RememberedRules()
    silent = SimulatedVotes(answers, 1, 0)
    rows: list[dict[str, Any]] = [
        {"chain": "--grader rules", "agreement": None, **rounded(figures(answers, rules, silent))}
    ]
    for agreement in AGREEMENTS:
        trials: dict[str, list[dict[str, float]]] = {}
        for seed in range(count):
            votes = SimulatedVotes(answers, agreement, seed)
            for name, grader in chains(rules, votes).items():
                votes.calls = 0
                trials.setdefault(name, []).append(figures(answers, grader, votes))
        for name, rates in trials.items():
            means = {rate: fmean(trial[rate] for trial in rates) for rate in rates[0]}
            rows.append({"chain": name, "agreement": agreement, **rounded(means)})
    return rows


def main() -> None:
    """Print the figures of every chain, and keep them if asked to."""
    arguments = parser(__doc__)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("corpora", nargs="*", metavar="CORPUS=FOLDER")
    arguments.add_argument("--trials", type=int, default=TRIALS)
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    folders = dict(pair.split("=", 1) for pair in options.corpora)
    own = options.file.name == "own_answers.jsonl"
    answers = own_answers(options.file, folders) if own else read_labelled(options.file)
    rows = measured(answers, options.trials)
    for row in rows:
        print(*(f"{value:.3f}" if isinstance(value, float) else value for value in row.values()), sep="\t")
    if options.write:
        name = f"{options.file.resolve().parent.name}/{options.file.stem}"
        grader = f"rules@{load_grader().version}"
        result = {"grader": grader, "n": len(answers), "trials": options.trials, "rows": rows}
        write_result(RESULT, {**read_result(RESULT), name: result})


if __name__ == "__main__":
    main()
