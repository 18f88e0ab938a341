"""The journal: each movement of money is one entry, from one account to another.

The books balance by construction: an entry debits one account and credits another by one amount.
"""

# Assets first, then what we owe, then income and its reductions.
(
    STRIPE,
    RECEIVABLE,
    CUSTOMER_CREDIT,
    TAX,
    PLANS,
    FUEL,
    FEES,
    DISCOUNTS,
    PROMOTIONS,
    RETURNS,
    BAD_DEBT,
    DISPUTED,
) = ACCOUNTS = (
    *("stripe", "receivable", "customer_credit", "tax", "plans", "fuel", "fees"),
    *("discounts", "promotions", "returns", "bad_debt", "disputed"),
)
