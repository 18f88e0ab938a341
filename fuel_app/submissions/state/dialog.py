"""The dialogs of the list of leads."""

import reflex as rx


class Dialog(rx.State, mixin=True):
    """One at a time: a link leads to a lead while another dialog is open, or a second press comes
    before the first has opened anything."""

    opened: bool = False

    async def _open(self) -> None:
        """In the place of whichever is open."""
        for dialog in rx.State.get_substates():
            if issubclass(dialog, Dialog):
                (await self.get_state(dialog)).opened = False
        self.opened = True
