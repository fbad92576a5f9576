"""Composes the non-disclosure agreements from the clause bank and the deals."""

from __future__ import annotations

from datetime import date

import nda_clauses as bank
from draft import Draft
from nda_deals import DEALS, HOUSES, Deal
from words import choice, day, duration

from ragharness.records import Document, Fact

_BOILERPLATE: dict[str, list[bank.Clause]] = {
    "definitions": bank.DEFINITIONS,
    "exclusions": bank.EXCLUSIONS,
    "care": bank.CARE,
    "coordinators": bank.COORDINATORS,
    "licence": bank.LICENCE,
    "warranty": bank.WARRANTY,
    "no_duty": bank.NO_DUTY,
    "personal": bank.PERSONAL,
    "term": bank.TERM,
    "law": bank.LAW,
    "notices": bank.NOTICES,
    "liability": bank.LIABILITY,
    "general": bank.GENERAL,
}
_NO_EARLY_END = "It cannot be ended sooner except for a serious breach that is not made good."


def compose() -> list[tuple[Document, list[Fact]]]:
    """Return the agreements with their facts."""
    return [_compose(deal, f"nda-{number:02d}") for number, deal in enumerate(DEALS, start=1)]


def _compose(deal: Deal, document_id: str) -> tuple[Document, list[Fact]]:
    house = HOUSES[deal.house]
    signed_in = date.fromisoformat(deal.effective).strftime("%B %Y")
    draft = Draft(
        id=document_id,
        title=f"{house.kind} between {deal.one} and {deal.two}",
        handle=f"{house.kind} between {_plain(deal.one)} and {_plain(deal.two)}",
        paraphrase=f"{signed_in} secrecy agreement of {_definite(deal.two_short)} with {deal.one_short}",
        genre="non-disclosure agreement",
    )
    words = _vocabulary(deal)
    _write_head(draft, deal, words)
    number = 0
    for slot in house.order:
        clause = _clause(deal, slot)
        if clause:
            number += 1
            _write_clause(draft, house.numbering, number, clause, words)
    _write_signatures(draft, deal, words)
    _declare(draft, deal)
    return draft.finish()


def _plain(party: str) -> str:
    for ending in (
        " Corporation",
        " plc",
        " Inc.",
        " Ltd.",
        " Ltd",
        " LLC",
        " LLP",
        " LP",
        " N.V.",
        " B.V.",
        " A/S",
        " AS",
        " SAS",
        " SA",
        " GmbH",
        " Pty",
    ):
        party = party.removesuffix(ending).removesuffix(",")
    return party


def _definite(short: str) -> str:
    return short.replace("the Institute", "the dryland cereals institute")


def _vocabulary(deal: Deal) -> dict[str, str]:
    words = dict(HOUSES[deal.house].words)
    style = {
        "fellbridge": "legal",
        "corley": "legal",
        "letter": "american",
        "plain": "words",
        "deed": "words",
    }[deal.house]
    words["CIname"], words["P"] = words["CI"], words["Pname"]
    words.update({f"T{name}": words[name][0].upper() + words[name][1:] for name in ("D", "R", "A")})
    words.update({f"{name}^": words[name][0].upper() + words[name][1:] for name in ("R", "CI", "CIname")})
    words.update(
        one=_plain(deal.one),
        two=_plain(deal.two),
        one_business=deal.one_business,
        two_business=deal.two_business,
        purpose=deal.purpose,
        items=f"{deal.items[0]}, {deal.items[1]} and {deal.items[2]}",
        coordinator_one=deal.coordinator_one,
        coordinator_two=deal.coordinator_two,
        notice_to=deal.notice_to,
        law=deal.law,
        courts=deal.courts,
        cap=deal.cap,
        term=duration(*deal.term, style),
        survival=duration(*deal.survival, style),
        return_days=str(deal.return_days),
        oral_days=str(deal.oral_days),
        nonsolicit_months=str(deal.nonsolicit_months),
        termination_days=str(deal.termination_days),
        affiliate_percent=str(deal.affiliate_percent),
    )
    words["affiliate"] = (
        choice(bank.AFFILIATE, deal.seed, "affiliate").format_map(words) if deal.affiliate_percent else ""
    )
    ending = choice(bank.TERMINATION, deal.seed, "termination") if deal.termination_days else _NO_EARLY_END
    words["termination"] = ending.format_map(words)
    return words


def _clause(deal: Deal, slot: str) -> bank.Clause | None:
    if slot == "liability" and not deal.cap:
        return None
    if slot in _BOILERPLATE:
        return choice(_BOILERPLATE[slot], deal.seed, slot)
    label = {"Y": "yes", "N": "no", "-": ""}[deal.yes_no[list(bank.YES_NO).index(slot)]]
    return choice(bank.YES_NO[slot][label], deal.seed, slot) if label else None


