"""Pages of the dashboard as Streamlit's own test harness runs them."""

from typing import Any

from streamlit.testing.v1 import AppTest


def html(app: AppTest) -> str:
    """All markup that the page sent, but what is inside components."""
    return "\n".join(str(part.proto.body) for part in app.get("html"))


def component(app: AppTest, name: str) -> Any:
    """What the page sent to its one component ``chainproof.<name>``."""
    assert not app.exception
    (part,) = [
        part for part in app.get("bidi_component") if part.proto.component_name == f"chainproof.{name}"
    ]
    return part.proto


def markdown(app: AppTest) -> str:
    """The page's first line of Markdown."""
    assert not app.exception
    return str(app.markdown[0].value)
