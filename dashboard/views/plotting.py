"""Plotly's figure classes; its package carries no types, so they are ``Any`` in one place."""

from typing import Any

import plotly.graph_objects

go: Any = plotly.graph_objects
Figure = Any
