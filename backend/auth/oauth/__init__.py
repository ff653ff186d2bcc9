"""OAuth 2.0: RFC 6749 with PKCE (RFC 7636) and the hardening of RFC 9700, for public clients.

Every exchange is one write transaction. A refusal that revokes something is returned and not raised, so that
what it revoked is committed.
"""
