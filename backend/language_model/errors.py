"""Defines the errors of language model calls. Each ``message`` is a sentence without secrets."""


class ModelFailed(Exception):
    """The model gave no usable answer. Callers continue without it."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class AnswerUnusable(ModelFailed):
    """The model answered, but not usably. A retry would cost the same again, so callers should not retry."""


class DailyLimitReached(ModelFailed):
    """The daily cost limit leaves no room for another call."""


class AllowanceSpent(ModelFailed):
    """The caller has used up its calls or tokens."""
