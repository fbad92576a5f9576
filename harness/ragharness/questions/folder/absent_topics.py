"""What a folder does not say: attributes of the names in it, topics, and bodies that do not exist."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ragharness.questions.asking.statement import Asked


class Topic(NamedTuple):
    """A question about something that a document may well lack, and the stems of which it then has none."""

    name: str
    stems: tuple[str, ...]
    asked: Asked


_REPORTS = r"""
staff | employ, staff, workforce, personnel | number | how many people does {name} employ?
beginning | establish, found, creat, incept, since | date | in what year was {name} established?
seat | headquarter, head office, located in, based in | text | in which city does {name} have its headquarters?
head | direct, head, chair, lead, administrator, commissioner, president, secretary | text | who heads {name}?
budget | budget, appropriat, fund | number USD | how large is the annual budget of {name}?
press | spoke, press | text | who speaks for {name} to the press?
union | union | text | which union represents the staff of {name}?
accounts | audit, accountant | text | which firm audits the accounts of {name}?
offices | offices?\b, branch | number | how many regional offices does {name} have?
complaints | complain, ombuds | number | how many complaints did {name} receive?
training | train | number | how many people did {name} train?
advisers | advis, consult | text | which firm advises {name}?
"""
"""What may be asked of a body: its name, stems that would say it, the kind of the answer, its unit, the question."""


def _topic(line: str) -> Topic:
    name, stems, answer, question = line.split(" | ")
    kind, _, unit = answer.partition(" ")
    asked = Asked(question, _KINDS[kind], "", unit)
    return Topic(name, tuple(stems.split(", ")), asked)


_KINDS: dict[str, Literal["number", "date", "text"]] = {"number": "number", "date": "date", "text": "text"}


_TECHNICAL = r"""
version | added, new in, since, version | text | in which version was {name} added?
deprecated | deprecat, remov, obsolete | text | in which version was {name} deprecated?
removal | remov, drop, delet, gone | text | in which version was {name} removed?
renaming | renam, formerly, used to be | text | what was {name} called before it was renamed?
setting default | default | text | what is the default of {name}?
setting environment | environ, \benv | text | which environment variable overrides {name}?
"""
"""The same for a name of a program; what begins with ``setting`` is asked of settings and options alone."""

_CONTRACTS = r"""
liquidated damages | liquidated | number USD | how much are the liquidated damages?
liability cap | liabilit[^.]{0,60}(?:exceed|limited to|capped), aggregate liability | number USD | to what amount is the liability limited?
arbitration | arbitrat | text | in which city does arbitration take place?
mediation | mediat | text | who mediates disputes?
insurance | \binsur | number USD | how much insurance must be carried?
late payment | late payment, overdue | number percent | at what rate do late payments bear interest?
audit | \baudit | number | on how many days' notice may records be audited?
renewal | \brenew | number | for how many years is the agreement renewed?
press release | press release, publicity | text | who must approve a press release?
language | \blanguages?\b | text | in which language is the agreement binding?
cure | \bcure[sd]?\b | number | within how many days may a breach be cured?
controller | data controller, gdpr, personal data | text | which party is the data controller?
escrow | escrow | text | who is the escrow agent?
tax | withholding tax, value added tax, \bvat\b | text | which party bears the value added tax?
force majeure | force majeure, beyond the reasonable control | number | after how many days of force majeure may a party withdraw?
most favored customer | most.favou?red | text | which party is the most favored customer?
right of first refusal | first refusal | number | for how many days does the right of first refusal last?
royalty | royalt | number percent | what percentage is the royalty?
performance bond | performance bond, surety | number USD | how much is the performance bond?
exclusivity | exclusiv | number | for how many months are the negotiations exclusive?
step-in | step.in right | text | which party has the step-in right?
source code | source code | text | with whom is the source code deposited?
"""
"""A topic a line, for contracts."""

BODIES = (
    "Calderbrook Institute",
    "Marwick Bureau",
    "Ostrander Commission",
    "Fenwick Hollow Board",
    "Tarleton Agency",
    "Vandermeer Foundation",
    "Quillfeather Council",
    "Brackenridge Authority",
    "Lorimer Trust",
    "Hesketh Office",
    "Pellworth Committee",
    "Ashgrove Directorate",
)
"""Bodies that do not exist; one whose name occurs in the folder is not used."""

OF_BODIES = tuple(map(_topic, _REPORTS.strip().splitlines()))
"""What reports, rules and notes might say of a body that they name."""

OF_NAMES = tuple(map(_topic, _TECHNICAL.strip().splitlines()))
"""What the documentation of a program might say of a name."""

OF_CONTRACTS = tuple(map(_topic, _CONTRACTS.strip().splitlines()))
"""What contracts might agree; a folder that has one of the stems is not asked about it."""
