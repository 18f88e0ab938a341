"""The words of the Login History."""

import pytest

from fuel_app.accounts.queries import login_history
from fuel_app.accounts.rules import Role
from fuel_app.accounts.service import staff
from fuel_app.accounts.service.security import _history_row
from fuel_app.customers.state.security import OwnSecurityState
from fuel_app.kit import clock
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import transaction
from tests.customers.owner import Owner


def test_an_entry_that_repeats_its_kind_says_it_once():
    known = dict.fromkeys(("action_id", "noun", "subject_id", "actor", "request_id"), "x")
    after = {"what": "New recovery codes"}
    entry = AuditEntry(kind="recovery_codes", at=clock.now(), after=after, **known)
    assert _history_row(entry).event == "New recovery codes"


@pytest.mark.usefixtures("sqlite_database")
async def test_the_first_roles_are_the_creation_and_the_staffs_notes_are_not_shown():
    owner = await Owner.signed_in(Role.CUSTOMER)
    everything = frozenset({Role.CUSTOMER, Role.DISPATCHER})
    async with transaction() as session:
        await staff.note_roles(session, owner.id, owner.id, (), {Role.CUSTOMER})
        await staff.note_roles(session, "system", owner.id, {Role.CUSTOMER}, everything)
        await login_history.record(session, "note_added", owner.id, actor="system")
    await owner.fire(OwnSecurityState.arrive)
    assert [row.event for row in (await owner.card()).history] == [
        "Roles changed",
        "Account created",
    ]
