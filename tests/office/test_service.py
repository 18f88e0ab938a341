"""Business figures: changed by admins alone, logged, undone."""

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.policies import POLICIES, PolicyChanged
from fuel_app.office import service as office
from tests.helpers.people import a_person
from tests.helpers.undoing import undone

pytestmark = pytest.mark.usefixtures("database")


async def admin() -> Actor:
    person = await a_person(Role.ADMIN)
    return Actor(frozenset({Role.ADMIN}), person_id=person.id)


def typed(**differs: str) -> dict[str, str]:
    return {name: each.typed(each.default) for name, each in POLICIES.items()} | differs


async def test_a_change_is_kept_with_who_and_undone():
    actor = await admin()
    seen = await office.values(actor=actor)
    done = await office.change(seen, typed(late_fee="12.50", deletion_days="7"), actor=actor)
    assert done.changed == 2
    values = await office.values(actor=actor)
    assert (values["late_fee"], values["deletion_days"]) == (1250, 7)
    changes = {(c.label, c.what, c.who) for c in await office.list_changes(actor=actor)}
    assert changes == {
        ("Late fee", "$15 → $12.50", "Ada Lovelace"),
        ("Deleted accounts are emptied after", "30 days → 7 days", "Ada Lovelace"),
    }
    await undone(done.action_id, actor)
    assert await office.values(actor=actor) == seen
    assert all(
        change.what.endswith("(undone)") for change in await office.list_changes(actor=actor)
    )


async def test_an_undo_does_not_discard_a_later_change():
    actor = await admin()
    seen = await office.values(actor=actor)
    done = await office.change(seen, typed(late_fee="12.50"), actor=actor)
    await office.change(seen | {"late_fee": 1250}, typed(late_fee="9"), actor=actor)
    with pytest.raises(PolicyChanged):
        await undone(done.action_id, actor)
    assert (await office.values(actor=actor))["late_fee"] == 900


async def test_wrong_texts_are_named_and_nothing_changes():
    actor = await admin()
    seen = await office.values(actor=actor)
    with pytest.raises(InvalidForm) as refused:
        await office.change(seen, typed(late_fee="a lot", deletion_days="0"), actor=actor)
    assert refused.value.messages == {
        "deletion_days": "Enter a whole number from 1 to 90",
        "late_fee": "Enter an amount from $0 to $100",
    }
    assert await office.values(actor=actor) == seen


@pytest.mark.parametrize("role", [Role.DISPATCHER, Role.TECHNICIAN, Role.CUSTOMER])
async def test_nobody_but_an_admin_reaches_figures(role):
    actor = Actor(frozenset({role}), person_id=new_id())
    for call in (
        office.values(actor=actor),
        office.list_changes(actor=actor),
        office.change({}, typed(), actor=actor),
    ):
        with pytest.raises(NotAllowed):
            await call
