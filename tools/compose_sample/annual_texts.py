"""The eight companies behind the annual-report extracts: their business, their figures and their risks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Year:
    """A fiscal year's inputs in millions of dollars; every total and ratio is computed from them."""

    sales: tuple[float, ...]
    cost: float
    overhead: float
    research: float
    interest: float
    tax: float
    capital: float


@dataclass(frozen=True)
class Extract:
    """What one year's report says besides the figures. ``yes_no`` follows the order of ``annual.YES_NO``."""

    year: int
    employees: int
    yes_no: str
    customer_percent: int
    dividend: str
    backlog: str
    auditor: str
    sales_reason: str
    cost_reason: str
    risk: tuple[str, str]
    event: str
    outlook: str
    signed: str
    facts: tuple[tuple[str, str, str, str], ...] = ()


@dataclass(frozen=True)
class Company:
    """A fictional company. ``extracts`` holds the years whose report is in the corpus."""

    name: str
    short: str
    state: str
    seat: str
    founded: int
    year_end: str
    term: str
    business: tuple[str, ...]
    segments: tuple[tuple[str, str], ...]
    risks: tuple[tuple[str, str], ...]
    plants: tuple[str, ...]
    plant_word: str
    facility: str
    maturity: str
    bank: str
    years: dict[int, Year]
    extracts: tuple[Extract, ...]
    seed: int
    policy: int
    """Which accounting policy for revenue fits the business."""


