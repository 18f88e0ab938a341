"""The journal: each movement of money is one entry, from one account to another.

The books balance by construction: an entry debits one account and credits another by one amount.
"""

STRIPE, RECEIVABLE = _ASSETS = ("stripe", "receivable")
CUSTOMER_CREDIT, TAX = _OWED = ("customer_credit", "tax")
PLANS, FUEL, FEES = _INCOME = ("plans", "fuel", "fees")
DISCOUNTS, PROMOTIONS, RETURNS, BAD_DEBT, DISPUTED = _REDUCTIONS = (
    *("discounts", "promotions", "returns", "bad_debt", "disputed"),
)
ACCOUNTS = (*_ASSETS, *_OWED, *_INCOME, *_REDUCTIONS)
