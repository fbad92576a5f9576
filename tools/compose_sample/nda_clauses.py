"""The clause bank of the non-disclosure agreements.

Names in braces are the drafter's vocabulary: D and R the disclosing and the receiving side, CI the
protected information, A the agreement, P the purpose, m the word of obligation; the forms that begin
with T start a sentence. Every clause has a heading and its sub-clauses.
"""

from __future__ import annotations

Clause = tuple[str, list[str]]

YES_NO: dict[str, dict[str, list[Clause]]] = {
    "reverse_engineering": {
        "no": [
            (
                "No reverse engineering",
                [
                    "[[reverse_engineering|{TR} {m} not analyse, disassemble, decompile or otherwise reverse engineer any sample, prototype, software or other item supplied under {A}, nor permit anyone else to do so.]]",
                    "Markings and serial numbers on those items are to be left as they are.",
                ],
            ),
            (
                "Samples and code",
                [
                    "[[reverse_engineering|No equipment, software or material furnished by {D} may be taken apart, chemically analysed or decompiled in order to learn how it is made or how it works.]] Functional testing that leaves the item intact is welcome."
                ],
            ),
            (
                "Handling of samples",
                [
                    "{TR} may weigh, photograph and run the samples in the ordinary way. [[reverse_engineering|What it may not do is reverse engineer them, whether by dissection, by spectral or chemical analysis or by decompiling their firmware.]]"
                ],
            ),
        ],
        "yes": [
            (
                "Freedom to analyse",
                [
                    "[[reverse_engineering|Nothing in {A} prevents {R} from disassembling or reverse engineering any sample or product that it receives from {D}, and the findings belong to {R}.]]"
                ],
            ),
            (
                "Analysis of samples",
                [
                    "[[reverse_engineering|{TR} may subject the samples to whatever physical, chemical or software analysis it thinks fit, including disassembly and decompilation, provided that the results are themselves treated as {CI}.]]",
                    "Samples consumed in such work need not be replaced.",
                ],
            ),
            (
                "Examination of materials",
                [
                    "The samples remain the property of {D}. [[reverse_engineering|Their composition and construction may nevertheless be determined by reverse engineering, a right for which {R} has paid the evaluation fee.]]"
                ],
            ),
        ],
    },
    "copies": {
        "yes": [
            (
                "Copies",
                [
                    "[[copies|{TR} {m} not reproduce {CI} in any form, save that it may make as many copies as are reasonably needed for {P}.]] Each copy {m} carry the legend of the original."
                ],
            ),
            (
                "Working copies",
                [
                    "[[copies|Copies, extracts and summaries of {CI} may be made where the work on {P} calls for them.]] {TR} {m} keep a register that shows where each of them is held."
                ],
            ),
            (
                "Reproduction",
                [
                    "[[copies|Subject to the duties set out elsewhere in {A}, {R} is entitled to duplicate documents that contain {CI}, on paper or electronically.]]"
                ],
            ),
        ],
        "no": [
            (
                "No copying",
                [
                    "[[copies|Documents that contain {CI} {m} not be photocopied, photographed, scanned or otherwise duplicated by {R}.]] If a further set is wanted, {D} will supply it on request."
                ],
            ),
            (
                "Access without reproduction",
                [
                    "{TR} may read {CI} on the document server that {D} has opened for {P}. [[copies|It may not download, print or copy anything from that server, in whole or in part.]]"
                ],
            ),
            (
                "Originals only",
                [
                    "[[copies|{TR} undertakes to work from the originals handed over and to make no copy of them.]] Hand-written notes are not regarded as copies so long as they do not quote."
                ],
            ),
        ],
    },
    "contractors": {
        "yes": [
            (
                "Contractors and advisers",
                [
                    "[[contractors|{TR} {m} not pass {CI} to any third party other than contractors and outside consultants who need it for {P} and who have signed undertakings no less strict than {A}.]] {TR} answers for what they do as if it had done it itself."
                ],
            ),
            (
                "Outside help",
                [
                    "[[contractors|Where {R} engages independent contractors to assist with {P}, it may let them have {CI} as well.]] A list of the contractors concerned {m} be given to {D} on request."
                ],
            ),
            (
                "Subcontractors",
                [
                    "[[contractors|{CI} may also be made available to subcontractors and technical consultants of {R}, each of whom {m} first be told of its confidential nature and accept the same duties in writing.]]"
                ],
            ),
        ],
        "no": [
            (
                "Circle of recipients",
                [
                    "{TR} may let those of its own staff see {CI} who have to know it for {P}. [[contractors|It {m} not let contractors, temporary agency workers or consultants see any of it.]]"
                ],
            ),
            (
                "No third parties",
                [
                    "[[contractors|Disclosure to consultants, subcontractors or other outsiders engaged by {R} is not permitted, however useful their help might be.]] {TD} may agree otherwise for a named person, in writing and in advance."
                ],
            ),
            (
                "Staff only",
                [
                    "[[contractors|Only persons with a contract of employment with {R} may handle {CI}; independent contractors may not.]] {TR} {m} satisfy itself that each of those persons knows the content of {A}."
                ],
            ),
        ],
    },
    "independent_development": {
        "yes": [
            (
                "Independent work",
                [
                    "{TD} acknowledges that {R} may already be working in the same field. [[independent_development|{TA} does not keep {R} from developing, by itself or with others, products or processes that resemble or compete with those of {D}, so long as it does so without using {CI}.]]"
                ],
            ),
            (
                "No restraint on competition",
                [
                    "[[independent_development|Either side is free to create, buy or sell competing technology that it has arrived at independently.]] The burden of showing independence lies on the side that asserts it."
                ],
            ),
            (
                "Parallel development",
                [
                    "[[independent_development|Nothing here limits the right of {R} to pursue its own development of similar goods or services by people who have had no access to {CI}.]] Records kept in the usual course of business are sufficient evidence of that separation."
                ],
            ),
        ],
        "no": [
            (
                "Abstention from competing work",
                [
                    "[[independent_development|While {A} is in force {R} {m} not develop, alone or with others, a product that competes with the subject of {P}, even where it makes no use of {CI}.]] Work that was under way before the date of {A} and is described in a notice to {D} may be finished."
                ],
            ),
            (
                "Stand-still on development",
                [
                    "In return for access to the most sensitive data, a stand-still applies. [[independent_development|{TR} will refrain from any independent development of similar products during the life of {A}.]]"
                ],
            ),
            (
                "No rival programme",
                [
                    "[[independent_development|{TR} may not start or continue a development programme of its own in the field of {P} before {A} has ended, whether or not that programme draws on anything received from {D}.]]"
                ],
            ),
        ],
    },
    "residuals": {
        "yes": [
            (
                "Residual knowledge",
                [
                    "[[residuals|{TR} is free to use, for any purpose, general ideas, concepts and know-how that its people retain in their unaided memory after having had access to {CI}.]] This freedom gives no licence under any patent or copyright."
                ],
            ),
            (
                "Unaided recollection",
                [
                    "People cannot be asked to forget. [[residuals|Information remembered without reference to documents, and without having been memorised on purpose, may be used by {R} in its business.]]"
                ],
            ),
            (
                "Memory",
                [
                    "[[residuals|The use of what remains in the unaided memory of those who worked on {P} is not a breach of {A}.]] No one may, however, name {D} as the source of it."
                ],
            ),
        ],
        "no": [
            (
                "No residuals",
                [
                    "The skill and experience of the staff of {R} are their own. [[residuals|That does not extend to {CI} which they happen to remember: it {m} not be used or disclosed merely because it is held in memory rather than on paper.]]"
                ],
            ),
            (
                "Remembered information",
                [
                    "[[residuals|{CI} that is retained in the memory of any person remains subject to {A} and may not be exploited by {R}.]]",
                    "For the avoidance of doubt, neither party grants a right to so-called residual knowledge.",
                ],
            ),
            (
                "Information kept in mind",
                [
                    "[[residuals|{TR} {m} not make use of what its personnel recall of {CI}, whatever the form in which they first saw it.]]"
                ],
            ),
        ],
    },
    "archival_copy": {
        "yes": [
            (
                "Return and destruction",
                [
                    "[[return_days|Within {return_days} days after a written request {R} {m} return or destroy all {CI} together with every extract made from it.]] [[archival_copy|The legal department of {R} may nevertheless keep one copy in a sealed file, solely to establish what was received.]] An officer of {R} {m} confirm in writing that this has been done."
                ],
            ),
            (
                "Surrender of materials",
                [
                    "[[return_days|{TR} {m} give back everything that contains {CI} not later than {return_days} days after {D} has asked for it.]] Electronic files are to be erased from working systems. [[archival_copy|Excepted are one archival copy held by outside counsel, and back-ups that are overwritten in the normal cycle; both may be retained after the end of {A}.]]"
                ],
            ),
            (
                "What happens to the papers",
                [
                    "On request {R} {m} hand back or shred the papers it has received. [[return_days|It has {return_days} days to do so.]] [[archival_copy|One set may be kept on file for as long as the duties of secrecy last, in case of a dispute.]]"
                ],
            ),
        ],
        "no": [
            (
                "Return and destruction",
                [
                    "[[return_days|All {CI}, in whatever medium, {m} be returned or destroyed within {return_days} days of a request by {D}.]] Internal notes may be used until then. [[archival_copy|No copy, not even one for the files of counsel, may be kept after that.]]"
                ],
            ),
            (
                "Surrender of materials",
                [
                    "[[return_days|When {D} so requires, {R} has {return_days} days in which to deliver up or delete every item of {CI}.]] [[archival_copy|{TR} {m} not retain archival, evidential or back-up copies of any kind once {A} has come to an end.]] A director {m} certify that nothing has been held back."
                ],
            ),
            (
                "Giving the material back",
                [
                    "[[return_days|{TR} {m} send back all originals within {return_days} days after {D} asks for them, and wipe all files in the same time.]] [[archival_copy|It may keep nothing: the customary file copy is excluded on purpose.]]"
                ],
            ),
        ],
    },
    "compelled_notice": {
        "yes": [
            (
                "Compelled disclosure",
                [
                    "If a court, regulator or other authority orders {R} to produce {CI}, it may comply. [[compelled_notice|Before it does so it {m} give {D} prompt written notice, so that {D} can seek a protective order.]] {TR} {m} disclose no more than its lawyers advise is legally required."
                ],
            ),
            (
                "Disclosure required by law",
                [
                    "[[compelled_notice|{TR} {m} inform {D} in advance of any disclosure that it is bound by law to make]] and {m} give reasonable help, at the expense of {D}, in limiting what is disclosed."
                ],
            ),
            (
                "Legal process",
                [
                    "A disclosure made under a subpoena or similar process is no breach, [[compelled_notice|on condition that {D} has been told of the process before the documents leave the hands of {R}.]]"
                ],
            ),
        ],
        "no": [
            (
                "Compelled disclosure",
                [
                    "{TR} may disclose {CI} to the extent that a court or an authority lawfully demands. [[compelled_notice|It need not notify {D} before doing so, but {m} ask the authority to treat the material as confidential.]]"
                ],
            ),
            (
                "Disclosure required by law",
                [
                    "[[compelled_notice|Where disclosure is compelled by law, {R} is under no duty to give {D} advance warning of it.]] The material disclosed keeps its protection in every other respect."
                ],
            ),
            (
                "Orders of authorities",
                [
                    "{TR} may obey any order of a court or supervisory body that requires it to hand over {CI}. [[compelled_notice|Prior notice to {D} is a courtesy and not a condition.]]"
                ],
            ),
        ],
    },
    "non_solicitation": {
        "yes": [
            (
                "Employees",
                [
                    "[[non_solicitation|For {nonsolicit_months} months after the date of {A} neither party will solicit for employment any employee of the other whom it came to know through {P}.]] Advertisements to the public at large are not solicitation."
                ],
            ),
            (
                "No poaching",
                [
                    "[[non_solicitation|{TR} {m} not entice away, or attempt to entice away, staff of {D} who are engaged on {P}; this duty lasts {nonsolicit_months} months.]]"
                ],
            ),
        ],
        "no": [
            (
                "Recruitment",
                [
                    "[[non_solicitation|The parties do not restrict each other in hiring: each may approach and engage employees of the other.]] Any person so engaged stays bound by the duties of secrecy that he or she has accepted."
                ],
            ),
            (
                "Freedom to recruit",
                [
                    "[[non_solicitation|{TA} contains no covenant against soliciting personnel, and none is to be implied.]]"
                ],
            ),
        ],
    },
    "existence_secret": {
        "yes": [
            (
                "Confidentiality of the discussions",
                [
                    "[[existence_secret|Neither party may reveal to anyone that discussions are taking place, what they are about or how they stand.]] No press release will be issued without the written approval of both."
                ],
            ),
            (
                "Secrecy of the talks",
                [
                    "[[existence_secret|The existence of {A} and of the talks between the parties is itself {CI} and is protected accordingly.]]"
                ],
            ),
            (
                "Publicity",
                [
                    "[[existence_secret|{TR} {m} not let it be known that it is in contact with {D} about {P}.]] The same holds for the names of the people involved."
                ],
            ),
        ],
        "no": [
            (
                "Publicity",
                [
                    "[[existence_secret|Each party may state publicly that the two are in discussions about {P}.]] It may not go on to describe the terms under negotiation."
                ],
            ),
            (
                "The talks themselves",
                [
                    "What is said in the talks is protected. [[existence_secret|The fact that they take place is not secret, and either side may mention it.]]"
                ],
            ),
        ],
    },
    "marking": {
        "yes": [
            (
                "Marking",
                [
                    '[[marking|Information is protected only if it is marked "confidential" when handed over or, where it is disclosed orally, is identified as confidential at the time and summarised in writing.]] [[oral_days|The written summary {m} reach {R} within {oral_days} days of the oral disclosure.]]'
                ],
            ),
            (
                "Form of disclosure",
                [
                    "[[marking|Nothing counts as {CI} unless it bears a legend to that effect.]] For what is said or shown, a written confirmation takes the place of the legend; [[oral_days|it has to be sent within {oral_days} days.]]"
                ],
            ),
            (
                "Legends",
                [
                    "[[marking|{TD} {m} label as proprietary whatever it wishes to have protected; unlabelled information may be treated as free.]] [[oral_days|What is disclosed by word of mouth {m} be recorded and labelled within {oral_days} days.]]"
                ],
            ),
        ],
        "no": [
            (
                "No marking needed",
                [
                    "[[marking|Information is protected whether or not it is marked, and whether it is given in writing, orally or by letting people look around.]]"
                ],
            ),
            (
                "Form is immaterial",
                [
                    "[[marking|The absence of a legend does not take information outside {A}, provided that a sensible person would understand it to be confidential.]] In case of doubt {R} {m} ask."
                ],
            ),
        ],
    },
    "affiliate_assignment": {
        "yes": [
            (
                "Assignment",
                [
                    "Neither party may assign or transfer {A} without the written consent of the other, [[affiliate_assignment|except that either may assign it to an affiliate without asking.]] The assignor stays liable beside the assignee."
                ],
            ),
            (
                "Transfer",
                [
                    "[[affiliate_assignment|A transfer of {A} to a company of the same group requires notice but no consent.]] Every other transfer requires both."
                ],
            ),
            (
                "Successors",
                [
                    "{TA} binds successors. [[affiliate_assignment|Either party is at liberty to transfer its rights and duties to any of its affiliates, and no approval is needed for that.]]"
                ],
            ),
        ],
        "no": [
            (
                "Assignment",
                [
                    "[[affiliate_assignment|{TA} may not be assigned, not even to an affiliate, unless the other party has agreed in writing.]] A purported assignment without that agreement is void."
                ],
            ),
            (
                "Transfer",
                [
                    "Rights under {A} are personal. [[affiliate_assignment|An assignment within the group of a party requires the consent of the other like any other assignment.]]"
                ],
            ),
        ],
    },
    "bond": {
        "yes": [
            (
                "Injunctive relief",
                [
                    "The parties agree that damages may be an inadequate remedy. [[bond|{TD} may therefore apply for an injunction or specific performance without having to post a bond or other security.]] Other remedies remain open to it."
                ],
            ),
            (
                "Equitable remedies",
                [
                    "[[bond|In the event of a breach or a threatened breach, {D} is entitled to seek equitable relief, and {R} waives any requirement that security be furnished.]]"
                ],
            ),
        ],
        "no": [
            (
                "Injunctive relief",
                [
                    "{TD} may seek an injunction to restrain a breach. [[bond|It {m} in that case post a bond in the amount that the court considers proper.]] The right to damages is not affected."
                ],
            ),
            (
                "Equitable remedies",
                [
                    "Equitable relief may be asked for where damages would not suffice. [[bond|{TR} does not waive the posting of security, which {D} {m} provide before an order takes effect.]]"
                ],
            ),
        ],
    },
}
"""Per topic and answer to its proposition: the clauses that say so."""

