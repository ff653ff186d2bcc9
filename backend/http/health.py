"""Serves the operators' endpoints: liveness, readiness and metrics."""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, Protocol

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar
from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response

from backend import errors
from backend.http.client_address import is_on_this_machine
from backend.runtime import metrics

HEALTH_THREADS = 4
"""Threads per event loop for these endpoints alone."""
_threads: RunVar[CapacityLimiter] = RunVar("health_threads")

router = APIRouter(tags=["operation"])


class WorkerState(Protocol):
    """The state of the workers and its description."""

    @property
    def is_fault(self) -> bool: ...

    def sentence(self, now: datetime) -> str: ...


class WorkerStateSource(Protocol):
    """Loads the state of the workers from the store."""

    @property
    def clock(self) -> Callable[[], datetime]: ...

    def state(self) -> WorkerState: ...


class Health(BaseModel):
    status: Literal["ok"]


class Check(BaseModel):
    ok: bool
    detail: str


class Readiness(BaseModel):
    status: Literal["ok", "unavailable"]
    checks: dict[str, Check]


WORKER_UNKNOWN = Check(ok=False, detail="Not known, because the store does not answer.")
"""Reported if the store did not answer, now or just before: another wait would double the time."""


@router.get("/healthz", response_model=Health)
async def read_health() -> dict[str, str]:
    """The process is up. Asks nothing of anything else."""
    return {"status": "ok"}


@router.get(
    "/readyz", response_model=Readiness, responses={503: {"model": Readiness, "description": "Not ready."}}
)
async def read_readiness(request: Request) -> Response:
    """The dependencies answer: the store, and the watcher that keeps this process's answers current.

    `worker` and `limits` tell of what is not needed to answer: their `ok` changes neither `status` nor the
    status code.
    """
    return await to_thread.run_sync(_readiness, request, limiter=_get_thread_limiter())


def _get_thread_limiter() -> CapacityLimiter:
    """Return the limiter of this event loop. The management listener has an event loop of its own."""
    try:
        return _threads.get()
    except LookupError:
        limiter = CapacityLimiter(HEALTH_THREADS)
        _threads.set(limiter)
        return limiter


def _readiness(request: Request) -> Response:
    checks = {"store": _check_store(request), "watcher": _check_watcher(request)}
    ok = all(check.ok for check in checks.values())
    checks["worker"] = _check_worker(request) if checks["store"].ok else WORKER_UNKNOWN
    if request.app.state.limiter is not None:
        checks["limits"] = Check(ok=True, detail=request.app.state.limiter.describe_storage())
    body: dict[str, Any] = {
        "status": "ok" if ok else "unavailable",
        "checks": {name: check.model_dump() for name, check in checks.items()},
    }
    return JSONResponse(body, 200 if ok else 503, headers=None if ok else {"Retry-After": "5"})


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {
            "content": {"text/plain": {"schema": {"type": "string"}}},
            "description": "Prometheus exposition.",
        },
        403: {"description": "Only callers on this machine may read the metrics."},
    },
)
async def read_metrics(request: Request) -> Response:
    """Prometheus metrics; for callers on loopback unless `CHAINPROOF_METRICS_PUBLIC` is set."""
    return await to_thread.run_sync(_metrics, request, limiter=_get_thread_limiter())


def _metrics(request: Request) -> Response:
    host = request.client.host if request.client else ""
    is_local = is_on_this_machine(host, request.scope["headers"])
    if not (request.app.state.settings.metrics_public or is_local):
        raise errors.Forbidden(
            "Metrics are for callers on this machine; CHAINPROOF_METRICS_PUBLIC=true opens them.",
            code="loopback_only",
        )
    request.app.state.refresh_gauges()
    body, content_type = metrics.exposition()
    return Response(body, headers={"Content-Type": content_type, "Cache-Control": "no-store"})


def _check_store(request: Request) -> Check:
    try:
        request.app.state.database.ping()
    except Exception as error:  # noqa: BLE001 - the result is the same for all errors of the driver
        return Check(ok=False, detail=f"The store does not answer ({type(error).__name__}).")
    return Check(ok=True, detail="The store answers.")


def _check_worker(request: Request) -> Check:
    watch: WorkerStateSource = request.app.state.workers
    try:
        state = watch.state()
    except Exception:  # noqa: BLE001 - whatever fails here, readiness is still answered
        return WORKER_UNKNOWN
    return Check(ok=not state.is_fault, detail=state.sentence(watch.clock()))


def _check_watcher(request: Request) -> Check:
    last = request.app.state.watcher.last_success
    if last is None:
        return Check(ok=False, detail="The data have not been read yet.")
    age = time.monotonic() - last
    return Check(ok=age < 15, detail=f"The data were last looked at {age:.0f} s ago.")
