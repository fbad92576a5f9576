"""Composes the reports of three fictional oversight bodies."""

from __future__ import annotations

from dataclasses import dataclass

from draft import Draft
from report_texts import REPORTS, Report
from words import choice, day, joined, money, spelled

from ragharness.records import Document, Fact

YES_NO: dict[str, dict[str, list[str]]] = {
    "performance_goals": {
        "yes": [
            "[[performance_goals|The {short} has set goals for this program that can be measured, and it reports each year how far it has come.]]",
            "Progress can be judged: [[performance_goals|the {short} has adopted numerical performance goals]], among them one for timeliness.",
            "[[performance_goals|Measurable goals for the program exist and are published by the {short}.]] They have not been changed for some time.",
        ],
        "no": [
            '[[performance_goals|The {short} has no measurable performance goals for this program]]; its strategic plan speaks of "excellence" and "service".',
            "What the program is meant to achieve is hard to test, [[performance_goals|because the {short} has not defined goals that could be measured.]]",
            "[[performance_goals|The {short} lacks goals for this program that can be measured.]] Managers told us that they know good work when they see it.",
        ],
    },
    "complaint_procedure": {
        "yes": [
            "[[complaint_procedure|A written procedure lays down how the {short} deals with complaints from the public.]] Most complaints that we looked at had been answered within a month.",
            "[[complaint_procedure|For complaints the {short} follows a procedure that it has put in writing.]]",
        ],
        "no": [
            "[[complaint_procedure|The {short} has no written procedure for complaints.]] They are passed to whoever is thought to know the answer.",
            "Complaints are taken by telephone and seldom recorded, [[complaint_procedure|and no procedure for handling them has been written down.]]",
        ],
    },
    "funds_traced": {
        "yes": [
            "[[funds_traced|We were able to trace all the funds of the program from appropriation to payment.]]",
            "The accounts are in order: [[funds_traced|the {short} could show what each dollar of the program had been spent on.]]",
        ],
        "no": [
            "[[funds_traced|The {short} could not account for all the money that the program had received]]; at the time of our review staff were still looking for the vouchers.",
            "[[funds_traced|Some of the program's expenditure could not be traced to an invoice]], since two accounting systems are in use and do not agree.",
        ],
    },
    "data_reliable": {
        "yes": [
            "[[data_reliable|We tested the agency's data for missing and implausible entries and consider them sufficiently reliable for our purposes.]]",
            "[[data_reliable|Having compared a sample of the {short}'s data with the underlying documents, we judged the data reliable enough to be used here.]]",
        ],
        "no": [
            "[[data_reliable|We found the {short}'s own data too unreliable to be used]] and therefore collected the figures from source documents.",
            "[[data_reliable|The database of the {short} did not prove reliable enough for our analysis]], as one entry in eight was contradicted by the file.",
        ],
    },
    "prior_recommendations": {
        "yes": [
            "[[prior_recommendations|The {short} has carried out all the recommendations of our earlier report.]]",
            "Of what we recommended last time nothing is outstanding: [[prior_recommendations|every earlier recommendation to the {short} has been implemented and closed.]]",
        ],
        "no": [
            "[[prior_recommendations|Two of the recommendations that we made to the {short} in an earlier report have still not been carried out.]]",
            "[[prior_recommendations|Not all of our earlier recommendations have been put into practice by the {short}]]; the oldest that is open dates from before the pandemic.",
        ],
    },
    "expert_panel": {
        "yes": [
            "[[expert_panel|We discussed our preliminary findings with a panel of outside experts]], whose members had no ties to the agency.",
            "[[expert_panel|Independent experts from two universities were convened to comment on our method and our results.]]",
        ],
        "no": [
            "[[expert_panel|We did not consult a panel of outside experts]]; the analysis is that of our own staff.",
            "[[expert_panel|No outside experts were engaged for this work]], apart from a translator.",
        ],
    },
}
"""Per topic and answer: the sentences that say so."""

_AGREED = {
    "yes": [
        "[[agreed_all|In its written comments the {short} agreed with all {count} recommendations.]] It said that work on the first had already begun.",
        "We sent a draft of this report to the {short}. [[agreed_all|The {head} replied that the agency concurs with every one of the recommendations.]]",
    ],
    "no": [
        "[[agreed_all|In its written comments the {short} agreed with {agreed} of our {count} recommendations]] and disagreed with {rest}. We continue to believe that {it} should be carried out, for the reasons given above.",
        "We sent a draft of this report to the {short}. [[agreed_all|The {head} accepted {agreed} of the {count} recommendations]] but not the {ordinal}, which would in the agency's view cost more than it saves. We did not change the text.",
    ],
}


