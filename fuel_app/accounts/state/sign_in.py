"""Sign-in on the screens: the cookie that follows it, and the staff login modal."""

from typing import Any

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import device_of
from fuel_app.accounts.rules.sign_in import Visitor
from fuel_app.accounts.service import shared_password
from fuel_app.accounts.service.sessions import SignedIn
from fuel_app.kit.errors import Refusal, WrongPassword
from fuel_app.kit.ui.fields import focus_field

log = structlog.get_logger()

FAILED = "Signing in does not work just now. Please try again."


def visitor_at(tab: rx.State, former: str = "") -> Visitor:
    """Return the visitor at a tab; a sign-in ends the browser's former session."""
    device = device_of(tab.router.headers.user_agent)
    return Visitor(tab.router.session.client_ip, device, former)


class CookieState(rx.State):
    """The way from a sign-in on the websocket to the browser's cookie, which comes by HTTP."""

    fetching: bool = False
    ticket: str = ""  # the page hands it in for the cookie: accounts/ui/sign_in.py
    error: str = ""
    leave_for: str = ""  # a page outside the router, which the browser loads anew
    _coming: str = ""  # the session whose cookie is being fetched
    _coming_to: str = ""  # the connection that signed in to it
    _then: str = ""  # the page to go to afterwards
    _session_id: str = ""  # the session that this connection signed in to,
    _connection: str = ""  # whose cookie came after its handshake

    @rx.event
    async def fetched(self, has_cookie: bool):
        """Finish signing in once the page has fetched the cookie, or failed to.

        This connection's handshake came before the cookie, so the session is remembered for it.
        """
        coming, then, here = self._coming, self._then, self.router.session.session_id
        self.fetching, self.ticket, self._coming = False, "", ""
        if not coming:
            return None
        if has_cookie is not True or here != self._coming_to:
            self.error = FAILED
            return None
        self._session_id, self._connection = coming, here
        (await self.get_state(StaffLoginState)).opened = False
        return self._go(then or routes.DASHBOARD)

    def _go(self, address: str) -> Any:
        """Lead to an own address, in place of this page."""
        if routes.is_plain(address):
            self.leave_for = address
            return None
        return rx.redirect(address, replace=True)

    def _fetch(self, signed_in: SignedIn, then: str) -> None:
        """Let the page fetch the cookie of a new session, and go to `then`."""
        self.fetching, self.error = True, ""
        self.ticket, self._coming = signed_in.ticket, signed_in.session_id
        self._coming_to, self._then = self.router.session.session_id, then

    def _greet(self) -> None:
        """Drop another connection's unused ticket when the tab connects anew."""
        self.leave_for = ""
        if self.ticket and self._coming_to != self.router.session.session_id:
            self.fetching, self.ticket = False, ""

    def _signed_in_here(self) -> str:
        """Return the session that was signed in to on this connection.

        It counts while its cookie is on the way: it may have replaced the one of the handshake.
        """
        here = self.router.session.session_id
        if here and self._coming and here == self._coming_to:
            return self._coming
        return self._session_id if here and here == self._connection else ""


class StaffLoginState(rx.State):
    """One tab's login modal; the password itself is never stored."""

    opened: bool = False
    over_page: bool = False  # a staff page that stays open under the modal
    busy: bool = False
    error: str = ""
    retired: bool = False  # named accounts have replaced the shared password
    _asked: str = ""  # the page to go to afterwards

    @rx.event
    async def show(self, opened: bool):
        """Open or close the modal."""
        self.opened, self.over_page, self.error = opened is True, False, ""
        self._asked = ""
        (await self.get_state(CookieState))._coming = ""
        if self.opened:
            self.retired = await shared_password.is_retired()
        elif routes.is_for_staff(self.router.url.path):
            return rx.redirect(routes.HOME)

    @rx.event
    def to_sign_in_page(self):
        """Redirect to the sign-in page; the requested address stays on the server until then."""
        return rx.redirect(self._sign_in_address())

    @rx.event
    async def login(self, form: dict[str, Any]):
        """Check the password on the server; the page then fetches the cookie."""
        self.busy, self.error = True, ""
        cookie = await self.get_state(CookieState)
        cookie.error = ""
        yield
        try:
            signed_in = await shared_password.sign_in(
                form.get("password") if isinstance(form, dict) else None, visitor_at(self)
            )
            cookie._fetch(signed_in, self._asked)
        except Refusal as error:
            self.error = str(error)
            if isinstance(error, WrongPassword):
                self.retired = await shared_password.is_retired()
            yield focus_field("staff", "password")
        except Exception:
            log.exception("staff.login_failed")
            self.error = FAILED
        self.busy = False

    async def _ask(self, address: str, *, over_page: bool) -> None:
        """Open the modal; signing in leads to the requested page."""
        is_for_staff = routes.is_for_staff(address.partition("?")[0])
        self._asked = address if is_for_staff else ""
        self.opened, self.over_page, self.error = True, over_page, ""
        self.retired = await shared_password.is_retired()

    def _sign_in_address(self) -> str:
        """Return the address of the sign-in page, which leads back to the requested page."""
        return routes.asking(routes.SIGN_IN, {"next": self._asked})
