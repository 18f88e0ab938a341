"""The frame of customers' screens."""

import re

from fuel_app import routes
from fuel_app.customers.ui.page import user_menu


def test_log_out_ends_the_session_of_a_person_who_looks_at_the_preview():
    before, _, _ = str(user_menu(routes.DASHBOARD)).partition(routes.SIGN_OUT)
    assert re.findall(r"(\w+)_rx_state_\s*\?", before)[-1].endswith("is_person")
