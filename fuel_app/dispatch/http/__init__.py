"""Dispatch by plain HTTP: the technician's page, and what their phones send."""

from starlette.routing import Route

from fuel_app import routes
from fuel_app.dispatch.http import drive, technician

ROUTES = [
    Route(routes.DRIVE, drive.page),
    Route(routes.TECHNICIAN_WORKER, drive.worker),
    Route(routes.TECHNICIAN_MANIFEST, drive.manifest),
    *technician.ROUTES,
]