@dataclass(frozen=True)
class _Body:
    name: str
    we: str
    why: str
    found: str
    recommends: str
    background: str
    detail: str
    controls: str
    list_heading: str
    comments: str
    method: str
    item: str


_BODIES = {
    "audit": _Body(
        "Legislative Audit Service",
        "LAS",
        "Why LAS Did This Study",
        "What LAS Found",
        "What LAS Recommends",
        "Background",
        "",
        "Management Controls",
        "Recommendations for Executive Action",
        "Agency Comments",
        "Appendix I: Scope and Methodology",
        "Recommendation",
    ),
    "inspector": _Body(
        "Office of Performance Review",
        "OPR",
        "Reason for the Review",
        "Results in Brief",
        "",
        "What Was Reviewed",
        "Finding {n}. ",
        "Other Matters",
        "Recommendations",
        "Response of Management",
        "How the Review Was Done",
        "Recommendation",
    ),
    "research": _Body(
        "Bureau of Legislative Research",
        "the Bureau",
        "Summary",
        "Main Points",
        "",
        "Context",
        "",
        "Administration of the Program",
        "Options",
        "",
        "Sources and Method",
        "Option",
    ),
}


def compose() -> list[tuple[Document, list[Fact]]]:
    """Return the reports with their facts."""
    return [_compose(report, f"report-{number:02d}") for number, report in enumerate(REPORTS, start=1)]


def _compose(report: Report, document_id: str) -> tuple[Document, list[Fact]]:
    draft = Draft(
        id=document_id,
        title=f"{report.title} ({report.number})",
        handle=report.handle,
        paraphrase=report.paraphrase,
        genre="government report",
    )
    body = _BODIES[report.body]
    _write_opening(draft, report, body)
    _write_findings(draft, report, body)
    _write_table(draft, report)
    _write_controls(draft, report, body)
    _write_recommendations(draft, report, body)
    _write_method(draft, report, body)
    _declare(draft, report)
    return draft.finish()


def _lower(heading: str) -> str:
    return heading[0].lower() + heading[1:]


def _write_opening(draft: Draft, report: Report, body: _Body) -> None:
    on = day(report.issued, "american")
    draft.paragraph(f"{body.name.upper()}")
    heading = {
        "audit": "Report to the",
        "inspector": "Review requested by the",
        "research": "Brief prepared for the",
    }[report.body]
    draft.line(f"[[committee|{heading} {report.committee}]]")
    draft.line(f"{report.number}")
    draft.line(f"[[issued|Issued {on}]]")
    draft.paragraph(report.title)
    draft.paragraph(body.why)
    asked = {
        "audit": f"The {report.committee} asked LAS to examine the matter.",
        "inspector": f"The review was requested by the {report.committee}.",
        "research": f"It was written at the request of the {report.committee}.",
    }[report.body]
    draft.line(f"{report.why} [[committee|{asked}]]")
    first, second, third = (_lower(heading) for heading, _ in report.findings)
    draft.paragraph(body.found)
    draft.line(
        [
            f"Three things stand out: {first}, {second}, and {third}.",
            f"In short, {first}. Beyond that, {second}; moreover, {third}.",
            f"We report three findings. The first is that {first}; the second, that {second}; the third, that {third}.",
        ][report.seed % 3]
    )
    if body.recommends:
        draft.paragraph(body.recommends)
        draft.line(
            f"[[recommendations|{body.we} makes {spelled(len(report.recommendations))} recommendations to officials of the {report.short}, which are set out near the end of this report.]]"
        )


def _write_findings(draft: Draft, report: Report, body: _Body) -> None:
    draft.paragraph(body.background)
    term = 3 + report.seed % 5
    head = [
        f"[[head|[[head_term|The {report.agency} ({report.short}) is led by a {report.head}, who is appointed for {spelled(term)} years.]]]]",
        f"[[head|[[head_term|At the top of the {report.agency} ({report.short}) stands a {report.head}; a term of office lasts {spelled(term)} years.]]]]",
    ][report.seed % 2]
    draft.line(
        f"{head} {report.background[0]}".replace("a Executive", "an Executive").replace(
            "a Administrator", "an Administrator"
        )
    )
    draft.paragraph(report.background[1])
    for number, (heading, text) in enumerate(report.findings, start=1):
        draft.paragraph(body.detail.format(n=number) + heading)
        draft.line(text)


