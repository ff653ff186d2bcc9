"""The dashboard as one ASGI application: ``streamlit run dashboard/asgi.py``.

Besides the pages it serves the assets' icons, puts the style into the document, and asks the
service at its start for what the first page needs.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

from dashboard import ahead, icons
from dashboard.client import api
from dashboard.components.chart import library
from dashboard.document import Document
from dashboard.views import rank_data, shell, timelines_data

USED_BY_PAGES = (
    "PIL.Image",
    "dashboard.views.corrections_page",
    "dashboard.views.overview_charts",
    "dashboard.views.overview_data",
    "dashboard.views.overview_health",
    "dashboard.views.rank_board",
    "dashboard.views.research_page",
    "dashboard.views.timelines_page",
    "dashboard.views.topics_page",
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
    yield {}
    await warming


def warm() -> None:
    """A failure is kept by the client and shown by the first page, so it needs no words here."""
    try:
        api.client()
    except api.SettingsError:
        return
    api.overview()
    prepare()
    library.compressed()
    api.client().keep(prepare)


def prepare() -> None:
    """Make what the next visits need of what is new."""
    rank_data.prepare()
    timelines_data.prepare()


shell.style_in_document()
app = st.App(
    Path(__file__).parent / "app.py",
    lifespan=lifespan,
    routes=[*icons.ROUTES, *ahead.ROUTES, *library.ROUTES],
    middleware=[Middleware(Document, style=shell.sheet(), title="Chainproof")],
)
