"""Refusals: expected errors, worded for users."""

from collections.abc import Awaitable
from typing import ClassVar, TypeVar

import structlog

from fuel_app.kit.words import counted

Outcome = TypeVar("Outcome")
log = structlog.get_logger()

FAILED = "This did not work just now. Please try again."  # of an unexpected error


class Refusal(Exception):  # noqa: N818 (a rule that says no is not an error)
    """An expected error, worded for the user and never logged as an error."""

    message = ""
    http_status: ClassVar = 422  # of an answer over plain HTTP

    def __init__(self, message: str = "") -> None:
        super().__init__(message or self.message)


class InvalidForm(Refusal):
    """A form with invalid fields; `messages` maps each one to its message."""

    def __init__(self, messages: dict[str, str]) -> None:
        super().__init__("Please fix the highlighted fields.")
        self.messages = messages


def words(refusal: Refusal) -> str:
    """Return a refusal as sentences of its own, where no fields stand beside them."""
    if isinstance(refusal, InvalidForm):
        return ". ".join(refusal.messages.values())
    return str(refusal)


class Failure(str):
    """The words for an outage, as opposed to those of a rule that refused."""

    __slots__ = ()


async def attempt(
    change: Awaitable[Outcome], event: str, failed: str = FAILED, **facts: object
) -> tuple[Outcome | None, str]:
    """Await a change. Return its outcome, or None and why it failed, worded for the user.

    The words of an unexpected failure are a `Failure`.

    This is where a screen meets an outage: nobody's typed text is lost, and no traceback is shown.

    Args:
        event: The log's name of an unexpected failure, with these facts.
        failed: The words for it.

    Raises:
        InvalidForm: Its messages stand beside the fields.
    """
    try:
        return await change, ""
    except InvalidForm:
        raise
    except Refusal as refusal:
        return None, str(refusal)
    except Exception:  # whatever an outage raises: the database, a provider, the network
        log.exception(event, **facts)
        return None, Failure(failed)


async def problem_of(
    change: Awaitable[object], event: str, failed: str = FAILED, **facts: object
) -> str:
    """Await a change. Return why it failed, as `attempt` words it; empty if it did not."""
    return (await attempt(change, event, failed, **facts))[1]


class EmailTaken(Refusal):
    message = "This email has already been registered."


class NeighborhoodNameTaken(Refusal):
    def __init__(self, zip_code: str) -> None:
        super().__init__(f"A neighborhood with this name already exists in {zip_code}")


class NeighborhoodGone(Refusal):
    message = "Neighborhood not found"


class AlreadyInNeighborhood(Refusal):
    """A member may not create another neighborhood."""

    message = "You have already joined a neighborhood."


class NotOnTheList(Refusal):
    """The visitor's submission no longer exists."""

    message = "Please join the waitlist first."


class TooManyRequests(Refusal):
    http_status = 429

    def __init__(self, minutes: int) -> None:
        super().__init__(f"Too many attempts. Try again in {counted(minutes, 'minute')}.")


class WrongPassword(Refusal):
    message = "Invalid password"


class RouteFailed(Refusal):
    """No route was found; `status` is the provider's, such as ZERO_RESULTS, `why` in words."""

    def __init__(self, status: str, why: str = "") -> None:
        super().__init__(f"Failed to calculate route: {why or status}")
        self.status = status


class LeadGone(Refusal):
    message = "This lead has been deleted meanwhile."


class LeadChanged(Refusal):
    """A concurrent change, which must not be overwritten unseen."""

    message = "Somebody else has changed this lead meanwhile. You now see the newer value."


class NotALeadValue(Refusal):
    """A forged value that no control offers."""

    message = "This cannot be set."


class NothingToUndo(Refusal):
    message = "This has been undone already."


class TooLateToUndo(Refusal):
    """The data for an undo has expired."""

    message = (
        "It is too late to undo this: what is deleted is kept for 10 minutes, then it is gone."
    )


class OtherZip(Refusal):
    message = "Only neighborhoods of one ZIP code can be merged."


class NotAMember(Refusal):
    message = "No member of this neighborhood has this email."


class ChangedSince(Refusal):
    """A later change, which an undo would discard."""

    message = "This has changed meanwhile and cannot be undone."
