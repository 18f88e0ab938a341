"""HTTP of billing: receipts, Stripe's webhooks, and the page of its stand-in."""

from starlette.routing import Route

from fuel_app import routes
from fuel_app.billing.http.checkout import test_checkout
from fuel_app.billing.http.receipts import receipt
from fuel_app.billing.http.webhooks import stripe

ROUTES = [
    Route(routes.RECEIPT_FILE_PATTERN, receipt, methods=["GET"]),
    Route(routes.STRIPE_WEBHOOK, stripe, methods=["POST"]),
    Route(routes.test_checkout("{session_id}"), test_checkout, methods=["GET", "POST"]),
]