COMPANIES: tuple[Company, ...] = (
    Company(
        "Quillmere Instruments Inc.",
        "Quillmere",
        "Massachusetts",
        "Amherst Falls, Massachusetts",
        1974,
        "December 31",
        "Net sales",
        (
            "Quillmere designs, makes and services instruments that identify materials by the light they absorb or emit. Its spectrometers are used in pharmaceutical plants to check incoming powders, in recycling works to sort plastics, and in university laboratories. The company sells through its own staff in North America and through distributors elsewhere.",
            "Gratings and detectors are the parts that matter most. Gratings are ruled in-house at one site; detectors are bought from two suppliers in Japan and one in Norway. The company holds 214 patents, the most important of which expire between 2029 and 2036. Competition comes from divisions of much larger groups that can bundle spectrometers with other equipment.",
        ),
        (
            (
                "Laboratory Systems",
                "bench-top instruments for research and quality control, with the software that runs them",
            ),
            ("Process Sensors", "rugged probes that are built into production lines"),
            ("Service", "calibration, repair and training under annual contracts"),
        ),
        (
            (
                "We depend on a few suppliers of detectors",
                "A change of detector requires that an instrument be calibrated anew and, where it is used under pharmaceutical rules, validated again by the customer. If a supplier failed, several months would pass before a substitute could be shipped in volume.",
            ),
            (
                "Research budgets are cut first",
                "About a third of our sales are to universities and public institutes. Their purchases depend on grants, and a delay in the adoption of a budget is felt in our orders within weeks.",
            ),
            (
                "Our ruling engines cannot be replaced",
                "The three engines on which master gratings are ruled were built in the 1980s. A fire at the site where they stand would put an end to our own supply of gratings for at least two years.",
            ),
        ),
        ("Amherst Falls, Massachusetts", "Dunmore, Pennsylvania", "Leighdale, Ireland"),
        "plants",
        "75",
        "2026-06-30",
        "Granite Harbor Bank",
        {
            2020: Year((118.2, 54.6, 39.0), 108.0, 58.4, 19.6, 2.1, 5.1, 9.4),
            2021: Year((131.5, 63.9, 42.8), 119.3, 62.7, 21.4, 1.9, 7.6, 11.2),
            2022: Year((138.7, 74.1, 46.3), 131.6, 66.2, 23.5, 2.4, 8.1, 14.8),
            2023: Year((135.4, 86.8, 50.9), 136.9, 70.3, 25.2, 3.0, 8.4, 12.6),
        },
        (
            Extract(
                2022,
                1043,
                "YYYYNYNN",
                12,
                "0.48",
                "61.2",
                "Pruett Lansing LLP",
                "Growth came chiefly from probes for plastics recycling, for which new rules in Europe created demand.",
                "Detectors became dearer and freight from Asia remained expensive.",
                (
                    "A customer in pharmaceutical contract manufacturing weighs heavily",
                    "Our largest customer makes tablets on behalf of others. It has told us that it will standardize on a single supplier of sensors by 2025, and we cannot be sure that it will choose us.",
                ),
                "On January 18, 2023 the board approved a plan to move the assembly of probes from Dunmore to Leighdale.",
                "We expect net sales to grow by 3 to 5 percent in 2023.",
                "2023-02-24",
            ),
            Extract(
                2023,
                1098,
                "YYYYYYNN",
                14,
                "0.52",
                "54.7",
                "Pruett Lansing LLP",
                "Sales of laboratory instruments declined as universities postponed purchases, while probes and service grew.",
                "The move of probe assembly to Leighdale caused duplicate costs of $2.2 million.",
                (
                    "The transfer of production may take longer than planned",
                    "We have begun to assemble probes at Leighdale. Until its output reaches the level of Dunmore we carry two crews, and errors by new staff could reach customers.",
                ),
                "On February 2, 2024 the company agreed to license its grating patents to a maker of telescopes for a fixed sum.",
                "We expect net sales to grow by 4 to 6 percent in 2024.",
                "2024-02-27",
            ),
        ),
        1,
        0,
    ),
    Company(
        "Brackenfold Foods Corporation",
        "Brackenfold",
        "Ohio",
        "Dunmore Heights, Ohio",
        1951,
        "September 30",
        "Net sales",
        (
            "Brackenfold produces chilled ready meals, sauces and soups. About four fifths of its volume leaves the plants under the names of retailers; the rest is sold under the brands Hollin Kitchen and Saucewell. A meal reaches the shelf within two days of being cooked and stays there for nine, so that plants, trucks and forecasts have to work closely together.",
            "The company buys tomatoes, dairy products, poultry and pasta, mostly under contracts of a year or less. Recipes are developed with each retailer and belong to it. Competitors include retailers' own kitchens and three national producers of chilled food; price is reopened every spring.",
        ),
        (
            ("Retailer Brands", "meals, sauces and soups sold under retailers' own names"),
            ("Own Brands", "the brands Hollin Kitchen and Saucewell"),
            ("Food Service", "sauces and soups in large packs for canteens and restaurants"),
        ),
        (
            (
                "The price of ingredients moves faster than ours",
                "Ingredients make up more than half of our cost. Most sales contracts allow us to raise prices only once a year, and a retailer may answer an increase by giving the product to somebody else.",
            ),
            (
                "A recall could stop a plant",
                "Chilled food offers bacteria more chances than frozen or canned food. If a pathogen were found in a product, we would have to withdraw everything made on the same line, and the line would stand still until the source was known.",
            ),
            (
                "Our trucks are not our own",
                "A single carrier delivers about 60 percent of our volume. Refrigerated trucks are scarce in summer, and a product that arrives a day late is worth nothing.",
            ),
        ),
        ("Dunmore Heights, Ohio", "Vasey, Indiana", "Port Wendell, Georgia"),
        "plants",
        "240",
        "2027-03-31",
        "Buckeye Mutual Bank",
        {
            2020: Year((702.4, 128.9, 96.3), 741.2, 118.4, 6.2, 14.1, 10.6, 28.7),
            2021: Year((741.0, 136.2, 88.4), 770.9, 121.6, 6.8, 13.2, 11.9, 33.5),
            2022: Year((812.6, 141.8, 117.5), 869.3, 129.9, 7.1, 15.8, 10.9, 41.2),
            2023: Year((868.3, 150.1, 131.9), 918.4, 136.2, 7.9, 19.4, 15.2, 36.0),
        },
        (
            Extract(
                2022,
                3870,
                "YYYYNN-Y",
                31,
                "0.92",
                "",
                "Oakhurst & Dell LLP",
                "Two thirds of the increase was price and one third was volume, as canteens reopened.",
                "Tomato paste, dairy products and packaging all rose by more than a tenth.",
                (
                    "We have taken on fixed costs for food service",
                    "The expansion at Port Wendell was built for canteens. If people go on working from home, the new line will be used for less than one shift.",
                ),
                "On October 20, 2022 the company closed its test kitchen in Vasey.",
                "We expect capital expenditures of about $38 million in fiscal 2023.",
                "2022-12-02",
            ),
            Extract(
                2023,
                3924,
                "YYYYNN-N",
                29,
                "0.96",
                "",
                "Oakhurst & Dell LLP",
                "Price increases agreed in the spring of 2022 were in effect for the whole year, and food service gained two hospital chains.",
                "Dairy prices eased in the second half while wages rose by 6 percent.",
                (
                    "A retailer has asked for tenders",
                    "The contract with our second-largest retailer for soups ends in June 2024. It has invited four producers to bid, and the volume at stake is about 5 percent of net sales.",
                ),
                "On November 6, 2023 a fire damaged the cold store in Port Wendell; production resumed after three days.",
                "We expect capital expenditures of about $45 million in fiscal 2024.",
                "2023-12-01",
            ),
        ),
        2,
        1,
    ),
    Company(
        "Sablecrest Outdoor Brands, Inc.",
        "Sablecrest",
        "Delaware",
        "Telford Creek, Colorado",
        1988,
        "January 31",
        "Net revenue",
        (
            "Sablecrest owns three labels: Cairnway hiking boots, Luffwind rain clothing and Hutch & Hound, which makes clothing for people who walk dogs. Products are designed in Telford Creek and made by independent factories in Vietnam, Portugal and El Salvador. They are sold in outdoor shops, in the company's own stores and online.",
            "Demand is seasonal: the third and fourth quarters bring in about 62 percent of revenue. Orders from shops are placed six months ahead and may be cancelled without charge until twelve weeks before delivery. The company competes with large makers of sporting goods and with many small labels.",
        ),
        (
            ("Wholesale", "sales to outdoor shops, chains and distributors"),
            ("Direct to Consumer", "the company's own stores and its online shops"),
        ),
        (
            (
                "A warm winter leaves us with stock",
                "Boots and rain jackets are ordered from factories long before we know what the weather will be. After a dry or warm season shops return to the market late, and we sell the remainder at a discount.",
            ),
            (
                "Our factories belong to others",
                "We own no factory. If one of the four that make Cairnway boots were to stop, a season would be lost, because lasts and tooling would have to be moved and proved.",
            ),
            (
                "Fashion may turn away from the outdoors",
                "In recent years people have worn outdoor clothing in town. We cannot tell how long this will last, and much of the growth of Hutch & Hound rests on it.",
            ),
        ),
        ("Telford Creek, Colorado", "Ashby Bend, Kentucky", "Venlo Park, New Jersey"),
        "distribution centers and offices",
        "120",
        "2027-11-15",
        "Larimer Trust Company",
        {
            2020: Year((171.9, 82.4), 139.6, 84.1, 4.0, 3.8, 6.2, 7.7),
            2021: Year((166.3, 118.7), 151.2, 90.5, 4.4, 3.1, 9.9, 10.4),
            2022: Year((204.8, 139.5), 184.0, 108.2, 5.1, 3.6, 10.8, 16.9),
            2023: Year((187.2, 151.0), 187.7, 112.6, 5.6, 4.9, 6.4, 12.1),
        },
        (
            Extract(
                2022,
                912,
                "NNYNYYN-",
                0,
                "",
                "97.4",
                "Hadley Roarke LLP",
                "Shops restocked after two years of scarce supply, and eleven stores of our own were opened.",
                "Ocean freight cost four times as much as before the pandemic for the first half of the year.",
                (
                    "We have grown our stores quickly",
                    "A third of our stores are less than two years old. Their leases run for ten years, and we do not yet know how they will do in a recession.",
                ),
                "On March 1, 2023 the company opened a store in Lisbon, its first outside North America.",
                "We plan to open nine stores in fiscal 2023.",
                "2023-03-30",
            ),
            Extract(
                2023,
                887,
                "NYNNNYN-",
                11,
                "",
                "71.3",
                "Hadley Roarke LLP",
                "Wholesale fell because shops were still selling what they had bought the year before.",
                "Unsold stock was marked down by $9.3 million.",
                (
                    "One chain of shops has become our largest customer",
                    "Two of our customers merged in August 2023. The combined chain takes more than a tenth of our revenue and has asked for longer terms of payment.",
                ),
                "On February 20, 2024 the lease of the store in Harbor Point was ended by agreement.",
                "We plan to open two stores in fiscal 2024.",
                "2024-04-02",
            ),
        ),
        3,
        1,
    ),
    Company(
        "Zephyrine Batteries Inc.",
        "Zephyrine",
        "Nevada",
        "Port Merrow, Nevada",
        2009,
        "December 31",
        "Revenue",
        (
            "Zephyrine assembles battery systems in containers, which utilities and owners of solar parks use to shift electricity from one hour to another. It buys cells from three makers in Korea and adds racks, cooling, inverters and software. A system takes about seven months from order to operation.",
            "The company has begun to secure raw material for cell makers in order to obtain better prices from them; talks with two holders of lithium deposits in Western Australia are under way. Its competitors are makers of cells that sell complete systems, and engineering firms that assemble them as it does.",
        ),
        (
            ("Systems", "the sale and installation of battery systems"),
            (
                "Operations",
                "monitoring, maintenance and guaranteed availability under contracts of up to fifteen years",
            ),
        ),
        (
            (
                "We have not yet earned a profit",
                "Since our foundation we have recorded a loss in every year. We may never sell systems at prices that cover our costs, and we may need more capital than we can raise.",
            ),
            (
                "A fire at one site could affect all",
                "Battery cells can burn in a way that is hard to put out. After an incident at one installation, owners of others might switch theirs off until the cause was known, and we would owe them compensation under our availability guarantees.",
            ),
            (
                "Few customers place large orders",
                "A single order may be worth a fifth of a year's revenue. When it comes, and whether it is delayed by a permit or a grid connection, makes our results differ much from quarter to quarter.",
            ),
        ),
        ("Port Merrow, Nevada", "Calverton, Texas"),
        "assembly halls",
        "150",
        "2025-12-15",
        "Sagebrush Commercial Bank",
        {
            2020: Year((112.5, 9.8), 118.6, 31.2, 22.4, 5.5, 0.3, 14.2),
            2021: Year((167.0, 14.1), 172.3, 38.0, 28.7, 7.2, 0.4, 25.9),
            2022: Year((241.6, 21.7), 246.1, 46.9, 33.6, 9.8, 0.4, 38.3),
            2023: Year((318.9, 33.2), 314.7, 52.5, 36.1, 13.4, 0.6, 21.5),
        },
        (
            Extract(
                2022,
                640,
                "NYNNNNY-",
                23,
                "",
                "412.0",
                "Merriweather Cole LLP",
                "We completed 31 systems, against 22 the year before, and raised prices for orders taken after March.",
                "Cells were billed at prices linked to lithium carbonate, which more than doubled.",
                (
                    "We have found a weakness in our controls",
                    "Our closing process relied on spreadsheets that were not reviewed. We have hired a controller and are introducing new software, but cannot promise that the weakness will be cured by the end of 2023.",
                ),
                "On February 9, 2023 a pension fund converted notes of $40 million into shares.",
                "We expect to complete between 36 and 40 systems in 2023.",
                "2023-03-16",
            ),
            Extract(
                2023,
                702,
                "NYYNNYY-",
                19,
                "",
                "368.5",
                "Merriweather Cole LLP",
                "We completed 39 systems, and maintenance contracts were signed for nearly all of them.",
                "Lithium prices fell, though systems delivered in the first half still held cells bought dear.",
                (
                    "Our credit agreement ends in 2025",
                    "The facility on which we rely for letters of credit has to be renewed within two years. Lenders look at our losses, and we may have to offer security that we would rather keep.",
                ),
                "On January 22, 2024 the company reduced its staff in Calverton by 58 positions.",
                "We expect to complete between 44 and 48 systems in 2024.",
                "2024-03-14",
            ),
        ),
        4,
        2,
    ),
    Company(
        "Corriedale Water Company",
        "Corriedale",
        "Connecticut",
        "Elmsford Mills, Connecticut",
        1889,
        "December 31",
        "Operating revenue",
        (
            "Corriedale supplies drinking water to 236,000 connections in 41 towns and treats waste water in nine of them. Its rates are set by the state's utility commission, which allows it to recover its costs and to earn a return on what it has invested. It owns nineteen reservoirs and 3,300 miles of pipe, a fifth of which was laid before 1930.",
            "The company has the sole right to serve the towns in its territory and therefore no competitors in the usual sense. Towns may, however, take over their systems against compensation, and two have considered it in the last ten years. Consumption per household has fallen by about one percent a year since 2005.",
        ),
        (
            ("Water Service", "the supply of drinking water under regulated rates"),
            ("Wastewater Service", "the collection and treatment of waste water"),
            ("Contract Operations", "running systems that belong to others for a fee"),
        ),
        (
            (
                "Our rates may lag behind our costs",
                "A rate case takes ten months or more, and rates are based on the costs of a past year. When costs rise quickly we earn less than the return that the commission has allowed.",
            ),
            (
                "Old pipe breaks",
                "We replace about one percent of our mains each year. At that pace some pipe will be well over a hundred years old when its turn comes, and a break in a large main can leave a whole town without water.",
            ),
            (
                "New limits on contaminants are expensive",
                "Regulators are lowering the permitted concentration of a group of fluorinated compounds. Filters at eleven well fields would cost a large sum before any of it appears in our rates.",
            ),
        ),
        ("Elmsford Mills, Connecticut", "Saltbrook, Connecticut", "Pomfrey Lake, Connecticut"),
        "treatment works",
        "180",
        "2028-09-30",
        "Thornapple Mutual Bank",
        {
            2020: Year((131.2, 18.6, 7.9), 71.3, 31.0, 0.0, 15.8, 6.3, 68.2),
            2021: Year((134.9, 19.4, 8.8), 73.9, 32.2, 0.0, 15.5, 6.7, 74.6),
            2022: Year((140.3, 20.7, 9.6), 78.8, 33.9, 0.0, 16.9, 6.2, 81.0),
            2023: Year((152.7, 22.4, 9.1), 82.5, 35.4, 0.0, 19.7, 7.1, 92.7),
        },
        (
            Extract(
                2022,
                318,
                "YNYYN-NN",
                0,
                "1.36",
                "",
                "Pruett Lansing LLP",
                "A dry summer raised consumption, and the surcharge for main replacement was increased in April.",
                "Chemicals and electricity cost 14 percent more than in the year before.",
                (
                    "The town of Harwood may take over its system",
                    "In November 2022 the town meeting of Harwood voted to study a purchase of the waterworks. The town accounts for about 3 percent of our connections.",
                ),
                "On February 14, 2023 the company filed a request for new rates with the utility commission.",
                "We plan to invest about $90 million in 2023, mainly in mains and filters.",
                "2023-03-03",
            ),
            Extract(
                2023,
                327,
                "YNYYN-YN",
                0,
                "1.44",
                "",
                "Pruett Lansing LLP",
                "New rates, which the commission allowed in part, took effect on July 1.",
                "Wages and the cost of filter material rose.",
                (
                    "We are defending a claim about well water",
                    "Residents of Saltbrook assert that a well field contained fluorinated compounds for years before it was closed. We believe that we complied with the limits then in force, but the outcome is uncertain and could be material.",
                ),
                "On January 30, 2024 the town of Harwood gave up its study of a purchase.",
                "We plan to invest about $98 million in 2024, mainly in mains and filters.",
                "2024-03-05",
            ),
        ),
        5,
        3,
    ),
    Company(
        "Orrinfell Diagnostics, Inc.",
        "Orrinfell",
        "Delaware",
        "Corvane, North Carolina",
        2001,
        "June 30",
        "Net revenue",
        (
            "Orrinfell sells small analyzers that measure glucose, lactate and electrolytes in a drop of blood, together with the single-use cartridges on which they run. An analyzer stands in the ward rather than in the laboratory and gives its result in two minutes. Some 9,400 analyzers are in use in 1,150 hospitals.",
            "Cartridges hold enzymes that are obtained from a single source; a second is being qualified. New products need clearance by regulators, which has taken between five and fourteen months. Competitors are larger, and several offer analyzers free of charge in return for the purchase of cartridges.",
        ),
        (
            ("Cartridges", "single-use cartridges, sold mostly under standing orders"),
            ("Analyzers", "instruments, software and installation"),
        ),
        (
            (
                "We have one source of enzyme",
                "The enzyme in our glucose cartridges comes from one producer. Our stock covers about five months. If deliveries ceased before a second source has been cleared, we could not fill orders.",
            ),
            (
                "Hospitals buy through groups",
                "Purchasing groups negotiate on behalf of most of our customers. The loss of one contract could cost us a tenth of our revenue within a year.",
            ),
            (
                "Results must be right",
                "A faulty batch of cartridges might give a wrong reading and lead to a wrong treatment. We carry reserves for claims of this kind, but a pattern of errors would damage our name more than any payment.",
            ),
        ),
        ("Corvane, North Carolina", "Tarrow Bay, Oregon"),
        "plants",
        "60",
        "2026-10-01",
        "Piedmont Exchange Bank",
        {
            2021: Year((121.4, 37.8), 63.4, 48.9, 21.7, 2.2, 5.0, 8.9),
            2022: Year((139.0, 33.5), 67.7, 53.1, 24.8, 2.0, 5.4, 12.3),
            2023: Year((158.6, 36.9), 76.9, 58.8, 28.3, 2.6, 6.3, 15.7),
        },
        (
            Extract(
                2023,
                571,
                "NYYNYNNN",
                17,
                "",
                "",
                "Cardew Blaine LLP",
                "The number of analyzers in use rose by a ninth, and each of them used slightly more cartridges.",
                "A new filling line in Tarrow Bay ran below its capacity until March.",
                (
                    "We rely on trials that others conduct",
                    "The new sepsis cartridge is being tried in four hospitals. We do not control how quickly they enroll patients, and a poor result would cost us two years.",
                ),
                "On July 17, 2023 regulators cleared the Orrinfell 5 analyzer for use in emergency vehicles.",
                "We expect net revenue of $208 million to $214 million in fiscal 2024.",
                "2023-08-28",
            ),
        ),
        6,
        0,
    ),
    Company(
        "Aurelian Seed Company",
        "Aurelian",
        "Kansas",
        "Prairie Vale, Kansas",
        1933,
        "August 31",
        "Net sales",
        (
            "Aurelian breeds sorghum and pearl millet for dry regions and sells seed to farmers in the United States, Mexico and Australia. A new hybrid takes about eight years from the first cross to the first sale. Seed is grown under contract by some 300 farmers and cleaned, treated and bagged by the company.",
            "Farmers order in winter and pay after planting; returns of unsold bags are accepted until July. The company licenses traits from public institutes and pays royalties of between 2 and 6 percent. Four companies, all larger, sell sorghum seed in the same regions.",
        ),
        (
            ("Grain Sorghum", "hybrids grown for food and feed"),
            ("Forage", "sorghum and millet grown for cattle"),
            ("Licensing", "royalties from breeders abroad"),
        ),
        (
            (
                "Weather decides how much is planted",
                "When it rains early, farmers in our regions plant maize. In a wet spring we may be left with a quarter of the seed that we have produced, and seed loses its vigor in store.",
            ),
            (
                "A hybrid can fail",
                "A new hybrid that succumbs to a disease will not be bought again, and farmers remember the name on the bag. Insects that were harmless ten years ago have become a problem in two of our regions.",
            ),
            (
                "Our parent lines can be copied",
                "Whoever obtains our parent lines can make our hybrids. We grow them in isolated fields that we do not name, but a theft would be hard to prove.",
            ),
        ),
        ("Prairie Vale, Kansas", "Dry Fork, Texas", "Los Olmos, Texas"),
        "seed plants",
        "45",
        "2025-05-31",
        "First Granary Bank",
        {
            2021: Year((74.6, 28.3, 5.1), 58.9, 24.4, 12.7, 1.3, 2.6, 4.4),
            2022: Year((81.9, 29.7, 5.8), 63.8, 25.8, 13.5, 1.4, 3.1, 6.0),
            2023: Year((77.2, 34.4, 6.7), 65.5, 26.9, 14.6, 1.7, 2.3, 7.8),
        },
        (
            Extract(
                2023,
                402,
                "YNYNYY-N",
                0,
                "0.30",
                "",
                "Oakhurst & Dell LLP",
                "Rain in April turned farmers in central Kansas to maize, while ranchers bought more forage seed.",
                "Contract growers were paid more per bag because yields were low.",
                (
                    "A license for an important trait is to be renewed",
                    "The tolerance to sugarcane aphid in most of our hybrids is licensed from a public institute until 2025. We expect to renew the license but not on the same terms.",
                ),
                "On September 26, 2023 the company bought a research station near Los Olmos for $3.4 million.",
                "We expect net sales of forage seed to grow again in fiscal 2024.",
                "2023-11-10",
            ),
        ),
        7,
        1,
    ),
    Company(
        "Hesperus Dry Docks Corporation",
        "Hesperus",
        "Virginia",
        "Stanner Point, Virginia",
        1917,
        "March 31",
        "Revenue",
        (
            "Hesperus repairs and converts ships. Its two yards have five dry docks, the largest of which takes vessels of 290 meters. Customers are cruise lines, operators of ferries and tankers, and public agencies that own icebreakers, dredges and research vessels. A typical repair takes three weeks; a conversion may take a year.",
            "Steel, paint and subcontracted labor make up the greater part of the cost. Most contracts are at a fixed price with extras by the hour. Yards in the Bahamas and in southern Europe compete for ships that can choose where to go, while work on public vessels is reserved for domestic yards.",
        ),
        (
            ("Commercial Repair", "dockings and repairs for shipping companies"),
            ("Public Vessels", "maintenance of ships owned by public agencies"),
            ("Conversions", "lengthening, re-engining and other large projects"),
        ),
        (
            (
                "A fixed price may prove too low",
                "The state of a hull is known only when it is out of the water. If we have underestimated the work and the contract does not let us charge for it, we bear the difference.",
            ),
            (
                "Storms threaten our yards",
                "Both yards lie on the open coast. A hurricane could sink a floating dock, as happened in 1999, and keep us from working for a season.",
            ),
            (
                "Skilled welders are retiring",
                "Almost a third of our welders are older than 55. Our school trains forty apprentices a year, of whom about half stay.",
            ),
        ),
        ("Stanner Point, Virginia", "Cape Adair, Florida"),
        "yards",
        "95",
        "2029-02-28",
        "Tidewater Guaranty Bank",
        {
            2022: Year((148.3, 96.0, 41.7), 229.4, 27.8, 0.0, 6.9, 5.0, 17.6),
            2023: Year((171.5, 99.4, 28.9), 240.8, 29.3, 0.0, 7.4, 5.1, 22.2),
            2024: Year((176.8, 121.3, 52.6), 281.9, 31.7, 0.0, 8.8, 6.3, 30.4),
        },
        (
            Extract(
                2024,
                1486,
                "NYNYY-YY",
                21,
                "",
                "233.9",
                "Cardew Blaine LLP",
                "Work on two icebreakers and the lengthening of a ferry account for most of the increase.",
                "Overtime in the summer and a shortage of plate pushed costs up.",
                (
                    "The conversion of a ferry is behind its schedule",
                    "We are lengthening a ferry at Cape Adair under a contract that provides for damages of $60,000 for each day of delay. Delivery is due in August 2024 and is now expected in October.",
                ),
                "On April 29, 2024 the company ordered a floating dock from a yard in Poland.",
                "We expect capital expenditures of about $55 million in fiscal 2025, including the floating dock.",
                "2024-06-07",
            ),
        ),
        8,
        2,
    ),
)

EVENT_ASKS: dict[tuple[str, int], str] = {
    (
        "Quillmere",
        2022,
    ): "did the board approve the plan to move the assembly of probes from Dunmore to Leighdale",
    ("Quillmere", 2023): "did the company agree to license its grating patents to a maker of telescopes",
    ("Brackenfold", 2022): "did the company close its test kitchen in Vasey",
    ("Brackenfold", 2023): "did a fire damage the cold store in Port Wendell",
    ("Sablecrest", 2022): "did the company open its store in Lisbon",
    ("Sablecrest", 2023): "was the lease of the Harbor Point store ended",
    ("Zephyrine", 2022): "did a pension fund convert its notes into shares",
    ("Zephyrine", 2023): "did the company reduce its staff in Calverton",
    ("Corriedale", 2022): "did the company file its request for new rates",
    ("Corriedale", 2023): "did the town of Harwood give up its study of a purchase",
    ("Orrinfell", 2023): "did regulators clear the Orrinfell 5 analyzer for use in emergency vehicles",
    ("Aurelian", 2023): "did the company buy a research station near Los Olmos",
    ("Hesperus", 2024): "did the company order a floating dock from a yard in Poland",
}
"""What a person would ask about each subsequent event, to follow the words "on what date"."""
