"""Accounts by plain HTTP: the cookie, the guards, second factors and passkeys."""

from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.http.factors import (
    authenticator_code,
    authenticator_key,
    open_authenticator,
    recovery_codes,
)
from fuel_app.accounts.http.passkeys import register, register_options, sign_in, sign_in_options
from fuel_app.accounts.http.session import enter, leave

ROUTES = [
    Route(routes.SESSION, enter, methods=["POST"]),
    Route(routes.SIGN_OUT, leave, methods=["POST"]),
    Route(routes.AUTHENTICATOR_CODE, authenticator_code),
    Route(routes.AUTHENTICATOR_KEY, authenticator_key),
    Route(routes.AUTHENTICATOR_OPEN, open_authenticator),
    Route(routes.RECOVERY_CODES, recovery_codes, methods=["POST"]),
    Route(routes.PASSKEY_OPTIONS, register_options, methods=["POST"]),
    Route(routes.PASSKEYS, register, methods=["POST"]),
    Route(routes.PASSKEY_SIGN_IN_OPTIONS, sign_in_options, methods=["POST"]),
    Route(routes.PASSKEY_SIGN_IN, sign_in, methods=["POST"]),
]
