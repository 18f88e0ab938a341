"""Names, e-mails, phones and ZIP codes: validation and normalization."""

import unicodedata
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.kit import contact

ZWJ = "\u200d"
FAMILY = f"👨{ZWJ}👩{ZWJ}👧"
NOT_TEXT = (None, 5, 5.5, True, [], ["Ada"], {}, {"a": 1}, b"Ada", object())

name = contact.name("First name")


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("Ada", "Ada"),
        ("Mary \t Ann\nLee", "Mary Ann Lee"),
        ("O'Brien-Núñez", "O'Brien-Núñez"),
        (FAMILY, FAMILY),
        ("e\u0301", "é"),
        ("e\u200b\u0301", "é"),
        ("A\u200bd\u2060a\ufeff", "Ada"),
        ("\u202eAda\u202c", "Ada"),
        ("A\ud800da", "Ada"),
        (f"{ZWJ}Ada{ZWJ}", "Ada"),
        (f"Ada{ZWJ} {ZWJ}Lee", "Ada Lee"),
    ],
)
def test_name_is_one_line_of_visible_characters(typed, stored):
    assert name(typed) == stored


@pytest.mark.parametrize(
    "typed", ["", " ", "\t\r\n", "\u3000", "\u200b\ufeff", "\x00", ZWJ, f"{ZWJ} {ZWJ}", *NOT_TEXT]
)
def test_empty_or_invisible_name_is_refused(typed):
    with pytest.raises(ValueError, match="First name is required"):
        name(typed)


def test_name_may_have_100_characters_after_trimming():
    assert name(f" {'a' * 100} ") == "a" * 100


@pytest.mark.parametrize("typed", ["a" * 101, "👩" * 101])
def test_longer_name_is_refused(typed):
    with pytest.raises(ValueError, match="First name must be 100 characters or fewer"):
        name(typed)


def test_text_is_cut_at_its_limit():
    assert contact.text("a" * 10_000_000) == "a" * contact.TYPED_MAX


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("ada@example.com", "ada@example.com"),
        ("  ADA@Example.COM\n", "ada@example.com"),
        ("o'brien_1%x@sub.example.co.uk", "o'brien_1%x@sub.example.co.uk"),
        ("ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"),
        ("ada@xn--e1afmkfd.XN--P1AI", "ada@xn--e1afmkfd.xn--p1ai"),
        (f"{'a' * 242}@example.com", f"{'a' * 242}@example.com"),
    ],
)
def test_email_is_trimmed_and_lower_cased(typed, stored):
    assert contact.email(typed) == stored


def test_a_mailbox_has_no_plus_tag():
    for address in ("a.d.a@example.com", "a.d.a+fuel@example.com", "a.d.a+1+2@example.com"):
        assert contact.mailbox(address) == "a.d.a@example.com"


@pytest.mark.parametrize(
    "typed",
    [
        "(941) 555-0123",
        "+19415550123",
        " + 1 941 555 0123",
    ],
)
def test_phone_is_stored_as_ten_digits(typed):
    assert contact.phone(typed) == "9415550123"


@pytest.mark.parametrize("typed", ["34236", " 34236\n", "00501"])
def test_zip_code_is_five_digits(typed):
    assert contact.zip_code(typed) == typed.strip()


INVALID = {
    "Invalid email address": (
        contact.email,
        [
            "",
            "ada",
            "ada@example",
            "ada@@example.com",
            "ada@-example.com",
            "ada@example.123",
            "ada@example.xn--p1-",
            "ada@example.com,bob@example.com",
            "ada@example.com\nbcc: bob@example.com",
            "Ada <ada@example.com>",
            "\u0430da@example.com",  # a Cyrillic a
            f"{'a' * 243}@example.com",
            f"ada@{'a' * 64}.example",
            "a@" * 5_000,
        ],
    ),
    "Phone number must be 10 digits": (
        contact.phone,
        [
            "",
            "94155501234",
            "+1 941 555 012",
            "+44 941 555 0123",
            "(+1) 941 555 0123",
            "９４１５５５０１２３",  # noqa: RUF001 (full-width digits)
            "9415550123" + " " * 100,
        ],
    ),
    "ZIP code must be 5 digits": (
        contact.zip_code,
        [
            "",
            "34236-1234",
            "3423a",
            "３４２３６",  # noqa: RUF001 (full-width digits)
            "²³⁴⁵⁶",
            34236,
        ],
    ),
}


@pytest.mark.parametrize(
    ("message", "clean", "typed"),
    [
        (message, clean, typed)
        for message, (clean, values) in INVALID.items()
        for typed in (*values, *NOT_TEXT)
    ],
)
def test_invalid_value_is_refused_with_its_message(message, clean, typed):
    with pytest.raises(ValueError, match=message):
        clean(typed)


any_text = st.text() | st.text(
    alphabet=[*"aA1 @.+-\n\t", "\u200b", ZWJ, "\u0301", "\u00a0", "\x00", "👩", "\ud800"]
)
VALID = {  # what a cleaner may return
    name: lambda text: len(text) <= contact.NAME_MAX and unicodedata.is_normalized("NFC", text),
    contact.email: lambda text: text.isascii() and text == text.lower(),
    contact.phone: lambda text: text.isascii() and text.isdigit() and len(text) == 10,
    contact.zip_code: lambda text: text.isascii() and text.isdigit() and len(text) == 5,
}


@given(
    any_text
    | st.emails()
    | st.text(alphabet="0123456789+()-. ", max_size=20)
    | st.from_regex(r"\s*\d{4,6}\s*")
)
@pytest.mark.parametrize("clean", VALID, ids=["name", "email", "phone", "zip"])
def test_any_text_is_refused_or_cleaned_to_a_valid_value_that_is_stable(clean, typed):
    with suppress(ValueError):
        stored = clean(typed)
        assert clean(stored) == stored
        assert stored.encode()  # not empty, no lone surrogate
        assert VALID[clean](stored)


def test_phone_is_formatted_for_display():
    assert contact.phone_text("9415550123") == "(941) 555-0123"
    assert contact.phone(contact.phone_text("9415550123")) == "9415550123"
    assert contact.phone_text("") == ""  # an imported lead may have none


@given(st.text(st.characters(codec="ascii")))
def test_ascii_fast_path_gives_the_same_text(typed):
    with_another = contact.text(f"{typed}é")  # goes the long way
    assert with_another == contact.text(f"{typed}x")[:-1] + "é"


@pytest.mark.parametrize(
    ("typed", "dialed"),
    [
        ("9415550101", "9415550101"),
        ("+1 (941) 555-0101", "9415550101"),
        ("941.555.0101 ext. 7", "9415550101;ext=7"),
        ("555-0101", "5550101"),
        ("", ""),
    ],
)
def test_number_as_typed_is_dialed_by_its_digits(typed, dialed):
    assert contact.dialed(typed) == dialed