def _write_head(draft: Draft, deal: Deal, words: dict[str, str]) -> None:
    house = HOUSES[deal.house]
    style = {"fellbridge": "american", "corley": "american", "letter": "american"}.get(deal.house, "british")
    on = day(deal.effective, style)
    if house.numbering == "letter":
        draft.paragraph(f"{deal.one}\n{deal.one_seat}")
        draft.paragraph(f"{on}")
        draft.paragraph(f"{deal.two}\n{deal.two_seat}")
        draft.paragraph(f"{house.kind.upper()}")
        draft.paragraph("Dear Madam or Sir,")
        draft.paragraph(
            f"[[effective_date|This letter, which takes effect on {on}, sets out the terms on which {_exchange(deal, words)}.]]"
        )
    else:
        draft.paragraph(house.kind.upper())
        first, second = ("{two}", "{one}") if deal.discloser == "two" else ("{one}", "{two}")
        roles = f'{first} is called "{{D}}" and {second} is called "{{R}}".'
        if deal.discloser == "both":
            roles = 'Each party is "{D}" in respect of the information that it gives and "{R}" in respect of the information that it gets.'
        opening = {
            "fellbridge": "[[effective_date|{TA} is entered into with effect from {on} by and between]]",
            "corley": "[[effective_date|{TA}, effective as of {on}, is made between]]",
            "plain": "[[effective_date|{TA} starts on {on}.]] The parties are",
            "deed": "[[effective_date|{TA} takes effect on {on} and is made between]]",
        }[deal.house].format_map({**words, "on": on})
        draft.paragraph(
            f"{opening} {deal.one}, of {deal.one_seat}, and {deal.two}, of {deal.two_seat}. {roles.format_map(words)}"
        )
    for recital in bank.RECITALS[house.recitals]:
        draft.paragraph(recital.format_map(words))


def _exchange(deal: Deal, words: dict[str, str]) -> str:
    if deal.discloser == "both":
        return f'{deal.one} and {deal.two} will give information to each other (the one that gives it being "{words["D"]}" and the other "{words["R"]}")'
    giver, getter = (deal.two, deal.one) if deal.discloser == "two" else (deal.one, deal.two)
    return f'{giver} ("{words["D"]}") will give information to {getter} ("{words["R"]}")'


def _write_clause(
    draft: Draft, numbering: str, number: int, clause: bank.Clause, words: dict[str, str]
) -> None:
    heading, parts = clause
    texts = [part.format_map(words) for part in parts if part.format_map(words)]
    if numbering == "letter":
        draft.paragraph(f"{number}. {heading}. " + " ".join(texts))
    elif numbering == "1.":
        draft.paragraph(f"{number}. {heading}")
        for text in texts:
            draft.line(text)
    elif numbering == "Article":
        draft.paragraph(f"ARTICLE {number}. {heading.upper()}")
        for count, text in enumerate(texts, start=1):
            draft.line(f"({count}) {text}" if len(texts) > 1 else text)
    else:
        draft.paragraph(f"{number}. {heading.upper()}")
        for count, text in enumerate(texts, start=1):
            draft.line(f"{number}.{count} {text}")


def _write_signatures(draft: Draft, deal: Deal, words: dict[str, str]) -> None:
    style = "british" if deal.house in {"plain", "deed"} else "american"
    on = day(deal.signed, style)
    closing = {
        "letter": "Please confirm your agreement by signing and returning the enclosed copy.",
        "deed": "Executed and delivered as a deed.",
        "plain": "The people who sign below have authority to do so.",
    }.get(deal.house, f"IN WITNESS WHEREOF the parties have signed {words['A']}.")
    draft.paragraph(closing)
    draft.paragraph(
        f"Signed for {deal.one} by [[signatory_one|{deal.signatory_one}]], [[signed_date|on {on}]]"
    )
    draft.line(f"Signed for {deal.two} by [[signatory_two|{deal.signatory_two}]], on {on}")


def _declare(draft: Draft, deal: Deal) -> None:
    for topic, letter in zip(bank.YES_NO, deal.yes_no, strict=False):
        if letter == "-":
            draft.silent(topic)
        else:
            draft.fact(
                Fact(
                    document=draft.id, topic=topic, kind="yesno", answers=("yes" if letter == "Y" else "no",)
                )
            )
    names = {"one": _plain(deal.one), "two": _plain(deal.two)}
    for topic, value, unit in (
        ("term", deal.term[0], deal.term[1]),
        ("survival", deal.survival[0], deal.survival[1]),
        ("return_days", deal.return_days, "days"),
        ("termination_days", deal.termination_days, "days"),
        ("oral_days", deal.oral_days, "days"),
        ("affiliate_percent", deal.affiliate_percent, "percent"),
        ("liability_cap", deal.cap, "USD million"),
    ):
        if draft.marks(topic):
            draft.fact(
                Fact(
                    document=draft.id,
                    topic=topic,
                    kind="number",
                    answers=(str(value),),
                    unit=unit,
                    details=names,
                )
            )
    if draft.marks("non_solicitation") and f"{deal.nonsolicit_months} months" in draft.excerpt(
        "non_solicitation"
    ):
        months = (str(deal.nonsolicit_months),)
        draft.fact(
            Fact(
                document=draft.id,
                topic="nonsolicit_months",
                kind="number",
                answers=months,
                unit="months",
                details=names,
            ),
            "non_solicitation",
        )
    draft.fact(
        Fact(
            document=draft.id,
            topic="effective_date",
            kind="date",
            answers=(deal.effective,),
            date_precision="day",
            details={**names, "signed": deal.signed},
        )
    )
    for topic, value in (
        ("governing_law", deal.law.removeprefix("the ")),
        ("courts", deal.courts),
        ("purpose", deal.purpose_core),
        ("coordinator_one", deal.coordinator_one),
        ("coordinator_two", deal.coordinator_two),
        ("signatory_one", deal.signatory_one.split(",")[0]),
        ("signatory_two", deal.signatory_two.split(",")[0]),
        ("notice_to", deal.notice_to),
    ):
        if draft.marks(topic):
            also = {"also": " / ".join(deal.purpose_also)} if topic == "purpose" else {}
            draft.fact(
                Fact(document=draft.id, topic=topic, kind="text", answers=(value,), details={**names, **also})
            )
    draft.fact(
        Fact(document=draft.id, topic="protected_items", kind="list", answers=deal.items, details=names)
    )
