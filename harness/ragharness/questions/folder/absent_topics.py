"""Topics and names that are absent from a folder, with the word stems that are searched for."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ragharness.questions.asking.statement import Asked


class Topic(NamedTuple):
    """A question about something that a document may well lack, and the stems of which it then has none."""

    name: str
    stems: tuple[str, ...]
    asked: Asked


_REPORTS = r"""
hotline | whistle.?blow, hotline | number | how many calls did the whistleblower hotline receive?
ransomware | ransomware | number | how many ransomware attacks were reported?
phishing | phishing | number percent | what percentage of the staff failed the phishing test?
ombudsman | ombuds | number | how many complaints did the ombudsman receive?
chatbot | chat.?bot | number percent | what percentage of inquiries did the chatbot answer?
solar panels | rooftop, solar panel | number | how many rooftop solar panels were installed?
drones | \bdrones? | number | how many drones were purchased?
mentoring | mentor | number | how many employees took part in the mentoring program?
relocation | relocat | date | when was the relocation of the head office completed?
asbestos | asbestos | date | when was the asbestos removed from the building?
scholarship | scholarship | number | how many scholarships were awarded?
child care | child.?care, nursery, day.?care | number | how many places does the child care center have?
charging stations | charging station, electric vehicle | number | how many charging stations were installed?
helicopters | helicopter | number | how many helicopters were leased?
newsletter | newsletter | date | when was the first newsletter sent out?
podcast | podcast | date | when did the first episode of the podcast come out?
interpreters | interpreter, sign language | number | how many interpreters were engaged?
lottery | lotter | number USD | how much did the lottery bring in?
body cameras | body.(?:worn.)?camera | number | how many body cameras were purchased?
tuition | tuition | number USD | how much tuition was reimbursed?
earthquake | earthquake, seismic | date | when was the earthquake drill held?
license plates | license plate | number | how many license plates were issued?
parking | parking | number | how many parking spaces are set aside for visitors?
sabbatical | sabbatical | number | after how many years of service may a sabbatical be taken?
"""
"""A topic a line: its name, its stems, the kind of the answer and its unit, the question."""


def _topic(line: str) -> Topic:
    name, stems, answer, question = line.split(" | ")
    kind, _, unit = answer.partition(" ")
    asked = Asked(question, _KINDS[kind], "", unit)
    return Topic(name, tuple(stems.split(", ")), asked)


_KINDS: dict[str, Literal["number", "date", "text"]] = {"number": "number", "date": "date", "text": "text"}


_TECHNICAL = r"""
Kerberos | kerberos | text | in which version was support for Kerberos added?
LDAP | \bldap | text | what is the default port of the LDAP server?
SNMP | \bsnmp | text | which option turns on SNMP traps?
Oracle | \boracle\b | text | which driver is used to connect to an Oracle database?
COBOL | cobol | text | which function converts COBOL copybooks?
Solaris | solaris | text | which version dropped support for Solaris?
SOAP | \bsoap\b, wsdl | text | which class implements the SOAP client?
telemetry | telemetry | text | which setting turns off telemetry?
WebAssembly | web.?assembly, wasm | text | which version added support for WebAssembly?
GraphQL | graphql | text | what is the default limit on the depth of GraphQL queries?
Kafka | kafka | text | what is the default name of the Kafka topic?
gRPC | \bgrpc | text | which option sets the port of the gRPC server?
SAML | \bsaml | text | which class handles SAML assertions?
dark mode | dark.mode | text | in which version was dark mode added?
Fortran | fortran | text | which module holds the Fortran bindings?
GPU | \bgpus?\b, \bcuda\b | text | what is the minimum version of CUDA required?
fax | \bfax | text | which command sends a fax?
barcodes | bar.?codes?\b, qr.?codes? | text | which function draws a barcode?
Bluetooth | bluetooth | text | which setting enables Bluetooth discovery?
blockchain | blockchain | text | which class verifies a block of the blockchain?
printing | \bprinters?\b, print server | text | what is the default paper size of the printer?
speech | speech, text.to.voice | text | which function turns text into speech?
geocoding | geocod | text | which provider is used for geocoding by default?
spreadsheets | spreadsheet, \bxlsx?\b | text | which function writes a spreadsheet?
mainframe | mainframe, \bas/400 | text | which version added support for mainframes?
"""
"""The same for technical texts, worded as what is asked of them with an answer."""

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
"""The same for contracts."""

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

OF_REPORTS = tuple(map(_topic, _REPORTS.strip().splitlines()))
"""What many reports, rules and notes might mention; a folder that has one of the stems is not asked about it."""

OF_PROGRAMS = tuple(map(_topic, _TECHNICAL.strip().splitlines()))
"""The same for the documentation of programs."""

OF_CONTRACTS = tuple(map(_topic, _CONTRACTS.strip().splitlines()))
"""The same for contracts."""
