"""The rule for people's passwords."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from zxcvbn import zxcvbn

PASSWORD_LEAST = 8
PASSWORD_MAX = 128
PASSWORD_RULE = f"Minimum {PASSWORD_LEAST} characters with numbers and symbols"
STRONG = 3  # zxcvbn's score, from 0 to 4

_RATED = 72  # characters; zxcvbn rates no more
_WORD_LEAST = 3  # shorter words of one's own tell nothing
_OWN_MAX = 20
_OWN_LEAST = 4  # characters; 'Ann' stands in 'planned'
# zxcvbn tries every reading of these together, which takes seconds for a text made of them all.
_READ_AS_LETTERS = frozenset("4@8({[<369!1|70$5+%2")
_READ_MAX = 8
_RATED_LEAST = 16

_WHY = {
    "user_inputs": "it contains your name or email",
    "passwords": "it is close to a common password",
    "english_wikipedia": "it is made of common words",
    "us_tv_and_film": "it is made of common words",
    "male_names": "it is made of common names",
    "female_names": "it is made of common names",
    "surnames": "it is made of common names",
    "spatial": "it follows a row of keys",
    "repeat": "it repeats itself",
    "sequence": "it contains a sequence such as abc or 123",
    "regex": "it contains a recent year",
    "date": "it contains a date",
}
_TOO_SHORT_A_MIX = "add a few more characters"


def check_password(password: object, *own: str) -> str:
    """Return the password. Rating it takes up to 0.1 s: not for the event loop.

    Args:
        own: The person's name and e-mail, which it may not hold.

    Raises:
        ValueError: With the message for the reader.
    """
    typed = well_formed_password(password)
    if _holds_own(typed, own):
        raise ValueError(f"This password is easy to guess: {_WHY['user_inputs']}")
    rated = zxcvbn(_rated(typed), _words(own))
    if rated["score"] < STRONG:
        raise ValueError(f"This password is easy to guess: {_reason(rated['sequence'])}")
    return typed


def well_formed_password(password: object) -> str:
    """Return the password if its length and characters are right, at no cost.

    Raises:
        ValueError: With the message for the reader.
    """
    typed = password if isinstance(password, str) else ""
    if len(typed) < PASSWORD_LEAST:
        raise ValueError(f"Password must be at least {PASSWORD_LEAST} characters")
    if len(typed) > PASSWORD_MAX:
        raise ValueError(f"Password must be {PASSWORD_MAX} characters or fewer")
    if any("\ud800" <= character <= "\udfff" for character in typed):
        raise ValueError("Password contains a character that cannot be used")
    if not any(character.isdigit() for character in typed):
        raise ValueError("Password must contain a number")
    if all(character.isalnum() or character.isspace() for character in typed):
        raise ValueError("Password must contain a symbol, such as ! or ?")
    return typed


def _holds_own(password: str, own: tuple[str, ...]) -> bool:
    """Return whether a name, or a part of an e-mail before its @, stands in a password."""
    folded = password.casefold()
    parts = (part for text in own for part in re.split(r"[\W_]+", text.partition("@")[0]))
    return any(len(part) >= _OWN_LEAST and part.casefold() in folded for part in parts)


def _rated(password: str) -> str:
    """Return the part to rate: a longer part is never easier to guess."""
    end, seen = 0, set[str]()
    for end, character in enumerate(password[:_RATED], start=1):
        seen.update(_READ_AS_LETTERS.intersection(character))
        if len(seen) > _READ_MAX and end >= _RATED_LEAST:
            break
    return password[:end]


def _words(own: tuple[str, ...]) -> list[str]:
    parts = (part for text in own for part in (text, *re.split(r"[\W_]+", text)))
    return [part[:_RATED] for part in parts if len(part) >= _WORD_LEAST][:_OWN_MAX]


def _reason(sequence: Sequence[Mapping[str, Any]]) -> str:
    """Return why a password is easy to guess: its own words, else its longest known part."""
    matches = [part for part in sequence if part["pattern"] != "bruteforce"]
    matches.sort(
        key=lambda part: (part.get("dictionary_name") == "user_inputs", len(part["token"]))
    )
    if not matches:
        return _TOO_SHORT_A_MIX
    return _WHY[matches[-1].get("dictionary_name", matches[-1]["pattern"])]
