"""Kinds of constraint violations: a message on SQLite, a code on PostgreSQL."""

from sqlalchemy.exc import IntegrityError


def _violates(error: IntegrityError, sqlstate: str, sqlite_words: str) -> bool:
    return getattr(error.orig, "sqlstate", None) == sqlstate or sqlite_words in str(error.orig)


def is_unique_violation(error: IntegrityError) -> bool:
    return _violates(error, "23505", "UNIQUE constraint failed")


def is_foreign_key_violation(error: IntegrityError) -> bool:
    return _violates(error, "23503", "FOREIGN KEY constraint failed")
