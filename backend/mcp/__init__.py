"""Serves the tools of the Model Context Protocol, over HTTP at ``/mcp`` and over standard input and output.

Each tool calls the service's own HTTP interface with the caller's credential, so credentials, scopes, limits
and errors are those of the interface. The protocol's library takes 24 MB and over half a second to load: only
:mod:`backend.mcp.sdk_host` and ``chainproof mcp`` load it, and the modules that they load.
"""