def _write_table(draft: Draft, report: Report) -> None:
    table = report.table
    draft.paragraph(f"Table 1: {table.title}")
    draft.line(" | ".join(["Item", *map(str, table.years)]))
    for index, (label, *values) in enumerate(table.rows):
        draft.line(f"[[row_{index}|{label} | {' | '.join(money(value, table.digits) for value in values)}]]")
    totals = [sum(row[column] for row in table.rows) for column in (1, 2, 3)]  # type: ignore[misc]
    draft.line(f"[[row_total|{table.total} | {' | '.join(money(value, table.digits) for value in totals)}]]")
    draft.line(f"Source: {_BODIES[report.body].name}, from records of the {report.short}.")
    rise = (totals[2] / totals[1] - 1) * 100
    direction = "rose" if rise > 0 else "fell"
    draft.paragraph(
        f'As table 1 shows, [[growth|the total {direction} by {abs(rise):.1f} percent from {table.years[1]} to {table.years[2]}.]] The largest part, {max(row[3] for row in table.rows) / totals[2] * 100:.0f} percent of the last year\'s total, falls under "{max(table.rows, key=lambda row: row[3])[0]}".'
    )


def _letters(report: Report) -> dict[str, str]:
    return dict(zip(YES_NO, report.yes_no, strict=True))


def _sentence(report: Report, topic: str) -> str:
    letter = _letters(report)[topic]
    if letter == "-":
        return ""
    variants = YES_NO[topic]["yes" if letter == "Y" else "no"]
    return choice(variants, report.number, topic).format(short=report.short)


def _write_controls(draft: Draft, report: Report, body: _Body) -> None:
    sentences = [
        _sentence(report, topic)
        for topic in ("performance_goals", "complaint_procedure", "funds_traced", "prior_recommendations")
    ]
    if report.seed % 2:
        sentences.reverse()
    stated = [sentence for sentence in sentences if sentence]
    if stated:
        lead = [
            "In the course of our work we also looked at how the program is controlled.",
            "Some points lie outside our three findings but bear on them.",
            "We note the following about the way in which the program is run.",
        ][report.seed % 3]
        draft.paragraph(body.controls)
        draft.line(" ".join([lead, *stated]))


def _write_recommendations(draft: Draft, report: Report, body: _Body) -> None:
    draft.paragraph(body.list_heading)
    count = len(report.recommendations)
    if report.body == "research":
        draft.line(
            f"[[recommendations|Should a change be wanted, {spelled(count)} options suggest themselves.]] They do not exclude one another."
        )
    else:
        draft.line(
            f"[[recommendations|{'LAS is' if report.body == 'audit' else 'We are'} making the following {spelled(count)} recommendations:]]"
        )
    lines = []
    for number, (addressee, text) in enumerate(report.recommendations, start=1):
        verb = "" if report.body == "research" else "should "
        article = "" if addressee == "Congress" else "The "
        lines.append(f"{number}. {article}{addressee} {verb}{text}. ({body.item} {number})")
    draft.write("\n[[addressees|" + "\n".join(lines) + "]]")
    if body.comments:
        draft.paragraph(body.comments)
        rest = count - report.agreed
        label = "yes" if rest == 0 else "no"
        text = _AGREED[label][report.seed % 2]
        if rest and report.seed % 2:
            text = _AGREED["no"][1] if rest == 1 else _AGREED["no"][0]
        draft.line(
            text.format(
                short=report.short,
                head=report.head,
                count=spelled(count),
                agreed=spelled(report.agreed),
                rest="one" if rest == 1 else spelled(rest),
                it="it" if rest == 1 else "they",
                ordinal={1: "first", 2: "second", 3: "third", 4: "last"}[count],
            )
        )
        draft.line(
            [
                f"The {report.short} also made technical comments, which we took up where they were right.",
                f"Technical remarks of the {report.short} have been worked into the text.",
                "",
            ][report.seed % 3]
            or "The comments are reproduced in the electronic version of this report."
        )