RECITALS: list[list[str]] = [
    [
        "(A) {one} {one_business}.",
        "(B) {two} {two_business}.",
        '(C) [[purpose|The parties wish to exchange certain information for the purpose of {purpose} ("{Pname}").]]',
        "(D) They do so only on the terms that follow.",
    ],
    [
        "WHEREAS, {one} {one_business}; and",
        "WHEREAS, {two} {two_business}; and",
        'WHEREAS, [[purpose|the parties intend to share non-public information with a view to {purpose} ("{Pname}");]]',
        "NOW, THEREFORE, in consideration of the mutual promises below, they agree as follows.",
    ],
    [
        '{one} {one_business}. {two} {two_business}. [[purpose|The reason for this document is {purpose}, which is called "{Pname}" below.]] To that end sensitive information will change hands, and this document says how it is to be treated.'
    ],
]

DEFINITIONS: list[Clause] = [
    (
        "Definitions",
        [
            '"{CIname}" means all information of a technical, commercial or financial nature that {D} makes available to {R} in connection with {P}, whether before or after the date of {A}. [[protected_items|It includes in particular {items}.]]',
            '"Affiliate" means, in relation to a party, any entity that controls it, is controlled by it or is under common control with it{affiliate}.',
        ],
    ),
    (
        "What is protected",
        [
            '[[protected_items|The information protected by {A}, called "{CIname}", is whatever {D} discloses for {P}, above all {items}.]] It may be written, spoken, drawn, stored electronically or embodied in an object.',
            'A company is an "Affiliate" of a party if one controls the other or both are controlled by the same person{affiliate}.',
        ],
    ),
    (
        "Interpretation",
        [
            'In {A} the expression "{CIname}" covers data, designs, plans and any other matter relating to the business of {D}. [[protected_items|The following are named for the sake of clarity: {items}.]]',
            'References to an "Affiliate" are to a parent, a subsidiary or a fellow subsidiary{affiliate}.',
            "Headings are for convenience and do not affect the meaning.",
        ],
    ),
]

