"""Suggestions for the location field that a visitor is typing in."""

import uuid

import reflex as rx

from fuel_app.areas import service as places


class LocationSearch(rx.State):
    """The latest suggestions of one tab, and the text that they are for."""

    ready: bool = False
    asked: str = ""
    suggestions: list[str] = []

    _session: str = ""

    @rx.event(background=True)
    async def prepare(self):
        """A location field shows: make the search ready, and start a session of typing."""
        await places.prepare()
        async with self:
            self.ready, self._session = True, str(uuid.uuid4())

    @rx.event(background=True, supersedes=True)
    async def suggest(self, text: str):
        """Look up what the text may become. A newer question makes an older one void."""
        found = await places.suggest(
            text, session=self._session, address=self.router.session.client_ip
        )
        async with self:
            self.suggestions, self.asked = found, (text if found else "")

    @rx.event
    def pick(self):
        """A suggestion was taken, which ends the session of typing."""
        self.suggestions, self.asked, self._session = [], "", str(uuid.uuid4())
