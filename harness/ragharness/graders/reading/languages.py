# ruff: noqa: E501 (a table of words reads better with one group a line)
"""Which of the languages that the rules read an answer is written in."""

from __future__ import annotations

import re

from ragharness.language.patterns import regex
from ragharness.language.words import raw_words

_MARKS = {
    "en": "a the of and to in is are was were for by with not it that this be on as at from or may shall must no yes which an have has does any i you after its their they can will would under between both each only but there these those than "
    "term year years month months day days million billion percent agreement party parties information passages passage documents document does did do been per",
    "es": "a el la los las del que en es para con no una un por se su sus lo son como más está al este esta puede podrá sobre pero ni sin entre y o desde hasta durante cuando debe deberá tiene ser sí si años año meses días contrato acuerdo parte partes información prohibido",
    "de": "der die das in am tritt wird zum zur vom und ist nicht ein eine einer eines einem einen zu den mit von für auf dem des im es sich wird kann darf dürfen kein keine keinen ich sie werden oder auch dass nach bei sind hat haben nur bis durch über unter wenn soweit sofern jahre jahren jahr monate tage vertrag partei parteien informationen ja nein",
    "fr": "a la le les des est et dans pour que qui une un pas ne sur du au aux ce cette par il elle sont avec être peut aucun nous je sans ou leur de en depuis jusqu pendant lorsque doit peuvent oui non ans mois jours contrat accord partie parties informations",
    "it": "a la le il che di non della dello delle dei degli è sono nel nella nelle gli per una uno con del alla alle anche può possono deve devono questo questa su ma si lo più essere contratto accordo ho nei alcuna alcun trovato dal dalla dalle ai agli tre cinque anni anno mesi giorni rimane vigore parti parte tra fra dopo sua suo loro e",
    "pt": "a o os não uma um em são do da que para com dos das no na nos nas mais foi ser pelo pela ao à às é está pode podem deve sobre documento acordo anos ano três meses dias permanece há sem seu sua contrato parte partes informações e ou por de as",
    "nl": "de het een niet van is en op te dat zijn voor met aan er door wordt worden kan mag mogen geen deze dit ook bij naar of in tot jaar jaren drie maanden dagen blijft overeenkomst partij partijen informatie moet moeten heeft",
    "sv": "och att det som en ett på är av för inte med den till om har kan får ska från i under efter vid år tre avtalet avtal parten parterna eller",
    "da": "og at det som en et på er af av for ikke med den til om har kan må skal fra i under efter etter ved år tre aftalen avtalen parten parterne eller gjelder gælder",
    "pl": "i w nie na z do się jest to że o przez jak oraz lub dla może umowa umowy od po trzy lata lat strona strony informacje poufne okres",
    "fi": "on ja ei se että tai ovat sopimus sopimuksen voimassa kolme vuotta osapuoli tiedot voi saa vain myös kun",
    "cs": "a je na ve se že s z do po dobu smlouva smlouvy tři roky let strana strany nebo není jsou může pro od k",
    "ro": "și este nu de la în pentru care cu din pe să sunt trei ani acordul contractul poate sau",
    "tr": "ve bir bu için ile yıl süreyle taraf sözleşme anlaşma değil olarak veya olan üç",
}
_ELIDED = {
    "l'": ("fr", "it"), "d'": ("fr", "it"), "c'": ("fr", "it"), "n'": ("fr",), "qu'": ("fr",), "j'": ("fr",), "s'": ("fr",),
    "dell'": ("it",), "nell'": ("it",), "all'": ("it",), "dall'": ("it",), "sull'": ("it",), "un'": ("it",), "quest'": ("it",),
}  # fmt: skip
_OF_WORD: dict[str, list[str]] = {}
for _name, _words in _MARKS.items():
    for _word in dict.fromkeys(_words.split()):
        _OF_WORD.setdefault(_word, []).append(_name)
_BARE = frozenset("sim não tak nie sì ano evet hayır igen nem kyllä nej nee".split())  # noqa: SIM905
"""Words that answer yes or no by themselves in languages that the rules do not read."""
_DONT_KNOW = regex(
    r"^\W*(?:(?:jag\s+|det\s+)?vet\s+(?:ej|inte|ikke)|ved\s+(?:det\s+)?ikke|(?:en|ei)\s+tied\w*|weet\s+(?:ik\s+)?niet|onbekend|ok[aä]nt|ukj?ent|nie\s+wiem|nieznan\w+|nev[ií]m|nezn[aá]m\w*|"
    r"bilmiyorum|bilinmiyor|nu\s+[sșş]tiu|necunoscut\w*|nem\s+tudom|ismeretlen|ne\s+znam|nepoznato|n[aã]o\s+sei|non\s+(?:lo\s+)?so|sconosciut\w+|desconhecid\w+)\W*$",
    re.IGNORECASE,
)
"""What people answer who do not know, in languages that the rules do not read, too short to be told by their words."""
_NOTHING = regex(
    r"^\W*(?:(?i:sem|senza|nessun\w*|nenhum\w*|geen|niet|brak|nie|ingen|inget|inga|intet|ikke|inte|bez|nincs\w*|nema|ei|f[aă]r[aă])\s+(?=[^\W\d_A-ZÀ-Ý])(?:\w+\W*){1,2}"
    r"|(?i:non|n[aã]o)\s+(?:\w+\s+)?\w+(?:[aiu]t[oaie]|[aeiou][ds][oaie]s?|bil[ei]|[ií]vel|nto|sta)\W*|\w+\s+yok\W*)$"
)
"""A negation and what is missing ("Geen antwoord.", "Brak danych.", "Non disponibile.") in such languages; names have capitals."""
_LOWER_WORD = regex(r"(?<![\w'’])[^\W\d_A-ZÀ-Ý]{2,}")
_LABELS = frozenset(
    "term date name role officer director chief period law state years year months month days day notice effective termination company total "  # noqa: SIM905
    "revenue cost income sales tax million billion percent number amount rate governing receiving disclosing agreement office department".split()
)
"""English words of labels and tables, which hold no function word."""
READ = ("en", "es", "de", "fr")


def language_of(text: str) -> str:
    """Return "en", "es", "de" or "fr"; empty when the text is in another language; "en" when too short to tell."""
    if not text.isascii() and _mostly_other_script(text):
        return ""
    words = raw_words(text[:2000])
    if len(words) <= 3 and words and (words[0] in _BARE or _DONT_KNOW.match(text) or _NOTHING.match(text)):
        return ""
    scores = dict.fromkeys(_MARKS, 0)
    for word in words:
        for name in _OF_WORD.get(word, ()):
            scores[name] += 1
        if "'" in word or "’" in word:
            for name in _ELIDED.get(word.replace("’", "'").partition("'")[0] + "'", ()):
                scores[name] += 1
    best = max(scores.values())
    if best == 0:
        letters = {word for word in words if word.isalpha()}
        return "en" if len(letters) < 10 or len(letters & _LABELS) >= 2 else ""
    for name in READ:
        if scores[name] == best:
            return name
    return "" if best >= 2 else "en"


def is_foreign_to(text: str, language: str) -> bool:
    """Say whether a text has words of its own, and none of the commonest of a language."""
    if len(_LOWER_WORD.findall(text)) < 3:
        return False
    return not any(len(word) > 1 and language in _OF_WORD.get(word, ()) for word in raw_words(text))


def _mostly_other_script(text: str) -> bool:
    letters = [letter for letter in text[:2000] if letter.isalpha()]
    other = sum(ord(letter) > 0x24F for letter in letters)
    return bool(letters) and other * 3 > len(letters)
