"""The settings: the only reader of the environment, checked once at start-up."""

import re
from base64 import urlsafe_b64decode
from functools import cached_property
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from argon2 import extract_parameters
from argon2.exceptions import InvalidHashError
from cryptography.hazmat.primitives.asymmetric import ec
from pydantic import Field, IPvAnyAddress, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

ROOT = Path(__file__).parent.parent
DATA_DIR = ROOT / "data"

# Read when the site runs; every other setting is compiled into the pages.
RUNTIME_ONLY = frozenset(
    {
        *("port", "host", "workers", "trusted_proxy_hops", "rate_limits"),
        *("database_url", "redis_url", "tile_url", "osrm_url", "google_maps_api_key"),
        *("eia_api_key", "company_address"),
        *("staff_password", "staff_password_hash", "metrics_token", "secret_key"),
        *("smtp_url", "mail_from", "twilio_account_sid", "twilio_auth_token", "twilio_from"),
        *("stripe_secret_key", "stripe_webhook_secret"),
        *("vapid_private_key", "push_test_service"),
    }
)

_STRIPE_KEY = re.compile(r"[sr]k_(live|test)_[A-Za-z0-9_]+")
_STRIPE_SECRETS = re.compile(r"whsec_[\w+/=-]+(\s*,\s*whsec_[\w+/=-]+)?", re.ASCII)


