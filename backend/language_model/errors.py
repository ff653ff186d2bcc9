"""Why a language model gave no usable answer. Each ``message`` is a sentence that holds no secret."""


class ModelFailed(Exception):
    """No usable answer; the caller goes on without a model."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class AnswerUnusable(ModelFailed):
    """The model answered and what it said is of no use: asking the same again would cost the same again."""


class CeilingReached(ModelFailed):
    """The day's ceiling of cost leaves no room for another call."""


class AllowanceSpent(ModelFailed):
    """The caller has asked as much as it may."""