AFFILIATE: list[str] = [
    "; [[affiliate_percent|control means ownership of at least {affiliate_percent} per cent of the voting shares]]",
    ", [[affiliate_percent|a holding of {affiliate_percent} per cent or more of the votes being treated as control]]",
]

EXCLUSIONS: list[Clause] = [
    (
        "Exclusions",
        [
            "The duties in {A} do not apply to information which (a) is or becomes public other than through a breach of {A}; (b) was lawfully known to {R} before it was received; (c) is received from a third party who is free to pass it on; or (d) is released by {D} in writing.",
            "It is for {R} to show that one of these exclusions applies.",
        ],
    ),
    (
        "What is not protected",
        [
            "{R^} owes no duty in respect of anything that it can show to have been in the public domain at the time of disclosure, to have entered it later without its fault, or to have been in its files already.",
            "A combination of features is not public merely because each feature is.",
        ],
    ),
    (
        "Information outside the agreement",
        [
            "Not covered is information that is generally available, that {R} held before without restriction, or that it obtains in good faith from a source that was entitled to give it.",
            "Specific information is not taken out of protection because it falls under a more general description that has been published.",
        ],
    ),
    (
        "Exceptions",
        [
            "{CIname^} does not include matter that (i) the public can find without undue effort, (ii) was in the possession of {R} when it was disclosed, as its dated records prove, or (iii) comes to {R} from somebody else without a duty of secrecy."
        ],
    ),
]

