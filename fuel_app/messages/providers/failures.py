"""Failures of sending."""


class Refused(Exception):  # noqa: N818 (an answer, not a bug)
    """The recipient's address or phone takes no messages: nothing more is sent there."""


class Rejected(Exception):  # noqa: N818 (an answer, not a bug)
    """This one message is not accepted; a retry would not help."""


class Unavailable(Exception):  # noqa: N818 (a state, not a bug)
    """The provider gave no answer, or asks for a retry."""
