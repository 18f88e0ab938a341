"""Suggestions for the location field that a visitor is typing in."""

import uuid

import reflex as rx

from fuel_app.areas.service import places


class LocationSearch(rx.State):
    """The latest suggestions of one tab and the text that they complete."""

    ready: bool = False
    asked: str = ""
    suggestions: list[str] = []

    _session: str = ""

    @rx.event(background=True)
    async def prepare(self):
        """Load the search when a location field is mounted, and start a session of typing."""
        await places.prepare()
        async with self:
            self.ready, self._session = True, str(uuid.uuid4())

    @rx.event(background=True, supersedes=True)
    async def suggest(self, text: str):
        """Suggest completions; a newer question supersedes an older one."""
        found = await places.suggest(
            text, session=self._session, address=self.router.session.client_ip
        )
        async with self:
            self.suggestions, self.asked = found, (text if found else "")

    @rx.event
    def pick(self):
        """End the session of typing when a suggestion is picked."""
        self.suggestions, self.asked, self._session = [], "", str(uuid.uuid4())
