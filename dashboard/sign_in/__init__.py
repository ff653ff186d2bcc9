"""People sign in to the dashboard by the service's own OAuth 2.0, and it acts with their tokens.

The authorization code flow with PKCE (RFC 6749, RFC 7636) for a public client, with the hardening of
RFC 9700: the state is bound to the browser, the issuer is checked (RFC 9207), tokens never reach the
browser, refresh tokens rotate and are used one at a time.

Tokens are kept in the memory of one process, behind a cookie that holds nothing but a random secret. An
encrypted cookie could be neither refreshed from two tabs without using a refresh token twice, which ends its
whole family, nor taken back on the server's side.

So that a restart signs nobody out, each session also has a file in the data folder, which is of no use
without the cookie: its key and its name are derived from the cookie's secret (:mod:`.seal`). A session is
held by one process at a time: each has a folder of its own, locked for as long as it lives. Who is shown a
cookie that it does not know takes the file over from a process that is gone, or has the person sign in
(:mod:`.folder`). New tokens are on disk before they are used, what ends is removed at once, and nothing of a
session that came back is believed before the service has answered its token.

Streamlit's sessions are of one process: behind several, a proxy keeps each browser with the same one.
"""
