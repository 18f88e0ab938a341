"""The component that hands in a sign-in's ticket for the cookie."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.sign_in import CookieState

# The cookie has to come by HTTP, and the page stays as it is, with all that was typed in it.
_COOKIE_FETCHER = """
const CookieFetcher = ({ ticket, address, onOutcome }) => {
  useEffect(() => {
    if (ticket) fetch(address, { method: "POST", body: ticket })
      .then((answer) => onOutcome(answer.ok), () => onOutcome(false));
  }, [ticket]);
  return null;
};
"""


class _CookieFetcher(rx.Component):
    tag = "CookieFetcher"
    ticket: rx.Var[str]
    address: rx.Var[str]
    on_outcome: rx.EventHandler[rx.event.passthrough_event_spec(bool)]

    def add_imports(self) -> rx.ImportDict:
        return {"react": "useEffect"}

    def add_custom_code(self) -> list[str]:
        return [_COOKIE_FETCHER]


def cookie_fetcher() -> rx.Component:
    """Render the fetcher, once on each page that signs in."""
    return _CookieFetcher.create(
        ticket=CookieState.ticket, address=routes.SESSION, on_outcome=CookieState.fetched
    )
