"""Topics and names that are absent from a folder, with the word stems that are searched for."""

from __future__ import annotations

from typing import NamedTuple

from ragharness.questions.asking.statement import Asked


class Topic(NamedTuple):
    """A question about something that a document may well lack, and the stems of which it then has none."""

    name: str
    stems: tuple[str, ...]
    asked: Asked


_TOPICS = r"""
beehives | beehive, apiar, beekeep, honeybee | number | how many beehives are kept on the roof of the main building?
choir | \bchoir, choral | date | in what year was the staff choir founded?
cafeteria | cafeteria, canteen | number USD | how much is the subsidy for meals in the cafeteria?
gym | \bgyms?\b, fitness | number USD | how much of a gym membership is paid back each year?
fire drills | fire.drill, evacuation | number | how many fire drills were held?
parking | parking | number | how many parking spaces are set aside for visitors?
helicopter | helicopter | number | how many helicopters were leased?
solar roof | rooftop, solar panel | number | how many rooftop solar panels were installed?
typewriters | typewriter | date | when was the last typewriter taken out of service?
hotline | whistle.?blow, hotline | number | how many calls did the whistleblower hotline take?
blood | blood | number | how many people gave blood at the blood drive?
ransomware | ransomware | number | how many ransomware attacks were there?
sabbatical | sabbatical | number | after how many years of service may a sabbatical be taken?
lighthouses | lighthouse | number | how many lighthouses are to be automated?
asbestos | asbestos | date | when was the asbestos removed?
carpets | carpet | number USD | how much did the new carpets cost?
elevators | elevator | number | how many elevators were replaced?
marathon | marathon | number | how many members of the staff ran in the marathon?
portraits | portrait | number USD | how much was paid for the official portrait?
greenhouse | greenhouse, seedling | date | when was the greenhouse for seedlings opened?
mascot | mascot | date | in what year was the mascot introduced?
anthem | anthem | date | when was the anthem first played?
souvenirs | souvenir, gift shop | number percent | what percentage of visitors bought a souvenir?
umbrellas | umbrella, lost property | number | how many umbrellas were handed in as lost property?
bicycles | bicycle, \bbikes?\b | number | how many bicycles can be rented by the day?
ferry | ferry, ferries | number | how many passengers did the ferry carry?
museum shop | museum | number USD | how much did the museum shop earn?
time capsule | time capsule | date | when is the time capsule to be opened?
catering | catering, \bdinner | number USD | how much was spent on catering for the anniversary dinner?
guide dogs | guide dog, \bpupp(?:y|ies) | number | how many guide dogs were trained?
fountain | fountain | date | when was the fountain in the courtyard turned on?
telescope | telescope | date | when was the telescope first put into use?
swimming pool | swimming | number foot | how long, in feet, is the swimming pool?
orchestra | orchestra, musician | number | how many musicians does the orchestra employ?
greeting cards | greeting | number | how many greeting cards were sent out?
uniforms | uniforms | number USD | how much does a set of uniforms cost?
chess | \bchess\b | number | how many players took part in the chess tournament?
vending machines | vending | number | how many vending machines are there in the building?
aquarium | aquarium | number | how many people visited the aquarium?
postcards | postcard | number percent | what percentage of the postcards came back unread?
clock tower | clock ?tower | date | when was the clock tower last repaired?
vineyard | vineyard, viticult | number | how many acres of vineyard were planted?
piano | \bpianos?\b | number USD | how much was paid for the grand piano?
scarves | scar(?:f|ves)\b, knitted | number | how many scarves were knitted for the winter collection?
sundial | sundial | date | in what year was the sundial made?
windmill | windmill | date | in what year was the windmill restored?
"""
"""A topic a line: its name, its stems, the kind of the answer and its unit, the question."""


def _topic(line: str) -> Topic:
    name, stems, answer, question = line.split(" | ")
    kind, _, unit = answer.partition(" ")
    asked = Asked(question, "date" if kind == "date" else "number", "", unit)
    return Topic(name, tuple(stems.split(", ")), asked)


TOPICS = tuple(map(_topic, _TOPICS.strip().splitlines()))
"""What many reports, rules and notes might mention; a folder that has one of the stems is not asked about it."""

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
