"""What models add to the rules on people's labels: tables of ``benchmarks/people_models.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_RESULT = Path(__file__).resolve().parents[1] / "benchmarks" / "people_models.json"


def tables() -> str:
    """Return a table for each kind of decision."""
    found = json.loads(_RESULT.read_text(encoding="utf-8"))
    models: dict[str, dict[str, Any]] = found["models"]
    files = [
        f"`{name}`: sha256 {each['file'][:16]}..., prompt {each['prompt']}" for name, each in models.items()
    ]
    parts = ["; ".join(files) + ".", _areas(models), _settled(models), _refusals(models), _annotators(models)]
    return "\n\n".join([*parts, _support(found.get("support", {}))])


def _areas(models: dict[str, dict[str, Any]]) -> str:
    rows = []
    for model, source, each in _reviews(models):
        if "alone" in each:
            word = each["alone"]
            parts = [each[name] for name in ("rules", "both") if name in each]
            weighed = (
                [str(parts[0]["unseen"]), *(_area(part["auc"]) for part in parts)]
                if parts
                else ["too few", "", ""]
            )
            asked = f"{each['asked']} of {each['review']}"
            false = [_of(word["false_yes"]), _of(word["false_no"])]
            rows.append([source, f"`{model}`", asked, _area(word["auc"]), *false, *weighed])
    head = [
        "left to review", "model", "asked", "AUC of its word", "its Yes is false", "its No is false",
        "unseen", "AUC of the rules there", "AUC of both there",
    ]  # fmt: skip
    return _table(head, rows)


def _settled(models: dict[str, dict[str, Any]]) -> str:
    rows, known = [], set()
    # The rules alone are told of the largest review that was asked about.
    for model, source, each in sorted(_reviews(models), key=lambda one: -one[2].get("asked", 0)):
        systems = {"rules alone": each["all_by_rules"], f"rules and `{model}`": each.get("both")}
        for name, system in systems.items():
            if system is None or (source, name) in known:
                continue
            known.add((source, name))
            for one in system["settles"]:
                false_correct, false_wrong = (f"{100 * rate:.0f} %" for rate in one["at_most"])
                rows.append([
                    source, name, f"{false_correct}, {false_wrong}", _of(one["settled"]),
                    _of(one["false_correct"]), _of(one["false_wrong"]),
                    f"{one['auc_for_three_quarters']:.2f}",
                ])  # fmt: skip
    head = [
        "unseen part", "by", "false correct, false wrong at most", "settled", "false correct", "false wrong",
        "AUC that would settle three quarters",
    ]  # fmt: skip
    return _table(head, sorted(rows, key=lambda row: row[0]))


def _refusals(models: dict[str, dict[str, Any]]) -> str:
    rows = []
    for model, found in models.items():
        for source in ("financebench", "xstest"):
            each = found.get(f"{source}: refusals", {"asked": 0})
            for name in ("model", "rules") if each["asked"] else ():
                said = each[name]
                by = f"`{model}`" if name == "model" else "`rules` on the same"
                area = f"{each['auc']:.2f}" if name == "model" else ""
                rows.append([
                    source, by, str(each["asked"]), area, _of(said["refusal_recall"]),
                    _of(said["refusal_precision"]),
                ])  # fmt: skip
    return _table(["refusals", "by", "answers", "AUC", "recall", "precision"], rows)


def _annotators(models: dict[str, dict[str, Any]]) -> str:
    rows = []
    for model, found in models.items():
        each = found.get("openqa-nq301")
        if each:
            told = [str(each["left_to_review"]), *(_of(each[name]) for name in ("rules", "rules_and_model"))]
            rows.append([f"`{model}`", *told, _of(each["single_annotator"])])
    head = [
        "NQ301",
        "left to review",
        "`rules` agree",
        "with the model's word behind",
        "a single annotator agrees",
    ]
    return _table(head, rows)


def _support(scorers: dict[str, Any]) -> str:
    rows = []
    for scorer, sources in scorers.items():
        for source, each in sources.items():
            names = ("accuracy", "always_one_answer", "supported_called_supported", "others_called_supported")
            told = [_of(each[name]) for name in names]
            rows.append([source, scorer, str(each["n"]), f"{each['auc']:.2f}", *told])
    head = [
        "support", "by", "claims", "AUC", "accuracy on the other half", "always the same answer",
        "supported, called so", "others called so",
    ]  # fmt: skip
    return _table(head, rows)


def _reviews(models: dict[str, dict[str, Any]]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (model, source, found[f"{source}: review"])
        for source in ("evouna", "financebench")
        for model, found in models.items()
        if f"{source}: review" in found
    ]


def _area(told: list[float]) -> str:
    area, low, high = told
    return f"{area:.2f} [{low:.2f}-{high:.2f}]"


def _of(told: list[Any]) -> str:
    count, n, low, high = told
    return f"{count} of {n} [{100 * low:.0f}-{100 * high:.0f} %]" if n else "0 of 0"


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))
