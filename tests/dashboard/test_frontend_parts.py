"""Which files of the installed frontend a page names early."""

import pytest

from dashboard import frontend_parts
from dashboard.frontend_parts import BY_PAGE, SCRIPTS, STATIC, hints, needed


@pytest.mark.parametrize("page", BY_PAGE)
def test_each_kind_has_its_file_and_all_that_these_import(page: str) -> None:
    names = {address.removeprefix("/static/js/") for address in needed(page)}
    for kind in BY_PAGE[page]:
        assert any(name.startswith(f"{kind}.") for name in names), kind
    document = (STATIC / "index.html").read_text("utf-8")
    for name in names:
        assert name not in document
        imported = frontend_parts._IMPORTED.findall((SCRIPTS / name).read_text("utf-8"))
        assert all(other in names or other in document for other in imported)


def test_the_document_of_a_page_names_them_and_no_other_does() -> None:
    written = hints("/timelines")
    assert written.count("<link") == len(needed("timelines")) > len(BY_PAGE["timelines"])
    assert hints("/") == hints("/_stcore/health") == ""