CARE: list[Clause] = [
    (
        "Duty of confidence",
        [
            "{TR} {m} hold {CI} in strict confidence, use it for {P} and for nothing else, and guard it with at least the care that it applies to its own secrets of like importance, and never less than reasonable care.",
            "As soon as {R} learns of a loss or of an unauthorised disclosure it {m} tell {D} and help to contain the damage.",
        ],
    ),
    (
        "Non-use and non-disclosure",
        [
            "During the term and for as long after it as this document provides, {R} {m} (a) keep {CI} secret, (b) confine its use to {P}, and (c) take all proper precautions against access by persons who have no business with it.",
            "Access rights on computer systems {m} follow the same principle.",
        ],
    ),
    (
        "Safe keeping",
        [
            "{CI^} is entrusted to {R} and to nobody else. {TR} {m} store it separately from other papers, protect electronic files by password and encryption, and admit only those who need it for {P}.",
            "Should anything go astray, {R} {m} report it to {D} on the next working day at the latest.",
        ],
    ),
    (
        "How the information may be used",
        [
            "{TR} may use {CI} for {P}. Every other use, above all a commercial one, is ruled out unless {D} has agreed to it in writing.",
            "{TR} {m} apply to the information a degree of care that a prudent business would apply to its own.",
        ],
    ),
]

