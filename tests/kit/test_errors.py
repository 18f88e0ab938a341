"""Refusals are worded for the person who reads them."""

import pytest

from fuel_app.kit import errors


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (errors.InvalidForm({"email": "x"}), "Please fix the highlighted fields."),
        (errors.EmailTaken(), "This email has already been registered."),
        (
            errors.NeighborhoodNameTaken("34236"),
            "A neighborhood with this name already exists in 34236",
        ),
        (errors.NeighborhoodGone(), "Neighborhood not found"),
        (errors.NotOnTheList(), "Please join the waitlist first."),
        (errors.TooManyRequests(1), "Too many attempts. Try again in 1 minute."),
        (errors.TooManyRequests(15), "Too many attempts. Try again in 15 minutes."),
        (errors.WrongPassword(), "Invalid password"),
    ],
)
def test_a_refusal_says_what_to_do(refusal, words):
    assert isinstance(refusal, errors.Refusal)
    assert str(refusal) == words


def test_every_refusal_is_worded():
    wordless = {
        kind.__name__
        for kind in errors.Refusal.__subclasses__()
        if kind.__init__ is errors.Refusal.__init__
    }
    assert wordless == set()


def test_an_invalid_form_keeps_the_message_of_each_field():
    messages = {"zip_code": "ZIP code must be 5 digits"}
    assert errors.InvalidForm(messages).messages == messages
