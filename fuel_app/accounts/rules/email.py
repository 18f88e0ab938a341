"""Changing a person's e-mail: the form of the code, and what can be in the way."""

from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Email, Form


class NewEmail(Form):
    """A person's new e-mail."""

    email: Email


class EmailInUse(Refusal):
    """Only the owner of the address, who has typed its code, is told this."""

    message = "This e-mail cannot be used. Please choose another one."


class FormerInUse(Refusal):
    message = "Your former e-mail belongs to another account by now. Please call or write to us."
