"""Decides how the roles of two acts relate: told from both sides, swapped, or with another target."""

from collections.abc import Sequence

from backend.sources.claims.actions import load_verbs
from backend.sources.claims.roles import NAMING, Roles

_NONE: frozenset[str] = frozenset()
PAY = "pay"
ENFORCEMENT = "enforcement"
"""The role group of suing, charging, fining and the like."""


def are_converse(claim: Roles, source: Roles) -> bool:
    """True if two acts tell one thing from both sides: B sells to A, A buys from B."""
    verbs_by_name = load_verbs()
    if (
        claim.verb == source.verb
        or verbs_by_name[claim.verb].role_group != verbs_by_name[source.verb].role_group
    ):
        return False
    claim_roles, source_roles = claim.group_by_role(), source.group_by_role()
    shares_role = any(claim_roles[name] & source_roles.get(name, _NONE) for name in claim_roles)
    return shares_role and not any(
        claim_roles[role] & source_roles[other_role]
        for role in claim_roles
        for other_role in source_roles
        if role != other_role
    )


def are_swapped(claim: Roles, source: Roles) -> bool:
    """True if an entity has another role in the source and none has the same.

    Either the claim names two roles and one of their fillers has another role in the source, or both texts
    have the same two names and differ in which of them is the new one.
    """
    verbs_by_name = load_verbs()
    if claim.verb == PAY and verbs_by_name[source.verb].role_group == ENFORCEMENT:
        return bool(claim.agents & source.agents)  # who fines does not pay
    if verbs_by_name[claim.verb].role_group != verbs_by_name[source.verb].role_group:
        return False
    claim_roles, source_roles = claim.group_by_role(), source.group_by_role()
    if any(claim_roles[name] & source_roles.get(name, _NONE) for name in claim_roles):
        return False
    is_enforcement = verbs_by_name[claim.verb].role_group == ENFORCEMENT
    targets = list_targets(claim)
    if is_enforcement and targets and targets <= source.agents and not claim.agents & source.agents:
        return bool(list_targets(source)) or bool(claim.agents)  # took the SEC to court
    if len(claim_roles) > 1 and any(
        claim_roles[role] & source_roles[other_role]
        for role in claim_roles
        for other_role in source_roles
        if role != other_role
    ):
        return True
    return verbs_by_name[claim.verb].role_group == NAMING and any(
        claim_roles[name] <= source.parties and source_roles[name] <= claim.parties
        for name in claim_roles.keys() & source_roles.keys()
    )


def find_other_target(claim: Roles, source_acts: Sequence[Roles]) -> Roles | None:
    """Find an act of the source with another target, if none of its acts has the claim's target as one."""
    group = load_verbs()[claim.verb].role_group
    same_acts = [act for act in source_acts if act.verb == claim.verb and list_targets(act)]
    targets = frozenset().union(
        *(list_targets(act) for act in source_acts if load_verbs()[act.verb].role_group == group)
    )
    claimed = list_targets(claim)
    return same_acts[0] if same_acts and claimed and not claimed & targets else None


def list_targets(act: Roles) -> frozenset[str]:
    """List the entities to whom an act is done, as its object or behind a mark (に, 对)."""
    names = load_verbs()[act.verb].roles
    return act.patients | act.recipients if names.get("recipient") == names.get("patient") else act.patients
