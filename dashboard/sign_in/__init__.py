"""Signs people in to the dashboard by the service's OAuth 2.0, and sends requests with their tokens.

It uses the authorization code flow with PKCE (RFC 6749, RFC 7636) for a public client, with the hardening of
RFC 9700: the state is bound to the browser, the issuer is checked (RFC 9207), tokens never reach the browser,
refresh tokens rotate and are used one at a time.

Tokens are in the memory of one process, found by a cookie that contains only a random secret. When the
process ends, its sessions end. The service's sign-in page remembers the browser
(:mod:`backend.auth.oauth.sign_in_sessions`), so the next process gets new tokens by one redirect without a
page. Signing out ends both.

Streamlit's sessions belong to one process: with several processes, a proxy must use sticky sessions.
"""
