"""People sign in to the dashboard by the service's own OAuth 2.0, and it acts with their tokens.

The authorization code flow with PKCE (RFC 6749, RFC 7636) for a public client, with the hardening of
RFC 9700: the state is bound to the browser, the issuer is checked (RFC 9207), tokens never reach the
browser, refresh tokens rotate and are used one at a time.

Tokens are kept in the memory of one process, behind a cookie that holds nothing but a random secret. When
that process ends, its sessions do. The service's sign-in page remembers the browser
(:mod:`backend.auth.oauth.sign_in_sessions`), so that the next process gets new tokens by one redirect that
shows no page. Signing out ends both.

Streamlit's sessions are of one process: behind several, a proxy keeps each browser with the same one.
"""
