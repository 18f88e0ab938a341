"""Arriving at a screen that shows what its address names."""

from uuid import uuid4

from fuel_app.server.reflex.private_tabs import PrivateScreen


class Arriving(PrivateScreen, mixin=True):
    """A screen whose events answer the address when the page opens and after Back.

    Until then a tab holds what it has shown before, such as another customer: `once_arrived` shows
    nothing of it, and `address_mirror` writes nothing of it into the address.
    """

    arrival: str = ""  # an id and the address that was answered; empty as the page is loaded

    def _arrived(self) -> None:
        """Say that the address is answered: the screen shows what it names."""
        url = self.router.url
        asked = f"{url.path}?{url.query}" if url.query else url.path
        self.arrival = f"{uuid4()} {asked}"

    def _start_over(self) -> None:
        arrival = self.arrival  # the address stays answered
        super()._start_over()
        self.arrival = arrival
