"""Builds the dashboard's ASGI application: ``streamlit run dashboard/asgi.py``.

Besides the pages it serves asset icons, adds the style to the document, and loads the data of the
first page at startup. With sign-in enabled, it rejects requests without a session.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

from dashboard.app_pages.rankings import data as rankings
from dashboard.app_pages.timelines import data as timelines
from dashboard.charts.plotly_chart import library
from dashboard.client import connection, markets
from dashboard.frame import asset_icons, head_scripts, style_sheet
from dashboard.frame.document import DocumentMiddleware
from dashboard.frame.search_palette import index as search_index
from dashboard.sign_in import guard, routes, service
from dashboard.sign_in.service import find_service
from dashboard.sign_in.session import Session
from dashboard.sign_in.session_maintenance import SessionMaintenance

PRELOADED_MODULES = (
    "PIL.Image",
    "dashboard.app_pages.corrections.layout",
    "dashboard.app_pages.overview.layout",
    "dashboard.app_pages.rankings.layout",
    "dashboard.app_pages.research.layout",
    "dashboard.app_pages.timelines.layout",
    "dashboard.app_pages.topics.layout",
    "pandas",
    "pyarrow.parquet",
    "streamlit.emojis",
)
"""Imported at startup; otherwise the first visit would wait 1.5 seconds for them."""


@asynccontextmanager
async def lifespan(_: Any) -> AsyncIterator[dict[str, Any]]:
    """Preloads modules and data and maintains sessions while the server runs."""
    for name in PRELOADED_MODULES:
        import_module(name)
    warm_up = asyncio.get_running_loop().run_in_executor(None, warm_caches)
    sign_in_service = find_service()
    maintenance = SessionMaintenance(sign_in_service, check_session) if sign_in_service is not None else None
    if maintenance is not None:
        maintenance.start()
    yield {}
    if maintenance is not None:
        maintenance.stop()
        service.close_service()
    await warm_up
    connection.close_client()


def check_session(session: Session) -> None:
    """Asks the service whether a session is still valid."""
    connection.get_client().probe(session)


def warm_caches() -> None:
    """Loads the data of the first page. The client caches a failure, and the first page shows it.

    With sign-in, nothing is loaded before someone has signed in, because requests need their token.
    """
    try:
        client = connection.get_client()
    except connection.SettingsError:
        return
    if find_service() is None:
        markets.fetch_overview()
        prepare_pages()
    library.compress_library()
    client.start_refreshing(prepare_pages)


def prepare_pages() -> None:
    """Prepares new data for the next visits."""
    rankings.prepare_tables()
    timelines.prepare()


def load_session_watch() -> str:
    """Loads the script that redirects an open page to the sign-in."""
    return (Path(__file__).parent / "sign_in" / "session_watch.js").read_text(encoding="utf-8")


app = st.App(
    Path(__file__).parent / "app.py",
    lifespan=lifespan,
    routes=[*routes.ROUTES, *asset_icons.ROUTES, *library.ROUTES, *search_index.ROUTES],
    middleware=[
        Middleware(
            DocumentMiddleware,
            style=style_sheet.build_style_sheet(),
            title="Chainproof",
            script=head_scripts.build_script() + (load_session_watch() if find_service() else ""),
        ),
        Middleware(guard.SignInGuard),
    ],
)
