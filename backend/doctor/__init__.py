"""Checks an installation for ``chainproof doctor``."""
