"""The settings of Stripe: a bad one stops the start, and no secret is repeated."""

import pytest

from fuel_app.settings import Settings, load

LIVE, TEST, RESTRICTED = "sk_live_51Secret", "sk_test_51Secret", "rk_live_51Secret"
HOOK, NEXT_HOOK = "whsec_Secret1", "whsec_Secret2"
HTTPS = {"FUEL_SITE_URL": "https://fuel.example"}


@pytest.fixture(autouse=True)
def _no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Settings.model_config, "env_file", None)


def loaded(monkeypatch, key: str = "", hook: str = "", **more: str) -> Settings:
    values = {"FUEL_STRIPE_SECRET_KEY": key, "FUEL_STRIPE_WEBHOOK_SECRET": hook} | more
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    return load()


def test_nothing_set_means_test_payments(monkeypatch):
    settings = loaded(monkeypatch)
    assert settings.stripe_secret_key is None
    assert settings.stripe_webhook_secrets == ()
    assert settings.test_payments


@pytest.mark.parametrize(
    ("key", "is_test"),
    [(LIVE, False), (RESTRICTED, False), (TEST, True), ("rk_test_51Secret", True)],
)
def test_a_key_says_whether_money_moves(monkeypatch, key, is_test):
    settings = loaded(monkeypatch, key, HOOK, **HTTPS)
    assert settings.test_payments is is_test
    assert "51Secret" not in repr(settings)


@pytest.mark.parametrize("between", [",", ", ", " , "])
def test_two_webhook_secrets_hold_while_one_is_rolled(monkeypatch, between):
    settings = loaded(monkeypatch, TEST, f"{HOOK}{between}{NEXT_HOOK}")
    assert settings.stripe_webhook_secrets == (HOOK, NEXT_HOOK)


@pytest.mark.parametrize(
    ("key", "hook", "site", "line"),
    [
        (LIVE, HOOK, "", "SECRET_KEY: a live key needs an https address in FUEL_SITE_URL"),
        (LIVE, HOOK, "http://fuel.example", "SECRET_KEY: a live key needs an https address"),
        (RESTRICTED, HOOK, "http://localhost:3000", "SECRET_KEY: a live key needs an https"),
        ("pk_live_51Secret", HOOK, "https://fuel.example", "SECRET_KEY: a secret or restricted"),
        ("Secret", HOOK, "", "SECRET_KEY: a secret or restricted"),
        ("sk_test_Secret\nX: y", HOOK, "", "SECRET_KEY: a secret or restricted"),
        (TEST, "", "", "WEBHOOK_SECRET: set it together with FUEL_STRIPE_SECRET_KEY"),
        ("", HOOK, "", "WEBHOOK_SECRET: set it together with FUEL_STRIPE_SECRET_KEY"),
        (TEST, "Secret", "", "WEBHOOK_SECRET: whsec_"),
        (TEST, f"{HOOK},Secret", "", "WEBHOOK_SECRET: whsec_"),
        (TEST, f"{HOOK},{HOOK},{HOOK}", "", "WEBHOOK_SECRET: whsec_"),
    ],
)
def test_a_bad_setting_of_stripe_stops_the_start(monkeypatch, key, hook, site, line):
    with pytest.raises(SystemExit) as stopped:
        loaded(monkeypatch, key, hook, FUEL_SITE_URL=site)
    (said,) = str(stopped.value).splitlines()
    assert said.startswith(f"FUEL_STRIPE_{line}")
    assert "51Secret" not in said
    assert "Secret1" not in said
