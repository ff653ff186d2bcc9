"""Reads a Chainproof service from Python: ``chainproof.Client`` returns pandas DataFrames."""

from chainproof.client import Client, ServiceError

__all__ = ["Client", "ServiceError"]
