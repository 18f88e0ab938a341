"""Networks, codes of second factors, and when security may be changed."""

import base64
from datetime import UTC, datetime, timedelta

import pytest
from pyotp.totp import TOTP

from fuel_app.accounts.rules import SYSTEM, Actor, NotAllowed, Role, Session, network_of
from fuel_app.accounts.rules.security import (
    ReauthenticationNeeded,
    bare_code,
    describe_factors,
    group_seed,
    new_recovery_codes,
    require_reauthentication,
    totp_address,
    totp_step,
)
from fuel_app.accounts.rules.staff import Invite


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.7", "203.0.x.x"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1::"),
        ("2001:db8::5", "2001:db8::"),
        ("::1", "::"),
        ("::ffff:203.0.113.7", "203.0.x.x"),
        ("", ""),
        ("unknown", ""),
        ("a.b.c.d", ""),
    ],
)
def test_an_owner_sees_the_network_not_the_address(address, network):
    assert network_of(address) == network


ZOE = "zoe@example.com"


@pytest.mark.parametrize("chosen", [None, [], "boss", ["customer"], [None, {}], 7])
async def test_an_invitation_needs_a_role_of_the_staff(chosen):
    problems = Invite.problems({"email": ZOE, "roles": chosen})
    assert problems["roles"] == "Choose at least one role"


def test_one_ticked_box_is_one_role():
    assert Invite.parse({"email": ZOE, "roles": "admin"}).roles == {Role.ADMIN}


SEED = base64.b32encode(b"12345678901234567890").decode()  # of RFC 6238's appendix B


NOW = datetime(2026, 3, 9, 12, 0, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("methods", "passkeys", "words"),
    [
        ((), 0, ""),
        (("passkey",), 1, "a passkey"),
        (("app", "passkey"), 2, "2 passkeys, an authenticator app"),
        (("app", "sms", "recovery"), 0, "an authenticator app, text message codes, recovery codes"),
    ],
)
def test_factors_in_words(methods, passkeys, words):
    assert describe_factors(methods, passkeys) == words


@pytest.mark.parametrize(
    ("at", "code"),
    [(59, "287082"), (1111111109, "081804"), (1234567890, "005924"), (20000000000, "353130")],
)
def test_codes_are_those_of_rfc_6238(at, code):
    assert totp_step(SEED, code, datetime.fromtimestamp(at, UTC), 0) == at // 30


@pytest.mark.parametrize(("late_s", "right"), [(-60, False), (-30, True), (30, True), (60, False)])
def test_a_code_is_good_one_step_early_or_late(late_s, right):
    code = TOTP(SEED).at(NOW)
    assert (totp_step(SEED, code, NOW + timedelta(seconds=late_s), 0) is not None) is right


def test_a_step_that_was_used_is_no_good_again():
    code = TOTP(SEED).at(NOW)
    step = totp_step(SEED, code, NOW, 0)
    assert step
    assert totp_step(SEED, code, NOW, step) is None
    assert totp_step(SEED, code, NOW + timedelta(seconds=30), step) is None


@pytest.mark.parametrize(
    "typed",
    [None, 287082, "", "28708", "x" * 50, "\uff12\uff18\uff17\uff10\uff18\uff12", "\ud800", []],
)
def test_anything_else_is_no_code(typed):
    assert totp_step(SEED, typed, datetime.fromtimestamp(59, UTC), 0) is None


def test_a_code_may_be_typed_with_spaces():
    assert totp_step(SEED, " 287 082 ", datetime.fromtimestamp(59, UTC), 0) == 1


def test_the_address_names_the_site_and_the_account():
    address = totp_address(SEED, "ada@example.com", "Gulf & Sons")
    assert address.startswith("otpauth://totp/Gulf%20%26%20Sons:ada%40example.com?")
    assert f"secret={SEED}" in address


def test_a_seed_is_shown_in_groups_of_four():
    assert group_seed("ABCDEFGHIJ") == "ABCD EFGH IJ"


def test_recovery_codes_are_ten_and_differ():
    codes = new_recovery_codes()
    assert len(set(codes)) == 10
    assert all(len(code) == 14 and code.count("-") == 2 for code in codes)


@pytest.mark.parametrize("typed", ["3F9A-02bc-77e1", " 3f9a02bc77e1 ", "3f9a 02bc 77e1"])
def test_a_recovery_code_may_be_typed_otherwise(typed):
    assert bare_code(typed) == "3f9a02bc77e1"


@pytest.mark.parametrize("typed", [None, 7, "x" * 100])
def test_anything_else_is_no_recovery_code(typed):
    assert bare_code(typed) == ""


def _session(**differs) -> Session:
    return Session("s", NOW, NOW, **differs)


def test_security_is_changed_within_ten_minutes_of_a_proof():
    session = _session(person_id="p", proved_at=NOW)
    assert require_reauthentication(session, NOW + timedelta(minutes=10)) == "p"
    with pytest.raises(ReauthenticationNeeded):
        require_reauthentication(session, NOW + timedelta(minutes=11))
    with pytest.raises(ReauthenticationNeeded):
        require_reauthentication(_session(person_id="p"), NOW)


@pytest.mark.parametrize("owner", [{}, {"sign_up_id": "u"}])
def test_nobody_but_a_person_has_security_to_change(owner):
    with pytest.raises(NotAllowed):
        require_reauthentication(_session(proved_at=NOW, **owner), NOW)


def test_a_visitor_is_not_named_as_the_system():
    assert (str(SYSTEM), str(Actor())) == ("system", "visitor")
