"""What models add to the rules on people's labels: weighed, not believed; writes ``people_models.json``.

Called by ``people.py --replies``. A model is asked in the order in which the result grows evenly, so that a
measurement that is broken off is a smaller sample of the same kind.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

import grading_risk as risk
import people
from people_replies import Model, NotAsked, prompt_of
from people_review import EVEN, alone, auc, left_open, told, weighed
from people_support import Claim, by_cosine, by_reranker
from ragharness.analysis.calibration.labelled import Labelled, read_labelled
from ragharness.analysis.calibration.measuring import judge, outcome_of
from ragharness.graders import load_grader

RESULT = Path(__file__).with_suffix(".json")
DOCS = Path(__file__).parents[1] / "docs"
LABELLED = ("evouna", "financebench")
FEWEST, ENOUGH = 30, 100
"""Answers with a reply from which on a model's word is told by itself, and weighed."""
CLAIMS = 600
SAMPLE = 150
"""Refusals of FinanceBench and XSTest that are asked about."""
DRAWN_FROM = 0.1
"""The share of the answers from which on a curve is drawn: before it, one error is a leap."""
_DIGITS = 12
"""Of the digest of a model's file, by which its replies are known."""


def measure(given: argparse.Namespace) -> None:
    """Measure what is asked for, and put it into the result."""
    given.replies.mkdir(parents=True, exist_ok=True)
    result: dict[str, Any] = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    if given.model:
        name, _, path = given.model.partition("=")
        with Path(path).open("rb") as file:
            digest = _sha256(file)
        replies = given.replies / f"{digest[:_DIGITS]}.jsonl"
        model = Model(digest[:_DIGITS], replies, given.base_url)
        told_of = result.setdefault("models", {}).setdefault(name, {})
        told_of |= {"file": digest, "prompt": prompt_of().name} | _of_model(model, given)
    scorers: dict[str, Callable[[], Callable[[Claim], float]]] = {}
    if given.reranker:
        scorers["reranker"] = lambda: by_reranker(given.reranker)
    if given.embeddings:
        scorers["cosine"] = by_cosine
    for name, made in scorers.items():
        result.setdefault("support", {})[name] = _of_scorer(name, made, given)
    draw(result.get("models", {}))
    RESULT.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def draw(models: dict[str, Any]) -> None:
    """Draw risk against coverage of what the rules leave to review, over the unseen questions."""
    for source in LABELLED:
        reviews = {name: each.get(f"{source}: review", {}) for name, each in models.items()}
        weighed_by = {f"and {name}": each["both"] for name, each in reviews.items() if "both" in each}
        if weighed_by:
            alone_by = next(each["all_by_rules"] for each in reviews.values() if each)
            curves = {
                name: [point for point in each["curve"] if point[0] >= DRAWN_FROM]
                for name, each in {"rules alone": alone_by, **weighed_by}.items()
            }
            drawing = risk.svg(f"{source}, left to review", curves)
            (DOCS / f"review-{source}.svg").write_text(drawing, encoding="utf-8")


def _sha256(file: Any) -> str:
    known = sha256()
    while block := file.read(1 << 20):
        known.update(block)
    return known.hexdigest()


def _wanted(given: argparse.Namespace, *names: str) -> Iterator[str]:
    for name in names:
        if name in (given.only or names) and (given.folder / name).is_dir():
            yield name


