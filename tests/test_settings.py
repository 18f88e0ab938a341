"""The settings: read once, and a bad one stops the start with a line that names it."""

import json
import os
import re
import subprocess
import sys
from ipaddress import IPv4Address
from pathlib import Path

import pytest

from fuel_app import __main__ as commands
from fuel_app.settings import ROOT, RUNTIME_ONLY, Settings, load


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(Settings.model_config, "env_file", None)


SETTINGS = {
    "PORT" if name == "port" else f"FUEL_{name.upper()}": name for name in Settings.model_fields
}


def chosen(monkeypatch: pytest.MonkeyPatch, setting: str, value: str) -> object:
    monkeypatch.setenv(setting, value)
    return getattr(load(), SETTINGS[setting])


@pytest.mark.parametrize(
    ("setting", "value", "read"),
    [
        ("PORT", "4000", 4000),
        ("FUEL_HOST", "127.0.0.1", IPv4Address("127.0.0.1")),
        ("FUEL_SITE_URL", "https://fuel.example/", "https://fuel.example"),
        ("FUEL_SITE_URL", "http://192.0.2.1:8080", "http://192.0.2.1:8080"),
        ("FUEL_OSRM_URL", "http://localhost:5000/", "http://localhost:5000"),
        ("FUEL_DATABASE_URL", "sqlite:////srv/fuel.db", "sqlite+aiosqlite:////srv/fuel.db"),
        ("FUEL_DATABASE_URL", "sqlite+aiosqlite:///f.db", "sqlite+aiosqlite:///f.db"),
        ("FUEL_DATABASE_URL", "postgres://a:b@db/fuel", "postgresql+asyncpg://a:b@db/fuel"),
        ("FUEL_DATABASE_URL", "postgresql://a@db/fuel", "postgresql+asyncpg://a@db/fuel"),
        ("FUEL_DATABASE_URL", "postgresql+asyncpg://db/f", "postgresql+asyncpg://db/f"),
        ("FUEL_REDIS_URL", "redis://localhost:6379/0", "redis://localhost:6379/0"),
        ("FUEL_REDIS_URL", "rediss://:secret@cache/1", "rediss://:secret@cache/1"),
        ("FUEL_REDIS_URL", "unix:///run/redis.sock", "unix:///run/redis.sock"),
        ("FUEL_STAFF_OWNERS", "Ada, Bob ,Charlie", ("Ada", "Bob", "Charlie")),
        ("FUEL_LEAD_SOURCE_WRITES", "lead_source", "lead_source"),
        ("FUEL_BRAND_NAME", "Bay Fuel", "Bay Fuel"),
        ("FUEL_SUPPORT_EMAIL", "help@fuel.example", "help@fuel.example"),
        ("FUEL_SUPPORT_PHONE", "(941) 555-0199", "(941) 555-0199"),
        ("FUEL_OSRM_URL", "https://osrm.example", "https://osrm.example"),
        ("FUEL_TILE_URL", "https://t.example/{z}/{x}/{y}", "https://t.example/{z}/{x}/{y}"),
        ("FUEL_TRUSTED_PROXY_HOPS", "2", 2),
        ("FUEL_WORKERS", "2", 2),
        ("FUEL_RATE_LIMITS", "off", "off"),
        ("FUEL_PUSH_TEST_SERVICE", "http://127.0.0.1:9000", "http://127.0.0.1:9000"),
    ],
)
def test_a_setting_is_read_from_the_environment(monkeypatch, setting, value, read):
    assert chosen(monkeypatch, setting, value) == read


