"""What people might have asked of six real reports, as GovReport-QS keeps it; every answer is in our own words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

REPORTS = "data/govreport-leval/gov_report_summ.jsonl"


class Pair(NamedTuple):
    """A question with its answer; ``gold`` is the value that rules can grade, empty where they cannot."""

    question: str
    answer: str
    gold: str = ""
    parent: int = -1
    paragraph: int = 0


ASKED: dict[int, list[Pair]] = {
    1: [
        Pair("What does the RFS require?", "Transportation fuel has to hold some renewable fuel."),
        Pair("How much does it require for 2019?", "For 2019 it wants 19.92 billion gallons.", parent=0),
        Pair(
            "How much in matching grants did the USDA announce in 2015 under the Biofuel Infrastructure Partnership?",
            "In 2015 the USDA announced matching grants of $100 million in its Biofuel Infrastructure Partnership.",
            "100",
        ),
        Pair(
            "What percentage of the total renewable fuel mandate is cellulosic biofuel targeted to comprise in 2022?",
            "By statute, cellulosic biofuel is to comprise about 44% of the total renewable fuel mandate in 2022.",
            "44",
        ),
        Pair(
            "When was the RFS expanded?",
            "It was created in 2005 and expanded in 2007.",
        ),
    ],
    2: [
        Pair("What is concurrent receipt?", "Two federal benefits are received at the same time."),
        Pair(
            "How much would eliminating the CRDP program save the government between 2018 and 2026?",
            "CBO has estimated that the government would save $139 billion by eliminating the CRDP program"
            " between 2018 and 2026.",
            "139000",
            paragraph=1,
        ),
        Pair("How much would they save?", "They would save $139 billion.", parent=0, paragraph=1),
        Pair(
            "How much would the program save the government?",
            "Eliminating the CRDP program would save the government $139 billion.",
            parent=0,
            paragraph=1,
        ),
        Pair(
            "How much would it cost to extend benefits to all veterans who would be eligible for both disability"
            " benefits and military retired pay from 2015 to 2024, according to CBO?",
            "CBO estimated that benefits for all veterans who would be eligible for both disability benefits and"
            " military retired pay would cost $30 billion from 2015 to 2024.",
            "30000",
            paragraph=1,
        ),
        Pair(
            "How much would it cost to extend benefits to all veterans eligible for disability benefits?",
            "CBO estimated that benefits for all veterans who would be eligible for both disability benefits and"
            " military retired pay would cost $30 billion from 2015 to 2024.",
            paragraph=1,
        ),
    ],
    4: [
        Pair("What is an FMAG?", "A grant that helps to fight fires on public or private land."),
        Pair(
            "What percentage of the expenses are state, local, and tribal governments responsible for?",
            "State, local, and tribal governments are responsible for 25% of the expenses.",
            "25",
        ),
        Pair("How many days does FEMA have to approve the application?", "FEMA has 45 days to do so."),
    ],
    7: [
        Pair(
            "How much in federal UTF loans to the states was outstanding as of January 29, 2019?",
            "On January 29, 2019, federal UTF loans to the states of about $68.3 million were outstanding.",
            "68.3",
        ),
        Pair(
            "How much was outstanding, and how many states had loans?",
            "$68.3 million was outstanding.",
        ),
        Pair(
            "How much of the $68.3 million in federal UTF loans to the states was outstanding in 2019?",
            "All of the $68.3 million in federal UTF loans to the states was outstanding on January 29, 2019.",
        ),
    ],
    11: [
        Pair(
            "How much did the LHWCA pay in cash and medical benefits to injured workers and the families of"
            " deceased workers in 2016?",
            "In 2016 the LHWCA paid injured workers and families of deceased workers about $1.41 billion in cash"
            " and medical benefits.",
            "1410",
        ),
        Pair(
            "How much in cash and medical benefits did the LHWCA pay to injured workers and to families of"
            " deceased workers in 2016?",
            "In 2016 the LHWCA paid injured workers and families of deceased workers about $1.41 billion in cash"
            " and medical benefits.",
        ),
        Pair("How many workers did the LHWCA cover in 2016?", "In 2016 it covered 1,234 workers."),
    ],
    12: [
        Pair(
            "When did the President sign the United States Fire Administration, AFG, and SAFER Program"
            " Reauthorization Act of 2017?",
            "The President signed the United States Fire Administration, AFG, and SAFER Program Reauthorization"
            " Act of 2017 on January 3, 2018.",
            "2018-01-03",
        ),
        Pair(
            "How much is authorized for USFA for each year?",
            "USFA is authorized $76,490,890 for each year.",
            parent=0,
        ),
    ],
}
"""Pairs by the row of the report."""


def real_reports(shared: Path) -> dict[int, dict[str, str]]:
    """Return the six reports as rows of the hub, by their row."""
    lines = (shared / REPORTS).read_text(encoding="utf-8").splitlines()
    found = {}
    for number in ASKED:
        row = json.loads(lines[number])
        document, summary = (
            each[0] if isinstance(each, list) else each for each in (row["input"], row["outputs"])
        )
        found[number] = {"id": f"CRS_R450{number:02}", "document": document, "summary": summary}
    return found


def as_rows(reports: dict[int, dict[str, str]], *, sections: bool = True) -> list[dict[str, Any]]:
    """Return the pairs as rows of GovReport-QS, structs of lists; with the report's text cut into sections."""
    return [
        {
            "doc_id": report["id"],
            "document_sections": _sections(report["document"] if sections else ""),
            "question_summary_pairs": {
                "question": [each.question for each in ASKED[number]],
                "summary": [each.answer for each in ASKED[number]],
                "parent_pair_index": [each.parent for each in ASKED[number]],
                "summary_paragraph_index": [each.paragraph for each in ASKED[number]],
            },
        }
        for number, report in reports.items()
    ]


def as_structs(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Return a struct of lists as a list of structs."""
    return [dict(zip(columns, each, strict=True)) for each in zip(*columns.values(), strict=True)]


def _sections(text: str) -> dict[str, list[Any]]:
    head, _, rest = text.partition("\n")
    return {
        "title": ["", head.strip()],
        "paragraphs": ["", rest],
        "depth": [1, 2],
        "alignment": ["", "h0_full"],
    }
