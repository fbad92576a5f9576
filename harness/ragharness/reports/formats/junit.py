"""The run as JUnit XML: a suite for each question type, a case for each question and epoch."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from ragharness.analysis.scores import ROW_NAMES, RunOnDisk, Scores
from ragharness.records import Question, Record
from ragharness.reports.formats import answered, outcome
from ragharness.reports.text import clean

_ERRORS = ("error", "timeout", "no_answer")
_FORBIDDEN = re.compile("[\ufffe\uffff]")  # what XML forbids beside control characters
_SKIPPED = ("needs_review", "not_asked")


def render(scores: Scores, *, run: RunOnDisk, **_: object) -> str:
    """XML.

    A bucket that is not the desired one is a failure; an empty answer, an error or a time-out is an error;
    what needs review or was not asked is skipped.
    """
    root = ET.Element("testsuites", name=_plain(scores.run))
    suites: dict[str, list[ET.Element]] = {}
    for question, record in answered(run):
        suites.setdefault(question.row, []).append(_case(question, record, scores.epochs))
    for row, name in ROW_NAMES.items():
        if cases := suites.get(row):
            suite = ET.SubElement(root, "testsuite", name=name, tests=str(len(cases)))
            for kind, counted in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
                suite.set(counted, str(sum(case.find(kind) is not None for case in cases)))
            suite.set("time", f"{sum(float(case.get('time', 0)) for case in cases):.3f}")
            suite.extend(cases)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _case(question: Question, record: Record | None, epochs: int) -> ET.Element:
    name = question.id + (f" epoch {(record.epoch if record else 0) + 1}" if epochs > 1 else "")
    seconds = f"{record.seconds if record else 0:.3f}"
    case = ET.Element("testcase", name=_plain(name), classname=ROW_NAMES[question.row], time=seconds)
    out = outcome(record)
    if out == question.wanted:
        return case
    kind = "skipped" if out in _SKIPPED else "error" if out in _ERRORS else "failure"
    failure, verdict = (record.failure, record.verdict) if record else (None, None)
    reason = failure.message if failure else verdict.why if verdict else ""
    message = f"{out.replace('_', ' ')}, should be {question.wanted}" + (f": {reason}" if reason else "")
    element = ET.SubElement(case, kind, message=_plain(message))
    if kind != "skipped":
        element.set("type", _plain(failure.type if failure else verdict.reason if verdict else out))
    golds, answer = " | ".join(question.answers), record.answer.text if record and record.answer else "none"
    element.text = _plain(f"question: {question.text}\ngold: {golds or 'none'}\nanswer: {answer}")
    return case


def _plain(text: str) -> str:
    return _FORBIDDEN.sub("", clean(text))
