"""The settings of mail and text messages."""

import pytest

from fuel_app.settings import Settings, load

TWILIO = {"ACCOUNT_SID": "AC" + "0" * 32, "AUTH_TOKEN": "secret", "FROM": "+19415550100"}


@pytest.fixture(autouse=True)
def _no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Settings.model_config, "env_file", None)


@pytest.mark.parametrize("missing", ["ACCOUNT_SID", "AUTH_TOKEN", "FROM"])
def test_the_three_of_twilio_are_set_together(monkeypatch, missing):
    for name, value in TWILIO.items():
        monkeypatch.setenv(f"FUEL_TWILIO_{name}", "" if name == missing else value)
    with pytest.raises(SystemExit, match=r"^FUEL_TWILIO_FROM: set FUEL_TWILIO_ACCOUNT_SID"):
        load()
    monkeypatch.setenv(f"FUEL_TWILIO_{missing}", TWILIO[missing])
    assert load().twilio_from == TWILIO["FROM"]


def test_mails_come_from_the_support_address_unless_another_is_set(monkeypatch):
    assert load().sender == load().support_email
    monkeypatch.setenv("FUEL_MAIL_FROM", "mail@fuel.example")
    assert load().sender == "mail@fuel.example"
