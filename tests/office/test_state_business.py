"""The business figures' screen in a tab without a browser."""

import pytest

from fuel_app.accounts.rules import NotAllowed, Role
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from fuel_app.kit.policies import POLICIES
from fuel_app.office import service as figures
from fuel_app.office.state.settings import BusinessState
from tests.helpers.admins import AdminTab

pytestmark = pytest.mark.usefixtures("sqlite_database")

SCREEN = "/settings/business"
LATE = "Enter an amount from $0 to $100"


@pytest.fixture
async def admin() -> AdminTab:
    tab = await AdminTab.at(SCREEN)
    await tab.fire(BusinessState.load)
    return tab


def form(**differs: str) -> dict[str, str]:
    return {name: each.typed(each.default) for name, each in POLICIES.items()} | differs


async def test_a_figure_is_changed_with_undo_and_stands_in_the_history(admin):
    shown = await admin.screen(BusinessState)
    assert (shown.shown, shown.loading) == (form(), False)
    await admin.fire(BusinessState.submit, form(late_fee="$12"))
    assert shown.shown["late_fee"] == "12.00"
    assert [(line.label, line.what, line.who) for line in shown.changes] == [
        ("Late fee", "$15 → $12", "Grace Hopper")
    ]
    assert await admin.offered() == "1 figure changed"
    assert "Undone." in await admin.undo()
    await admin.fire(BusinessState.load)
    assert shown.shown["late_fee"] == "15.00"
    assert shown.changes[0].what == "$15 → $12 (undone)"


async def test_several_are_changed_at_once_or_none(admin):
    await admin.fire(BusinessState.submit, form())
    assert await admin.said() == ["Nothing to change"]
    await admin.fire(BusinessState.submit, form(late_fee="12", free_fill_cap="40"))
    assert await admin.offered() == "2 figures changed"


async def test_wrong_figures_are_named_and_checked_again_while_they_change(admin):
    shown = await admin.screen(BusinessState)
    assert await admin.fire(BusinessState.submit, form(late_fee="x")) == ["business_late_fee"]
    assert (shown.errors, shown.busy) == ({"late_fee": LATE}, False)
    await admin.fire(BusinessState.edit, form(late_fee="x"))
    assert shown.errors == {"late_fee": LATE}
    await admin.fire(BusinessState.edit, None)
    assert set(shown.errors) == set(POLICIES)
    await admin.fire(BusinessState.edit, form(late_fee="9"))
    assert shown.errors == {}


async def test_an_older_screen_overwrites_nothing(admin):
    other = await AdminTab.at(SCREEN, email="ada@example.com")
    await other.fire(BusinessState.load)
    await other.fire(BusinessState.submit, form(late_fee="12"))
    await admin.fire(BusinessState.submit, form(late_fee="9"))
    shown = await admin.screen(BusinessState)
    assert shown.error.startswith("Somebody else has changed 'Late fee' meanwhile.")
    assert shown.shown["late_fee"] == "12.00"


async def test_failures_are_said(admin, monkeypatch):
    shown = await admin.screen(BusinessState)
    async with transaction():  # nobody else can write
        monkeypatch.setattr("fuel_app.kit.db.session.BUSY_TIMEOUT_MS", 1)
        await admin.fire(BusinessState.submit, form(late_fee="9"))
    assert (shown.error, shown.busy) == (FAILED, False)

    async def fails(*, actor: object) -> None:
        raise RuntimeError("gone")

    monkeypatch.setattr(figures, "values", fails)
    await admin.fire(BusinessState.load)
    assert (shown.failed, shown.shown["late_fee"]) == (True, "15.00")


async def test_a_role_that_has_gone_empties_the_screen(admin, monkeypatch):
    async def refuses(*, actor: object) -> None:
        raise NotAllowed

    monkeypatch.setattr(figures, "values", refuses)
    await admin.fire(BusinessState.load)
    assert (await admin.screen(BusinessState)).shown == {}


async def test_a_dispatcher_sees_and_changes_nothing(admin):
    other = await AdminTab.at(SCREEN, Role.DISPATCHER, email="ada@example.com")
    await other.fire(BusinessState.load)
    await other.fire(BusinessState.submit, form(late_fee="0"))
    assert (await other.screen(BusinessState)).shown == {}
    await admin.fire(BusinessState.load)
    assert (await admin.screen(BusinessState)).changes == []
