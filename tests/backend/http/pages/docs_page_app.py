"""Serves the documentation page for a test API."""

from fastapi import FastAPI
from starlette.responses import JSONResponse

from backend.auth.gate import gated_router
from backend.http import openapi
from backend.http.error_handlers import install_error_handlers
from backend.http.pages import docs_page


def application() -> FastAPI:
    """Two operations, one of which needs a key."""
    app = FastAPI(title="Of the test", docs_url=None, redoc_url=None)
    data = gated_router(scope="read", tags=["data"])

    @data.get("/figures")
    def read_figures() -> JSONResponse:
        """Every figure."""
        return JSONResponse([])

    @app.get("/ping", tags=["operation"])
    def ping() -> dict[str, str]:
        """Answers."""
        return {"answer": "pong of the test"}

    app.include_router(data)
    app.include_router(docs_page.router)
    install_error_handlers(app, [data, docs_page.router])
    openapi.install(app)
    return app
