# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""What a sentence does when it neither answers nor declines: points to passages, advises, asks, greets, warns."""

from __future__ import annotations

import re

from ragharness.language.patterns import regex
from ragharness.language.words import remembered

_POINTER = regex(
    r"""
      \b(?:closest|nearest|most\s+(?:relevant|related|similar)|related|relevant|similar|adjacent)\s+(?:\w+\s+){0,3}?(?:passages?|provisions?|clauses?|sections?|documents?|information|material|excerpts?|text|topics?|one|match(?:es)?|
        i\s+(?:found|have|could)|thing)\b
    | \b(?:passages?|documents?|excerpts?|sources?|context|material|text|sections?|results?)\b[^.;!?\n]{0,60}?\b(?:covers?|address(?:es)?|deals?\s+with|discuss(?:es)?|concerns?|relates?\s+to|(?:is|are)\s+about(?!\s+(?:[\d$€£]|an?\b|one|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty))|names?|lists?|gives?|reports?|belongs?|only\s+(?:mentions?|covers?|address(?:es)?|discuss(?:es)?|
        states?|refers?|describes?|deals?|contains?|concerns?|say)|speaks?\s+(?:of|about|to)|focus(?:es)?\s+on|mentions?|describes?|contains?|refers?\s+to|talks?\s+about|states?|says?|provides?|touch(?:es)?\s+on)\b
    | ^\W*the\s+(?:closest|nearest)\b(?:\s+\w+){0,2}\s+(?:is|are|was|were)\b
    | \bwhat\s+(?:i|we)\s+(?:do\s+)?(?:have|found|can\s+(?:say|tell|see|offer))\b | \b(?:i|we)\s+(?:do\s+|only\s+|did\s+)(?:have|find|see|found)\b | \b(?:i|we)\s+(?:can\s+see|found|have)\s+(?:only|passages?|information\s+(?:on|about)|material)\b
    | \b(?:they|these|those|it)\s+(?:only\s+|instead\s+|do\s+|does\s+|rather\s+|merely\s+|mainly\s+|all\s+)?(?:cover|address|deal\s+with|discuss|concern|relate\s+to|focus\s+on|talk\s+about|(?:is|are)\s+about(?!\s+(?:[\d$€£]|an?\b|one|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty))|mention|speak)(?:e?s)?\b
    | \b(?:they|these|those|it)\s+(?:do|does|only|instead|merely)\s+(?:say|state|note|list|name|give|show|report|identify|describe|indicate|provide|tell|contain|include)s?\b | \b(?:i|we)\s+can\s+(?:tell|say|confirm|report)\b
    | \b(?:instead|only)\b[^.;]{0,40}\b(?:cover|address|discuss|mention|describe|deal)\w*\b | \bdoes\s+(?:cover|address|mention|discuss)\b
    | \bdifferent\s+(?:question|topic|matter|issue)\b | \bcome\s+closest\b | \bclosest\b
    | \b(?:pasaje|pasajes|documento|documentos)\b[^.;]{0,50}\b(?:trata|tratan|habla|hablan|menciona|mencionan|cubre|cubren|se\s+refiere|aborda)\w*\b | \bm[aá]s\s+cercan[oa]s?\b | \bm[aá]s\s+(?:relevante|pr[oó]xim)\w*
    | \bn[aä]chst(?:e|en|er|liegend\w*)\b[^.;]{0,30}\b(?:passage|stelle|abschnitt|klausel|text)\w* | \bam\s+n[aä]chsten\b
    | \b(?:passage|passagen|abschnitt\w*|dokument\w*|textstelle\w*|klausel\w*)\b[^.;]{0,50}\b(?:behandel|betr[ie]ff|bezieh|handel|nenn|regel|erw[aä]hn)\w*
    | \b(?:plus|les\s+plus)\s+(?:proches?|pertinents?)\b | \b(?:passages?|extraits?|documents?)\b[^.;]{0,50}\b(?:traite|traitent|concerne|concernent|porte|portent|parle|parlent|abordent?|couvrent?)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ADVICE = regex(
    r"""
      \b(?:you|one|users?)\s+(?:might|may|could|can|should|would|will)\s+(?:also\s+|need\s+to\s+|want\s+to\s+|wish\s+to\s+|like\s+to\s+|have\s+to\s+|try\s+)*
        (?:want|check|consult|look|try|ask|contact|review|search|see|refer|find|request|verify|wish|provide|consider|reach|need|add|upload|examine|inspect|rephrase|share|get|obtain|confirm|speak|turn|go)\w*\b
    | (?:^|[.;:,!?—–]\s*|\b(?:please|kindly|then|and|or|so|to\s+be\s+sure|instead|perhaps|maybe)\s+)(?:please\s+|kindly\s+|also\s+)?(?:try|check|consult|ask|contact|refer\s+to|look\s+(?:at|in|for|into|up)|review|search|verify|see\s+(?:also\b|whether|if|the\s|section|article|clause|page|chapter|paragraph)|upload|rephrase|request|reach\s+out|
        provide\s+(?:me|more|the|a|additional|further)|share\s+(?:the|more|a|additional)|consider\s+(?:check|consult|ask|review|search|contact|look|broaden)\w*|confirm\s+with|speak\s+(?:to|with)|turn\s+to|supply\s+(?:the|more)|point\s+me|let\s+me\s+know|get\s+in\s+touch|examine\s+the|seek|broaden|widen|add\s+the|clarify|specify\s+(?:which|the|what))\b
    | \b(?:i|we)(?:['’]d|\s+would)?\s+(?:recommend|suggest|advise|propose)\b | \bit\s+(?:is|would\s+be|may\s+be|might\s+be)\s+(?:worth|advisable|best|helpful|useful|necessary|recommended|prudent)\b | \b(?:worth|recommend(?:ed)?)\s+(?:checking|asking|consulting|reviewing|a\s+look)\b
    | \bif\s+you\s+(?:can|could|have|provide|share|give|upload|need|want|tell|point|would\s+like)\b | \b(?:please|kindly)\s+\w+ | \bnext\s+step\b | \b(?:should|must|needs?\s+to|can|could|may|might)\s+be\s+(?:consulted|checked|asked|requested|contacted|reviewed|searched)\b
    | \b(?:happy|glad)\s+to\s+(?:help|look|search|check|assist)\b | \b(?:would|do)\s+you\s+(?:like|want)\s+me\s+to\b | \b(?:could|can|would)\s+you\s+(?:please\s+)?(?:provide|share|clarify|specify|tell|upload|give|point|confirm|say)\b
    | \b(?:the\s+)?\w+(?:\s+\w+){0,4}\s+(?:may|might|could|should|would)\s+(?:be\s+able\s+to\s+)?(?:contain|have|help|hold|know|state|say|include|provide|list|show|answer|clarify|be\s+found|be\s+the\s+place)\b | \b(?:the|a|your)\s+\w+(?:\s+\w+){0,3}\s+(?:may|might|could|should)\W*$
    | \b(?:consulte|consultar|verifique|revise|pregunte|contacte|p[oó]ngase|intente|pruebe|busque|conviene|conv[eé]ngase|recomiendo|recomendamos|sugiero|podr[ií]a\s+(?:consultar|revisar|verificar|buscar|encontrar)|puede\s+(?:consultar|revisar|verificar|buscar|preguntar|contactar)|d[ií]ganme|ind[ií]queme|compruebe|mire|facilite|proporcione|comparta|dir[ií]jase|solicite)\b
    | \b(?:wenden\s+sie|pr[uü]fen\s+sie|konsultieren|sehen\s+sie|schauen\s+sie|fragen\s+sie|bitte|versuchen\s+sie|empfehle|empfiehlt|empfehlenswert|ratsam|k[oö]nnten\s+sie|sollten\s+sie|sie\s+(?:k[oö]nnen|k[oö]nnten|sollten)|suchen\s+sie|kontaktieren|geben\s+sie|stellen\s+sie|laden\s+sie|nachsehen|nachfragen|(?:pr[uü]fe|schau|frag|sieh)\b)
    | \b(?:consultez|v[eé]rifiez|veuillez|essayez|demandez|contactez|adressez|voyez|cherchez|regardez|recommande|sugg[eè]re|conseille|vous\s+(?:pouvez|pourriez|devriez)|il\s+(?:faudrait|conviendrait|serait\s+utile)|reportez|r[eé]f[eé]rez|fournissez|pr[eé]cisez|examinez)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_GREETING = regex(
    r"^\W*(?:hi|hello|hey|dear|thanks?|thank\s+you|great\s+question|good\s+question|sure|certainly|of\s+course|happy\s+to|glad\s+to|i\s+hope|hope\s+this|let\s+me\s+know|feel\s+free|best\s+regards|confidence|(?:i\s+am|i['’]m)\s+(?:\w+\s+)?(?:confident|certain|sure)|"
    r"you['’]?re\s+welcome|hola|gracias|hallo|danke|gerne|bonjour|merci|i['’]d\s+be\s+happy|i['’]ll\s+(?:look|check|help|answer)|let['’]s\s+(?:look|see))\b[^.!?]{0,160}[.!?:,]?\s*$",
    re.IGNORECASE,
)
_META = regex(
    r"^\W*(?:based\s+on|according\s+to|from|per|in|after\s+review\w*|having\s+review\w*|looking\s+at|given|using|as\s+per)?\s*(?:the\s+|these\s+|my\s+|your\s+)?(?:provided\s+|retrieved\s+|given\s+|following\s+|above\s+|relevant\s+|supplied\s+|available\s+)*"
    r"(?:passages?|documents?|context|sources?|excerpts?|text|information|materials?|search\s+results?|review)?(?:\s+(?:provided|above|given|retrieved|below))?\W*"
    r"(?:(?:here|this)\s+(?:is|are)|here['’]s|the\s+answer\s+is|the\s+following|answer|explanation|details?|summary|reason(?:ing)?|note|in\s+(?:short|summary|brief))?[^.!?]{0,60}:\s*$",
    re.IGNORECASE,
)
_ATTRIBUTION = regex(
    r"^\W*(?:(?:this|that|it|the\s+answer|this\s+information|which)\s+(?:is|was|comes|appears|follows|can\s+be)\s+(?:\w+ly\s+)?(?:stated|set\s+out|found|specified|given|from|confirmed|supported|based|provided|laid\s+down|mentioned|in|taken|according|per|established|defined|seen)\b"
    r"|(?:see|source|cf\.?|as\s+(?:stated|set\s+out|provided|specified|per))\b)(?:\W+[\w'’.]+){0,12}\W*$",
    re.IGNORECASE,
)
_OTHERS = regex(
    r"^\W*(?:the\s+)?(?:other|remaining|rest\s+of\s+the)\s+(?:\w+\s+)?(?:passages?|documents?|excerpts?|sources?|results?)\b",
    re.IGNORECASE,
)
_ASKED = regex(
    r"^\W*(?:you(?:['’]re|\s+are|['’]ve|\s+have)?\s+(?:ask(?:ed|ing)?|want(?:ed)?\s+to\s+know|would\s+like\s+to\s+know)|the\s+question\s+(?:asks|is|was|concerns)|question|q|regarding\s+your\s+question|your\s+question|to\s+answer\s+(?:your|the)\s+question|"
    r"the\s+user\s+(?:asks|wants|is\s+asking)|pregunta|frage|question\s+pos[eé]e)\b",
    re.IGNORECASE,
)
_URGENCY = regex(
    r"\b(?:immediately|urgent(?:ly)?|right\s+away|asap|as\s+soon\s+as\s+possible|at\s+once|without\s+delay|act\s+(?:now|fast|quickly)|right\s+now|don['’]t\s+(?:wait|delay)|do\s+not\s+(?:wait|delay)|hurry|time\s+is\s+running\s+out|"
    r"before\s+it(?:['’]s|\s+is)\s+too\s+late|last\s+chance|deadline\s+is\s+looming|risk\s+(?:losing|of\s+los|of\s+liab|a\s+breach|being\s+sued)|(?:you|will|could|may|might)\s+(?:\w+\s+)?(?:lose|forfeit)\b|serious\s+consequences|severe\s+consequences|or\s+else|"
    r"inmediatamente|de\s+inmediato|urgente(?:mente)?|antes\s+de\s+que\s+sea\s+(?:demasiado\s+)?tarde|cuanto\s+antes|sofort|dringend|umgehend|unverz[uü]glich|bevor\s+es\s+zu\s+sp[aä]t|imm[eé]diatement|d['’]urgence|urgent|avant\s+qu['’]il\s+ne\s+soit\s+trop\s+tard|sans\s+(?:tarder|d[eé]lai))\b|!\s?!",
    re.IGNORECASE,
)
_OUTSIDE = regex(
    r"\b(?:from|based\s+on|using|to|of|in|on)\s+(?:my\s+|the\s+|common\s+|publicly\s+available\s+)?(?:own\s+)?(?:general|background|prior|world|outside|common|external|training|public|domain|industry)\s+(?:knowledge|data|information|practice|understanding|sources?)\b"
    r"|\b(?:generally|typically|usually|commonly|ordinarily|in\s+general|in\s+practice|as\s+a\s+rule|normally)\b|\b(?:market|industry)\s+(?:standard|practice)\b|\bit\s+is\s+(?:widely\s+|well\s+|commonly\s+|generally\s+)known\b"
    r"|\b(?:as\s+far\s+as\s+i\s+know|i\s+(?:recall|remember|believe|think)|to\s+my\s+knowledge|outside\s+(?:of\s+)?the\s+(?:documents?|passages?|corpus))\b|\bmy\s+training\b",
    re.IGNORECASE,
)
_PREMISE = regex(
    r"""
      \bthere\s+(?:(?:is|was|are|were|appears\s+to\s+be|seems\s+to\s+be)\s+no|(?:is|was)(?:\s+not|n['’]t)\s+an?y?)\s+(?:such\s+)?(?:[\w–’'.,&-]+\s+){0,5}?(?:agreement|contract|nda|document|report|filing|company|party|entity|person|program|office|amendment|fund|board|law|act|deal|subsidiary|addendum|schedule|exhibit|appendix)\b
        (?!\s*(?:provision|clause|mention|language|section|term))
    | \bno\s+(?!such\s+(?:\w+\s+)?(?:obligation|dut|requirement|restriction|prohibition|ban|right|permission|limit|need|condition|exception|impairment))(?:such|\w+\s+(?:named|called|by\s+that\s+name|between|with|dated))\s*(?:\w+[\s-]+){0,3}?(?:agreement|contract|nda|document|report|filing|company|party|entity|person|exists?|is\s+(?:in|found|listed)|appears)\b
    | \b(?:no|not\s+any)\s+(?:agreement|contract|nda|document|report|filing|company|party|entity|amendment)\s+(?:named|called|titled|between|with|dated|of\s+that|of(?=\s+\d)|by\s+that|under\s+that|from|for)\b
    | \b(?:does|do|did)(?:\s+not|n['’]t)\s+(?:\w+ly\s+)?exist\b | \b(?:premise|presupposition|assumption)\b[^.;]{0,60}\b(?:incorrect|wrong|false|mistaken|not\s+(?:correct|right|true|supported|accurate|hold)|flawed)\b
    | \b(?:false|incorrect|wrong|mistaken|flawed)\s+(?:premise|assumption|presupposition)\b | \bthe\s+question\s+(?:assumes|presupposes|presumes|supposes|takes\s+for\s+granted|implies|rests)\b
    | \bcontrary\s+to\s+(?:the|your|what)\b | (?<!who\s)(?<!which\s)(?<!that\s)(?<!we\s)\b(?:is|was|are|were)(?:\s+not|n['’]t)\s+(?:a\s+)?(?:party|parties|signator\w+|mentioned\s+as\s+a\s+party)\b(?!\s+to\s+(?:any|a|litigation|legal|material)\b)
    | \b(?:is|was|were|are)\s+(?:dated|signed|made|entered\s+into|executed|effective|between|with|from|of|in|on|founded|published|issued)\b[^.;]{0,80},?\s+(?:and\s+)?not\s+(?:on\s+|in\s+|of\s+|from\s+|with\s+|by\s+|between\s+)?(?:[A-Z0-9]|the\s)
    | \b(?:is|was|are|were)(?:\s+not|n['’]t)\s+(?:dated|signed|made|entered\s+into|executed|effective|between)\b
    | \b(?:ist|war|gibt\s+es)\s+(?:kein\w*)\s+(?:solch\w*\s+)?(?:vertrag|vereinbarung|dokument|bericht|unternehmen)\w*\b | \bno\s+existe\w*\s+(?:ning[uú]n\w*\s+|tal\s+)?(?:acuerdo|contrato|documento|informe|empresa)\b | \bil\s+n['’]existe\s+(?:pas|aucun\w*)\s+(?:d['’]|de\s+tel\w*\s+)?(?:accord|contrat|document|rapport)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ONLY_POINTER = regex(
    r"\b(?:only|merely|instead|rather|closest|nearest|related|different|do\s+mention|does\s+mention|do\s+cover|does\s+cover|another|other)\b",
    re.IGNORECASE,
)
_CLARIFY = regex(
    r"\b(?:do|did|are|were)\s+you\s+(?:mean|refer|ask|look|talk|interest)\w*|\bwhich\s+(?:\w+\s+){0,4}(?:do\s+you|are\s+you|did\s+you|would\s+you|should\s+i|is\s+meant|one)\b|\b(?:could|can|would)\s+you\s+(?:please\s+)?(?:clarify|specify|tell|confirm|say|be\s+more|explain|indicate)\b|"
    r"\bwhat\s+(?:exactly\s+)?(?:do|did)\s+you\s+mean\b|\b(?:depends\s+on\s+)?(?:what|which\s+(?:\w+\s+){0,3}?)\s*you\s+(?:mean|have\s+in\s+mind|are\s+asking\s+about)\b|\bplease\s+(?:clarify|specify|indicate\s+which)\b|\bneed\s+(?:more|some|further)\s+(?:clarification|context\s+about\s+your)\b|"
    r"\b(?:se\s+refiere|quiere\s+decir|a\s+qu[eé]|a\s+cu[aá]l|podr[ií]a\s+aclarar|meinen\s+sie|welche[nrs]?\s+\w+\s+meinen|k[oö]nnten\s+sie\s+(?:bitte\s+)?(?:pr[aä]zisieren|kl[aä]ren)|voulez-vous\s+(?:dire|parler)|parlez-vous|quel(?:le)?\s+\w+\s+voulez|pourriez-vous\s+pr[eé]ciser)\b",
    re.IGNORECASE,
)


@remembered
def is_pointer(text: str) -> bool:
    """Say whether a sentence names what the passages do hold."""
    return _POINTER.search(text) is not None


@remembered
def is_attribution(text: str) -> bool:
    """Say whether a sentence only says where the one before it is stated ("This is set out in the term clause")."""
    return _ATTRIBUTION.search(text) is not None


@remembered
def is_about_the_others(text: str) -> bool:
    """Say whether a sentence says what the passages beside the answer are about."""
    return _OTHERS.search(text) is not None and is_pointer(text)


@remembered
def is_mere_pointer(text: str) -> bool:
    """Say whether a pointer sets itself apart from an answer ("they only mention", "the closest passage")."""
    return _POINTER.search(text) is not None and _ONLY_POINTER.search(text) is not None


@remembered
def is_advice(text: str) -> bool:
    """Say whether a sentence offers a next step."""
    return _ADVICE.search(text) is not None


@remembered
def is_greeting(text: str) -> bool:
    """Say whether a sentence is only a courtesy."""
    return _GREETING.search(text) is not None


@remembered
def is_introduction(text: str) -> bool:
    """Say whether a sentence only leads to what follows ("Based on the passages:") or restates that something was asked."""
    return _META.search(text) is not None or _ASKED.search(text) is not None


@remembered
def is_urgent(text: str) -> bool:
    """Say whether a sentence presses the reader."""
    return _URGENCY.search(text) is not None


@remembered
def is_outside_knowledge(text: str) -> bool:
    """Say whether a sentence rests on something else than the passages by its own words."""
    return _OUTSIDE.search(text) is not None


@remembered
def corrects_premise(text: str) -> bool:
    """Say whether a sentence denies what a question takes for granted."""
    return _PREMISE.search(text) is not None


@remembered
def asks_back(text: str) -> bool:
    """Say whether a sentence asks what the question means."""
    return _CLARIFY.search(text) is not None
