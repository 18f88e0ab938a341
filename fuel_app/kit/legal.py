"""Versions of the legal texts, stored with each acceptance.

Until an area opens no one has accepted any, and a text may change under its version.
"""

TERMS_VERSION = "2026-11-22"
TERMS_UPDATED = "11/22/2026"
PRIVACY_VERSION = "2025-05-03"
PRIVACY_UPDATED = "5/3/2025"