def _of_model(model: Model, given: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in _wanted(given, *LABELLED):
        answers = read_labelled(given.folder / name / "answers.jsonl")
        found[f"{name}: review"] = review(model, answers)
        if name == "financebench":
            found["financebench: refusals"] = refusals(model, answers)
    for name in _wanted(given, "xstest"):
        found["xstest: refusals"] = refusals(model, people.requests(given.folder / name))
    for name in _wanted(given, "openqa-nq301"):
        found["openqa-nq301"] = beside_annotators(model, given.folder / name)
    for name, each in found.items():
        print(name, json.dumps(each))
    return found


def review(model: Model, answers: Sequence[Labelled]) -> dict[str, Any]:
    """Return what the model's word settles of the answers that the rules leave to review."""
    left = left_open(load_grader(), answers)
    parts = [[each for each in left if each.unseen is part] for part in (False, True)]
    prompt, rows, said = prompt_of(), [], []
    for each in evenly(parts):
        try:
            likely = model.yes(prompt, _texts(each.labelled))
        except NotAsked:
            continue
        rows.append(each)
        said.append(likely)
    found: dict[str, Any] = {"review": len(left), "of": len(answers), "asked": len(rows)}
    found["all_by_rules"] = weighed(left, None)
    if len(rows) >= FEWEST:
        found["alone"] = alone(rows, said)
    if len(rows) >= ENOUGH:
        found |= {"rules": weighed(rows, None), "both": weighed(rows, said)}
    return found


def evenly(parts: Sequence[Sequence[Any]]) -> Iterator[Any]:
    """Yield several lists in turn, so that each is through at the same time."""
    placed = [
        ((place + 0.5) / len(part), number, each)
        for number, part in enumerate(parts)
        for place, each in enumerate(part)
    ]
    for _, _, each in sorted(placed, key=lambda one: one[:2]):
        yield each


def _texts(each: Labelled) -> dict[str, str]:
    return {"question": each.question.text, "gold": "\n".join(each.golds), "answer": each.answer.text}


def _sampled(answers: Sequence[Labelled]) -> list[Labelled]:
    return sorted(answers, key=lambda each: sha256(each.question.id.encode()).hexdigest())[:SAMPLE]


def refusals(model: Model, answers: Sequence[Labelled]) -> dict[str, Any]:
    """Return how the judge's prompt on refusals fares, and the rules on the same answers."""
    rules, rows, said, ours = load_grader(), [], [], []
    for each in _sampled(answers):
        try:
            said.append(model.refuses({"question": each.question.text, "answer": each.answer.text}))
        except NotAsked:
            continue
        rows.append(each.label == "refusal")
        ours.append(rules.read(each.question, each.answer, (), frozenset()).refusal)
    if not rows:
        return {"asked": 0}
    return {
        "asked": len(rows),
        "auc": round(auc(np.array(said), np.array(rows)), 4),
        "model": _recalled(rows, [each >= EVEN for each in said]),
        "rules": _recalled(rows, ours),
    }


def _recalled(true: Sequence[bool], said: Sequence[bool]) -> dict[str, Any]:
    hits = sum(one and other for one, other in zip(true, said, strict=True))
    return {"refusal_recall": told(hits, sum(true)), "refusal_precision": told(hits, sum(said))}


def beside_annotators(model: Model, folder: Path) -> dict[str, Any]:
    """Return how often the rules, the rules and the model, and one person agree with what NQ301 accepts."""
    answers, one = people.judged_by_several(folder)
    rules, counts = load_grader(), {"asked": 0, "rules": 0, "both": 0, "n": 0}
    for each in answers:
        outcome, right = outcome_of(judge(rules, each)), each.label == "correct"
        says = outcome == "correct"
        if outcome == "needs_review":
            try:
                says = model.yes(prompt_of(), _texts(each)) >= EVEN
            except NotAsked:
                continue
            counts["asked"] += 1
        counts["n"] += 1
        counts["rules"] += outcome != "needs_review" and says == right
        counts["both"] += says == right
    n = counts["n"]
    return {
        "left_to_review": counts["asked"],
        "rules": told(counts["rules"], n),
        "rules_and_model": told(counts["both"], n),
        "single_annotator": told(one[True], one.total()),
    }


def _of_scorer(
    name: str, made: Callable[[], Callable[[Claim], float]], given: argparse.Namespace
) -> dict[str, Any]:
    """Return how a scorer tells supported claims from others: threshold of one half, figures of the other."""
    read = {"attributionbench": people.attribution, "wice": people.wice}
    path = given.replies / f"support-{name}.jsonl"
    known = {each["claim"]: each["score"] for each in people.lines(path)} if path.exists() else {}
    claims = {source: _claims(read[source](given.folder / source)) for source in _wanted(given, *read)}
    score: Callable[[Claim], float] | None = None
    with path.open("a", encoding="utf-8") as file:
        for each in evenly(list(claims.values())) if not given.kept else ():
            if each.digest not in known:
                score = score or made()
                known[each.digest] = round(score(each), 6)
                file.write(json.dumps({"claim": each.digest, "score": known[each.digest]}) + "\n")
                file.flush()
    return {
        source: halves([(known[each.digest], each) for each in rows if each.digest in known])
        for source, rows in claims.items()
    }


def _claims(rows: Iterator[tuple[Any, ...]]) -> list[Claim]:
    found = [Claim(claim, tuple(passages), label) for _, claim, passages, label in rows]
    return sorted(found, key=lambda each: each.digest)[:CLAIMS]


def halves(scored: Sequence[tuple[float, Claim]]) -> dict[str, Any]:
    """Return the AUC and, at the threshold that is best on one half, the accuracy on the other."""
    scores = np.array([score for score, _ in scored])
    true = np.array([each.label in people.SUPPORTED for _, each in scored])
    tuned = np.array([int(each.digest[-8:], 16) % 2 == 0 for _, each in scored])
    cuts = np.unique(scores[tuned])
    best = max(cuts, key=lambda cut: float(((scores[tuned] >= cut) == true[tuned]).mean()))
    here, right = scores[~tuned] >= best, true[~tuned]
    return {
        "n": len(scores),
        "auc": round(auc(scores[~tuned], right), 4),
        "threshold": round(float(best), 4),
        "accuracy": told(int((here == right).sum()), len(right)),
        "always_one_answer": told(int(max(right.sum(), (~right).sum())), len(right)),
        "supported_called_supported": told(int((here & right).sum()), int(right.sum())),
        "others_called_supported": told(int((here & ~right).sum()), int((~right).sum())),
    }
