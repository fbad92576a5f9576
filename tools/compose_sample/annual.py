"""Composes the annual-report extracts: every total, margin and growth rate is computed from the inputs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from annual_texts import COMPANIES, EVENT_ASKS, Company, Extract, Year
from draft import Draft
from words import choice, day, joined, money

from ragharness.records import Document, Fact

YES_NO: dict[str, dict[str, list[str]]] = {
    "dividends_paid": {
        "yes": [
            "[[dividends_paid|[[dividend|During fiscal {year} we paid dividends of ${dividend} per share]]]], in four equal installments.",
            "[[dividends_paid|[[dividend|Dividends paid in fiscal {year} amounted to ${dividend} per share.]]]] The board reviews the dividend every November.",
        ],
        "no": [
            "[[dividends_paid|We paid no dividends in fiscal {year}]] and intend to keep our earnings, if any, for the business.",
            "[[dividends_paid|No dividend was paid in fiscal {year}.]] Our credit agreement would allow one under certain conditions.",
        ],
    },
    "large_customer": {
        "yes": [
            "[[large_customer|[[customer_percent|In fiscal {year} our largest customer accounted for {customer} percent of {term}]]]]; no other reached one tenth.",
            "[[large_customer|[[customer_percent|One customer represented {customer} percent of our {term} in fiscal {year}.]]]] The loss of that customer would hurt us.",
        ],
        "no": [
            "[[large_customer|No single customer accounted for as much as 10 percent of our {term} in fiscal {year}.]]",
            "Our customers are many: [[large_customer|none of them contributed 10 percent or more of {term} in fiscal {year}.]]",
        ],
    },
    "controls_effective": {
        "yes": [
            "[[controls_effective|Management concluded that our internal control over financial reporting was effective as of {end}.]]",
            "[[controls_effective|On the basis of its assessment, management considers that internal control over financial reporting was effective on {end}.]]",
        ],
        "no": [
            "[[controls_effective|Because of a material weakness, management concluded that our internal control over financial reporting was not effective as of {end}.]]",
            "[[controls_effective|Management identified a material weakness and therefore does not regard internal control over financial reporting as effective on {end}.]]",
        ],
    },
    "union": {
        "yes": [
            "[[union|About two fifths of our employees are covered by collective bargaining agreements.]] We regard relations with them as good.",
            "[[union|Hourly employees at our largest site are represented by a labor union]], whose agreement with us is renewed every three years.",
        ],
        "no": [
            "[[union|None of our employees is covered by a collective bargaining agreement.]]",
            "[[union|Our employees are not represented by a labor union]], and there has been no interruption of work.",
        ],
    },
    "repurchases": {
        "yes": [
            "[[repurchases|We bought back shares of our own stock in fiscal {year}]] under the program that the board authorized two years ago.",
            "[[repurchases|In the course of fiscal {year} the company repurchased some of its own shares]], chiefly to offset grants to employees.",
        ],
        "no": [
            "[[repurchases|We did not repurchase any of our shares in fiscal {year}.]]",
            "[[repurchases|There were no purchases of our own stock during fiscal {year}]], and no program for them exists.",
        ],
    },
    "hedging": {
        "yes": [
            "[[hedging|We use forward contracts to hedge part of our exposure to foreign currencies]]; none runs for longer than a year.",
            "[[hedging|Part of the currency risk is hedged with forward contracts and options.]]",
        ],
        "no": [
            "[[hedging|We do not hedge our exposure to foreign currencies.]] A stronger dollar therefore reduces what we report.",
            "[[hedging|No derivatives are used to hedge currency risk]], which we regard as small.",
        ],
    },
    "material_litigation": {
        "yes": [
            "[[material_litigation|We are a defendant in a lawsuit whose outcome could be material to us]], and have recorded no provision, since the amount cannot be estimated.",
            "[[material_litigation|One pending proceeding could have a material effect on our financial position.]] We intend to defend ourselves.",
        ],
        "no": [
            "[[material_litigation|We are not a party to any legal proceeding that we consider material.]] From time to time claims arise in the ordinary course of business.",
            "[[material_litigation|No pending lawsuit is, in our judgment, material.]]",
        ],
    },
    "impairment": {
        "yes": [
            "[[impairment|In the fourth quarter we recorded an impairment of goodwill]], since the unit concerned had fallen short of its plan; the charge is included in the cost of sales.",
            "[[impairment|Goodwill was written down in fiscal {year}]] after the annual test; the charge forms part of the cost of sales.",
        ],
        "no": [
            "[[impairment|Our annual test of goodwill led to no impairment in fiscal {year}.]]",
            "[[impairment|No impairment of goodwill was recorded in fiscal {year}]], as fair values exceeded book values by a wide margin.",
        ],
    },
}
"""Per topic and answer: the sentences that say so."""

_REVENUE_POLICY = [
    "We recognize revenue when control of the goods passes to the customer, which is normally on delivery. Service contracts are recognized evenly over their term. Rebates are estimated and deducted.",
    "Revenue is recorded at the amount that we expect to receive, net of returns and discounts. Where a contract contains several promises, the price is divided among them in proportion to their separate selling prices.",
    "Sales are recognized at a point in time, except for long projects, for which progress is measured by cost. Amounts billed in advance are shown as contract liabilities.",
    "Revenue is recognized as the service is rendered. What customers have used but not yet been billed for at the end of the year is estimated from meter readings.",
]
_INVENTORY_POLICY = [
    "Inventories are stated at the lower of cost and net realizable value; cost is determined first-in, first-out.",
    "Property is carried at cost less depreciation, which is computed on a straight-line basis over lives of three to forty years.",
    "Estimates are needed for doubtful receivables, for returns and for the useful lives of equipment. Actual amounts may differ from them.",
]


def compose() -> list[tuple[Document, list[Fact]]]:
    """Return the extracts with their facts."""
    pairs = [(company, extract) for company in COMPANIES for extract in company.extracts]
    return [
        _Writer(company, extract, f"annual-{number:02d}").compose()
        for number, (company, extract) in enumerate(pairs, start=1)
    ]


def _sales(year: Year) -> float:
    return sum(year.sales)


def _gross(year: Year) -> float:
    return _sales(year) - year.cost


def _operating(year: Year) -> float:
    return _gross(year) - year.overhead - year.research


def _before_tax(year: Year) -> float:
    return _operating(year) - year.interest


def _net(year: Year) -> float:
    return _before_tax(year) - year.tax


class _Writer:
    """Writes one extract."""

    def __init__(self, company: Company, extract: Extract, document_id: str) -> None:
        self.company, self.extract = company, extract
        self.years = [extract.year, extract.year - 1, extract.year - 2]
        self.figures = [company.years[year] for year in self.years]
        # Retail years that end in January carry the number of the year before.
        shift = 1 if company.year_end.startswith("January") else 0
        self.ends = [f"{company.year_end}, {year + shift}" for year in self.years]
        self.end_iso = _iso(self.ends[0])
        self.draft = Draft(
            id=document_id,
            title=f"{company.name} Annual Report for the Fiscal Year Ended {self.ends[0]}",
            handle=f"{company.short} annual report for fiscal {extract.year}",
            paraphrase=f"yearly report that {company.short} filed for the twelve months to {self.ends[0]}",
            genre="annual report extract",
        )
        self.names = {
            "company": company.name,
            "short": company.short,
            "year": str(extract.year),
            "end": self.ends[0],
            "end_before": self.ends[1],
            "term": _lower(company.term),
        }

    def compose(self) -> tuple[Document, list[Fact]]:
        """Return the document and its facts."""
        self._cover()
        self._business()
        self._risks()
        self._properties()
        self._shares()
        self._selected_data()
        self._discussion()
        self._controls()
        self._notes()
        self._declare()
        return self.draft.finish()

    def _pick(self, variants: list[str], shift: object) -> str:
        return choice(variants, self.company.seed, shift)

    def _topic(self, topic: str) -> str:
        letter = self.extract.yes_no[list(YES_NO).index(topic)]
        if letter == "-":
            return ""
        template = self._pick(YES_NO[topic]["yes" if letter == "Y" else "no"], topic)
        return template.format(
            year=self.extract.year,
            end=self.ends[0],
            dividend=self.extract.dividend,
            customer=self.extract.customer_percent,
            term=_lower(self.company.term),
        )

    def _cover(self) -> None:
        company = self.company
        self.draft.paragraph(company.name.upper())
        self.draft.line("ANNUAL REPORT (EXTRACT)")
        self.draft.line(f"For the fiscal year ended {self.ends[0]}")
        self.draft.line(
            f"[[state|[[seat|Incorporated in {company.state}; principal executive offices: {company.seat}]]]]"
        )
        self.draft.paragraph(
            self._pick(
                [
                    "Statements about the future in this report are based on what we know today and may prove wrong.",
                    f'In this report "we", "our" and "the company" mean {company.name} and its subsidiaries.',
                    "References to fiscal years are to the twelve months that end on the date shown above and on the same date of earlier years.",
                ],
                "cover",
            )
        )

    def _business(self) -> None:
        company, extract = self.company, self.extract
        self.draft.paragraph("Item 1. Business")
        self.draft.line(f"[[founded|The company was founded in {company.founded}.]] {company.business[0]}")
        self.draft.paragraph(company.business[1])
        names = [name for name, _ in company.segments]
        self.draft.paragraph(
            f"[[segments|We report {['', '', 'two', 'three'][len(names)]} segments: {joined(names)}.]] "
            + " ".join(f"{name} comprises {text}." for name, text in company.segments)
        )
        people = [
            f"[[employees|On {self.ends[0]} we had {extract.employees:,} employees.]]",
            f"[[employees|At the end of fiscal {extract.year} the company employed {extract.employees:,} people.]]",
        ]
        self.draft.paragraph(
            " ".join(
                text
                for text in (
                    self._pick(people, "people"),
                    self._topic("union"),
                    self._topic("large_customer"),
                )
                if text
            )
        )
        if extract.backlog:
            self.draft.line(
                f"[[backlog|Our backlog of orders stood at ${extract.backlog} million on {self.ends[0]}.]] We expect to deliver most of it within twelve months."
            )

    def _risks(self) -> None:
        self.draft.paragraph("Item 1A. Risk Factors")
        risks = [*self.company.risks]
        risks.insert(self.extract.year % 3, self.extract.risk)
        for heading, text in risks:
            self.draft.line(f"{heading}. {text}")

    def _properties(self) -> None:
        plants = joined([plant.replace(", ", " (").strip() + ")" for plant in self.company.plants])
        self.draft.paragraph("Item 2. Properties")
        texts = [
            f"[[plants|Our {self.company.plant_word} are in {plants}.]] We own the first and lease the others.",
            f"[[plants|We operate {self.company.plant_word} in {plants}.]] We believe that they are adequate for our needs.",
        ]
        self.draft.line(self._pick(texts, "plants"))
        litigation = self._topic("material_litigation")
        if litigation:
            self.draft.paragraph("Item 3. Legal Proceedings")
            self.draft.line(litigation)

    def _shares(self) -> None:
        self.draft.paragraph("Item 5. Market for the Company's Stock")
        self.draft.line(
            " ".join(text for text in (self._topic("dividends_paid"), self._topic("repurchases")) if text)
        )

    def _row(self, mark: str, label: str, value: Callable[[Year], float]) -> None:
        cells = " | ".join(money(value(figure)) for figure in self.figures)
        self.draft.line(f"[[{mark}|{label} | {cells}]]")

    def _selected_data(self) -> None:
        term = self.company.term
        self.draft.paragraph("Item 6. Selected Financial Data (dollars in millions)")
        self.draft.line(
            " | ".join(
                [f"Fiscal year ended {self.company.year_end}", *(end.split(", ")[1] for end in self.ends)]
            )
        )
        self._row("sales", term, _sales)
        self._row("cost", "Cost of sales", lambda year: year.cost)
        self._row("gross", "Gross profit", _gross)
        self._row("overhead", "Selling, general and administrative expense", lambda year: year.overhead)
        if self.figures[0].research:
            self._row("research", "Research and development", lambda year: year.research)
        self._row(
            "operating",
            "Operating income (loss)" if _operating(self.figures[0]) < 0 else "Operating income",
            _operating,
        )
        self._row("interest", "Interest expense", lambda year: year.interest)
        self._row(
            "before_tax",
            "Income (loss) before income taxes"
            if _before_tax(self.figures[0]) < 0
            else "Income before income taxes",
            _before_tax,
        )
        self._row("tax", "Income tax expense", lambda year: year.tax)
        self._row("net", "Net income (loss)" if _net(self.figures[0]) < 0 else "Net income", _net)
        self._row("capital", "Capital expenditures", lambda year: year.capital)

    def _discussion(self) -> None:
        term, extract = self.company.term, self.extract
        now, before = self.figures[0], self.figures[1]
        change = (_sales(now) / _sales(before) - 1) * 100
        verb = "rose" if change > 0 else "fell"
        self.draft.paragraph("Item 7. Management's Discussion and Analysis")
        self.draft.line(
            f"[[sales|[[sales_change|{term} {verb} by {abs(change):.1f} percent in fiscal {extract.year}, to ${money(_sales(now))} million from ${money(_sales(before))} million.]]]] {extract.sales_reason} The following table shows {_lower(term)} by segment, in millions of dollars."
        )
        self.draft.paragraph(" | ".join(["Segment", *(f"Fiscal {year}" for year in self.years)]))
        for index, (name, _) in enumerate(self.company.segments):
            self.draft.line(
                f"[[segment_{index}|{name} | {' | '.join(money(figure.sales[index]) for figure in self.figures)}]]"
            )
        self._row("sales", "Total", _sales)
        margin, margin_before = (_gross(figure) / _sales(figure) * 100 for figure in (now, before))
        self.draft.paragraph(
            f"[[gross_margin|Gross profit was {margin:.1f} percent of {_lower(term)}, compared with {margin_before:.1f} percent in fiscal {extract.year - 1}.]] {extract.cost_reason}"
        )
        if _before_tax(now) > 0:
            rate, rate_before = (figure.tax / _before_tax(figure) * 100 for figure in (now, before))
            self.draft.line(
                f"[[tax_rate|Our effective tax rate was {rate:.1f} percent, after {rate_before:.1f} percent the year before.]]"
            )
        self._liquidity()
        self.draft.paragraph(extract.outlook + " " + self._topic("hedging"))

    def _liquidity(self) -> None:
        company = self.company
        now, before = self.figures[0], self.figures[1]
        maturity = day(company.maturity, "american")
        sources = (
            "from the sale of shares and notes"
            if _operating(now) < 0
            else "from operations and, where needed, from our credit facility"
        )
        self.draft.paragraph(
            f"[[capital|Capital expenditures were ${money(now.capital)} million, against ${money(before.capital)} million in fiscal {self.years[1]}.]] We finance them {sources}. [[facility|Our credit facility, with {company.bank} as agent, provides for up to ${company.facility} million.]] [[maturity|It matures on {maturity}.]]"
        )

    def _controls(self) -> None:
        signed = day(self.extract.signed, "american")
        self.draft.paragraph("Item 9A. Controls and Procedures")
        auditor = [
            f"[[auditor|{self.extract.auditor} has audited our financial statements]]; [[auditor_date|its report is dated {signed}.]]",
            f"[[auditor|Our independent auditor is {self.extract.auditor}.]] [[auditor_date|It signed its report on {signed}.]]",
        ]
        self.draft.line(f"{self._topic('controls_effective')} {self._pick(auditor, 'auditor')}")

    def _notes(self) -> None:
        self.draft.paragraph("Notes to the Consolidated Financial Statements (excerpt)")
        self.draft.line(
            f"Note 1. Accounting policies. {_REVENUE_POLICY[self.company.policy]} {self._pick(_INVENTORY_POLICY, 'policy')}"
        )
        number = 2
        if self._topic("impairment"):
            self.draft.line(f"Note {number}. Goodwill. {self._topic('impairment')}")
            number += 1
        self.draft.line(
            f"Note {number}. Interest. [[interest|Interest expense amounted to ${money(self.figures[0].interest)} million in fiscal {self.years[0]} and ${money(self.figures[1].interest)} million in fiscal {self.years[1]}.]] The rate on borrowings under the credit facility is variable."
        )
        self.draft.line(f"Note {number + 1}. Subsequent event. [[event|{self.extract.event}]]")

    def _declare(self) -> None:
        for topic, letter in zip(YES_NO, self.extract.yes_no, strict=True):
            if letter == "-":
                self.draft.silent(topic)
            else:
                self._fact(
                    Fact(
                        document="",
                        topic=topic,
                        kind="yesno",
                        answers=("yes" if letter == "Y" else "no",),
                        details=self.names,
                    )
                )
        self._declare_figures()
        self._declare_rest()

    def _fact(self, fact: Fact, *marks: str) -> None:
        self.draft.fact(fact, *marks)

    def _declare_figures(self) -> None:
        lines: list[tuple[str, str, Callable[[Year], float], str]] = [
            ("sales", _lower(self.company.term), _sales, "gross"),
            ("gross", "gross profit", _gross, "operating"),
            ("overhead", "selling, general and administrative expense", lambda year: year.overhead, "gross"),
            ("research", "research and development expense", lambda year: year.research, "overhead"),
            ("operating", "operating income", _operating, "net"),
            ("net", "net income", _net, "operating"),
            ("interest", "interest expense", lambda year: year.interest, "tax"),
            ("tax", "income tax expense", lambda year: year.tax, "interest"),
            ("capital", "capital expenditures", lambda year: year.capital, "tax"),
        ]
        lines += [
            (
                f"segment_{index}",
                f"{_lower(self.company.term)} of the {name} segment",
                lambda year, index=index: year.sales[index],  # type: ignore[misc]
                f"segment_{(index + 1) % len(self.company.segments)}",
            )
            for index, (name, _) in enumerate(self.company.segments)
        ]
        values = {mark: value for mark, _, value, _ in lines}
        labels = {mark: label for mark, label, _, _ in lines}
        for mark, label, value, neighbour in lines:
            now, before = value(self.figures[0]), value(self.figures[1])
            if now <= 0 or before <= 0:
                continue
            details = {**self.names, "line": label, "before": f"{before:.1f}"}
            other = values[neighbour](self.figures[0])
            if other > 0:
                details.update(
                    neighbour=f"{other:.1f}", neighbour_line=labels[neighbour], neighbour_topic=neighbour
                )
            self._fact(
                Fact(
                    document="",
                    topic=mark,
                    kind="number",
                    answers=(f"{now:.1f}",),
                    unit="USD million",
                    details=details,
                )
            )
        self._declare_ratios()

    def _declare_ratios(self) -> None:
        now, before = self.figures[0], self.figures[1]
        ratios = [
            (
                "gross_margin",
                "gross profit as a percentage of " + _lower(self.company.term),
                _gross(now) / _sales(now),
                _gross(before) / _sales(before),
            )
        ]
        if _before_tax(now) > 0:
            ratios.append(
                (
                    "tax_rate",
                    "effective tax rate",
                    now.tax / _before_tax(now),
                    before.tax / _before_tax(before),
                )
            )
        for topic, line, value, earlier in ratios:
            details = {**self.names, "line": line, "before": f"{earlier * 100:.1f}"}
            self._fact(
                Fact(
                    document="",
                    topic=topic,
                    kind="number",
                    answers=(f"{value * 100:.1f}",),
                    unit="percent",
                    details=details,
                )
            )

    def _declare_rest(self) -> None:
        company, extract = self.company, self.extract
        for topic, answer, unit in (
            ("employees", str(extract.employees), ""),
            ("customer_percent", str(extract.customer_percent), "percent"),
            ("dividend", extract.dividend, "USD"),
            ("backlog", extract.backlog, "USD million"),
            ("facility", company.facility, "USD million"),
        ):
            if self.draft.marks(topic):
                self._fact(
                    Fact(
                        document="",
                        topic=topic,
                        kind="number",
                        answers=(answer,),
                        unit=unit,
                        details=self.names,
                    )
                )
        happened = _iso(" ".join(extract.event.split()[1:4]))
        for topic, answer in (("maturity", company.maturity), ("auditor_date", extract.signed)):
            self._fact(
                Fact(
                    document="",
                    topic=topic,
                    kind="date",
                    answers=(answer,),
                    date_precision="day",
                    details=self.names,
                )
            )
        asks = {**self.names, "ask": EVENT_ASKS[company.short, extract.year]}
        self._fact(
            Fact(
                document="",
                topic="event",
                kind="date",
                answers=(happened,),
                date_precision="day",
                details=asks,
            )
        )
        self._fact(
            Fact(
                document="",
                topic="founded",
                kind="date",
                answers=(str(company.founded),),
                date_precision="year",
                details=self.names,
            )
        )
        for topic, answer in (("auditor", extract.auditor), ("state", company.state), ("seat", company.seat)):
            self._fact(Fact(document="", topic=topic, kind="text", answers=(answer,), details=self.names))
        self._fact(
            Fact(
                document="",
                topic="segments",
                kind="list",
                answers=tuple(name for name, _ in company.segments),
                details=self.names,
            )
        )
        self._fact(
            Fact(
                document="",
                topic="plants",
                kind="list",
                answers=tuple(plant.split(",")[0] for plant in company.plants),
                details={**self.names, "noun": company.plant_word},
            )
        )


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def _iso(text: str) -> str:
    return datetime.strptime(text, "%B %d, %Y").date().isoformat()
