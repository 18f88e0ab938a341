"""Normalize text for searching: without case, accents and punctuation."""

import unicodedata

WORDS_MOST = 8  # that are looked for; more of them find nothing new
_LETTERS = str.maketrans(  # which no accent is taken off from
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"}
)
_INSIDE_WORDS = frozenset("'’ʼ`´")  # noqa: RUF001 ("O'Neil" is one word)


def searchable(text: str) -> str:
    """Return the letters and digits of a text in words: 'Łukasz O'Neil' is 'lukasz oneil'."""
    kept = []
    for each in unicodedata.normalize("NFKD", text).casefold().translate(_LETTERS):
        if each.isalnum():
            kept.append(each)
        elif not unicodedata.combining(each) and each not in _INSIDE_WORDS:
            kept.append(" ")
    return " ".join("".join(kept).split())


def words_of(typed: str) -> tuple[str, ...]:
    """Return the words to look for in searchable texts, each once."""
    return tuple(dict.fromkeys(searchable(typed).split()))[:WORDS_MOST]
