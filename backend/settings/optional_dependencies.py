"""Finds optional libraries that the settings need but that are not installed."""

from importlib.util import find_spec

from backend.settings import Settings


def find_missing(settings: Settings) -> str | None:
    """Return a sentence with the setting and the extra to install; None if nothing is missing."""
    needed = (
        (settings.redis_url is not None, "CHAINPROOF_REDIS_URL", "redis", "redis"),
        (settings.model_base_url is not None, "CHAINPROOF_MODEL_BASE_URL", "model", "openai"),
        (settings.otlp_endpoint is not None, "CHAINPROOF_OTLP_ENDPOINT", "otel", "opentelemetry.sdk"),
    )
    for is_set, setting, extra, library in needed:
        if is_set and find_spec(library) is None:
            return f"{setting} needs the extra '{extra}'. Install it with: pip install 'chainproof[{extra}]'"
    return None


def require_installed(settings: Settings) -> None:
    """Raise :class:`ValueError` with the sentence of :func:`find_missing`."""
    if sentence := find_missing(settings):
        raise ValueError(sentence)
