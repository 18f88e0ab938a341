"""The form of an invitation."""

import pytest

from fuel_app.accounts.rules import Role
from fuel_app.accounts.rules.staff import Invite

ZOE = "zoe@example.com"


@pytest.mark.parametrize("chosen", [None, [], "boss", ["customer"], [None, {}], 7])
async def test_an_invitation_needs_a_role_of_the_staff(chosen):
    problems = Invite.problems({"email": ZOE, "roles": chosen})
    assert problems["roles"] == "Choose at least one role"


def test_one_ticked_box_is_one_role():
    assert Invite.parse({"email": ZOE, "roles": "admin"}).roles == {Role.ADMIN}