@pytest.mark.parametrize("setting", sorted(SETTINGS))
def test_an_empty_setting_is_not_set(monkeypatch, setting):
    default = load()
    monkeypatch.setenv(setting, "")
    assert load() == default


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("PORT", "SECRET"),
        ("PORT", "0"),
        ("PORT", "65536"),
        ("FUEL_HOST", "SECRET"),
        ("FUEL_SITE_URL", "SECRET.example"),
        ("FUEL_SITE_URL", "ftp://SECRET"),
        ("FUEL_SITE_URL", "https://"),
        ("FUEL_OSRM_URL", "SECRET:5000"),
        ("FUEL_DATABASE_URL", "SECRET"),
        ("FUEL_DATABASE_URL", "mysql://root:SECRET@db/fuel"),
        ("FUEL_REDIS_URL", "http://:SECRET@cache"),
        ("FUEL_STAFF_PASSWORD_HASH", "SECRET"),
        ("FUEL_STAFF_PASSWORD_HASH", "$argon2id$SECRET"),
        ("FUEL_STAFF_PASSWORD_HASH", "$2b$12$SECRET"),
        ("FUEL_STAFF_OWNERS", "SECRET"),
        ("FUEL_STAFF_OWNERS", "Ada,Bob,Charlie,SECRET"),
        ("FUEL_STAFF_OWNERS", ", ,"),
        ("FUEL_LEAD_SOURCE_WRITES", "SECRET"),
        ("FUEL_BRAND_NAME", "SECRET" * 10),
        ("FUEL_SUPPORT_EMAIL", "SECRET"),
        ("FUEL_WORKERS", "0"),
        ("FUEL_WORKERS", "SECRET"),
        ("FUEL_TRUSTED_PROXY_HOPS", "-1"),
        ("FUEL_TRUSTED_PROXY_HOPS", "SECRET"),
        ("FUEL_RATE_LIMITS", "SECRET"),
        ("FUEL_METRICS_TOKEN", "SECRET"),
        ("FUEL_SMTP_URL", "http://user:SECRET@mail.example.com"),
        ("FUEL_SMTP_URL", "smtp://SECRET:port"),
        ("FUEL_SMTP_URL", "smtp://"),
        ("FUEL_MAIL_FROM", "SECRET"),
        ("FUEL_MAIL_FROM", "SECRET <hello@fuel.example>"),
        ("FUEL_TWILIO_ACCOUNT_SID", "SECRET"),
        ("FUEL_TWILIO_FROM", "SECRET"),
        ("FUEL_VAPID_PRIVATE_KEY", "SECRET"),
        ("FUEL_VAPID_PRIVATE_KEY", "SECRET" + "A" * 38),
        ("FUEL_VAPID_PRIVATE_KEY", "_" * 43),  # beyond the curve's order
        ("FUEL_PUSH_TEST_SERVICE", "https://SECRET.example"),
        ("FUEL_PUSH_TEST_SERVICE", "http://10.0.0.1:80"),
    ],
)
def test_a_bad_setting_is_named_in_one_line_without_its_value(monkeypatch, setting, value):
    monkeypatch.setenv(setting, value)
    with pytest.raises(SystemExit) as stopped:
        load()
    (line,) = str(stopped.value).splitlines()
    assert re.match(rf"{setting}: \w", line)
    assert "SECRET" not in line


def test_a_bad_setting_stops_the_start():
    bad = {"FUEL_DATABASE_URL": "mysql://root:SECRET@db/fuel"}
    command = [sys.executable, "-m", "fuel_app", "migrate"]
    start = subprocess.run(command, env=os.environ | bad, cwd=ROOT, capture_output=True, text=True)
    assert start.returncode != 0
    (line,) = start.stderr.splitlines()
    assert line.startswith("FUEL_DATABASE_URL: ")
    assert "SECRET" not in start.stdout + start.stderr


def test_secrets_are_not_shown(monkeypatch):
    for setting in ("STAFF_PASSWORD", "GOOGLE_MAPS_API_KEY", "EIA_API_KEY"):
        monkeypatch.setenv(f"FUEL_{setting}", "SECRET")
    monkeypatch.setenv("FUEL_METRICS_TOKEN", "SECRET, and of some length")
    monkeypatch.setenv("FUEL_STAFF_PASSWORD_HASH", "$argon2id$v=19$m=8,t=1,p=1$SECRET$SECRET")
    assert "SECRET" not in repr(load())


def test_links_use_the_public_address(monkeypatch):
    monkeypatch.setenv("PORT", "4000")
    assert load().public_url == "http://localhost:4000"
    monkeypatch.setenv("FUEL_SITE_URL", "https://fuel.example/")
    assert load().public_url == "https://fuel.example"


def test_a_public_site_refuses_the_push_service_of_tests(monkeypatch):
    monkeypatch.setenv("FUEL_PUSH_TEST_SERVICE", "http://localhost:9000")
    monkeypatch.setenv("FUEL_SITE_URL", "http://localhost:4000")
    assert load().push_test_service == "http://localhost:9000"
    monkeypatch.setenv("FUEL_SITE_URL", "https://fuel.example")
    with pytest.raises(SystemExit, match=r"^FUEL_PUSH_TEST_SERVICE: only for tests"):
        load()


def test_a_new_key_for_notifications_is_printed_and_accepted(monkeypatch, capsys):
    commands.vapid_key()
    key = capsys.readouterr().out.strip()
    monkeypatch.setenv("FUEL_VAPID_PRIVATE_KEY", key)
    settings = load()
    assert settings.vapid_private_key is not None
    assert settings.vapid_private_key.get_secret_value() == key
    assert key not in repr(settings)


OWN = {"FUEL_SUPPORT_EMAIL": "help@fuel.example", "FUEL_SUPPORT_PHONE": "(941) 555-0199"}


OWN["FUEL_COMPANY_ADDRESS"] = "100 Main St, Sarasota, FL 34236"


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"FUEL_SITE_URL": "https://fuel.example"}, set(OWN)),
        ({"FUEL_SITE_URL": "https://fuel.example"} | OWN, set()),
        ({"FUEL_SITE_URL": "http://localhost:4000"}, set()),
        ({}, set()),
    ],
)
def test_only_a_public_site_has_to_replace_the_default_contacts(monkeypatch, values, named):
    for setting, value in values.items():
        monkeypatch.setenv(setting, value)
    assert set(load().placeholders()) == named


