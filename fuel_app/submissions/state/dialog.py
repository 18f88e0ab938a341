"""The dialogs of the list of leads."""

import reflex as rx


class Dialog(rx.State, mixin=True):
    """A dialog of which one at a time is open: a link leads to a lead while another is open, or a
    second press comes before the first has opened anything."""

    opened: bool = False

    async def _open(self) -> None:
        """Open it in the place of the one that is open."""
        for dialog in rx.State.get_substates():
            if issubclass(dialog, Dialog):
                (await self.get_state(dialog)).opened = False
        self.opened = True
