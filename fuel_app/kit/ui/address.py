"""The address of a list, as a mirror of its state."""

from typing import Any

import reflex as rx

# While the page arrives, by a link or by Back, the address is read, not written. What the router
# keeps in the history's state stays there: it needs its `idx` and `key` for Back. It takes an entry
# with the key that it knows for the one that it shows, so that key moves on to the new entry.
_MIRROR = """
const AddressMirror = ({ address, replaces, settled, dialog, onLeave }) => {
  const open = useRef(false);
  open.current = dialog;
  useEffect(() => () => { if (open.current) onLeave(); }, []);
  useEffect(() => {
    const { pathname, search } = window.location;
    const [path, asked = ""] = address.split("?");
    if (!settled || path !== pathname.replace(/\\/$/, "") || search === (asked && `?${asked}`))
      return;
    const state = window.history.state ?? {};
    if (replaces) window.history.replaceState(state, "", address);
    else {
      const key = Math.random().toString(36).slice(2, 10);
      window.history.replaceState({ ...state, key }, "");
      window.history.pushState({ ...state, idx: (state.idx ?? 0) + 1 }, "", address);
    }
    const page = (query) => new URLSearchParams(query).get("page");
    if (page(search) !== page(asked)) window.scrollTo(0, 0);
  }, [address, settled]);
  return null;
};
"""


class _AddressMirror(rx.Component):
    tag = "AddressMirror"
    address: rx.Var[str]
    replaces: rx.Var[bool]
    settled: rx.Var[bool]
    dialog: rx.Var[bool]
    on_leave: rx.EventHandler[rx.event.no_args_event_spec]

    def add_imports(self) -> rx.ImportDict:
        return {"react": ["useEffect", "useRef"]}

    def add_custom_code(self) -> list[str]:
        return [_MIRROR]


def address_mirror(state: Any, *, dialog: Any = False, on_leave: Any = ()) -> rx.Component:
    """Write a list's address without a navigation.

    Args:
        state: Has `address` and `address_replaces`.
        dialog: Whether a dialog is open that the address does not name.
        on_leave: Closes that dialog; sent if the page is left while it is open.
    """
    return _AddressMirror.create(
        address=state.address,
        replaces=state.address_replaces,
        settled=rx.State.is_hydrated,
        dialog=dialog,
        on_leave=list(on_leave),
    )