COORDINATORS: list[Clause] = [
    (
        "Coordinators",
        [
            "[[coordinator_one|For {one} the disclosures are coordinated by {coordinator_one}.]] [[coordinator_two|For {two} this is done by {coordinator_two}.]] Either coordinator may be replaced by notice to the other party.",
            "Information that reaches a party by another route is protected all the same.",
        ],
    ),
    (
        "Points of contact",
        [
            "{CI^} is to be sent only to the persons named here: [[coordinator_one|{coordinator_one} on behalf of {one}]] and [[coordinator_two|{coordinator_two} on behalf of {two}]]. They keep a log of what has been exchanged."
        ],
    ),
    (
        "Who handles the exchange",
        [
            "[[coordinator_one|{one} appoints {coordinator_one} to give and receive information under {A}.]] [[coordinator_two|{two} appoints {coordinator_two} in the same capacity.]]"
        ],
    ),
]

LICENCE: list[Clause] = [
    (
        "No licence",
        [
            "All {CI} remains the property of {D}. Its disclosure confers no licence or other right under any patent, copyright, design, trade mark or trade secret."
        ],
    ),
    (
        "Ownership",
        [
            "Title to the information and to all rights in it stays where it is. {TR} acquires nothing beyond the limited permission to use it for {P}, and {m} not file any application for protection that is based on it."
        ],
    ),
    (
        "Intellectual property",
        [
            "Neither the signing of {A} nor the delivery of documents transfers intellectual property of any description. Suggestions that {R} makes about the subject of {P} may be used by {D} free of charge."
        ],
    ),
]

