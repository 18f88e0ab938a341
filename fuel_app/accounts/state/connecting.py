"""Who is at the door is asked before a tab is told what its state holds."""

from reflex.app import App
from reflex.middleware.middleware import Middleware
from reflex.state import BaseState, StateUpdate
from reflex_base.constants import CompileVars
from reflex_base.event import Event

from fuel_app.accounts.state.session import StaffState

_CONNECTING = (f".{CompileVars.HYDRATE}", f".{CompileVars.HYDRATE_AND_LOAD}")


class StaffDoor(Middleware):
    """A tab that connects is told everything that its state holds: see `StaffScreen`."""

    async def preprocess(self, app: App, state: BaseState, event: Event) -> StateUpdate | None:
        if event.name.endswith(_CONNECTING):
            # Only a page that has just been loaded says what it was built with.
            loading = bool(event.payload.get("hashes"))
            await (await state.get_state(StaffState))._greet(open_already=not loading)
        return None
