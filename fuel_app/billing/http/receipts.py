"""Receipts as PDF."""

from starlette.requests import Request
from starlette.responses import Response

from fuel_app.accounts.http.guards import requires
from fuel_app.accounts.rules import Role
from fuel_app.billing.rules.invoices import InvoiceGone
from fuel_app.billing.rules.receipts import Receipt
from fuel_app.billing.service import reading
from fuel_app.kit.http import FRESH, text_answer


@requires(Role.CUSTOMER, Role.DISPATCHER)
async def receipt(request: Request) -> Response:
    """Return a receipt as PDF: a customer's own, any for staff."""
    by = request.state.session.actor
    return await pdf_answer(await reading.receipt(by, request.path_params["invoice_id"]))


async def pdf_answer(receipt: Receipt | None) -> Response:
    """Answer with a receipt as PDF; another's and none are the same to who asks."""
    if receipt is None:
        return text_answer(InvoiceGone.message, 404)
    file = await reading.file_of(receipt)
    disposition = {"Content-Disposition": f'attachment; filename="{file.name}"'}
    headers = FRESH | disposition | {"Referrer-Policy": "no-referrer"}
    return Response(file.data, headers=headers, media_type="application/pdf")
