"""Shows the export menu: a link to the view, and its runs as files."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import export, url_state
from dashboard.app_pages.timelines.export import RunsExport
from dashboard.components.copy_button import copy_button
from dashboard.i18n import t

FORMATS: tuple[tuple[str, Callable[[RunsExport], bytes], str], ...] = (
    ("csv", export.to_csv, "text/csv"),
    ("parquet", export.to_parquet, "application/vnd.apache.parquet"),
)


def render(arrays: RunArrays, as_of: datetime | None) -> None:
    """Render the menu. Files are generated on download."""
    base = (st.context.url or "").partition("/timelines")[0].rstrip("/")
    runs = RunsExport(arrays, as_of or datetime.now(UTC), base + url_state.build_link())
    with st.popover(t("timelines.export"), icon=":material/ios_share:", key="tl_export", width="content"):
        st.caption(t("timelines.export_help", n=f"{len(arrays):,}"))
        copy_button(t("frame.copy_link"), key="tl_copy")
        with st.container(horizontal=True, gap="small"):
            for kind, make, mime in FORMATS:
                st.download_button(
                    t(f"timelines.download_{kind}"),
                    data=partial(make, runs),
                    file_name=f"chainproof-runs-{runs.as_of:%Y%m%dT%H%M%SZ}.{kind}",
                    mime=mime,
                    key=f"tl_download_{kind}",
                    icon=":material/download:",
                    on_click="ignore",
                    disabled=not len(arrays),
                )
