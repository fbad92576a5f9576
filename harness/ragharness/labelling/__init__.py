"""People's labels of a run's answers: which ones, how they are given, kept and settled."""

from ragharness.labelling.labels import (
    Answered,
    Label,
    Pair,
    People,
    answered,
    labels_folder,
    labels_told,
    read_people,
)
from ragharness.labelling.sampling import (
    LEAST,
    Design,
    enlarged,
    open_labelling,
    population_digest,
    read_design,
    spread_of,
    stratum_of,
)
from ragharness.labelling.session import Given, Labelling
from ragharness.labelling.tables import read_table, write_table

__all__ = [
    "LEAST",
    "Answered",
    "Design",
    "Given",
    "Label",
    "Labelling",
    "Pair",
    "People",
    "answered",
    "enlarged",
    "labels_folder",
    "labels_told",
    "open_labelling",
    "population_digest",
    "read_design",
    "read_people",
    "read_table",
    "spread_of",
    "stratum_of",
    "write_table",
]
