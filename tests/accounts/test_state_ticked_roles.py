"""The ticked roles of a form, as a browser sends them."""

from typing import get_type_hints

import pytest
from reflex_base.utils.form import FORM_DATA_ENTRIES_KEY, transform_form_data

from fuel_app.accounts.state.people import InviteState, MemberState


@pytest.mark.parametrize("event", [InviteState.edit, InviteState.submit, MemberState.save_roles])
@pytest.mark.parametrize("ticked", [[], ["admin"], ["technician", "dispatcher"]])
def test_every_ticked_role_arrives(event, ticked):
    entries = [["email", "zoe@example.com"], *(["roles", role] for role in ticked)]
    hint = get_type_hints(event.fn)["form"]
    form = transform_form_data({FORM_DATA_ENTRIES_KEY: entries}, hint)
    assert (form["roles"], form["email"]) == (ticked, "zoe@example.com")
