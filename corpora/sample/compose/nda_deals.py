"""The sixteen deals behind the non-disclosure agreements: who, why, when and on which terms."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class House:
    """A drafter's habits: its vocabulary, its numbering and the order of its clauses."""

    kind: str
    words: dict[str, str]
    numbering: str
    recitals: int
    order: tuple[str, ...]


_ORDER_A = ("definitions", "exclusions", "marking", "care", "contractors", "copies", "reverse_engineering", "compelled_notice", "coordinators", "existence_secret", "licence", "residuals", "independent_development", "archival_copy", "warranty", "term", "bond", "liability", "non_solicitation", "personal", "affiliate_assignment", "notices", "general", "law")
_ORDER_B = ("definitions", "care", "copies", "contractors", "exclusions", "compelled_notice", "marking", "independent_development", "residuals", "reverse_engineering", "no_duty", "warranty", "licence", "archival_copy", "non_solicitation", "existence_secret", "bond", "term", "coordinators", "law", "affiliate_assignment", "liability", "general", "notices")
_ORDER_C = ("definitions", "marking", "exclusions", "coordinators", "care", "existence_secret", "contractors", "compelled_notice", "copies", "archival_copy", "reverse_engineering", "licence", "independent_development", "residuals", "personal", "warranty", "no_duty", "non_solicitation", "liability", "bond", "affiliate_assignment", "term", "notices", "law", "general")
_ORDER_D = ("term", "definitions", "exclusions", "care", "contractors", "copies", "marking", "residuals", "existence_secret", "reverse_engineering", "licence", "compelled_notice", "archival_copy", "independent_development", "non_solicitation", "no_duty", "personal", "warranty", "bond", "liability", "coordinators", "notices", "affiliate_assignment", "general", "law")

HOUSES: dict[str, House] = {
    "fellbridge": House("Mutual Non-Disclosure Agreement", {"D": "the Disclosing Party", "R": "the Receiving Party", "CI": "Confidential Information", "A": "this Agreement", "m": "shall", "Pname": "the Purpose"}, "1.1", 0, _ORDER_A),
    "corley": House("Proprietary Information Agreement", {"D": "the Discloser", "R": "the Recipient", "CI": "Proprietary Information", "A": "this Agreement", "m": "shall", "Pname": "the Project"}, "Article", 1, _ORDER_B),
    "letter": House("Confidentiality Letter", {"D": "the Company", "R": "the Recipient", "CI": "Evaluation Material", "A": "this letter", "m": "will", "Pname": "the Evaluation"}, "letter", 2, _ORDER_C),
    "plain": House("Confidentiality Agreement", {"D": "the Provider", "R": "the User", "CI": "Protected Information", "A": "this agreement", "m": "must", "Pname": "the Permitted Purpose"}, "1.", 2, _ORDER_D),
    "deed": House("Deed of Confidentiality", {"D": "the Owner", "R": "the Confidant", "CI": "Secret Information", "A": "this Deed", "m": "shall", "Pname": "the Stated Purpose"}, "1.1", 1, _ORDER_C),
}


@dataclass(frozen=True)
class Deal:
    """One agreement. ``yes_no`` has a letter (Y, N or -) per topic of the clause bank, in its order."""

    house: str
    one: str
    one_short: str
    one_business: str
    one_seat: str
    two: str
    two_short: str
    two_business: str
    two_seat: str
    purpose: str
    purpose_core: str
    items: tuple[str, str, str]
    effective: str
    signed: str
    term: tuple[int, str]
    survival: tuple[int, str]
    law: str
    courts: str
    coordinator_one: str
    coordinator_two: str
    signatory_one: str
    signatory_two: str
    yes_no: str
    seed: int
    notice_to: str = ""
    return_days: int = 30
    termination_days: int = 0
    oral_days: int = 30
    nonsolicit_months: int = 12
    affiliate_percent: int = 0
    cap: str = ""
    purpose_also: tuple[str, ...] = ()
    discloser: str = "both"
    """Which party discloses: one, two or both."""


