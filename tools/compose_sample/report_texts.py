"""The thirteen reports: what was examined, what was found and what was recommended.

Sentences that state a fact are marked ``[[name|...]]``; ``asks`` says for each name what a person would ask,
the answer, its unit, and the name of a neighbouring fact that a careless reader could take for it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ask:
    """A question about one marked sentence of one report."""

    name: str
    ask: str
    answer: str
    unit: str = ""
    trap: str = ""
    kind: str = "number"


@dataclass(frozen=True)
class Table:
    """Amounts by row and fiscal year; the total row is computed."""

    title: str
    years: tuple[int, int, int]
    rows: tuple[tuple[str, float, float, float], ...]
    total: str
    ask: str
    unit: str
    digits: int = 1


@dataclass(frozen=True)
class Report:
    """One report of a fictional audit or research body. ``yes_no`` follows the order of ``report.YES_NO``."""

    body: str
    number: str
    issued: str
    title: str
    handle: str
    paraphrase: str
    agency: str
    short: str
    head: str
    committee: str
    why: str
    background: tuple[str, ...]
    findings: tuple[tuple[str, str], ...]
    table: Table
    recommendations: tuple[tuple[str, str], ...]
    agreed: int
    sites: tuple[str, ...]
    sample: int
    sampled: str
    period: tuple[str, str]
    yes_no: str
    asks: tuple[Ask, ...]
    seed: int


REPORTS: tuple[Report, ...] = (
    Report(
        "audit",
        "LAS-23-041",
        "2023-02-16",
        "Coastal Harbors: Dredging Contracts Need Independent Cost Estimates",
        "coastal harbors dredging report (LAS-23-041)",
        "February 2023 audit of the Coastal Harbors Administration's dredging contracts",
        "Coastal Harbors Administration",
        "CHA",
        "Administrator",
        "House Committee on Ports and Waterways",
        "Silt closes a harbor slowly and then all at once. The CHA spends more on dredging than on any other activity, and nearly all of that work is done by contractors. Shippers have complained that channels are shallower than the published depths, and the price paid per cubic yard has risen faster than inflation.",
        (
            "The CHA maintains the approach channels of [[ports|41 deep-water ports]]. Its charter of 1968 makes it responsible for keeping each channel at an authorized depth, which ranges from 28 to 52 feet. It owns no hopper dredges of its own and buys the work by sealed bid.",
            "Under the agency's contracting manual, a contracting officer is to obtain an independent cost estimate before bids are opened, so that an unreasonable price can be recognized as such. [[threshold|The manual applies to every dredging contract worth more than $2 million.]]",
        ),
        (
            (
                "Cost estimates were often missing",
                "[[no_estimate|Of the 64 contract files that we reviewed, 23 contained no independent cost estimate.]] [[late_estimate|In a further 9 files the estimate was dated after the bids had been opened.]] Contracting officers told us that the two engineers who prepare estimates could not keep up with the workload.",
            ),
            (
                "Few bidders compete for the work",
                "Competition was thin. [[single_bid|Twenty-seven of the 64 contracts attracted a single bid]], and the average price of those was $9.40 per cubic yard, [[multi_price|compared with $7.15 where two or more firms had bid.]] The CHA does not ask firms why they stay away.",
            ),
            (
                "Surveys come too late to help",
                "A channel has to be surveyed before and after it is dredged, since the contractor is paid for the volume removed. [[survey_delay|On average the survey after dredging took place 38 days after the dredge had left]], by which time new silt had settled. The manual allows 14 days.",
            ),
        ),
        Table(
            "Dredging obligations by region, fiscal years 2020 through 2022 (dollars in millions)",
            (2020, 2021, 2022),
            (
                ("Northern Sounds", 61.4, 66.0, 71.8),
                ("Middle Capes", 88.2, 90.5, 104.3),
                ("Southern Delta", 120.7, 131.9, 149.6),
            ),
            "Total",
            "how much did the CHA obligate for dredging in the {row} region in fiscal year {year}",
            "USD million",
        ),
        (
            (
                "Administrator",
                "publish each year the actual depth of every channel beside its authorized depth",
            ),
            (
                "Director of Contracting",
                "ensure that no bid above the manual's threshold is opened before an independent cost estimate is in the file",
            ),
            (
                "Chief Hydrographer",
                "bring the survey after dredging within the 14 days that the manual allows",
            ),
        ),
        3,
        ("Port Ellery", "Gullhaven", "Sant Marrow"),
        64,
        "contract files",
        ("October 2021", "January 2023"),
        "NYN-Y-",
        (
            Ask(
                "no_estimate",
                "how many of the sampled contract files contained no independent cost estimate",
                "23",
                "",
                "late_estimate",
            ),
            Ask(
                "late_estimate",
                "in how many sampled files was the cost estimate dated after the bids had been opened",
                "9",
                "",
                "no_estimate",
            ),
            Ask(
                "single_bid",
                "how many of the reviewed contracts attracted a single bid",
                "27",
                "",
                "no_estimate",
            ),
            Ask(
                "survey_delay",
                "how many days after the dredge had left did the survey take place on average",
                "38",
                "days",
            ),
            Ask(
                "ports",
                "for how many deep-water ports does the agency maintain the approach channels",
                "41",
                "",
            ),
            Ask(
                "threshold",
                "above what contract value does the agency's contracting manual require an independent cost estimate",
                "2",
                "USD million",
            ),
        ),
        1,
    ),
    Report(
        "audit",
        "LAS-23-042",
        "2023-02-23",
        "Inland Harbors: Dredging Contracts Are Poorly Documented",
        "inland harbors dredging report (LAS-23-042)",
        "February 2023 audit of the Inland Harbors Administration's dredging contracts",
        "Inland Harbors Administration",
        "IHA",
        "Commissioner",
        "House Committee on Ports and Waterways",
        "River ports handle grain, gravel and fuel for a third of the country. The IHA spends more on dredging than on anything else but its locks, and nearly all of that work is done by contractors. Barge operators have complained of groundings, and this report is a companion to our review of the IHA's sister agency on the coast.",
        (
            "The IHA maintains the turning basins of [[ports|67 river ports]]. It was split off from its coastal sister in 1974. The authorized depth of a basin ranges from 9 to 16 feet. The agency owns two small cutter dredges and buys the rest of the work by negotiated contract.",
            "Under the agency's procurement handbook, a contracting officer is to obtain an independent cost estimate before negotiations begin. [[threshold|The handbook applies to every dredging contract worth more than $750,000.]]",
        ),
        (
            (
                "Cost estimates were often missing",
                "[[no_estimate|Of the 58 contract files that we reviewed, 31 contained no independent cost estimate.]] [[late_estimate|In a further 4 files the estimate was dated after negotiations had begun.]] Contracting officers told us that they had relied on the price of the preceding contract instead.",
            ),
            (
                "Records of negotiations are thin",
                "A memorandum should say how a price was arrived at. [[no_memo|We found no such memorandum in 19 of the 58 files]], and where there was one, it seldom named the persons who had taken part. The average price was $6.05 per cubic yard.",
            ),
            (
                "The agency's own dredges stand idle",
                "The two cutter dredges could do part of the work at lower cost. [[idle_days|In 2022 each of them was at work for 112 days on average]]; the plan had been 190 days. Crew shortages were the main reason.",
            ),
        ),
        Table(
            "Dredging obligations by river system, fiscal years 2020 through 2022 (dollars in millions)",
            (2020, 2021, 2022),
            (
                ("Upper Talloway", 33.9, 35.2, 34.1),
                ("Lower Talloway", 47.5, 52.8, 58.6),
                ("Brannock and Eel", 18.3, 17.7, 21.4),
            ),
            "Total",
            "how much did the IHA obligate for dredging on the {row} system in fiscal year {year}",
            "USD million",
        ),
        (
            ("Commissioner", "decide whether to crew or to sell the two cutter dredges"),
            ("Director of Procurement", "require a memorandum of negotiations in every file"),
            (
                "Chief Engineer",
                "prepare independent cost estimates for all contracts above the handbook's threshold",
            ),
        ),
        2,
        ("Cutler's Bend", "Harmony Landing"),
        58,
        "contract files",
        ("November 2021", "January 2023"),
        "NNN-NN",
        (
            Ask(
                "no_estimate",
                "how many of the sampled contract files contained no independent cost estimate",
                "31",
                "",
                "late_estimate",
            ),
            Ask(
                "late_estimate",
                "in how many sampled files was the estimate dated after negotiations had begun",
                "4",
                "",
                "no_estimate",
            ),
            Ask(
                "no_memo",
                "in how many of the sampled files was there no memorandum of negotiations",
                "19",
                "",
                "no_estimate",
            ),
            Ask(
                "idle_days",
                "for how many days was each of the agency's own dredges at work in 2022 on average",
                "112",
                "days",
            ),
            Ask("ports", "for how many river ports does the agency maintain the turning basins", "67", ""),
            Ask(
                "threshold",
                "above what contract value does the agency's procurement handbook require an independent cost estimate",
                "750000",
                "USD",
            ),
        ),
        2,
    ),
    Report(
        "audit",
        "LAS-22-118",
        "2022-09-08",
        "Rural Telehealth: Grant Awards Went Mostly to Places Already Connected",
        "rural telehealth grants report (LAS-22-118)",
        "September 2022 audit of the Rural Care Access Administration's telehealth grants",
        "Rural Care Access Administration",
        "RCAA",
        "Administrator",
        "Senate Committee on Rural Affairs",
        "In many rural counties the nearest specialist is half a day's drive away. The Remote Consultation Grants, which the RCAA has made since 2018, pay clinics for video equipment and connections. We were asked to examine who receives the grants and whether patients benefit.",
        (
            "A clinic is eligible when it lies in a county with fewer than 20 physicians per 100,000 residents. [[grant_limit|A single grant may not exceed $350,000.]] The grantee must keep the equipment in use for at least four years and report consultations each quarter.",
            "The RCAA has a staff of [[staff|188 employees]], eleven of whom administer these grants. Applications are scored by outside reviewers on a scale of 100 points, of which 30 are given for need.",
        ),
        (
            (
                "Awards favored connected counties",
                "[[connected_share|Clinics in counties that already had broadband at the time of application received 71 percent of the money.]] [[scored_need|The criterion of need decided the outcome in only 14 of 212 competitions]], because reviewers gave nearly every applicant full points for it.",
            ),
            (
                "Consultations are fewer than reported",
                "Grantees reported 402,000 consultations in 2021. When we compared the reports of 36 clinics with their appointment systems, [[overcount|we could confirm 58 percent of the consultations that these clinics had reported.]] Most of the rest were telephone calls, which do not count.",
            ),
            (
                "Equipment leaves the program early",
                "[[unused_units|Of 540 video units that we traced, 97 were no longer in use]], although the four years had not ended. [[recovered|The RCAA had recovered money for 6 of them.]]",
            ),
        ),
        Table(
            "Remote Consultation Grants awarded, fiscal years 2019 through 2021 (dollars in millions)",
            (2019, 2020, 2021),
            (("Equipment", 18.4, 22.6, 27.9), ("Connections", 11.2, 16.8, 15.5), ("Training", 3.1, 2.9, 4.2)),
            "Total",
            "how much did the RCAA award for {row} under the Remote Consultation Grants in fiscal year {year}",
            "USD million",
        ),
        (
            ("Administrator", "give greater weight to need in the scoring of applications"),
            ("Administrator", "recover grants whose equipment is taken out of use early"),
            (
                "Director of Data and Evaluation",
                "define what counts as a consultation and verify a sample of the reports",
            ),
            ("Chief Grants Officer", "train outside reviewers in the use of the criterion of need"),
        ),
        4,
        ("Bellhollow", "Ransom County", "Three Forks", "Osage Ridge"),
        36,
        "clinics",
        ("May 2021", "July 2022"),
        "YYN-N-",
        (
            Ask(
                "connected_share",
                "what share of the grant money went to clinics in counties that already had broadband",
                "71",
                "percent",
                "overcount",
            ),
            Ask(
                "overcount",
                "what share of the consultations reported by the checked clinics could be confirmed",
                "58",
                "percent",
                "connected_share",
            ),
            Ask(
                "unused_units",
                "how many of the traced video units were no longer in use",
                "97",
                "",
                "recovered",
            ),
            Ask(
                "grant_limit",
                "what is the highest amount of a single Remote Consultation Grant",
                "350000",
                "USD",
            ),
            Ask("staff", "how many employees does the RCAA have", "188", ""),
            Ask(
                "recovered",
                "for how many of the unused video units had the RCAA recovered money",
                "6",
                "",
                "unused_units",
            ),
        ),
        3,
    ),
    Report(
        "inspector",
        "OPR-2024-07",
        "2024-05-21",
        "Aerial Fire Response: Aircraft Were Unavailable on the Worst Days",
        "aerial fire response aircraft review (OPR-2024-07)",
        "May 2024 review of aircraft availability at the Aerial Fire Response Bureau",
        "Aerial Fire Response Bureau",
        "AFRB",
        "Director",
        "Joint Committee on Natural Hazards",
        "The summer of 2023 was the driest in the records of eleven states. On several days, requests for water bombers could not be met although aircraft stood on the ground. The Joint Committee asked us to find out why.",
        (
            "The AFRB flies [[fleet|34 fixed-wing tankers]] and 21 helicopters from nine bases. Maintenance is divided: light checks are done at the bases by the bureau's mechanics, heavy checks by two contractors. An aircraft is available when it can take off within 30 minutes of a call.",
            "[[target|The bureau's own target is an availability of 85 percent between June and September.]] The target has been the same since the bureau was founded in 1991.",
        ),
        (
            (
                "Availability fell short when it mattered",
                "[[availability|From June through September 2023 tankers were available 74 percent of the time.]] [[red_flag|On the 19 days that the weather service had declared red-flag days, the figure was 62 percent.]] The bureau reports an annual average only, which was 88 percent and hides the season.",
            ),
            (
                "Parts rather than mechanics were the bottleneck",
                "[[parts|Waiting for parts accounted for 57 percent of the hours that aircraft were down.]] The bureau orders parts when they fail. [[engine_wait|An overhauled engine took 143 days to arrive on average.]] Other operators keep spare engines in a pool.",
            ),
            (
                "Helicopters fared better",
                "The helicopters were available 86 percent of the time. They are younger, their parts are held by the manufacturer at two of the bases, and [[mechanics|the bureau employs 96 helicopter mechanics]] where it needs 100.",
            ),
        ),
        Table(
            "Flight hours by type of aircraft, fiscal years 2021 through 2023",
            (2021, 2022, 2023),
            (
                ("Heavy tankers", 4210, 4675, 5320),
                ("Light tankers", 6890, 6405, 7115),
                ("Helicopters", 9340, 9870, 11260),
            ),
            "All aircraft",
            "how many hours did the AFRB's {row} fly in fiscal year {year}",
            "hours",
            0,
        ),
        (
            (
                "Director",
                "report availability for the fire season and for red-flag days apart from the annual average",
            ),
            ("Chief of Maintenance", "set up a pool of spare engines"),
            ("Chief of Maintenance", "order life-limited parts before they are due"),
            ("Comptroller", "include the cost of the pool in the next budget request"),
        ),
        3,
        ("Base Tumbler", "Base Redwillow", "Base Carrick Field"),
        55,
        "aircraft logs",
        ("September 2023", "March 2024"),
        "YY-YY-",
        (
            Ask(
                "availability",
                "what share of the time were the bureau's tankers available from June through September 2023",
                "74",
                "percent",
                "red_flag",
            ),
            Ask(
                "red_flag",
                "what was the availability of the tankers on red-flag days",
                "62",
                "percent",
                "availability",
            ),
            Ask(
                "target",
                "what availability does the bureau set itself as a target between June and September",
                "85",
                "percent",
                "availability",
            ),
            Ask(
                "engine_wait",
                "how many days did an overhauled engine take to arrive on average",
                "143",
                "days",
            ),
            Ask("fleet", "how many fixed-wing tankers does the bureau fly", "34", ""),
            Ask(
                "parts",
                "what share of the hours that aircraft were down was due to waiting for parts",
                "57",
                "percent",
            ),
        ),
        4,
    ),
    Report(
        "inspector",
        "OPR-2023-19",
        "2023-11-02",
        "Dam Safety: Inspections Are on Time but Their Findings Are Not Closed",
        "dam safety inspections review (OPR-2023-19)",
        "November 2023 review of inspections by the Reservoir Safety Commission",
        "Reservoir Safety Commission",
        "RSC",
        "Chair",
        "Senate Committee on Public Works",
        "Most of the country's dams were built before 1970. When the spillway at Keel Creek was damaged in 2021, it emerged that an inspector had described the weakness four years earlier. We examined what becomes of inspectors' findings.",
        (
            "The RSC oversees [[dams|2,846 dams]], which it sorts by the harm that a failure would do. [[high_hazard|It has placed 391 of them in the high-hazard class]], which is inspected every year; the others are inspected every three or six years.",
            "An inspector's finding is graded from 1 (cosmetic) to 4 (urgent). The owner of the dam has to answer a finding of grade 3 within 90 days and one of grade 4 within 10 days. The commission may order the level of a reservoir to be lowered.",
        ),
        (
            (
                "Inspections were punctual",
                "[[on_time|In 2022 the commission carried out 96 percent of the inspections that were due.]] Its reports were clear and, with few exceptions, illustrated with photographs taken from the same points each time.",
            ),
            (
                "Findings stay open for years",
                "[[open_findings|At the end of 2022, 1,204 findings of grade 3 or 4 were open.]] [[old_findings|Of these, 377 had been open for more than three years.]] The tracking system sends no reminder when an owner's time is up, and regional staff keep lists of their own.",
            ),
            (
                "Orders are rarely used",
                "[[orders|The commission issued 5 orders to lower a reservoir in the six years to 2022.]] Staff described the procedure as slow: every order has to be signed in the capital, which took 47 days in the median case.",
            ),
        ),
        Table(
            "Inspections carried out by class of dam, calendar years 2020 through 2022",
            (2020, 2021, 2022),
            (
                ("High hazard", 352, 379, 388),
                ("Significant hazard", 214, 241, 263),
                ("Low hazard", 171, 190, 186),
            ),
            "All classes",
            "how many inspections of {row} dams did the RSC carry out in {year}",
            "",
            0,
        ),
        (
            ("Chair", "delegate the signing of orders to the regional directors"),
            (
                "Chief Information Officer",
                "make the tracking system remind owners and staff when an answer is overdue",
            ),
            ("Regional Directors", "give up separate lists of open findings"),
        ),
        3,
        ("Keel Creek", "Lake Ossian", "Upper Marl"),
        120,
        "inspection reports",
        ("December 2022", "August 2023"),
        "YYYNYN",
        (
            Ask(
                "open_findings",
                "how many findings of grade 3 or 4 were open at the end of 2022",
                "1204",
                "",
                "old_findings",
            ),
            Ask(
                "old_findings",
                "how many findings of grade 3 or 4 had been open for more than three years",
                "377",
                "",
                "open_findings",
            ),
            Ask(
                "on_time",
                "what share of the inspections due in 2022 did the commission carry out",
                "96",
                "percent",
            ),
            Ask(
                "orders",
                "how many orders to lower a reservoir did the commission issue in the six years to 2022",
                "5",
                "",
            ),
            Ask("dams", "how many dams does the commission oversee", "2846", "", "high_hazard"),
            Ask(
                "high_hazard",
                "how many dams has the commission placed in the high-hazard class",
                "391",
                "",
                "dams",
            ),
        ),
        5,
    ),
    Report(
        "audit",
        "LAS-24-015",
        "2024-01-25",
        "Veterans' Housing: Vouchers Expire Before Landlords Can Be Found",
        "veterans' housing vouchers report (LAS-24-015)",
        "January 2024 audit of the Transitional Housing Office for Former Service Members",
        "Transitional Housing Office for Former Service Members",
        "THO",
        "Executive Director",
        "House Committee on Service Members and Veterans",
        "A voucher is worth something only if a landlord accepts it. The THO issues vouchers that pay the larger part of the rent for veterans who leave a shelter. Local partners report that many vouchers lapse unused, while the waiting list grows.",
        (
            "The program serves veterans with an income below half of the local median. The tenant pays 30 percent of his or her income and the voucher covers the rest, up to a ceiling that the THO sets for each of 118 market areas. [[validity|A voucher lapses if it has not been used within 60 days]]; a single extension of 30 days may be granted.",
            "The THO works through [[partners|143 local partners]], among them county housing offices and charities. It pays them a fee for each veteran housed and none for the search.",
        ),
        (
            (
                "Two in five vouchers lapse",
                "[[vouchers_issued|In fiscal year 2023 the THO issued 18,450 vouchers.]] [[lapsed|Of these, 7,380 lapsed before a lease was signed.]] That is 40 percent, up from 33 percent the year before. Extensions were granted in about half of the cases in which they were asked for.",
            ),
            (
                "Ceilings trail the market",
                "[[ceilings|In 71 of the 118 market areas the ceiling was below the rent at which a quarter of vacant apartments were offered.]] The ceilings are computed from a survey that is two years old when it is used.",
            ),
            (
                "Inspections delay leases",
                "An apartment is inspected before the lease begins. [[inspection_days|Landlords waited 24 days for the inspection on average]]; several told us that they had let the apartment to someone else in the meantime.",
            ),
        ),
        Table(
            "Program outlays, fiscal years 2021 through 2023 (dollars in millions)",
            (2021, 2022, 2023),
            (
                ("Rent subsidies", 204.5, 228.1, 241.7),
                ("Partner fees", 22.0, 24.6, 23.8),
                ("Inspections", 9.3, 10.1, 12.4),
            ),
            "Total",
            "how much did the THO spend on {row} in fiscal year {year}",
            "USD million",
        ),
        (
            ("Executive Director", "lengthen the validity of vouchers in tight markets"),
            ("Executive Director", "update the ceilings every quarter"),
            ("Director of Field Operations", "allow inspections by video where a building has passed before"),
            ("Director of Partnerships", "test a fee for the search of an apartment"),
        ),
        3,
        ("Larkfield", "Port Ambrose", "Mesa Quemada"),
        212,
        "case files",
        ("February 2023", "December 2023"),
        "NY-YYN",
        (
            Ask(
                "vouchers_issued",
                "how many vouchers did the THO issue in fiscal year 2023",
                "18450",
                "",
                "lapsed",
            ),
            Ask(
                "lapsed",
                "how many of the vouchers issued in fiscal year 2023 lapsed before a lease was signed",
                "7380",
                "",
                "vouchers_issued",
            ),
            Ask(
                "ceilings",
                "in how many market areas was the ceiling below the rent of a quarter of the vacant apartments",
                "71",
                "",
            ),
            Ask(
                "inspection_days",
                "how many days did landlords wait for the inspection on average",
                "24",
                "days",
                "validity",
            ),
            Ask("partners", "through how many local partners does the THO work", "143", ""),
            Ask(
                "validity",
                "within how many days must a voucher be used before it lapses",
                "60",
                "days",
                "inspection_days",
            ),
        ),
        6,
    ),
    Report(
        "research",
        "RB-2023-33",
        "2023-06-15",
        "School Meals: Options for Buying Food Closer to the Kitchen",
        "school meal procurement brief (RB-2023-33)",
        "June 2023 brief on how the National School Nutrition Service buys food",
        "National School Nutrition Service",
        "NSNS",
        "Director General",
        "Senate Committee on Agriculture and Food",
        "Schools serve more meals than all restaurant chains together, and the way in which their food is bought decides what is grown and where. This brief describes the present system, what is known of its results, and options for Congress.",
        (
            "The NSNS reimburses [[districts|13,900 school districts]] for meals that meet its standards. About a sixth of the food is bought centrally by the service and delivered in kind; the rest is bought by the districts. [[reimbursement|The reimbursement for a full-price lunch was $0.77 in the school year 2022-23.]] [[free_reimbursement|For a lunch served free of charge it was $4.33.]]",
            "Central purchases go back to the surpluses of the 1930s. They follow the sealed-bid rules that apply to all federal supplies, under which the lowest price wins and the place of origin, as long as it is domestic, is not considered.",
        ),
        (
            (
                "Little food is bought nearby",
                "[[local_share|Districts spent 12 percent of their food budgets on products from their own state or within 200 miles.]] The share varies a great deal: in Vermeer County it was 44 percent, in the three largest cities less than 4 percent.",
            ),
            (
                "Local purchasing costs slightly more",
                "In a trial from 2019 to 2021, [[trial_districts|26 districts were allowed to give points for proximity.]] [[trial_cost|Their cost per lunch rose by 5 cents]], or about 3 percent of the food cost. Waste on the plate fell, though the evidence on that is thin.",
            ),
            (
                "Small farms cannot meet the minimum order",
                "Small farms seldom meet the minimum order of a truckload. [[truckload|The NSNS accepts no offer for central purchase of less than 38,000 pounds.]] Districts in turn lack kitchens in which raw produce can be washed and cut.",
            ),
        ),
        Table(
            "Central food purchases by group, fiscal years 2020 through 2022 (dollars in millions)",
            (2020, 2021, 2022),
            (
                ("Meat and poultry", 612.0, 588.4, 701.3),
                ("Fruit and vegetables", 471.5, 502.2, 530.8),
                ("Dairy and grains", 266.1, 279.9, 291.7),
            ),
            "All groups",
            "how much did the NSNS spend on central purchases of {row} in fiscal year {year}",
            "USD million",
        ),
        (
            ("Congress", "could allow districts to weigh proximity together with price"),
            ("Director General", "could lower the minimum order for central purchases"),
            ("Office of Facilities", "could offer small grants for kitchen equipment"),
        ),
        0,
        ("Vermeer County", "the city of Allenby"),
        26,
        "districts",
        ("August 2022", "May 2023"),
        "-----Y",
        (
            Ask(
                "local_share",
                "what share of their food budgets did districts spend on products from their own state or nearby",
                "12",
                "percent",
            ),
            Ask(
                "trial_districts",
                "how many districts were allowed to give points for proximity in the trial",
                "26",
                "",
            ),
            Ask(
                "reimbursement",
                "what was the reimbursement for a full-price lunch in the school year 2022-23",
                "0.77",
                "USD",
                "free_reimbursement",
            ),
            Ask(
                "free_reimbursement",
                "what was the reimbursement for a lunch served free of charge in the school year 2022-23",
                "4.33",
                "USD",
                "reimbursement",
            ),
            Ask(
                "truckload",
                "what is the smallest offer, in pounds, that the NSNS accepts for central purchase",
                "38000",
                "",
            ),
            Ask(
                "districts",
                "how many school districts does the NSNS reimburse for meals",
                "13900",
                "",
                "trial_districts",
            ),
        ),
        7,
    ),
    Report(
        "inspector",
        "OPR-2022-11",
        "2022-12-13",
        "Weather Radar: Replacement Will Be Late and the Old Network Is Wearing Out",
        "weather radar replacement review (OPR-2022-11)",
        "December 2022 review of the radar program of the Atmospheric Observation Service",
        "Atmospheric Observation Service",
        "AOS",
        "Director",
        "House Committee on Science and Space",
        "Forecasts of tornadoes and flash floods rest on a network of radars that was designed in the 1980s. The AOS is to replace it by 2031. We reviewed whether it is likely to do so and what happens in the meantime.",
        (
            "The present network has [[radars|157 radars]]. Each was built to last 20 years and has had its life extended once. In 2017 the AOS decided to replace them with a design that has no moving antenna, and in 2019 it signed a development contract with a consortium led by Halcyon Ridge Systems.",
            "[[estimate|The program's approved cost estimate is $3.1 billion.]] It assumes that the first new radar enters service in 2026 and that 30 follow each year from 2027.",
        ),
        (
            (
                "The schedule has no slack left",
                "[[prototype_delay|The prototype was delivered 17 months late.]] Every later milestone has been moved by less than that, so that the time planned for testing has shrunk [[testing|from 24 months to 10.]] The program office has not analyzed what this does to risk.",
            ),
            (
                "The estimate is out of date",
                "[[new_cost|Our own analysis, which uses the agency's model with current prices, arrives at $3.9 billion.]] The difference is due to the price of power amplifiers and to site work that was not in the original scope. The AOS updates its estimate only when a milestone is passed.",
            ),
            (
                "The old radars fail more often",
                "[[outages|In 2021 a radar was out of service for 171 hours on average]], half as much again as in 2016. [[transmitters|The depot had 4 spare transmitters left]], and their maker no longer produces them.",
            ),
        ),
        Table(
            "Funds spent on the radar network, fiscal years 2020 through 2022 (dollars in millions)",
            (2020, 2021, 2022),
            (
                ("Development", 142.6, 188.0, 176.4),
                ("Operation of the old network", 121.3, 129.7, 140.2),
                ("Life extension", 44.8, 31.5, 27.1),
            ),
            "Total",
            'how much did the AOS spend on its radar network under the heading "{row}" in fiscal year {year}',
            "USD million",
        ),
        (
            ("Director", "update the cost estimate every year"),
            ("Radar Program Manager", "analyze the risk of the shortened test period"),
            (
                "Chief of the Maintenance Depot",
                "secure a source of transmitters until the last old radar is switched off",
            ),
        ),
        2,
        ("the test range at Dunmarrow", "the maintenance depot in Ashgrove"),
        157,
        "radar logs",
        ("January 2022", "October 2022"),
        "NYYN-N",
        (
            Ask(
                "new_cost",
                "what does the reviewers' own analysis put the cost of the radar replacement at",
                "3900",
                "USD million",
                "estimate",
            ),
            Ask(
                "estimate",
                "what is the approved cost estimate of the radar replacement program",
                "3100",
                "USD million",
                "new_cost",
            ),
            Ask("prototype_delay", "how many months late was the prototype delivered", "17", "months"),
            Ask(
                "outages", "for how many hours was a radar out of service in 2021 on average", "171", "hours"
            ),
            Ask("radars", "how many radars does the present network have", "157", ""),
            Ask("transmitters", "how many spare transmitters did the depot have left", "4", ""),
        ),
        8,
    ),
    Report(
        "audit",
        "LAS-23-087",
        "2023-08-10",
        "Travel Documents: Backlog Has Fallen but Its Causes Remain",
        "travel documents backlog report (LAS-23-087)",
        "August 2023 audit of application times at the Travel Documents Agency",
        "Travel Documents Agency",
        "TDA",
        "Director",
        "Senate Committee on Government Operations",
        "In the spring of 2022, applicants for a travel document waited as long as five months, and some missed weddings and funerals. The backlog has since been worked off. We were asked whether it could return.",
        (
            "The TDA issues travel documents through six production centers and [[counters|311 counters]]. Fees pay for the whole of its operation; when fewer people travel, income falls at once and costs do not. [[fee|An application costs $120]], [[expedite_fee|and expedited handling a further $75.]]",
            "The agency publishes a standard: 90 percent of applications are to be decided within six weeks. Staff are hired for permanent posts only, which takes eight months because of the security check.",
        ),
        (
            (
                "How the backlog grew",
                "Demand returned faster than had been foreseen. [[peak_backlog|At its peak in April 2022 the backlog stood at 1.84 million applications.]] [[current_backlog|By March 2023 it was down to 0.29 million.]] Overtime cost $61 million.",
            ),
            (
                "Forecasts were wrong by a wide margin",
                "[[forecast_error|Demand in fiscal year 2022 was 38 percent above the agency's forecast.]] The forecast is an average of past years and uses no data on bookings or fares, which the travel industry offered to share.",
            ),
            (
                "Temporary measures are being dropped",
                "Some of what worked was temporary: clerks lent by other agencies, night shifts, online renewal. [[online_share|In the pilot of online renewal 46 percent of those who were eligible used it]], yet the pilot ended in February 2023 and no date has been set for its return.",
            ),
        ),
        Table(
            "Applications decided by type, fiscal years 2020 through 2022",
            (2020, 2021, 2022),
            (
                ("First issue", 3310000, 3875000, 5120000),
                ("Renewal", 4260000, 4980000, 7045000),
                ("Replacement", 415000, 460000, 610000),
            ),
            "All types",
            'how many applications of the type "{row}" did the TDA decide in fiscal year {year}',
            "",
            0,
        ),
        (
            ("Director", "use data on bookings in the forecast of demand"),
            ("Director", "build a reserve from fees for years of low income"),
            ("Director of Personnel", "form a pool of cleared staff who can be called up"),
            ("Chief Information Officer", "set a date for the return of online renewal"),
        ),
        4,
        ("the Maplethorpe center", "the Dry Wells center", "the Eastgate counter"),
        400,
        "applications",
        ("September 2022", "June 2023"),
        "YYYYY-",
        (
            Ask(
                "peak_backlog",
                "how many applications were in the backlog at its peak in April 2022",
                "1840000",
                "",
                "current_backlog",
            ),
            Ask(
                "current_backlog",
                "how many applications were in the backlog by March 2023",
                "290000",
                "",
                "peak_backlog",
            ),
            Ask(
                "forecast_error",
                "by what percentage was demand in fiscal year 2022 above the agency's forecast",
                "38",
                "percent",
                "online_share",
            ),
            Ask(
                "online_share",
                "what share of those eligible used online renewal in the pilot",
                "46",
                "percent",
                "forecast_error",
            ),
            Ask("fee", "what does an application for a travel document cost", "120", "USD", "expedite_fee"),
            Ask(
                "expedite_fee",
                "how much does expedited handling cost on top of the fee for an application",
                "75",
                "USD",
                "fee",
            ),
            Ask("counters", "how many counters does the TDA have", "311", ""),
        ),
        9,
    ),
    Report(
        "inspector",
        "OPR-2022-04",
        "2022-04-07",
        "Benefits Payments: Modernization Lacks a Plan for the Old System",
        "first benefits payments review (OPR-2022-04)",
        "April 2022 review of the Benefits Payment Office's modernization",
        "Benefits Payment Office",
        "BPO",
        "Comptroller of Benefits",
        "House Committee on Pensions and Allowances",
        "Every month the BPO pays pensions and allowances to one household in four. Its payment system was written in 1979 and is understood by fewer people each year. We reviewed the program that is to replace it.",
        (
            "The old system consists of [[programs|9,200 programs]] in a language that is no longer taught. The BPO runs it on machines of its own in two data centers. A first attempt at replacement was abandoned in 2013 after $140 million had been spent.",
            "The present program, called Clearwater, began in 2019. [[budget|Its budget is $418 million]] and it is to end in 2025. Benefits are to be moved in four waves, beginning with the survivors' allowance.",
        ),
        (
            (
                "The first wave is late",
                "The survivors' allowance was to be moved in July 2021. At the time of our review [[wave_delay|the move had been put off by 9 months.]] The reason given was that 14 percent of the records could not be converted without being looked at by a clerk.",
            ),
            (
                "Nobody owns the old system",
                "[[experts|The number of employees who can change the old programs has fallen to 22.]] [[retiring|Of these, 13 may retire within three years.]] The program office regards their training and retention as outside its task, and so does the operations division.",
            ),
            (
                "Spending is ahead of progress",
                "[[spent|By December 2021 the program had spent $174 million]], or 42 percent of its budget, and completed 21 percent of the planned functions by its own count. Contracts pay for hours rather than results.",
            ),
        ),
        Table(
            "Spending on the payment systems, fiscal years 2019 through 2021 (dollars in millions)",
            (2019, 2020, 2021),
            (
                ("Clearwater contracts", 14.2, 46.9, 71.3),
                ("Program office", 3.8, 7.5, 9.6),
                ("Old system", 58.0, 59.4, 63.1),
            ),
            "Total",
            'how much did the BPO spend under the heading "{row}" in fiscal year {year}',
            "USD million",
        ),
        (
            (
                "Comptroller of Benefits",
                "make one executive responsible for the old system until it is switched off",
            ),
            ("Clearwater Program Director", "tie at least half of contract payments to results"),
            ("Clearwater Program Director", "publish a plan for records that need a clerk"),
            ("Director of Human Resources", "offer bonuses to those who know the old system"),
        ),
        4,
        ("the Granby data center", "the Wexcombe data center"),
        85,
        "contract invoices",
        ("March 2021", "February 2022"),
        "YNNNY-",
        (
            Ask("experts", "how many employees can change the old programs", "22", "", "retiring"),
            Ask(
                "retiring",
                "how many of the employees who can change the old programs may retire within three years",
                "13",
                "",
                "experts",
            ),
            Ask("budget", "what is the budget of the Clearwater program", "418", "USD million", "spent"),
            Ask(
                "spent",
                "how much had the Clearwater program spent by December 2021",
                "174",
                "USD million",
                "budget",
            ),
            Ask(
                "wave_delay",
                "by how many months had the move of the survivors' allowance been put off",
                "9",
                "months",
            ),
            Ask("programs", "of how many programs does the old payment system consist", "9200", ""),
        ),
        10,
    ),
    Report(
        "inspector",
        "OPR-2023-09",
        "2023-07-20",
        "Benefits Payments: Second Review of Modernization Finds Progress and a Higher Price",
        "second benefits payments review (OPR-2023-09)",
        "July 2023 follow-up review of the Benefits Payment Office's modernization",
        "Benefits Payment Office",
        "BPO",
        "Comptroller of Benefits",
        "House Committee on Pensions and Allowances",
        "Every month the BPO pays pensions and allowances to one household in four. In April 2022 we reported that the program to replace its payment system of 1979 had no plan for the old one. This second review follows up on our recommendations.",
        (
            "The old system now consists of [[programs|8,650 programs]], since those for the survivors' allowance have been switched off. The BPO still runs it on machines of its own, but in a single data center.",
            "[[budget|The budget of the Clearwater program was raised to $497 million in January 2023]], and its end was put back to 2027. The number of waves has been increased from four to six so that each is smaller.",
        ),
        (
            (
                "The first wave is complete",
                "The survivors' allowance was moved in October 2022, and [[error_rate|0.3 percent of the first payments were wrong]], fewer than the office had allowed for. The second wave, which covers the widows' pension, was 4 months behind its revised date.",
            ),
            (
                "The old system has an owner",
                "A deputy comptroller now answers for the old system. [[experts|The number of employees who can change the old programs has risen to 29]], and [[trainees|11 trainees are being taught by retired colleagues.]] A bonus is paid to those who stay until a wave is complete.",
            ),
            (
                "Spending is in line with progress",
                "[[spent|By March 2023 the program had spent $297 million]], or 60 percent of its new budget, and completed 57 percent of the planned functions. Two of three large contracts have been changed to pay for results.",
            ),
        ),
        Table(
            "Spending on the payment systems, fiscal years 2020 through 2022 (dollars in millions)",
            (2020, 2021, 2022),
            (
                ("Clearwater contracts", 46.9, 71.3, 84.0),
                ("Program office", 7.5, 9.6, 11.8),
                ("Old system", 59.4, 63.1, 60.7),
            ),
            "Total",
            'how much did the BPO spend under the heading "{row}" in fiscal year {year}',
            "USD million",
        ),
        (
            ("Comptroller of Benefits", "explain to the committee why the end of the program was put back"),
            ("Clearwater Program Director", "change the third large contract to pay for results"),
            ("Deputy Comptroller for Legacy Systems", "record what retired colleagues teach"),
        ),
        3,
        ("the Granby data center", "the Tolland processing office"),
        60,
        "contract invoices",
        ("August 2022", "May 2023"),
        "Y-YYYN",
        (
            Ask("experts", "how many employees can change the old programs", "29", "", "trainees"),
            Ask("trainees", "how many trainees are being taught by retired colleagues", "11", "", "experts"),
            Ask("budget", "what is the budget of the Clearwater program", "497", "USD million", "spent"),
            Ask(
                "spent",
                "how much had the Clearwater program spent by March 2023",
                "297",
                "USD million",
                "budget",
            ),
            Ask(
                "error_rate",
                "what share of the first payments of the survivors' allowance was wrong",
                "0.3",
                "percent",
            ),
            Ask("programs", "of how many programs does the old payment system consist", "8650", ""),
        ),
        10,
    ),
    Report(
        "research",
        "RB-2024-05",
        "2024-03-05",
        "Freshwater Hatcheries: What Stocking Achieves and What It Costs",
        "freshwater hatcheries brief (RB-2024-05)",
        "March 2024 brief on the stocking of lakes by the Freshwater Fisheries Service",
        "Freshwater Fisheries Service",
        "FFS",
        "Chief",
        "House Committee on Natural Resources",
        "Anglers pay for most of the country's stocked fish through their licenses, and many believe that without stocking there would be none. Biologists are less sure. This brief sets out the evidence and the choices before Congress.",
        (
            "The FFS operates [[hatcheries|29 hatcheries]], the oldest of which dates from 1887. [[stocked|In 2023 they released 61 million fish]], chiefly trout, walleye and whitefish. States run about ten times as many hatcheries of their own.",
            "Stocking began as a remedy for overfishing and dams. Its purposes have multiplied since: to restore native species, to make up for losses at public works, and to provide fishing near cities. The law does not rank them.",
        ),
        (
            (
                "Survival is low and varies",
                "[[survival_rate|Of trout released as fingerlings 7 percent were alive after one year]] in the eleven lakes where the service marks its fish. [[yearling_rate|Of those released as yearlings the share was 31 percent]]; yearlings cost four times as much to raise.",
            ),
            (
                "Restoration competes with recreation",
                "[[restoration_share|Native species make up 22 percent of the fish released.]] Hatchery managers said that recreational stocking comes first because it is counted by numbers. A native sturgeon takes ten years to show whether the effort has paid.",
            ),
            (
                "Buildings are old",
                "[[repair|The backlog of repairs amounts to $188 million.]] Two hatcheries, at Pike Narrows and Coldwater Run, were closed for part of 2023 after their water supply failed.",
            ),
        ),
        Table(
            "Cost of hatchery operations by purpose, fiscal years 2021 through 2023 (dollars in millions)",
            (2021, 2022, 2023),
            (
                ("Recreation", 39.8, 42.2, 44.9),
                ("Restoration", 15.6, 15.1, 17.3),
                ("Mitigation", 11.9, 12.6, 12.2),
            ),
            "All purposes",
            "how much did hatchery operations for {row} cost the FFS in fiscal year {year}",
            "USD million",
        ),
        (
            ("Congress", "could rank the purposes of stocking in law"),
            ("Chief", "could count adult fish rather than fish released"),
            ("Chief", "could close the hatcheries with the costliest repairs"),
        ),
        0,
        ("Pike Narrows", "Coldwater Run", "Lake Ossian"),
        11,
        "lakes",
        ("June 2023", "January 2024"),
        "N----N",
        (
            Ask(
                "survival_rate",
                "what share of trout released as fingerlings was alive after one year",
                "7",
                "percent",
                "yearling_rate",
            ),
            Ask(
                "yearling_rate",
                "what share of trout released as yearlings was alive after one year",
                "31",
                "percent",
                "survival_rate",
            ),
            Ask(
                "restoration_share",
                "what share of the fish released belongs to native species",
                "22",
                "percent",
                "yearling_rate",
            ),
            Ask(
                "repair", "what does the backlog of repairs at the hatcheries amount to", "188", "USD million"
            ),
            Ask("hatcheries", "how many hatcheries does the FFS operate", "29", ""),
            Ask("stocked", "how many fish did the service's hatcheries release in 2023", "61000000", ""),
        ),
        11,
    ),
    Report(
        "audit",
        "LAS-24-102",
        "2024-10-17",
        "Bridge Inspection: Corps Meets Its Schedule With Borrowed Engineers",
        "bridge inspection workforce report (LAS-24-102)",
        "October 2024 audit of staffing in the Federal Bridge Inspection Corps",
        "Federal Bridge Inspection Corps",
        "FBIC",
        "Chief Inspector",
        "Senate Committee on Transport Safety",
        "A steel bridge gives few warnings. The FBIC inspects the bridges that carry federal routes, and it has not missed a due date in nine years. We were asked how it manages with a third of its posts vacant.",
        (
            "The corps was founded in 1983 after the collapse of the Tamsen Street viaduct. It inspects [[bridges|21,700 bridges]] every two years and those with known defects every six months. [[posts|Its authorized strength is 640 engineers.]] [[filled|In June 2024 it employed 431.]]",
            "A bridge is inspected by a team of two, one of whom must hold the corps' certificate. The certificate takes three years to earn and is not recognized by the states.",
        ),
        (
            (
                "Contract engineers fill the gap",
                "[[contract_share|In fiscal year 2023 contract engineers took part in 54 percent of inspections.]] A contract engineer costs $1,310 a day and a member of the corps $780. [[uncertified|In 216 inspections neither member of the team held the certificate.]]",
            ),
            (
                "Engineers leave early",
                "[[attrition|Of the engineers who joined in 2018, 48 percent had left within five years.]] In exit interviews they named travel first and pay second. A proposal to assign teams to regions has been under study since 2020.",
            ),
            (
                "Reports are late",
                "The inspection itself is on time, its report often is not. [[report_delay|The median report was filed 41 days after the inspection]], against a limit of 30 days, and defects are entered in the database only with the report.",
            ),
        ),
        Table(
            "Cost of inspections by kind of staff, fiscal years 2021 through 2023 (dollars in millions)",
            (2021, 2022, 2023),
            (
                ("Corps engineers", 68.7, 66.2, 63.9),
                ("Contract engineers", 41.3, 52.0, 66.5),
                ("Travel", 19.4, 21.8, 24.6),
            ),
            "Total",
            "how much did inspections cost the FBIC for {row} in fiscal year {year}",
            "USD million",
        ),
        (
            ("Chief Inspector", "decide on the assignment of teams to regions"),
            ("Chief Inspector", "stop inspections by teams without a certificate"),
            ("Director of Training", "seek recognition of the certificate by the states"),
            ("Director of Data Systems", "have urgent defects entered on the day of inspection"),
        ),
        3,
        ("the Cordwain district", "the Hexley district", "the Sable Straits crossing"),
        180,
        "inspection reports",
        ("November 2023", "August 2024"),
        "N-YYN-",
        (
            Ask(
                "contract_share",
                "in what share of inspections in fiscal year 2023 did contract engineers take part",
                "54",
                "percent",
                "attrition",
            ),
            Ask(
                "attrition",
                "what share of the engineers who joined in 2018 had left within five years",
                "48",
                "percent",
                "contract_share",
            ),
            Ask(
                "uncertified",
                "in how many inspections did neither member of the team hold the certificate",
                "216",
                "",
            ),
            Ask("posts", "what is the authorized strength of the corps, in engineers", "640", "", "filled"),
            Ask("filled", "how many engineers did the corps employ in June 2024", "431", "", "posts"),
            Ask(
                "report_delay", "how many days after the inspection was the median report filed", "41", "days"
            ),
        ),
        12,
    ),
)
