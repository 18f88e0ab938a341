"""How much waits for staff, as the navigation of each of their screens shows it."""

import reflex as rx

from fuel_app.accounts.state.session import StaffScreen


class WaitingState(StaffScreen, rx.State):
    """The number in the navigation: `attention/state.py` keeps it up to date."""

    total: int = 0