DEALS: tuple[Deal, ...] = (
    Deal("fellbridge", "Quillmere Instruments Inc.", "Quillmere", "designs and makes optical spectrometers", "410 Larkspur Road, Amherst Falls, Massachusetts", "Arkenfold Optics Ltd.", "Arkenfold", "rules and replicates diffraction gratings", "7 Tannery Wharf, Haverleigh, England",
         "evaluating the joint development of ruled diffraction gratings", "joint development of ruled diffraction gratings", ("groove profiles", "coating recipes", "calibration data"), "2022-03-14", "2022-03-09", (3, "years"), (5, "years"), "the Commonwealth of Massachusetts", "Boston", "Dr. Lenora Whitcomb", "Piers Aldous", "Marcus Tillery, Chief Executive Officer", "Josephine Aldous, Managing Director", "NYYYNYYN-YN-", 1, "General Counsel", 30, 60, 30, 12, 50, purpose_also=("jointly developing ruled diffraction gratings",)),
    Deal("fellbridge", "Quillmere Instruments Inc.", "Quillmere", "designs and makes optical spectrometers", "410 Larkspur Road, Amherst Falls, Massachusetts", "Dovrelund Sensors AS", "Dovrelund", "develops infrared detector arrays", "Fjordgata 18, Sandvollan, Norway",
         "assessing the integration of infrared detector arrays into portable spectrometers", "integration of infrared detector arrays into portable spectrometers", ("read-out circuits", "noise measurements", "calibration data"), "2022-10-03", "2022-09-28", (2, "years"), (5, "years"), "the Commonwealth of Massachusetts", "Boston", "Dr. Lenora Whitcomb", "Sigrid Haugstad", "Marcus Tillery, Chief Executive Officer", "Terje Nymoen, Chief Executive Officer", "NNY-NYYY-YN-", 1, "General Counsel", 30, 45, 20, 18, 50, purpose_also=("integrating infrared detector arrays into portable spectrometers", "integration of infrared detector arrays")),
    Deal("corley", "Brackenfold Foods Corporation", "Brackenfold", "produces chilled ready meals and sauces", "2200 Millrace Avenue, Dunmore Heights, Ohio", "Mistelbach Aromen GmbH", "Mistelbach", "manufactures natural flavourings", "Hopfenweg 3, Oberlindach, Austria",
         "developing a range of reduced-salt sauces", "range of reduced-salt sauces", ("recipes", "sensory test results", "supplier price lists"), "2021-06-21", "2021-06-18", (4, "years"), (7, "years"), "the State of Ohio", "Columbus", "Odette Farraday", "Ing. Konrad Pfisterer", "Walter Ngata, Executive Vice President", "Brigitte Sollner, Geschäftsführerin", "YYNN-NY-YNYY", 2, "Vice President, Procurement", 20, 90, 30, 12, 0, "2.5", purpose_also=("reduced-salt sauces",)),
    Deal("corley", "Veldhaven Water Technologies N.V.", "Veldhaven", "builds plants for the treatment of drinking water", "Sluiskade 44, Nieuwerdam, the Netherlands", "Ostermark Membranes A/S", "Ostermark", "spins hollow-fibre membranes", "Havnevej 9, Gammelby, Denmark",
         "testing hollow-fibre membranes in a pilot plant for surface water", "testing hollow-fibre membranes in a pilot plant", ("flux curves", "fouling studies", "module drawings"), "2023-01-16", "2023-01-11", (30, "months"), (6, "years"), "the Netherlands", "Rotterdam", "Maaike Terpstra", "Anders Krogsgaard", "Joost Hellinga, Chief Technology Officer", "Lise Overgaard, Director", "-NYYYYNYNN-Y", 3, "Company Secretary", 45, 30, 30, 24, 40, purpose_also=("testing hollow-fibre membranes", "test hollow-fibre membranes", "testing of hollow-fibre membranes")),
    Deal("plain", "Tarnwick Rail Leasing plc", "Tarnwick", "leases freight wagons to rail operators", "Signal House, 12 Weighbridge Lane, Carrow-on-Tees, England", "Colquitt Bogie Works LLC", "Colquitt", "forges and machines bogies", "880 Foundry Parkway, Marlow Springs, Alabama",
         "deciding whether to fit low-noise bogies to a fleet of hopper wagons", "fit low-noise bogies", ("fatigue test reports", "wheel-set drawings", "maintenance cost models"), "2022-07-01", "2022-06-24", (18, "months"), (4, "years"), "England and Wales", "London", "Graham Ollerenshaw", "Tessa Boudreaux", "Philippa Strand, Fleet Director", "Dale Colquitt, President", "NYNYYNY-Y-YN", 4, "Company Secretary", 14, 0, 30, 12, 0, "4", purpose_also=("fitting low-noise bogies", "fitted with low-noise bogies"), discloser="two"),
    Deal("plain", "Orrinfell Diagnostics, Inc.", "Orrinfell", "sells point-of-care blood analysers", "63 Bayberry Technology Park, Corvane, North Carolina", "Thessaly Reagents LLP", "Thessaly", "supplies enzymes and antibodies", "Unit 5, Candlemaker Yard, Strathallan, Scotland",
         "qualifying a second source of glucose oxidase", "second source of glucose oxidase", ("enzyme activity assays", "stability data", "batch records"), "2023-05-08", "2023-05-02", (2, "years"), (3, "years"), "the State of North Carolina", "Raleigh", "Dr. Amara Okonjo-Reyes", "Fergus Dalgleish", "Caroline Mbeki-Strauss, Chief Operating Officer", "Moira Kilbride, Designated Member", "YNNNNY-Y-YY-", 5, "Director of Regulatory Affairs", 21, 30, 15, 12, 0, purpose_also=("second source for glucose oxidase",), discloser="two"),
    Deal("letter", "Sablecrest Outdoor Brands, Inc.", "Sablecrest", "owns labels for mountain clothing and footwear", "1500 Switchback Drive, Telford Creek, Colorado", "Pinnock & Daughters Tannery Ltd", "Pinnock", "tans leather without chromium salts", "The Old Limeyard, Aldersyke, England",
         "trying out chromium-free leather for hiking boots", "chromium-free leather for hiking boots", ("tanning liquors", "abrasion tests", "price quotations"), "2021-11-29", "2021-11-22", (1, "years"), (2, "years"), "the State of Colorado", "Denver", "Hollis Brandt", "Ruth Pinnock", "Yvette Moreno-Klein, Senior Vice President, Product", "Ruth Pinnock, Director", "--YYYNNNYNYN", 6, "Chief Legal Officer", 10, 15, 30, 12, 51, purpose_also=("chromium-free leather",), discloser="two"),
    Deal("letter", "Morrowgate Packaging Group plc", "Morrowgate", "makes folding cartons and moulded-fibre trays", "Caxton Works, Pressgate, Wrenbury, England", "Fennimore Pulp Cooperative", "Fennimore", "operates two pulp mills for its forest-owning members", "301 Boom Road, Lac Perdrix, Wisconsin",
         "a possible long-term supply of unbleached pulp", "long-term supply of unbleached pulp", ("fibre analyses", "freight rates", "mill capacity plans"), "2022-02-07", "2022-02-01", (24, "months"), (36, "months"), "the State of Wisconsin", "Madison", "Alastair Quigley", "Norah Lindqvist", "Bernard Osei, Group Purchasing Director", "Tobias Rademaker, General Manager", "NYN-NYY-NNNY", 7, "Head of Legal", 30, 30, 30, 12, 0, "1.2", purpose_also=("supply of unbleached pulp",), discloser="two"),
    Deal("deed", "Zephyrine Batteries Inc.", "Zephyrine", "assembles stationary battery systems", "95 Cathode Way, Port Merrow, Nevada", "Kestrelmoor Mining Pty Ltd", "Kestrelmoor", "holds exploration permits for spodumene", "Level 4, 88 Quandong Street, Wirrabilla, Western Australia",
         "negotiating an offtake of spodumene concentrate", "offtake of spodumene concentrate", ("drill core assays", "resource models", "unit cost estimates"), "2023-08-22", "2023-08-15", (2, "years"), (10, "years"), "Western Australia", "Perth", "Ines Valderrama", "Callum Pettifer", "Ravi Sundaresan, Chief Procurement Officer", "Joanna Threlkeld, Managing Director", "YNNNYYNYNY-N", 8, "Chief Procurement Officer", 28, 60, 14, 24, 50, purpose_also=("offtake of spodumene",), discloser="two"),
    Deal("deed", "Zephyrine Batteries Inc.", "Zephyrine", "assembles stationary battery systems", "95 Cathode Way, Port Merrow, Nevada", "Ironbark Hollow Lithium Pty Ltd", "Ironbark Hollow", "develops a hard-rock lithium deposit", "16 Gantry Road, Mount Ellery, Western Australia",
         "negotiating an investment in a hard-rock lithium deposit", "investment in a hard-rock lithium deposit", ("drill core assays", "permitting files", "financial models"), "2023-11-06", "2023-10-30", (3, "years"), (10, "years"), "Western Australia", "Perth", "Ines Valderrama", "Bronwyn Castleton", "Ravi Sundaresan, Chief Procurement Officer", "Neville Garrick, Executive Chairman", "NNNNYNNYNYYN", 8, "Chief Procurement Officer", 28, 90, 14, 24, 50, purpose_also=("invest in a hard-rock lithium deposit",), discloser="two"),
    Deal("plain", "Lanthorn Software Ltd", "Lanthorn", "writes scheduling software for operating theatres", "2nd Floor, Almoner's Court, Priorsfield, England", "Northmere University Hospital Trust", "Northmere", "runs three teaching hospitals", "Infirmary Road, Northmere, England",
         "a trial of theatre scheduling software in two surgical departments", "trial of theatre scheduling software", ("scheduling algorithms", "user interface designs", "pricing models"), "2024-02-12", "2024-02-05", (9, "months"), (5, "years"), "England and Wales", "Leeds", "Priyanka Duvall", "Dr. Stephen Arkwell", "Edmund Hargrove, Chief Executive", "Catherine Illingworth, Director of Digital Services", "NYY-NNY-YNY-", 9, "Data and Contracts Manager", 15, 30, 30, 12, 0, purpose_also=("trial theatre scheduling software",), discloser="one"),
    Deal("corley", "Cobbleway Logistics SA", "Cobbleway", "operates road freight and bonded warehouses", "Route des Moulins 27, Valcombe, Belgium", "Brightling Customs Brokers B.V.", "Brightling", "files customs declarations for importers", "Entrepotstraat 61, Kuipersdam, the Netherlands",
         "planning a shared customs filing service", "shared customs filing service", ("customer lists", "interface specifications", "fee schedules"), "2022-09-19", "2022-09-12", (2, "years"), (30, "months"), "Belgium", "Antwerp", "Didier Vanhoutte", "Femke Roosendaal", "Sabine Delacroix, Administratrice déléguée", "Pieter Stuyver, Directeur", "-NYY-YNN-NNY", 10, "Compliance Officer", 60, 0, 30, 6, 33, purpose_also=("shared service for customs filing",)),
    Deal("fellbridge", "Aurelian Seed Company", "Aurelian", "breeds and sells hybrid sorghum seed", "71 Granary Street, Prairie Vale, Kansas", "Alcaravanes Institute for Dryland Cereals", "the Institute", "conducts public research on cereals for dry climates", "Camino del Trigal 200, Alcaravanes, New Mexico",
         "conducting field trials of drought-tolerant sorghum", "field trials of drought-tolerant sorghum", ("parent lines", "marker data", "trial protocols"), "2021-04-12", "2021-04-07", (5, "years"), (8, "years"), "the State of Kansas", "Wichita", "Clement Abernathy-Rowe", "Dr. Soledad Irigoyen", "Harlan Vestergaard, President", "Prof. Emeka Nwachukwu, Director General", "YYNN-YY-YY-Y", 11, "Director of Intellectual Property", 90, 120, 45, 12, 50, purpose_also=("field trials with drought-tolerant sorghum",)),
    Deal("letter", "Castellane Studios SAS", "Castellane", "develops narrative video games", "14 rue des Tisserands, Saint-Aubry, France", "Wren & Tollgate Publishing Ltd", "Wren & Tollgate", "publishes illustrated novels", "29 Compositor's Row, Eastleaze, England",
         "adapting a series of illustrated novels as a video game", "adapting a series of illustrated novels", ("scripts", "character designs", "sales projections"), "2023-03-27", "2023-03-20", (12, "months"), (3, "years"), "France", "Paris", "Éloïse Charpentier", "Dominic Fairweather", "Thibault Rouvière, Président", "Harriet Lowndes, Rights Director", "NNYNYYYYNNY-", 12, "Legal Director", 7, 14, 30, 9, 0, purpose_also=("adaptation of a series of illustrated novels", "adapt a series of illustrated novels")),
    Deal("deed", "Skelwith Bearings plc", "Skelwith", "manufactures roller bearings", "Ironmaster Way, Harbottle, England", "Tannenfels Antriebe GmbH", "Tannenfels", "builds gearboxes for wind turbines", "Am Hüttenwerk 12, Tannenfels, Germany",
         "the design of a main bearing for a 15-megawatt wind turbine", "main bearing for a 15-megawatt wind turbine", ("load spectra", "steel specifications", "lubrication tests"), "2022-05-30", "2022-05-23", (4, "years"), (9, "years"), "Germany", "Hamburg", "Rosalind Entwistle", "Dr.-Ing. Matthias Kollwitz", "Nigel Farnham-Dodd, Engineering Director", "Ulrike Baumgarten, Geschäftsführerin", "NY-YN-NNYYYN", 13, "Group General Counsel", 30, 60, 30, 12, 0, "6", purpose_also=("designing a main bearing", "design of a main bearing")),
    Deal("plain", "Oxmantle Capital Partners LP", "Oxmantle", "advises funds that invest in transport", "6 Exchange Cloisters, Dublin, Ireland", "Trevanion Ferries Ltd", "Trevanion", "runs passenger ferries between the mainland and eleven islands", "Steamer Quay, Porthkerra, Cornwall, England",
         "considering the purchase of a majority stake in Trevanion Ferries", "purchase of a majority stake in Trevanion Ferries", ("route profitability", "vessel surveys", "crew agreements"), "2024-04-15", "2024-04-10", (6, "months"), (2, "years"), "Ireland", "Dublin", "Fiachra Donnellan", "Loveday Penrose", "Aoife Brannigan, Managing Partner", "Jory Trevanion, Chairman", "-YY-YN-YY-NY", 14, "Managing Partner", 5, 10, 30, 18, 30, purpose_also=("buying a majority stake in Trevanion Ferries", "majority stake in Trevanion Ferries"), discloser="two"),
)