class Settings(BaseSettings):
    """One installation's settings. `.env.example` explains each line."""

    model_config = SettingsConfigDict(
        env_prefix="FUEL_", env_file=ROOT / ".env", extra="ignore", frozen=True
    )

    port: int = Field(3000, ge=1, le=65535, validation_alias="PORT")
    host: IPvAnyAddress = IPv4Address("0.0.0.0")  # noqa: S104 (a server listens)
    workers: int = Field(1, ge=1, le=64)
    site_url: str = ""
    database_url: str = f"sqlite:///{DATA_DIR / 'fuel.db'}"
    redis_url: str | None = None
    staff_password: SecretStr | None = None
    staff_password_hash: SecretStr | None = None
    staff_owners: Annotated[tuple[str, ...], NoDecode] = ("Owner 1", "Owner 2", "Owner 3")
    lead_source_writes: Literal["status", "lead_source"] = "status"
    brand_name: str = Field("Gulfside Fuel", min_length=1, max_length=40)
    support_email: str = Field("hello@gulfsidefuel.example", pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$")
    support_phone: str = "(941) 555-0100"
    company_address: str = Field("", max_length=200)
    google_maps_api_key: SecretStr | None = None
    eia_api_key: SecretStr | None = None
    osrm_url: str | None = None
    tile_url: str = "https://tile.openstreetmap.org/{z}/{x}/{y}.png"
    trusted_proxy_hops: int = Field(0, ge=0, le=8)
    rate_limits: Literal["on", "off"] = "on"
    metrics_token: Annotated[SecretStr, Field(min_length=16)] | None = None
    secret_key: Annotated[SecretStr, Field(min_length=32)] | None = None
    smtp_url: SecretStr | None = None
    mail_from: str = Field("", pattern=r"^([^@\s<>]+@[^@\s<>]+\.[^@\s<>]+)?$")
    twilio_account_sid: str | None = Field(None, pattern=r"^AC[0-9a-fA-F]{32}$")
    twilio_auth_token: SecretStr | None = None
    twilio_from: str | None = Field(
        None, pattern=r"^(\+1[0-9]{10}|MG[0-9a-fA-F]{32})$", validate_default=True
    )
    stripe_secret_key: SecretStr | None = None
    stripe_webhook_secret: SecretStr | None = Field(None, validate_default=True)
    vapid_private_key: SecretStr | None = None
    # For tests: a push service on the same machine.
    push_test_service: str | None = Field(
        None, pattern=r"^http://(127\.0\.0\.1|localhost):\d{1,5}$"
    )

    @field_validator("*", mode="before")
    @classmethod
    def _empty_means_default(cls, value: object, info) -> object:
        """`FUEL_REDIS_URL=` in a file means 'not set', not an empty address."""
        if value == "" and info.field_name is not None:
            return cls.model_fields[info.field_name].get_default()
        return value

    @field_validator("staff_owners", mode="before")
    @classmethod
    def _split_owners(cls, value: object) -> object:
        if not isinstance(value, str) or not value:
            return value
        owners = tuple(name.strip() for name in value.split(",") if name.strip())
        if len(owners) != 3:
            raise ValueError("three names, separated by commas")
        return owners

    @field_validator("site_url", "osrm_url")
    @classmethod
    def _web_address(cls, value: str | None) -> str | None:
        address = urlsplit(value or "")
        if value and (address.scheme not in {"http", "https"} or not address.netloc):
            raise ValueError("an address such as https://example.com")
        return value and value.rstrip("/")

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: str) -> str:
        """Accept common spellings of the two databases that are supported."""
        scheme, separator, rest = value.partition("://")
        driver = {
            "sqlite": "sqlite+aiosqlite",
            "sqlite+aiosqlite": "sqlite+aiosqlite",
            "postgres": "postgresql+asyncpg",
            "postgresql": "postgresql+asyncpg",
            "postgresql+asyncpg": "postgresql+asyncpg",
        }.get(scheme)
        if not separator or driver is None:
            raise ValueError("sqlite:///path or postgresql://user:password@host/name")
        return f"{driver}://{rest}"

    @field_validator("redis_url")
    @classmethod
    def _redis_address(cls, value: str | None) -> str | None:
        if value and urlsplit(value).scheme not in {"redis", "rediss", "unix"}:
            raise ValueError("an address such as redis://localhost:6379/0")
        return value

    @field_validator("smtp_url")
    @classmethod
    def _mail_server(cls, value: SecretStr | None) -> SecretStr | None:
        try:
            address = urlsplit(value.get_secret_value() if value else "smtp://host")
            known = address.scheme in {"smtp", "smtps"} and address.hostname and address.port != 0
        except ValueError:  # a port that is none
            known = False
        if not known:
            raise ValueError("an address such as smtp://user:password@mail.example.com:587")
        return value

    @field_validator("twilio_from")
    @classmethod
    def _all_of_twilio(cls, value: str | None, info) -> str | None:
        others = [info.data.get(name) for name in ("twilio_account_sid", "twilio_auth_token")]
        if len({bool(each) for each in (*others, value)}) > 1:
            raise ValueError("set FUEL_TWILIO_ACCOUNT_SID, _AUTH_TOKEN and _FROM, or none of them")
        return value

    @field_validator("stripe_secret_key")
    @classmethod
    def _key_of_stripe(cls, value: SecretStr | None, info) -> SecretStr | None:
        if value and not _STRIPE_KEY.fullmatch(value.get_secret_value()):
            raise ValueError("a secret or restricted key such as sk_live_... or rk_test_...")
        site = info.data.get("site_url") or ""
        if value and "_live_" in value.get_secret_value() and not site.startswith("https:"):
            raise ValueError("a live key needs an https address in FUEL_SITE_URL")
        return value

    @field_validator("stripe_webhook_secret")
    @classmethod
    def _secrets_of_stripe(cls, value: SecretStr | None, info) -> SecretStr | None:
        if "stripe_secret_key" not in info.data:  # has a line of its own
            return value
        if bool(value) != bool(info.data["stripe_secret_key"]):
            raise ValueError("set it together with FUEL_STRIPE_SECRET_KEY, or neither of them")
        if value and not _STRIPE_SECRETS.fullmatch(value.get_secret_value()):
            raise ValueError("whsec_..., or two of them with a comma between while it is rolled")
        return value

    @field_validator("vapid_private_key")
    @classmethod
    def _key_of_push(cls, value: SecretStr | None) -> SecretStr | None:
        try:
            if value:
                vapid_key(value.get_secret_value())
        except ValueError:
            raise ValueError("a key that `python -m fuel_app vapid-key` prints") from None
        return value

    @field_validator("push_test_service")
    @classmethod
    def _only_for_tests(cls, value: str | None, info) -> str | None:
        if value and _is_public(info.data.get("site_url") or ""):
            raise ValueError("only for tests, at a site on localhost")
        return value

    @property
    def stripe_webhook_secrets(self) -> tuple[str, ...]:
        secret = self.stripe_webhook_secret
        return tuple(re.split(r"\s*,\s*", secret.get_secret_value())) if secret else ()

    @property
    def test_payments(self) -> bool:
        """Return whether no money moves: by the stand-in, or with a test key."""
        key = self.stripe_secret_key
        return key is None or "_test_" in key.get_secret_value()

    @property
    def sender(self) -> str:
        """The address that mails come from."""
        return self.mail_from or self.support_email

    @cached_property
    def public_url(self) -> str:
        """The site's own address without a trailing slash, for links that leave the site."""
        return self.site_url or f"http://localhost:{self.port}"

    @property
    def is_public(self) -> bool:
        return _is_public(self.public_url)

    @property
    def is_https(self) -> bool:
        return urlsplit(self.public_url).scheme == "https"

    def placeholders(self) -> list[str]:
        """Return the settings that a public site must not leave at their default."""
        shown = ("support_email", "support_phone", "company_address") if self.is_public else ()
        defaults = type(self).model_fields
        return [_variable(name) for name in shown if getattr(self, name) == defaults[name].default]

    def on_pages(self) -> dict[str, str]:
        """Return the settings that are compiled into the pages, by variable."""
        shown = self.model_dump(exclude=set(RUNTIME_ONLY))
        return {_variable(name): str(value) for name, value in shown.items()}

    @field_validator("staff_password_hash")
    @classmethod
    def _argon2_hash(cls, value: SecretStr | None) -> SecretStr | None:
        try:
            if value:
                extract_parameters(value.get_secret_value())
        except InvalidHashError:
            raise ValueError(
                "an Argon2 hash such as $argon2id$v=19$m=65536,t=3,p=4$..., in single quotes"
            ) from None
        return value

    @property
    def uses_sqlite(self) -> bool:
        return self.database_url.startswith("sqlite")


def _is_public(address: str) -> bool:
    """Return whether others reach the site at an address; '' is the machine's own."""
    return urlsplit(address).hostname not in {None, "localhost", "127.0.0.1", "::1"}


def vapid_key(text: str) -> ec.EllipticCurvePrivateKey:
    """Return the key that signs notifications, from 32 bytes as base64url. Raises ValueError."""
    if not re.fullmatch(r"[\w-]{43}=?", text, re.ASCII):
        raise ValueError("32 bytes as base64url")
    number = int.from_bytes(urlsafe_b64decode(text.rstrip("=") + "="))
    return ec.derive_private_key(number, ec.SECP256R1())


def _variable(name: str) -> str:
    return name if name == "PORT" else f"FUEL_{name.upper()}"


def load() -> Settings:
    """Read the settings.

    Raises:
        SystemExit: With one line per bad setting that names it; its value is not repeated,
            since it may be a secret.
    """
    try:
        return Settings()  # pyright: ignore[reportCallIssue] (from the environment)
    except ValidationError as error:
        lines = []
        for problem in error.errors():
            name = _variable(str(problem["loc"][0]))
            lines.append(f"{name}: {problem['msg'].removeprefix('Value error, ')}")
        raise SystemExit("\n".join(lines)) from None


settings = load()
