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
setting default | default | text | what is the default of {name}?
deprecated | deprecat, remov, obsolete | text | in which version was {name} deprecated?
author | author, contribut, written by, thanks | text | who contributed {name}?
setting environment | environ, \benv | text | which environment variable overrides {name}?
setting maximum | max, at most, limit, up to | number | what is the highest value that {name} accepts?
call cache | cach | number | for how many seconds does {name} cache its result?
call exception | rais, exception, error, throw, fail | text | which exception does {name} raise after a time-out?
logger | \blog | text | to which logger does {name} write?
call encoding | encod, utf, charset | text | which encoding does {name} use by default?
call alias | alias, also known, short for, same as | text | under which other name is {name} known?
platform | platform, windows, linux, macos, operating | text | on which operating system is {name} not available?
"""
"""The same for a name of a program; what begins with ``setting`` or ``call`` is asked of such names alone."""

_CONTRACTS = r"""
royalty | royalt | number percent | what percentage is the royalty?
escrow | escrow | text | who is the escrow agent?
severance | severance | number | for how many months is severance paid?
rent | \brent(?:al)?\b, \blease | number USD | how much is the monthly rent?
freight | freight | text | which party pays the freight?
late fee | late fee, late charge | number percent | what percentage is the late fee?
retainer | retainer | number USD | how much is the monthly retainer?
mileage | mileage, per diem | number USD | how much is paid for each mile?
overtime | overtime | number USD | how much is paid for an hour of overtime?
vacation | vacation | number | how many days of vacation are granted?
performance bond | performance bond, surety | number USD | how much is the performance bond?
probation | probation | number | how many months does the probation period last?
commission | commissions\b, finder | number percent | what percentage is the commission?
deposit | down payment, security deposit | number USD | how much is the security deposit?
uptime | uptime, service level | number percent | what percentage of uptime is guaranteed?
warranty | warranty period | number | how many months does the warranty period last?
stock options | stock option | number | how many stock options are granted?
territory | exclusive territory | text | which states make up the exclusive territory?
relocation | relocation | number USD | how much of the relocation costs is reimbursed?
training | training hours, hours of training | number | how many hours of training are included?
earn-out | earn-?out | number USD | how much is the maximum earn-out?
pension | pension | number percent | what percentage is paid into the pension plan?
key man | key.?man, key person | text | who is the key person?
franchise | franchise fee | number USD | how much is the franchise fee?
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