WARRANTY: list[Clause] = [
    (
        "No warranty",
        [
            "{CI^} is provided as it stands. {TD} gives no assurance that it is accurate, complete or fit for any purpose, and is not liable for decisions taken in reliance on it."
        ],
    ),
    (
        "No representation",
        [
            "{TD} has taken care in assembling the information but does not vouch for it. Only a later definitive contract, if there is one, can contain representations on which {R} may rely."
        ],
    ),
    (
        "Accuracy",
        [
            "Forecasts and drafts are disclosed for what they are. No claim can be founded on an error in them unless it was made on purpose."
        ],
    ),
]

NO_DUTY: list[Clause] = [
    (
        "No obligation to proceed",
        [
            "Nothing in {A} obliges either party to enter into a further contract, to disclose any particular item or to pay for anything. Each may break off the talks at any time and without giving reasons."
        ],
    ),
    (
        "Freedom of decision",
        [
            "The parties remain free to decide whether they wish to do business with one another. Costs are borne by the party that incurs them."
        ],
    ),
    (
        "No commitment",
        [
            "{TA} is not an offer, an option or a promise to negotiate. It creates no partnership and no agency, and each side pays its own expenses."
        ],
    ),
]

TERM: list[Clause] = [
    (
        "Term and survival",
        [
            "[[term|{TA} takes effect on the date stated at its head and remains in force for {term}.]] [[survival|The duties of confidence and non-use outlive it and continue for {survival} after it has ended.]]",
            "{termination}",
        ],
    ),
    (
        "Duration",
        [
            "[[term|{TA} has a term of {term} from its date.]] {termination}",
            "[[survival|Whatever has been disclosed in that time {m} be kept secret for a further {survival} after it.]]",
        ],
    ),
    (
        "Commencement and duration",
        [
            "{TA} begins on its date. [[term|It lasts {term}, unless the parties extend it in writing.]]",
            "{termination}",
            "[[survival|For {survival} following expiry or termination {R} remains bound by its undertakings as to secrecy.]]",
        ],
    ),
    (
        "How long this lasts",
        [
            "[[term|The agreement runs for {term}.]] [[survival|Secrecy runs longer: it has to be observed for {survival} after the agreement is over.]] {termination}"
        ],
    ),
]

