"""Decides whose jobs and stored violations a caller may see."""

from fastapi import Request

from backend.auth.gate import current_principal
from backend.auth.principal import Principal
from backend.settings import Settings


def find_visible_owner(request: Request) -> str | None:
    """Return the owner whose data the caller of an authenticated request may see; None for all owners."""
    settings: Settings = request.app.state.settings
    return limit_to_owner(current_principal(request), settings)


def limit_to_owner(principal: Principal, settings: Settings) -> str | None:
    """Return the owner whose data ``principal`` may see; None for all owners."""
    return None if settings.shared_jobs or "admin" in principal.scopes else principal.owner
