"""What clauses, of answers and of contracts, say of a proposition."""

from __future__ import annotations

import pytest

from ragharness.corpus.propositions import read

SHARE = "The receiving party may share Confidential Information with its employees."
MARK = "All Confidential Information must be marked as confidential."
FORBID = "The receiving party shall not reverse engineer any samples."
PURPOSE = "The receiving party shall not use the information for any purpose other than the stated purposes."
ONLY = "Confidential Information shall only include technical information."
GRANT = "The agreement shall not grant the receiving party any right."
COPY = "The receiving party may make a copy of some information in some circumstances."
SURVIVE = "Some obligations of the agreement may survive its termination."
DEVELOP = "The receiving party may independently develop similar information."
ORAL = "Confidential Information may include verbally conveyed information."

GOLDEN = [
    (SHARE, "affirms", "It may share Confidential Information with employees who need to know"),
    (SHARE, "denies", "The receiving party is not allowed to disclose the information to its staff"),
    (SHARE, "affirms", "No restriction prevents this"),
    (
        SHARE,
        "affirms",
        "Nothing in the Agreement prevents the receiving party from sharing it with employees",
    ),
    (SHARE, "affirms", "It shall not disclose the information to anyone other than its employees"),
    (SHARE, "silent", "It may not be shared with third parties"),
    (SHARE, "affirms", "Sharing with employees is permitted"),
    (SHARE, "denies", "That is prohibited"),
    (SHARE, "silent", "The agreement does not mention employees"),
    (SHARE, "silent", "The receiving party shall use the information solely for the Purpose"),
    (MARK, "denies", "Information disclosed orally is covered whether or not it is marked"),
    (MARK, "denies", "There is no requirement to mark it"),
    (MARK, "affirms", "The agreement requires that all information be marked"),
    (MARK, "denies", "Unmarked information is also protected"),
    (FORBID, "affirms", "Neither party shall reverse engineer or decompile the samples"),
    (
        FORBID,
        "affirms",
        "At no time and under no circumstances shall the recipient reverse-engineer the samples",
    ),
    (FORBID, "denies", "It may reverse engineer samples"),
    (PURPOSE, "affirms", "The receiving party may use the information only for the Purpose"),
    (PURPOSE, "denies", "The receiving party may use it for any purpose"),
    (ONLY, "denies", "Confidential Information also includes business and financial information"),
    (ONLY, "affirms", "It is limited to technical information"),
    (ONLY, "denies", "It is not limited to technical information"),
    (GRANT, "affirms", "Nothing herein shall be construed as granting any right"),
    (GRANT, "denies", "The agreement grants the receiving party a license"),
    (COPY, "affirms", "It shall not be copied except as required for the evaluation"),
    (COPY, "denies", "Copying is prohibited"),
    (SURVIVE, "denies", "No obligations survive termination"),
    (SURVIVE, "affirms", "The confidentiality obligations survive termination"),
    (
        DEVELOP,
        "affirms",
        "Confidential Information does not include information that it developed independently",
    ),
    (DEVELOP, "denies", "The recipient is barred from independently developing similar information"),
    (ORAL, "affirms", "It covers whatever is disclosed, whether orally or in writing"),
    (ORAL, "denies", "Oral information is not covered"),
]


@pytest.mark.parametrize(("proposition", "wanted", "clause"), GOLDEN)
def test_polarity(proposition: str, wanted: str, clause: str) -> None:
    assert read(clause, proposition).polarity == wanted


@pytest.mark.parametrize("proposition", [SHARE, MARK, FORBID, GRANT, COPY, DEVELOP])
def test_a_proposition_affirms_itself(proposition: str) -> None:
    assert read(proposition, proposition).polarity == "affirms"


@pytest.mark.parametrize("text", ["", "?", "yes", "no no no", "not " * 200, "may may may not not"])
def test_any_clause_is_read(text: str) -> None:
    assert read(text, SHARE).polarity in ("affirms", "denies", "silent", "unclear")
    assert read(SHARE, text).polarity in ("affirms", "denies", "silent", "unclear")
