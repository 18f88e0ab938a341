"""Refusals: what a rule answers when it says no, worded for the person who reads it."""


class Refusal(Exception):  # noqa: N818 (a rule that says no is not an error)
    """A rule said no. Not a bug: expected, worded for the user, never logged as an error."""


class InvalidForm(Refusal):
    """Some fields need another look; `messages` maps each field's name to what is wrong."""

    def __init__(self, messages: dict[str, str]) -> None:
        super().__init__("Please fix the highlighted fields.")
        self.messages = messages


class EmailTaken(Refusal):
    def __init__(self) -> None:
        super().__init__("This email has already been registered.")


class NeighborhoodNameTaken(Refusal):
    def __init__(self, zip_code: str) -> None:
        super().__init__(f"A neighborhood with this name already exists in {zip_code}")


class NeighborhoodGone(Refusal):
    def __init__(self) -> None:
        super().__init__("Neighborhood not found")


class AlreadyInNeighborhood(Refusal):
    """Who is in a group founds no other: one entry would make any number of groups."""

    def __init__(self) -> None:
        super().__init__("You have already joined a neighborhood.")


class NotOnTheList(Refusal):
    """The submission behind a visitor's step is not there any more."""

    def __init__(self) -> None:
        super().__init__("Please join the waitlist first.")


class TooManyRequests(Refusal):
    def __init__(self, minutes: int) -> None:
        unit = "minute" if minutes == 1 else "minutes"
        super().__init__(f"Too many attempts. Try again in {minutes} {unit}.")


class WrongPassword(Refusal):
    def __init__(self) -> None:
        super().__init__("Invalid password")


class RouteFailed(Refusal):
    """There is no route. `status` is a routing provider's word for it, such as ZERO_RESULTS."""

    def __init__(self, status: str) -> None:
        super().__init__(f"Failed to calculate route: {status}")
        self.status = status


class LeadGone(Refusal):
    def __init__(self) -> None:
        super().__init__("This lead has been deleted meanwhile.")


class LeadChanged(Refusal):
    """Somebody else was faster; what they wrote is not overwritten unseen."""

    def __init__(self) -> None:
        super().__init__(
            "Somebody else has changed this lead meanwhile. You now see the newer value."
        )


class NotALeadValue(Refusal):
    """No control of ours sends this."""

    def __init__(self) -> None:
        super().__init__("This cannot be set.")


class NothingToUndo(Refusal):
    def __init__(self) -> None:
        super().__init__("This has been undone already.")


class TooLateToUndo(Refusal):
    """What it takes to undo is not kept any more."""

    def __init__(self) -> None:
        super().__init__(
            "It is too late to undo this: what is deleted is kept for 10 minutes, then it is gone."
        )


class OtherZip(Refusal):
    def __init__(self) -> None:
        super().__init__("Only neighborhoods of one ZIP code can be merged.")


class NotAMember(Refusal):
    def __init__(self) -> None:
        super().__init__("No member of this neighborhood has this email.")


class ChangedSince(Refusal):
    """An undo would throw away what was done after it."""

    def __init__(self) -> None:
        super().__init__("This has changed meanwhile and cannot be undone.")
