"""Creates and closes the process's one API client, from the settings of the environment.

Every function may be called from any thread at any rate: see :mod:`dashboard.client.http`.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import backend.settings
from backend.settings import Settings
from dashboard.client import callers
from dashboard.client.fetched import Fetched
from dashboard.client.http import ApiClient
from dashboard.sign_in import service

T = TypeVar("T")
_executor = ThreadPoolExecutor(max_workers=8, thread_name_prefix="api")
_lock = threading.Lock()
_client: ApiClient | None = None


class SettingsError(Exception):
    """The settings of the service cannot be read; the message says which and why."""


def get_client() -> ApiClient:
    """Returns the process's client; the first call creates it.

    :raises SettingsError: if the environment does not say where the service is.
    """
    global _client
    with _lock:
        if _client is None:
            settings = _load_settings()
            find_caller = service.find_caller if service.get_service() is not None else None
            _client = ApiClient(settings.api_url, _build_key_reader(settings), find_caller=find_caller)
        return _client


def close_client() -> None:
    """Closes the client at the end of the process."""
    global _client
    with _lock:
        if _client is not None:
            _client.close()
        _client = None


def start_call(call: Callable[[], Fetched[T]]) -> Future[Fetched[T]]:
    """Starts a call in another thread, as the caller of this thread."""
    return _executor.submit(callers.run_as, get_client().caller(), call)


def retry_failed() -> None:
    """Lets the next call of every failed path ask the service at once."""
    get_client().clear_failures()


def _load_settings() -> Settings:
    try:
        return Settings()
    except backend.settings.SettingsError as error:
        raise SettingsError(error.detail) from error


def _build_key_reader(settings: Settings) -> Callable[[], str | None]:
    def read_key() -> str | None:
        key = os.environ.get("CHAINPROOF_API_KEY", "").strip()
        if key:
            return key
        try:
            return settings.local_key_file.read_text(encoding="ascii").strip() or None
        except (OSError, UnicodeDecodeError):  # absent, or not readable for us: the service answers 401
            return None

    return read_key
