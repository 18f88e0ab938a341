"""Django's admin list over the same leads, as the reference.

One model over all leads with the columns of our list, an index on each column that it sorts or
filters by, and a `ModelAdmin` with the same columns, filter, search fields, order and page size.
All else is Django's default.

Its table is a copy of `leads` in the same database. A question is a request of a signed-in
superuser through Django's test client, without a network.
"""

# pyright: reportMissingImports=false
# (Django is in the benchmarks' own requirements)

from collections.abc import Callable
from typing import Any

import django
from django.conf import settings
from django.core.management import call_command
from sqlalchemy.engine import make_url

from bench.lead_questions import Question
from fuel_app.leads.rules import PAGE_SIZE, TYPE_LABELS

urlpatterns: list[Any] = []
COLUMNS = ("type", "status", "created_at", "name", "lead_source", "email")  # as our list has them
_SORTED_BY = {"type": 1, "status": 2, "date": 3, "name": 4, "source": 5}
_FILL = """
INSERT INTO stock_lead (type, status, created_at, name, lead_source, company, email, phone)
SELECT type, shown_status, created_at, name, lead_source, company, email, phone
FROM leads ORDER BY number
"""


def _database(url: str) -> dict[str, Any]:
    parts = make_url(url)
    if parts.get_backend_name() == "sqlite":
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": parts.database}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.database,
        "USER": parts.username,
        "HOST": parts.host,
        "PORT": parts.port,
    }


def _configure(url: str) -> None:
    """Configure Django as `django-admin startproject` does, without the development settings."""
    contrib = ("admin", "auth", "contenttypes", "sessions", "messages", "staticfiles")
    middleware = (
        *("middleware.security.Security", "contrib.sessions.middleware.Session"),
        *("middleware.common.Common", "middleware.csrf.CsrfView"),
        *("contrib.auth.middleware.Authentication", "contrib.messages.middleware.Message"),
        "middleware.clickjacking.XFrameOptions",
    )
    processors = (
        "django.template.context_processors.request",
        "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages",
    )
    settings.configure(
        SECRET_KEY="benchmark",
        ALLOWED_HOSTS=["testserver"],
        ROOT_URLCONF=__name__,
        STATIC_URL="static/",
        TIME_ZONE="America/New_York",
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        DATABASES={"default": _database(url)},
        INSTALLED_APPS=["bench", *[f"django.contrib.{name}" for name in contrib]],
        MIDDLEWARE=[f"django.{name}Middleware" for name in middleware],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {"context_processors": [*processors]},
            }
        ],
    )
    django.setup()


def _register() -> Any:
    """Register the admin list. Return its model."""
    from django.contrib import admin
    from django.db import models
    from django.urls import path

    class Lead(models.Model):
        type = models.CharField(max_length=10, choices=[*TYPE_LABELS.items()], db_index=True)
        status = models.CharField(max_length=100, db_index=True)
        created_at = models.DateTimeField(db_index=True)
        name = models.CharField(max_length=201, db_index=True)
        lead_source = models.CharField(max_length=100, db_index=True)
        company = models.CharField(max_length=200, blank=True)
        email = models.CharField(max_length=254)
        phone = models.CharField(max_length=40, blank=True)

        class Meta:
            app_label = "bench"
            db_table = "stock_lead"

    @admin.register(Lead)
    class LeadAdmin(admin.ModelAdmin):
        list_display = COLUMNS
        list_filter = ("type",)
        search_fields = ("name", "company", "email", "phone")
        ordering = ("-created_at",)
        list_per_page = PAGE_SIZE

    urlpatterns.append(path("admin/", admin.site.urls))
    return Lead


def _address(question: Question) -> dict[str, str]:
    sort = question.sort
    sign = "-" if sort.startswith("-") else ""
    asked = {"o": f"{sign}{_SORTED_BY[sort.removeprefix('-')]}"} if sort != "-date" else {}
    if question.search:
        asked["q"] = question.search
    if question.type:
        asked["type__exact"] = question.type
    if question.page > 1:
        asked["p"] = str(question.page)
    return asked


def start(url: str) -> Callable[[Question], str]:
    """Fill Django's table. Return a function that answers a question with a page of HTML."""
    _configure(url)
    model = _register()
    from django.contrib.auth.models import User
    from django.db import connection
    from django.test import Client

    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        editor.create_model(model)
    with connection.cursor() as cursor:
        cursor.execute(_FILL)
        if connection.vendor == "postgresql":
            cursor.execute("VACUUM ANALYZE stock_lead")
    client = Client()
    client.force_login(User.objects.create_superuser("staff"))

    def ask(question: Question) -> str:
        response: Any = client.get("/admin/bench/lead/", _address(question))
        assert response.status_code == 200, response.status_code
        return response.content.decode()

    return ask
