# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Declines: "I could not find", and silence: "the passages do not say", in English, Spanish, German and French."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from ragharness.language.patterns import regex
from ragharness.language.words import raw_words, remembered

Kind = Literal["inability", "silence"]

_N = r"(?:\s+not|n['’]t)"
_FIND = (
    r"(?:find|found|answer|determine|locate|confirm|verify|say|tell|identify|see|know|establish|conclude|comment|help|assist|respond|"
    r"give|provide|offer|state|infer|derive|point|have|access|retrieve|spot|ascertain|be\s+(?:sure|certain|answered|determined))"
)
_EVIDENCE = (
    r"(?:evidence|information|info|data|details?|context|basis|support|passages?|documents?|sources?|content|material|mention|reference|"
    r"indication|record|answer|statement|knowledge|results?|documentation|text|excerpts?|idea|provisions?|clauses?)"
)
_ADVERB = r"(?:\s+(?:\w+ly|currently|also|even|ever|yet|actually|anywhere|itself|any\s+where))*"
_SAY = (
    r"(?:mention|address|specif(?:y|ies)|states?\b|say|said|tell|discuss|indicate|describe|define|refer|speak|deal\s+with|touch|set\s+out|reveal|comment|"
    r"explain|clarif(?:y|ies)|answer|speak\s+to|elaborate|shed|directly\s+answer|make\s+(?:any\s+)?(?:mention|reference)|report|note|bear\s+on|provide\s+for|"
    r"cover\s+(?:this|that|the\s+(?:topic|question|subject|issue|point|matter)))"
)
_CARRY = r"(?:contain|include|provide|give|offer|disclose|list|name|show|identify|cover|have|hold|present|supply|carry|establish|support|confirm)"
_THING = (
    r"(?:(?:a|an|any|the|such|enough|sufficient|specific|explicit|relevant|further|direct|clear|details?|concrete|necessary|needed|required)\s+){0,3}"
    + _EVIDENCE
)
_SAID = (
    r"(?:mentioned|addressed|specified|stated|discussed|covered|given|provided|disclosed|listed|defined|found|indicated|included|described|named|"
    r"available|present|reported|set\s+out|contained|spelled\s+out|identified|referenced|dealt\s+with|answered|touched\s+(?:on|upon)|recorded|shown|to\s+be\s+found|retrieved|in\s+(?:the\s+)?(?:context|corpus|passages?|documents?))"
)