TERMINATION: list[str] = [
    "[[termination_days|Either party may end {A} earlier by giving {termination_days} days' written notice.]]",
    "[[termination_days|Earlier termination requires notice in writing of at least {termination_days} days and needs no reason.]]",
    "[[termination_days|A party that wishes to leave sooner may do so on {termination_days} days' notice.]]",
]

LAW: list[Clause] = [
    (
        "Governing law and courts",
        [
            "[[governing_law|{TA} and all claims arising out of it are governed by the law of {law}, without regard to its rules on conflict of laws.]]",
            "[[courts|The courts of {courts} have exclusive jurisdiction.]]",
        ],
    ),
    (
        "Law and jurisdiction",
        [
            "[[courts|Disputes which the parties cannot settle between themselves are to be brought before the courts sitting in {courts}.]] [[governing_law|Those courts {m} apply the law of {law}.]]"
        ],
    ),
    (
        "Applicable law; venue",
        [
            "[[governing_law|The construction, validity and performance of {A} are subject to the laws of {law}.]] [[courts|Venue for any action lies in {courts}, and both parties submit to it.]]"
        ],
    ),
]

NOTICES: list[Clause] = [
    (
        "Notices",
        [
            "Notices {m} be in writing and delivered by hand, by courier or by registered post. [[notice_to|Those for {one} are to be addressed to its {notice_to}]], those for {two} to its registered office. They take effect on receipt."
        ],
    ),
    (
        "Communications",
        [
            "[[notice_to|A notice to {one} is validly given only if it is marked for the attention of the {notice_to}.]] A notice to {two} {m} be sent to the address at the head of this document. E-mail suffices for day-to-day matters but not for notices."
        ],
    ),
    (
        "Giving notice",
        [
            "A party gives notice by letter to the address shown above. [[notice_to|At {one} the letter {m} be directed to the {notice_to}.]] If it arrives outside office hours it counts as received on the following working day."
        ],
    ),
]

LIABILITY: list[Clause] = [
    (
        "Limit of liability",
        [
            "[[liability_cap|Except in cases of intent, the total liability of a party under {A} is limited to USD {cap} million.]] Neither is liable for loss of profit."
        ],
    ),
    (
        "Cap on damages",
        [
            "[[liability_cap|No party can be required to pay more than USD {cap} million in aggregate for breaches of {A}]], save where it acted in bad faith."
        ],
    ),
]

GENERAL: list[Clause] = [
    (
        "General provisions",
        [
            "{TA} is the whole agreement of the parties on its subject and replaces earlier understandings. It can be changed only by a document signed by both.",
            "If a provision is invalid the rest stands. A right is not lost because it is not exercised at once.",
            "{TA} may be signed in counterparts.",
        ],
    ),
    (
        "Miscellaneous",
        [
            "Amendments, including an amendment of this sentence, require a signed writing. There are no side agreements.",
            "Should a court hold a term to be unenforceable, it is to be read down to the extent needed and no further.",
            "The failure to insist on a right is no waiver of it.",
        ],
    ),
    (
        "Final provisions",
        [
            "Each party has received one signed original. Earlier confidentiality undertakings between the same parties about the same subject are superseded.",
            "An invalid term is replaced by a valid one that comes as near as possible to what was intended.",
        ],
    ),
]

PERSONAL: list[Clause] = [
    (
        "Personal data",
        [
            "The parties do not expect to exchange data about identifiable people. If it turns out that they must, they will first agree in writing how those data are to be handled."
        ],
    ),
    (
        "Inside information",
        [
            "{TR} is aware that some of the information may be price-sensitive and that dealing in securities while in possession of it may be an offence."
        ],
    ),
    (
        "Precedence",
        [
            "If a document handed over carries terms of its own, such as a click-through licence or a stamp, {A} prevails over them."
        ],
    ),
    (
        "Records",
        [
            "{TR} {m} keep a list of the persons who have had access to {CI}, with the dates, and show it to {D} once a year if asked."
        ],
    ),
    (
        "Visits",
        [
            "During visits to the premises of the other party, visitors follow the rules of the house. What they see there is treated as having been disclosed to them."
        ],
    ),
]
