# ruff: noqa: E501 (a table of words reads better with one group a line)
"""Which of the languages that the rules read an answer is written in."""

from __future__ import annotations

from ragharness.language.vocabulary import raw_words

_MARKS = {
    "en": "the of and to in is are was were for by with not it that this be on as at from or may shall must no yes which an have has does any i you",
    "es": "el los las del que en es para con no una por se su lo son como más está al este esta puede sobre pero ni sin entre",
    "de": "der die das in am tritt wird zum zur vom und ist nicht ein eine zu den mit von für auf dem des im es sich wird kann darf keine ich sie werden oder auch dass nach bei",
    "fr": "le les des est et dans pour que qui une pas ne sur du au aux ce cette par il elle sont avec être peut aucun nous je sans ou leur",
    "it": "il che di non della è sono nel gli per una con del alla anche può questo dei delle nella ma si lo più essere contratto ho nei su alcuna alcun trovato dal ai agli",
    "pt": "o os não uma em são do da que para com dos das no na mais foi ser pelo pela ao é está pode sobre documento acordo",
    "nl": "de het een niet van is en op te dat zijn voor met aan er door wordt kan mag geen deze ook bij naar of",
    "sv": "och att det som en på är av för inte med den till ett om har kan får ska avtalet från",
    "pl": "i w nie na z do się jest to że o przez jak oraz lub dla może umowa od po",
}
_OF_WORD: dict[str, list[str]] = {}
for _name, _words in _MARKS.items():
    for _word in dict.fromkeys(_words.split()):
        _OF_WORD.setdefault(_word, []).append(_name)
READ = ("en", "es", "de", "fr")


def language_of(text: str) -> str:
    """Return "en", "es", "de" or "fr"; empty when the text is in another language; "en" when too short to tell."""
    if not text.isascii() and _mostly_other_script(text):
        return ""
    words = raw_words(text[:2000])
    scores = dict.fromkeys(_MARKS, 0)
    for word in words:
        for name in _OF_WORD.get(word, ()):
            scores[name] += 1
    best = max(scores.values())
    if best == 0:
        return "en" if len({word for word in words if word.isalpha()}) < 10 else ""
    for name in READ:
        if scores[name] == best:
            return name
    return "" if best >= 2 else "en"


def _mostly_other_script(text: str) -> bool:
    letters = [letter for letter in text[:2000] if letter.isalpha()]
    other = sum(ord(letter) > 0x24F for letter in letters)
    return bool(letters) and other * 2 > len(letters)
