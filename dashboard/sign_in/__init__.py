"""People sign in to the dashboard by the service's own OAuth 2.0, and it acts with their tokens.

The authorization code flow with PKCE (RFC 6749, RFC 7636) for a public client, with the hardening of
RFC 9700: the state is bound to the browser, the issuer is checked (RFC 9207), tokens never reach the
browser, refresh tokens rotate and are used one at a time.

Tokens are kept in the memory of this process, behind a cookie that holds nothing but a random number. An
encrypted cookie would outlive a restart, but could be neither refreshed from two tabs without using a refresh
token twice, which ends its whole family, nor taken back on the server's side; and tokens on a disk would be
one more place to steal them from. After a restart of the dashboard people sign in again. Streamlit's sessions
are of one process too: behind several, a proxy keeps each browser with the same one.
"""
