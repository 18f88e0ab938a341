"""Preview tabs that are open when the company opens."""

import pytest

from fuel_app.areas.rules.areas import AreaForm
from fuel_app.areas.service import areas
from fuel_app.customers.state.customer import CustomerState
from fuel_app.kit.ui.toast import ToastState
from tests.helpers.admins import AdminTab
from tests.helpers.tabs import redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")


async def test_the_next_event_of_a_preview_says_that_we_have_opened_and_drops_its_sample():
    visitor = tab_at("/account")
    shown = await visitor.get_state(CustomerState)
    await run(CustomerState.arrive.fn(shown))  # type: ignore[attr-defined]
    assert shown.card.name == "Sarah Johnson"
    actor = (await AdminTab.at("/settings/areas")).actor
    form = AreaForm.parse({"name": "Sarasota", "zips": "34236"})
    await areas.open_area(await areas.create(form, actor=actor), passed_over=True, actor=actor)
    sent = await run(CustomerState.arrive.fn(shown))  # type: ignore[attr-defined]
    assert [redirected(each) for each in sent] == ["/sign-in?next=%2Faccount"]
    assert shown.card.name == ""
    said = [toast.text for toast in (await visitor.get_state(ToastState)).toasts]
    assert said == ["We have opened: sign in or get started"]
