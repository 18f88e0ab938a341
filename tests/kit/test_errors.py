"""Refusals: errors that visitors and staff read."""

from fuel_app.kit import errors


def test_every_refusal_has_a_message_of_its_own():
    kinds = errors.Refusal.__subclasses__()
    assert kinds
    assert [kind for kind in kinds if kind.__init__ is errors.Refusal.__init__] == []
