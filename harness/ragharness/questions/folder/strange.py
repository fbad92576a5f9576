"""Topics and names that are absent from a folder, with the word stems that are searched for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ragharness.records import Kind


class Topic(NamedTuple):
    """A question about something that a document may well lack, and the stems of which it then has none."""

    name: str
    question: str
    kind: Kind
    stems: tuple[str, ...]
    unit: str = ""


TOPICS = (
    Topic(
        "beehives",
        "how many beehives are kept on the roof of the main building?",
        "number",
        (
            "beehive",
            "apiar",
            "beekeep",
            "honeybee",
        ),
    ),
    Topic(
        "choir",
        "in what year was the staff choir founded?",
        "date",
        (
            r"\bchoir",
            "choral",
        ),
    ),
    Topic(
        "cafeteria",
        "how much is the subsidy for meals in the cafeteria?",
        "number",
        (
            "cafeteria",
            "canteen",
        ),
        "USD",
    ),
    Topic(
        "gym",
        "how much of a gym membership is paid back each year?",
        "number",
        (
            r"\bgyms?\b",
            "fitness",
        ),
        "USD",
    ),
    Topic(
        "fire drills",
        "how many fire drills were held?",
        "number",
        (
            "fire.drill",
            "evacuation",
        ),
    ),
    Topic("parking", "how many parking spaces are set aside for visitors?", "number", ("parking",)),
    Topic("helicopter", "how many helicopters were leased?", "number", ("helicopter",)),
    Topic(
        "solar roof",
        "how many rooftop solar panels were installed?",
        "number",
        (
            "rooftop",
            "solar panel",
        ),
    ),
    Topic("typewriters", "when was the last typewriter taken out of service?", "date", ("typewriter",)),
    Topic(
        "hotline",
        "how many calls did the whistleblower hotline take?",
        "number",
        (
            "whistle.?blow",
            "hotline",
        ),
    ),
    Topic("blood", "how many people gave blood at the blood drive?", "number", ("blood",)),
    Topic("ransomware", "how many ransomware attacks were there?", "number", ("ransomware",)),
    Topic(
        "sabbatical", "after how many years of service may a sabbatical be taken?", "number", ("sabbatical",)
    ),
    Topic("lighthouses", "how many lighthouses are to be automated?", "number", ("lighthouse",)),
    Topic("asbestos", "when was the asbestos removed?", "date", ("asbestos",)),
    Topic("carpets", "how much did the new carpets cost?", "number", ("carpet",), "USD"),
    Topic("elevators", "how many elevators were replaced?", "number", ("elevator",)),
    Topic("marathon", "how many members of the staff ran in the marathon?", "number", ("marathon",)),
    Topic("portraits", "how much was paid for the official portrait?", "number", ("portrait",), "USD"),
    Topic(
        "greenhouse",
        "when was the greenhouse for seedlings opened?",
        "date",
        (
            "greenhouse",
            "seedling",
        ),
    ),
    Topic("mascot", "in what year was the mascot introduced?", "date", ("mascot",)),
    Topic("anthem", "when was the anthem first played?", "date", ("anthem",)),
    Topic(
        "souvenirs",
        "what percentage of visitors bought a souvenir?",
        "number",
        (
            "souvenir",
            "gift shop",
        ),
        "percent",
    ),
    Topic(
        "umbrellas",
        "how many umbrellas were handed in as lost property?",
        "number",
        (
            "umbrella",
            "lost property",
        ),
    ),
    Topic(
        "bicycles",
        "how many bicycles can be rented by the day?",
        "number",
        (
            "bicycle",
            r"\bbikes?\b",
        ),
    ),
    Topic(
        "ferry",
        "how many passengers did the ferry carry?",
        "number",
        (
            "ferry",
            "ferries",
        ),
    ),
    Topic("museum shop", "how much did the museum shop earn?", "number", ("museum",), "USD"),
    Topic("time capsule", "when is the time capsule to be opened?", "date", ("time capsule",)),
    Topic(
        "catering",
        "how much was spent on catering for the anniversary dinner?",
        "number",
        (
            "catering",
            r"\bdinner",
        ),
        "USD",
    ),
    Topic(
        "guide dogs",
        "how many guide dogs were trained?",
        "number",
        (
            "guide dog",
            r"\bpupp(?:y|ies)",
        ),
    ),
    Topic("fountain", "when was the fountain in the courtyard turned on?", "date", ("fountain",)),
    Topic("telescope", "when was the telescope first put into use?", "date", ("telescope",)),
    Topic("swimming pool", "how long, in feet, is the swimming pool?", "number", ("swimming",), "foot"),
    Topic(
        "orchestra",
        "how many musicians does the orchestra employ?",
        "number",
        (
            "orchestra",
            "musician",
        ),
    ),
    Topic("greeting cards", "how many greeting cards were sent out?", "number", ("greeting",)),
    Topic("uniforms", "how much does a set of uniforms cost?", "number", ("uniforms",), "USD"),
    Topic("chess", "how many players took part in the chess tournament?", "number", (r"\bchess\b",)),
    Topic("vending machines", "how many vending machines are there in the building?", "number", ("vending",)),
    Topic("aquarium", "how many people visited the aquarium?", "number", ("aquarium",)),
    Topic(
        "postcards", "what percentage of the postcards came back unread?", "number", ("postcard",), "percent"
    ),
    Topic("clock tower", "when was the clock tower last repaired?", "date", ("clock ?tower",)),
    Topic(
        "vineyard",
        "how many acres of vineyard were planted?",
        "number",
        (
            "vineyard",
            "viticult",
        ),
    ),
    Topic("piano", "how much was paid for the grand piano?", "number", (r"\bpianos?\b",), "USD"),
    Topic(
        "scarves",
        "how many scarves were knitted for the winter collection?",
        "number",
        (
            r"scar(?:f|ves)\b",
            "knitted",
        ),
    ),
    Topic("sundial", "in what year was the sundial made?", "date", ("sundial",)),
    Topic("windmill", "in what year was the windmill restored?", "date", ("windmill",)),
)
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
