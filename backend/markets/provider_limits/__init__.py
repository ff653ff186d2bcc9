"""Decides when a provider may be asked: circuit breaker, monthly credits, polling schedule."""
