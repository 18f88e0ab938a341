"""The rule for people's passwords."""

import time

import pytest

from fuel_app.accounts.rules.passwords import check_password
from fuel_app.accounts.service import passwords

OWN = ("Ada", "Lovelace", "ada.lovelace@engines.example")


def refusal(password: object) -> str:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (its message is returned)
        check_password(password, *OWN)
    return str(refused.value)


@pytest.mark.parametrize("password", ["Tr0ub4dor&3", "engine-1843-loom", "ü" * 3 + "9?kvTzw" * 2])
def test_a_strong_password_is_returned_as_it_is(password):
    assert check_password(password, *OWN) == password


@pytest.mark.parametrize(
    ("password", "message"),
    [
        ("a1!", "Password must be at least 8 characters"),
        (None, "Password must be at least 8 characters"),
        (["engine-1843-loom"], "Password must be at least 8 characters"),
        ("kq7!" * 32 + "x", "Password must be 128 characters or fewer"),
        ("vexed-loom-\ud800-1843", "Password contains a character that cannot be used"),
        ("vexed-loom-engine", "Password must contain a number"),
        ("vexed loom 1843", "Password must contain a symbol, such as ! or ?"),
    ],
)
def test_length_and_characters_are_checked_first(password, message):
    assert refusal(password) == message


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("Lovelace1!", "it contains your name or email"),
        ("engines2?", "it contains your name or email"),
        ("P@ssw0rd1", "it is close to a common password"),
        ("sdfghjkl;'2", "it follows a row of keys"),
        ("aaaaaaaaaa1!", "it repeats itself"),
        ("12/31/1999", "it contains a date"),
        ("abcdefgh1!", "it contains a sequence such as abc or 123"),
        ("%k!7&x)?", "add a few more characters"),
    ],
)
def test_an_easy_password_is_refused_with_the_reason(password, why):
    assert refusal(password) == f"This password is easy to guess: {why}"


def test_the_first_72_characters_decide():
    assert "easy to guess" in refusal("a" * 71 + "1" + "!kX9-vQ2_zR7+")
    assert check_password("engine-1843-loom" + "a" * 100, *OWN)


def test_a_password_of_all_substituted_letters_takes_no_seconds():
    started = time.process_time()
    check_password("4@8({[<369!1|70$5+%2" * 6, *OWN)
    assert time.process_time() - started < 0.8  # 2.1 s if all of it were rated


@pytest.mark.parametrize("own", [("",), ("A",), ("\x00" * 5000,), ("\ud800\udfff",) * 50])
def test_odd_names_change_nothing(own):
    assert check_password("engine-1843-loom", *own)


async def test_the_check_runs_beside_the_event_loop():
    assert await passwords.check("engine-1843-loom", *OWN) == "engine-1843-loom"
    with pytest.raises(ValueError, match="your name"):
        await passwords.check("Lovelace1!", *OWN)


@pytest.mark.parametrize(
    "own", [("Ada", "Lovelace", "x@example.com"), ("Ada", "Byron", "ada.LOVELACE@example.com")]
)
def test_a_password_that_holds_the_own_name_or_email_is_refused(own):
    with pytest.raises(ValueError, match="it contains your name or email"):
        check_password("lovelace 1815! over the bay", *own)


def test_a_short_name_and_the_mail_provider_may_stand_in_a_password():
    password = "a planned gull 7 on gmail!"
    assert check_password(password, "Ann", "Li", "ann@gmail.com") == password
