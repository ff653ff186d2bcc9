"""The dashboard as one ASGI application: ``streamlit run dashboard/asgi.py``.

Besides the pages it serves the assets' icons, puts the style into the document, and asks the
service at its start for what the first page needs. Where people sign in, it lets nobody else past.
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
from dashboard.client import api
from dashboard.frame import asset_icons, style_sheet
from dashboard.frame.document import Document
from dashboard.sign_in import guard, routes, service
from dashboard.sign_in.service import open_desk
from dashboard.sign_in.session import Session
from dashboard.sign_in.session_maintenance import Rounds

USED_BY_PAGES = (
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
"""Imported before the first visit, which would wait for them a second and a half."""


@asynccontextmanager
async def lifespan(_: Any) -> AsyncIterator[dict[str, Any]]:
    for name in USED_BY_PAGES:
        import_module(name)
    warming = asyncio.get_running_loop().run_in_executor(None, warm)
    desk = open_desk()
    rounds = Rounds(desk, look) if desk is not None else None
    if rounds is not None:
        rounds.start()
    yield {}
    if rounds is not None:
        rounds.stop()
        service.close()
    await warming
    api.close()


def look(session: Session) -> None:
    """Ask the service whether it still knows somebody."""
    api.client().look(session)


def warm() -> None:
    """A failure is kept by the client and shown by the first page, so it needs no words here.

    Where people sign in nothing is asked before somebody has: it is their token that is asked with.
    """
    try:
        client = api.client()
    except api.SettingsError:
        return
    if open_desk() is None:
        api.overview()
        prepare()
    library.compressed()
    client.keep(prepare)


def prepare() -> None:
    """Make what the next visits need of what is new."""
    rankings.prepare()
    timelines.prepare()


def watch() -> str:
    """What leads back to the sign-in from a page that is open."""
    return (Path(__file__).parent / "sign_in" / "session_watch.js").read_text(encoding="utf-8")


app = st.App(
    Path(__file__).parent / "app.py",
    lifespan=lifespan,
    routes=[*routes.ROUTES, *asset_icons.ROUTES, *library.ROUTES],
    middleware=[
        Middleware(
            Document, style=style_sheet.sheet(), title="Chainproof", script=watch() if open_desk() else ""
        ),
        Middleware(guard.Guard),
    ],
)
