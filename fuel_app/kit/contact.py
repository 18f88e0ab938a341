"""Rules for names, e-mail, phone and ZIP that all forms share.

A cleaner takes what was typed and returns the value to store, or raises ValueError with the
message to show beside the field.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

NAME_MAX = 100
TYPED_MAX = 10_000  # characters; cleaning a megabyte would block the event loop
EMAIL_MAX = 254  # RFC 5321, section 4.5.3.1.3
PHONE_DIGITS = 10
ZIP_DIGITS = 5

# The browser's own rule for <input type=email>, plus a dot in the domain.
_EMAIL = re.compile(
    r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+"
    r"(?:[a-z]{2,63}|xn--(?:[a-z0-9-]{0,58}[a-z0-9]))"  # the second: a name in other letters
)
_COUNTRY_CODE = re.compile(r"\s*\+\s*1")
JOINER = "\u200d"  # holds the parts of one emoji together

Cleaner = Callable[[object], Any]


def text(value: object) -> str:
    """Return one trimmed line without invisible characters, each run of white space as one space.

    An invisible character would make two names differ that look the same.
    """
    if not isinstance(value, str):
        return ""
    typed = value[:TYPED_MAX]
    if typed.isascii() and typed.isprintable():  # fast path: an import cleans 400,000 of these
        return " ".join(typed.split())
    visible = (
        " " if character.isspace() else character
        for character in typed
        if character.isspace()
        or character == JOINER
        or unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co"}
    )
    words = (word.strip(JOINER) for word in "".join(visible).split())
    return unicodedata.normalize("NFC", " ".join(word for word in words if word))


def name(label: str, longest: int = NAME_MAX) -> Cleaner:
    """Return a cleaner for a required line of text that its messages call `label`."""

    def clean(value: object) -> str:
        line = text(value)
        if not line:
            raise ValueError(f"{label} is required")
        if len(line) > longest:
            raise ValueError(f"{label} must be {longest} characters or fewer")
        return line

    return clean


def lines(label: str, longest: int) -> Cleaner:
    """Return a cleaner for a text of any number of lines, each cleaned by itself."""

    def clean(value: object) -> str:
        typed = value if isinstance(value, str) else ""
        cleaned = "\n".join(text(line) for line in typed[:TYPED_MAX].splitlines()).strip()
        if len(typed) > TYPED_MAX or len(cleaned) > longest:
            raise ValueError(f"{label} must be {longest:,} characters or fewer")
        return cleaned

    return clean


def one_of(label: str, options: Sequence[str]) -> Cleaner:
    """Return a cleaner for a choice among `options`."""

    def clean(value: object) -> str:
        typed = value.strip() if isinstance(value, str) else ""
        if typed not in options:
            raise ValueError(f"{label} is required")
        return typed

    return clean


def email(value: object) -> str:
    """Return the address trimmed and lower-cased; dots and plus tags stay."""
    address = value.strip().lower() if isinstance(value, str) else ""
    if len(address) > EMAIL_MAX or not _EMAIL.fullmatch(address):
        raise ValueError("Invalid email address")
    return address


def mailbox(address: str) -> str:
    """Return where mail to an address arrives: without the plus tag."""
    name, _, domain = address.rpartition("@")
    return f"{name.partition('+')[0]}@{domain}"


def phone(value: object) -> str:
    """Return ten digits; only a written-out +1 in front is dropped first."""
    typed = value if isinstance(value, str) and len(value) <= NAME_MAX else ""
    prefix = _COUNTRY_CODE.match(typed)
    digits = re.sub(r"[^0-9]", "", typed[prefix.end() :] if prefix else typed)
    if len(digits) != PHONE_DIGITS:
        raise ValueError("Phone number must be 10 digits")
    return digits


def phone_text(digits: str) -> str:
    """Format ten digits as '(941) 555-0123'; an empty text stays empty."""
    return f"({digits[:3]}) {digits[3:6]}-{digits[6:]}" if digits else ""


def phone_shown(phone: str) -> str:
    """Return a stored phone as it is shown: ten digits are formatted, another stays as typed."""
    return phone_text(phone) if phone.isdecimal() else phone


def dialed(phone: str) -> str:
    """Return what a `tel:` link holds: the digits of a number as typed, its extension apart."""
    digits = re.sub(r"[^0-9]", "", phone)
    number = digits.removeprefix("1") if len(digits) > PHONE_DIGITS else digits
    extension = number[PHONE_DIGITS:]
    return f"{number[:PHONE_DIGITS]};ext={extension}" if extension else number


def sender_text(number: str | None) -> str:
    """Return our own number of text messages, such as +19415550100, as a reader can type it."""
    if number and number.startswith("+1"):
        return phone_text(number[2:])
    return "the number of our text messages"


def zip_code(value: object) -> str:
    typed = value.strip() if isinstance(value, str) else ""
    if not re.fullmatch(rf"[0-9]{{{ZIP_DIGITS}}}", typed):
        raise ValueError("ZIP code must be 5 digits")
    return typed


def is_zip_code(value: object) -> bool:
    return not problem(zip_code, value)


def problem(clean: Cleaner, value: object) -> str:
    """Return what is wrong with a value, or an empty text."""
    try:
        clean(value)
    except ValueError as error:
        return str(error)
    return ""