def test_the_environment_wins_over_the_file(monkeypatch, tmp_path):
    file = tmp_path / ".env"
    file.write_text("FUEL_BRAND_NAME=Bay Fuel\nFUEL_WORKERS=2\nSOMETHING_ELSE=1\n")
    monkeypatch.setitem(Settings.model_config, "env_file", file)
    monkeypatch.setenv("FUEL_WORKERS", "3")
    settings = load()
    assert (settings.brand_name, settings.workers) == ("Bay Fuel", 3)


@pytest.mark.parametrize(("redis", "place"), [("", "memory"), ("redis://cache/0", "redis")])
def test_tabs_are_kept_where_every_process_finds_them(redis, place):
    told = "from rxconfig import config; print(config.state_manager_mode.value)"
    asked = subprocess.run(
        [sys.executable, "-c", told],
        env=os.environ | {"FUEL_REDIS_URL": redis},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert asked.stdout.strip() == place


EXAMPLE = ROOT / ".env.example"


def test_the_example_lists_every_setting_once():
    """Except for the port, which belongs to the command: `PORT=4000 make run`."""
    listed = re.findall(r"^#?\s?(FUEL_\w+)=", EXAMPLE.read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(SETTINGS.keys() - {"PORT"})


def test_the_example_shows_the_defaults(monkeypatch):
    default = load()
    monkeypatch.setitem(Settings.model_config, "env_file", EXAMPLE)
    assert load() == default


def test_pages_contain_no_setting_that_is_read_at_run_time():
    """Else a changed setting would not build them again."""
    for name in ("ui", "pages"):
        files = [*ROOT.glob(f"fuel_app/**/{name}*/**/*.py"), *ROOT.glob(f"fuel_app/**/{name}.py")]
        for file in files:
            read = set(re.findall(r"\bsettings\.(\w+)", file.read_text()))
            assert not read & (RUNTIME_ONLY | {"test_payments"}), file


@pytest.mark.parametrize("file", ["Dockerfile", "compose.yaml"])
def test_an_image_is_built_with_the_settings_that_pages_contain(file):
    text = (ROOT / "deploy" / file).read_text()
    given = set(re.findall(r"\b(FUEL_\w+)(?:=\$|: \$\{\1:-)", text))
    assert given == load().on_pages().keys()


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pages that were built with the default settings; returns the stamp."""
    (tmp_path / "index.html").touch()
    stamp = tmp_path / "built-from"
    stamp.write_text(json.dumps({"sources": "", "settings": load().on_pages()}))
    monkeypatch.setattr(commands, "BUILT", tmp_path)
    monkeypatch.setattr(commands, "STAMP", stamp)
    return stamp


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("FUEL_BRAND_NAME", "Bay Fuel"),
        ("FUEL_STAFF_OWNERS", "Ada,Bob,Cleo"),
        ("FUEL_SUPPORT_PHONE", "(941) 555-0142"),
    ],
)
def test_pages_of_other_settings_are_not_served(built, monkeypatch, setting, value):
    monkeypatch.setenv(setting, value)
    monkeypatch.setattr(commands, "settings", load())
    with pytest.raises(SystemExit, match=f"^{setting}: the pages were built with other values"):
        commands._check_build()
    assert commands._built_from()["settings"] != commands._last_build()["settings"]


def test_another_port_needs_no_other_pages(monkeypatch):
    before = commands._built_from()
    monkeypatch.setenv("PORT", "4000")
    monkeypatch.setattr(commands, "settings", load())
    assert commands._built_from() == before


def test_pages_of_another_site_address_are_served_with_a_warning(built, monkeypatch, capsys):
    commands._check_build()
    assert not capsys.readouterr().out
    monkeypatch.setenv("FUEL_SITE_URL", "https://fuel.example")
    monkeypatch.setattr(commands, "settings", load())
    commands._check_build()
    assert capsys.readouterr().out.startswith("FUEL_SITE_URL: ")


@pytest.mark.parametrize("stamp", ["", "0f3a"])
def test_pages_of_an_unknown_build_are_not_served(built, stamp):
    built.write_text(stamp)
    with pytest.raises(SystemExit, match="not built yet"):
        commands._check_build()


TWILIO = {"ACCOUNT_SID": "AC" + "0" * 32, "AUTH_TOKEN": "secret", "FROM": "+19415550100"}


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


LIVE, TEST, RESTRICTED = "sk_live_51Secret", "sk_test_51Secret", "rk_live_51Secret"


HOOK, NEXT_HOOK = "whsec_Secret1", "whsec_Secret2"


HTTPS = {"FUEL_SITE_URL": "https://fuel.example"}


def loaded(monkeypatch, key: str = "", hook: str = "", **more: str) -> Settings:
    values = {"FUEL_STRIPE_SECRET_KEY": key, "FUEL_STRIPE_WEBHOOK_SECRET": hook} | more
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    return load()


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