_INABILITY = regex(
    rf"""
      \b(?:i|we|one)\b(?:\s+\w+ly|\s+also|['’]m|['’]re|\s+am|\s+are|\s+was|\s+were|\s+have|['’]ve|\s+regret\s+that\s+i)?\s*
        (?:can|could|do|did|have|has|had|am|was|are|were|would|will)?(?:\s*not\b|n?['’]t\b){_ADVERB}\s+(?:been\s+)?(?:able\s+to\s+)?{_FIND}\b
    | \b(?:i|we)\s+(?:have|had|found|find|see|saw|possess|hold|retrieved)\s+(?:no|nothing|none|insufficient|zero)\b
    | \bnot\s+(?:something|anything)\s+(?:that\s+|which\s+)?(?:i|we)\b | n['’]t\s+(?:something|anything)\s+(?:that\s+|which\s+)?(?:i|we)\b | \bnothing\s+(?:that\s+)?(?:i|we)\s+(?:can|could)\s+(?:find|see|tell|say)\b
    | \b(?:i|we)\s+(?:lack|am\s+lacking|need\s+more|would\s+need)\b|\b(?:i|we)['’]d\s+need\b
    | \b(?:i['’]m|i\s+am|we\s+are|we['’]re|am|was|were|been)?\s*(?:unable|not\s+able|not\s+in\s+a\s+position|powerless)\s+to\b
    | \b(?:i['’]m|i\s+am|we\s+are)\s+(?:not\s+(?:sure|certain|aware)|unsure|uncertain|unaware)\b
    | \b(?:i|we)\s+(?:must|have\s+to|need\s+to|will)\s+(?:decline|refuse|abstain|pass)\b | \bi\s+(?:decline|refuse)\s+to\b
    | \b(?:cannot|can\s+not|can['’]t|could\s+not|couldn['’]t)\s+be{_ADVERB}\s+(?:answered|found|determined|established|confirmed|said|inferred|derived|verified|located|identified|known|ascertained|concluded)\b
    | ^\W*(?:but\s+|and\s+|so\s+|sorry,?\s+|unfortunately,?\s+)?(?:cannot|can\s+not|can['’]t|could\s+not|couldn['’]t|did\s+not|didn['’]t){_ADVERB}\s+(?:answer|find|determine|establish|confirm|say|tell|infer|derive|verify|locate|identify|know|conclude)\b
    | \b(?:is|it['’]s|was)\s+(?:not\s+possible|impossible|hard|difficult)\s+(?:for\s+me\s+)?to\s+(?:say|tell|determine|know|answer|establish|confirm|conclude|find)
    | (?:\b(?:is|are|was|remains?)|['’]s)\s+(?:unknown|unclear|not\s+known|not\s+clear|undetermined|indeterminate|undisclosed|unspecified|unstated|unanswerable)\b
    | \b(?:unclear|unknown)\s+(?:from|whether|based|how|what|when|who)\b | ^\W*(?:unknown|unclear|unanswerable|undetermined)\W*$
    | (?<!found\s)(?<!finds\s)(?<!saw\s)(?<!identified\s)(?<!with\s)\b(?:insufficient|not\s+enough|no\s+sufficient|not\s+sufficient|inadequate|lack\s+of|absence\s+of|no)\s+(?:(?:relevant|specific|direct|explicit|supporting|retrieved|clear|further|matching|such|reliable)\s+){{0,2}}
        (?:information|evidence|context|data|details?|passages?|documents?|results?|sources?|answer|records?|support|basis|documentation|material(?!\s+(?!on\b|about\b|for\b|in\b|that\b|which\b|to\b|was\b|is\b|addressing\b|covering\b)\w))\b
    | (?:\bnot|n['’]t)\s+(?:in|within|among|part\s+of|present\s+in)\s+(?:the\s+|any\s+|my\s+|these\s+|those\s+)?(?:\w+\s+){{0,2}}(?:context|corpus|documents?|passages?|sources?|scope|text|material)\b
    | \b(?:outside|beyond|out\s+of)\s+(?:of\s+)?(?:the\s+)?(?:\w+\s+)?(?:scope(?!\s+of\s+(?:this|the|such|its)\s+(?:agreement|purpose|licen[cs]e|contract|definition|duty|obligation))|what\s+(?:i|the\s+passages?))
    | \b(?:i|we)\s+(?:have\s+|['’]ve\s+)?(?:also\s+|carefully\s+)?(?:looked|searched|checked|reviewed|read|examined|went|scanned|combed|consulted)\b[^.;!?]{{0,100}}?\b(?:found|find|see|saw|spotted)\s+(?:no|nothing|none)\b | \bcame\s+(?:up|back)\s+(?:empty|short|with\s+nothing)\b
    | ^\W*(?:sorry,?\s+|apologies,?\s+|unfortunately,?\s+)?(?:n/?a|no\s+answer|not\s+answerable|cannot\s+answer|can['’]t\s+answer|don['’]t\s+know|no\s+idea|not\s+(?:found|specified|stated|mentioned|available|provided|known|disclosed|given))\W*(?:$|[.;,:–—-])
    | \b(?:there\s+(?:is|was)|there['’]s)\s+nothing\b(?![^.;!?]{{0,60}}\b(?:that|which|to)\s+(?:\w+\s+)?(?:prevent|prohibit|stop|forbid|bar|keep|restrict|limit|preclud)\w*) | \bnothing\s+(?:was\s+|were\s+)?(?:found|retrieved|returned|relevant|available)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SILENCE = regex(
    rf"""
      \b(?:do|does|did|is|are){_N}{_ADVERB}\s+(?:{_SAY}|{_CARRY}\s+{_THING})
    | \b(?:don['’]t|doesn['’]t|didn['’]t){_ADVERB}\s+{_SAY}
    | \b(?:none\s+of|neither\s+of|(?:no|neither)\s+(?:\w+\s+){{0,4}}?(?:passages?|documents?|sources?|sections?|clauses?|provisions?|texts?|excerpts?|paragraphs?|parts?)|nothing|nowhere)\b
        (?![^.;:!?\n]{{0,60}}\b(?:prevent|prohibit|stop|forbid|bar|keep|restrict|limit|shall|may|must|allow|permit|require|oblige|grant)\w*)[^.;:!?\n]{{0,90}}?\b(?:mentions?|address(?:es)?|specif(?:y|ies)|states?|says?|discuss(?:es)?|covers?|indicates?|describes?|defines?|refers?|speaks?|deals?|touch(?:es)?|answers?|relates?|
        concerns?|tells?|suggests?|contains?|provides?|gives?|names?|lists?|discloses?|addressed|mentioned|shows?|reveals?|identif(?:y|ies)|sets?\s+out|talks?|bears?\s+(?:up)?on|about)\b
    | \b(?:is|are|remains?|stays?|was|were)\s+(?:\w+ly\s+)?silent\b | \bsilent\s+(?:on|about|as\s+to|regarding|concerning)\b | \bsilence\s+(?:on|about)\b
    | \b(?:makes?|made|contains?|includes?|has|have|gives?|provides?|offers?|holds?|with|shows?)\s+no\s+(?:(?:specific|explicit|express|direct|such|relevant|further|clear)\s+){{0,2}}
        (?:mention|reference|information|provision|clause|statement|evidence|indication|detail|details|data|language|record|answer|section|term|terms|definition|discussion|guidance)\b
    | \b(?:say|says|said|saying|state|states|mentions?|tells?\s+us|contains?)\s+nothing\b
    | \b(?:is|are|was|were|be|been|being|['’]s){_N}?{_ADVERB}\s*(?:\b(?:not|never|nowhere)\b|n['’]t\b){_ADVERB}\s+{_SAID}
    | \b(?:isn|aren|wasn|weren)['’]t{_ADVERB}\s+{_SAID}
    | \b(?:is|are|was|were)\s+(?:nowhere|never|neither){_ADVERB}\s+{_SAID}
    | \bthere\s+(?:is|are|was|were|['’]s)\s+(?:no|not\s+any|n['’]t\s+any)\s+(?:(?:specific|explicit|express|direct|such|relevant|clear|further|\w+ing)\s+){{0,2}}
        (?:mention|reference|information|provision|clause|statement|evidence|indication|detail|details|data|language|record|section|discussion|passage|passages|term|text|definition|answer|figure|date|basis|support)\b
    | \bthere\s+(?:isn|aren|wasn)['’]t\s+(?:any|a|enough)\b
    | \bthere(?:\s+(?:is|are|was|were)|['’]s)\s+(?:no|not\s+any)\b[^.;!?]{{0,60}}\b(?:{_SAID}|in\s+(?:the|these|those|this|any|your|my)\s+(?:\w+\s+){{0,2}}(?:passages?|documents?|context|excerpts?|agreement|contract|nda|text|sources?|material|report|filing))
    | \b(?:passages?|excerpts?|documents?|context|texts?|sources?|sections?|snippets?|materials?)\b[^.;!?]{{0,40}}\b(?:do|does|did)(?:\s+not|n['’]t)\s+(?:\w+ly\s+)?(?:cover|include|contain|list|name|give|provide|show|disclose|identify|reach|concern|relate)\b
    | \bno\s+(?:(?:specific|explicit|express|direct|such|relevant|clear)\s+){{0,2}}(?:mention|reference|indication|statement|discussion|details?|figure|answer)\b
    | ^\W*no\s+(?:\w+\s+){{1,4}}?(?:is|are|was|were|appears?)\s+(?:\w+ly\s+)?(?:(?!recorded\b){_SAID}|recorded\s+in\s+(?:the|these)\s+(?:\w+\s+)?(?:passages?|documents?|context|sources?))
    | \bwithout\s+(?:mentioning|specifying|stating|addressing|saying|any\s+mention)\b | \b(?:fails?|omits?|neglects?)\s+to\s+{_SAY} | \bnot\s+{_ADVERB}\s*{_SAID}(?:\s+(?:in|by|anywhere)\b|\W*$)
    | \bneither(?:\s+(?:of\s+them|one|of\s+these|of\s+those))?\s+(?:mentions?|address(?:es)?|states?|says?|specif(?:y|ies)|covers?|discusses|names?|gives?|contains?|refers?|speaks?|deals?)\b
    | \bneither\s+(?:\w+\s+)?(?:permits?|allows?|authori[sz]es|requires?|prohibits?|forbids?|prevents?|restricts?)\s+nor\s+(?:\w+\s+)?(?:prohibits?|forbids?|prevents?|restricts?|bars?|permits?|allows?|excludes?)\b
    | \bneither\s+(?:\w+ly\s+)?(?:permitted|allowed|authori[sz]ed|required|prohibited|forbidden|prevented|restricted)\s+n?or\s+(?:\w+ly\s+)?(?:prohibited|forbidden|prevented|restricted|barred|permitted|allowed|excluded|required|authori[sz]ed)\b
    | \b(?:one|document|filing|report|agreement|contract|10-K|nda|passage)\b[^.;!?]{{0,80}}\b(?:(?:is|are|was|were)\s+not|isn['’]t|aren['’]t|wasn['’]t|weren['’]t)\s+(?:one\s+of|among)\s+(?:them|these|those|(?:the|my|your)\s+(?:\w+\s+){{0,2}}(?:passages?|documents?|filings?|reports?|agreements?|contracts?|sources?|excerpts?|texts?))\b
    | (?:^|,\s+)\W*no\s+(?:[\w'’-]+\s+){{1,7}}?(?:can|could)\s+be\s+(?:found|identified|determined|located|established|given|confirmed|inferred|derived|seen|provided|stated)\b
    | \bthere\s+(?:do|does|did)(?:\s+not|n['’]t)\s+(?:appear|seem)\s+to\s+be\s+(?:any|an?|enough)\b | \bnor\s+(?:do|does|did|is|are|was|were)\b
    | \bnothing\s+(?:in|within|from)\s+(?:[\w'’-]+\s+){{0,4}}?(?:passages?|documents?|context|text|agreement|contract|material|sources?|excerpts?|report|filing)\s+(?:\w+ly\s+)?(?:says?|states?|indicates?|suggests?|mentions?|tells?|address(?:es)?|specif(?:y|ies)|confirms?|answers?|speaks?|covers?|describes?|discuss(?:es)?)\b
    | \b(?:contains?|includes?|has|have|there\s+(?:is|are))\s+no\s+(?:[\w-]+\s+){{1,3}}?(?:clauses?|provisions?|sections?|articles?|paragraphs?)\b | ^\W*no\s+(?:[\w-]+\s+){{1,3}}?(?:clauses?|provisions?|sections?|articles?|paragraphs?)\s+(?:is|are|was|were)\s+(?:included|present|contained|found|provided|there|in)\b
    | \b(?:do|does|did)(?:\s+not|n['’]t)\s+(?:contain|include|have)\s+(?:an?|any)\s+(?:[\w-]+\s+){{1,3}}?(?:provisions?|clauses?|sections?)\b
    | \b(?:and|but)\s+nothing\s+(?:later|more\s+recent|newer|beyond|after|else|further)\b
    | \bleaves?\s+(?:this|that|it|the\s+\w+)\s+open\b | \b(?:lacks?|omits?)\s+(?:any\s+|a\s+)?{_EVIDENCE}
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FOREIGN = regex(
    r"""
      \bno\s+(?:tengo|tenemos|dispongo|disponemos|hay|existe[n]?|encuentro|encontr[eéóa]\w*|he\s+(?:podido|encontrado)|hemos|puedo|podemos|pude|se\s+(?:menciona|especifica|indica|encuentra|encontr|aborda|
        establece|puede\s+(?:determinar|responder|saber|encontrar|confirmar|establecer|inferir|deducir|decir|verificar|precisar|afirmar)|proporciona|dispone|trata|dice|hace|sabe)\w*|lo\s+s[eé]\b|sé\b|sabemos|(?:lo\s+)?(?:menciona|especifica|indica|aborda|contiene|dice|proporciona|incluye|trata|establece|recoge|precisa)\w*|
        consta|figura|aparece|est[aá]\s+(?:especificad|mencionad|indicad|disponible|en\s+el\s+contexto))\w*
    | \b(?:ning[uú]n[ao]?|nada)\b[^.;:]{0,60}\b(?:menciona|aborda|indica|especifica|trata|dice|contiene)\w* | (?<!revelar\s)(?<!compartir\s)(?<!divulgar\s)(?<!comunicar\s)\bning[uú]n[ao]?\s+(?:\w+\s+){0,1}?(?:informaci[oó]n|evidencia|dato|menci[oó]n|referencia|pasaje|documento|indicaci[oó]n)s?\b(?!\s+confidencial)
    | \b(?:desconozco|carezco|lamentablemente\s+no|lo\s+siento)\b | \bguarda\s+silencio\b | \bsin\s+(?:informaci[oó]n|evidencia|datos)\b | \bimposible\s+(?:determinar|responder|saber)\b
    | \b(?:ich|wir)\s+(?:kann|k[oö]nnen|konnte|konnten|habe|haben|finde|fand|wei(?:ß|ss)|liegen|liegt|besitze|verf[uü]ge[n]?|sehe)\b[^.;:!?]{0,80}?\b(?:nicht|nichts|kein\w*|leider)\b
    | \b(?:liegen|liegt)\s+(?:mir|uns)\s+[^.;:!?]{0,40}?(?:kein\w*|nicht\w*)\b | \bleider\b[^.;:!?]{0,80}\b(?:nicht|nichts|kein\w*)\b | \b(?:kann|k[oö]nnen|l[aä](?:ß|ss)t\s+sich|konnte)\b[^.;:!?]{0,60}\bnicht\s+(?:beantwort|bestimm|ermittel|feststell|finden|gefunden|sagen|beurteil|entnehm|entnommen)\w*
    | \b(?:kein\w*)\s+(?!vertraulich)(?:\w+\s+){0,2}?(?:hinweis|beleg|information|angabe|auskunft|passage|evidenz|daten|aussage|erw[aä]hnung|nachweis|anhaltspunkt|regelung|antwort|kontext)\w*
    | \b(?:nicht|nichts|nirgends|weder)\s+(?:\w+\s+){0,3}?(?:erw[aä]hn|genannt|angegeben|aufgef[uü]hrt|behandel|geregelt|enthalten|hervor|thematisier|bekannt|entnehm|zu\s+finden|spezifizier|gesagt|auffindbar|ersichtlich|angesproch|festgelegt)\w*
    | \b(?:es\s+gibt|gibt\s+es|geben\s+(?:\w+\s+){0,3}?kein\w*\s+(?:auskunft|antwort|aufschluss|hinweis\w*))\b[^.;:!?]{0,60}\b(?:nicht|nichts|kein\w*|auskunft|antwort|aufschluss|hinweis\w*)\b
    | \b(?:erw[aä]hn|nenn|behandel|regel|enth[aä]l|thematisier|sag|spezifizier|mach)\w*\b[^.;:!?]{0,60}\b(?:nicht|nichts|kein\w*)\b | \bschweig\w+\b | \bunbekannt\b
    | \bje\s+(?:ne|n['’])\s*(?:peux|trouve|sais|dispose|poss[eè]de|suis|pourrais|ai)\w*\b | \b(?:je|nous)\s+n['’](?:ai|arrive|y|avons)\b | \b(?:nous\s+)?ne\s+(?:pouvons|trouvons|disposons|savons)\b
    | \b(?:ne|n['’])\s*(?:le\s+|la\s+|les\s+|l['’]|y\s+|nous\s+)?permet(?:tent)?\s+pas\s+de\s+(?:r[eé]pondre|d[eé]terminer|dire|savoir|conna[iî]tre|conclure)
    | \b(?:ne|n['’])\s*(?:le\s+|la\s+|les\s+|l['’]|y\s+)?(?:mentionne|pr[eé]cise|indique|aborde|traite|contien|dit|fourni|donne|sp[eé]cifie|parle|comporte|figure|fait)\w*\s*(?:nullement\s+)?(?:pas|aucun\w*|rien|ni|mention)\b
    | \b(?:n['’])\s*(?:est|[eé]tait)\s+(?:pas|nullement|jamais|ni)\s+(?:\w+ment\s+)?(?:mentionn|pr[eé]cis|indiqu|abord|trait|sp[eé]cifi|d[eé]fini|fourni|disponible|connu|dit|possible\s+de\s+(?:r[eé]pondre|d[eé]terminer|dire|savoir)|dans\s+les)\w* | \bne\s+sont\s+pas\s+(?:\w+ment\s+)?(?:mentionn|pr[eé]cis|indiqu|abord|trait|sp[eé]cifi|d[eé]fini|fourni|disponible|connu)\w*
    | (?<!divulguer\s)(?<!communiquer\s)(?<!partager\s)(?<!transmettre\s)\baucun[e]?\s+(?!information\w*\s+confidentiel)(?:\w+\s+){0,2}?(?:information|preuve|mention|passage|[eé]l[eé]ment|donn[eé]e|indication|document|r[eé]f[eé]rence|disposition|clause|r[eé]ponse)\w*
    | \b(?:il\s+n['’]y\s+a|il\s+n['’]existe)\s+(?:pas|aucun\w*|rien)\b | \bimpossible\s+de\s+(?:d[eé]terminer|r[eé]pondre|dire|savoir)\b | \brien\s+(?:dans|n['’]indique|ne)\b | \bmuet(?:te)?\s+sur\b | \binconnu\w*\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FOREIGN_SIGN = regex(
    r"\bno\s+(?:te[nr]|disp|hay|exis|enc|he\b|hem|pu[ed]|se\b|lo\b|s[eé]\b|sab|menc|espec|indi|abor|con|dice|prop|incl|trat|esta|reco|prec|figu|apar|est[aá])"
    r"|\b(?:ning|nada|desc|care|lament|lo\s+siento|guarda|sin\b|imposible|impossible\s+de|nicht|nirg|weder|kein|leider|schweig|unbek|auskunft|antwort|aufschluss|hinweis|ne\b|n['’]|aucun|rien|muet|inconnu)",
    re.IGNORECASE,
)
"""Found in every text in which the pattern above finds something; English texts rarely hold it."""
_TRIGGERS = frozenset(
    """
    no not none nor nothing nowhere never neither cannot without sorry n na impossible hard difficult need would open out beyond outside absence pass came
    nada siento sin nicht nichts leider weder nirgends ne rien imposible desconozco carezco guarda
    """.split()  # noqa: SIM905 (a set of words reads better as a line of them)
)
_TRIGGER_STEMS = (
    "un",
    "insuff",
    "inadeq",
    "silen",
    "lack",
    "declin",
    "refus",
    "abstain",
    "omit",
    "fail",
    "neglect",
    "indeterm",
    "ning",
    "lamentabl",
    "kein",
    "schweig",
    "aucun",
    "muet",
    "inconnu",
)
"""No pattern below matches a text without one of these words, or an apostrophe."""
_NEVER = regex(
    r"\b(?:confidential\s+information|(?:evaluation|confidential)\s+material|protected\s+\w+|definition(?:\s+of\s+\w+\s+\w+)?|dut(?:y|ies)(?:\s+of\s+\w+)?|obligations?|restrictions?|exclusions?|protection)['\"”]?\s+(?:\w+\s+)?(?:does|do|shall|will)(?:\s+not|n['’]t)\s+(?:include|cover|extend|apply|attach|reach)\b|"
    r"\b(?:only\s+not|not\s+only|no\s+doubt|not\s+surprising|no\s+later|not\s+later)\b"
    r"|\b(?:cannot|can['’]t|not\s+able\s+to|do\s+not|don['’]t|should\s+not|unable\s+to)\s+(?:\w+\s+)?(?:give|provide|offer|render|constitute)\s+(?:you\s+(?:with\s+)?)?(?:any\s+|a\s+|specific\s+|formal\s+)*"
    r"(?:legal|financial|medical|tax|professional|investment)\s+(?:advice|opinions?|counsel|guidance)"
    r"|\bnot\s+(?:a\s+)?(?:legal|financial|tax|investment)\s+advice\b|\b(?:am|['’]m)\s+not\s+an?\s+(?:lawyer|attorney|accountant|expert)\b"
    r"|\bi\s+(?:do\s+not|don['’]t)\s+have\s+(?:any\s+)?(?:doubts?|reason)",
    re.IGNORECASE,
)


_HAD = regex(r"\b(?:had|has|have|kept|submitted|received|lacked|with)\s+(?=no\b)", re.IGNORECASE)
_SPEAKER = regex(
    r"\b(?:i|we|it|they|there|this|that|these|those|which|passages?|documents?|context|sources?|texts?|agreements?|contracts?|nda|reports?|filings?|excerpts?|corpus|materials?|sections?|clauses?|tables?|answers?|statements?)\b",
    re.IGNORECASE,
)


class Decline(NamedTuple):
    """Where a text declines or says that something is not addressed (offsets into that text)."""

    start: int
    end: int
    kind: Kind
    foreign: bool = False
    """Found by the patterns of another language than English."""


def _may_decline(text: str) -> bool:
    """Say, cheaply, whether any pattern can match."""
    if "'" in text or "’" in text:
        return True
    return any(word in _TRIGGERS or word.startswith(_TRIGGER_STEMS) for word in raw_words(text))


@remembered
def find_decline(text: str) -> Decline | None:
    """Return the first decline or statement of silence in a clause, or None."""
    if not _may_decline(text):
        return None
    excused = list(_NEVER.finditer(text))
    for pattern, kind in _ORDER:
        if pattern is _FOREIGN and not _FOREIGN_SIGN.search(text):
            continue
        for found in pattern.finditer(text):
            if _anothers_lack(text, found.start()):
                continue
            if not any(found.start() < never.end() and never.start() < found.end() for never in excused):
                return Decline(found.start(), found.end(), kind, pattern is _FOREIGN)
    return None


def _anothers_lack(text: str, start: int) -> bool:
    """Say whether what is missing is missing to somebody else than the speaker and the documents ("14 grants had no records")."""
    found = _HAD.search(text, 0, start + 8)
    return found is not None and found.end() >= start and not _SPEAKER.search(text, 0, found.start())


def is_disclaimer(text: str) -> bool:
    """Say whether a text only says what its author is not ("I cannot give legal advice")."""
    return _NEVER.search(text) is not None


_ORDER: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (_INABILITY, "inability"),
    (_SILENCE, "silence"),
    (_FOREIGN, "silence"),
)