def _write_method(draft: Draft, report: Report, body: _Body) -> None:
    draft.paragraph(body.method)
    started, ended = report.period
    visits = [
        f"[[sites|We visited {joined(report.sites)}]], which we chose because they differ in size and in the amount of work they handle.",
        f"[[sites|Site visits took us to {joined(report.sites)}.]] What we saw there cannot be generalized.",
    ][report.seed % 2]
    sample = [
        f"[[sample|We drew a random sample of {report.sample} {report.sampled}]] and went through each with a standard list of questions.",
        f"[[sample|In all, {report.sample} {report.sampled} were examined]], each by two persons independently.",
    ][(report.seed + 1) % 2]
    draft.line(
        f"To answer the committee's questions we read laws, manuals and internal memoranda and spoke with officials at headquarters and in the field. {sample} {visits}"
    )
    extra = " ".join(
        text for text in (_sentence(report, "data_reliable"), _sentence(report, "expert_panel")) if text
    )
    standards = {
        "audit": "in accordance with the auditing standards of the Legislative Audit Service",
        "inspector": "under the quality standards for performance reviews",
        "research": "by one analyst and an editor",
    }[report.body]
    closing = f"[[period|The work was done from {started} to {ended}]] {standards}."
    draft.paragraph(f"{extra} {closing}".strip())


def _declare(draft: Draft, report: Report) -> None:
    names = {"agency": report.agency, "short": report.short}
    for topic, letter in _letters(report).items():
        if letter == "-":
            draft.silent(topic)
        else:
            draft.fact(
                Fact(
                    document=draft.id,
                    topic=topic,
                    kind="yesno",
                    answers=("yes" if letter == "Y" else "no",),
                    details=names,
                )
            )
    if draft.marks("agreed_all"):
        all_of_them = report.agreed == len(report.recommendations)
        draft.fact(
            Fact(
                document=draft.id,
                topic="agreed_all",
                kind="yesno",
                answers=("yes" if all_of_them else "no",),
                details=names,
            )
        )
    else:
        draft.silent("agreed_all")
    for ask in report.asks:
        draft.fact(
            Fact(
                document=draft.id,
                topic=ask.name,
                kind="number",
                answers=(ask.answer,),
                unit=ask.unit,
                details={**names, "ask": ask.ask, "trap": ask.trap},
            )
        )
    _declare_table(draft, report, names)
    draft.fact(
        Fact(
            document=draft.id,
            topic="issued",
            kind="date",
            answers=(report.issued,),
            date_precision="day",
            details=names,
        )
    )
    draft.fact(Fact(document=draft.id, topic="head", kind="text", answers=(report.head,), details=names))
    draft.fact(
        Fact(
            document=draft.id,
            topic="head_term",
            kind="number",
            answers=(str(3 + report.seed % 5),),
            unit="years",
            details=names,
        )
    )
    draft.fact(
        Fact(document=draft.id, topic="committee", kind="text", answers=(report.committee,), details=names)
    )
    draft.fact(
        Fact(
            document=draft.id,
            topic="sample",
            kind="number",
            answers=(str(report.sample),),
            details={**names, "ask": f"how many {report.sampled} were examined"},
        )
    )
    draft.fact(
        Fact(
            document=draft.id,
            topic="recommendations",
            kind="number",
            answers=(str(len(report.recommendations)),),
            details={**names, "noun": "options" if report.body == "research" else "recommendations"},
        )
    )
    sites = tuple(site.removeprefix("the ") for site in report.sites)
    draft.fact(Fact(document=draft.id, topic="sites", kind="list", answers=sites, details=names))
    addressees = tuple(dict.fromkeys(addressee for addressee, _ in report.recommendations))
    draft.fact(
        Fact(
            document=draft.id,
            topic="addressees",
            kind="list",
            answers=addressees,
            details={**names, "noun": "options" if report.body == "research" else "recommendations"},
        )
    )


def _declare_table(draft: Draft, report: Report, names: dict[str, str]) -> None:
    table = report.table
    for index, (label, _, before, last) in enumerate(table.rows):
        neighbour = table.rows[(index + 1) % len(table.rows)]
        details = {
            **names,
            "ask": table.ask.format(
                row=label if label in _PROPER or '"{row}"' in table.ask else _lower(label),
                year=table.years[2],
            ),
            "before": f"{before:.{table.digits}f}",
            "before_year": str(table.years[1]),
            "neighbour": f"{neighbour[3]:.{table.digits}f}",
            "neighbour_row": neighbour[0],
            "neighbour_topic": f"row_{(index + 1) % len(table.rows)}",
        }
        draft.fact(
            Fact(
                document=draft.id,
                topic=f"row_{index}",
                kind="number",
                answers=(f"{last:.{table.digits}f}",),
                unit=table.unit,
                details=details,
            )
        )


_PROPER = {
    "Northern Sounds",
    "Middle Capes",
    "Southern Delta",
    "Upper Talloway",
    "Lower Talloway",
    "Brannock and Eel",
}
