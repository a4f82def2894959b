"""Every Python listing of the documentation runs, a page after the other in one folder and one namespace."""

import contextlib
import io
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
# Listings that need a server, Spark or Dask are run by the tests of these, or only shown.
ELSEWHERE = {"serve.md", "clusters.md", "lab.md", "vw-daemon.md"}
PAGES = [page for page in sorted(DOCS.glob("*.md")) if page.name not in ELSEWHERE and "```python" in page.read_text()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_listings_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for listing in re.findall(r"```python\n(.*?)```", page.read_text(), re.S):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(listing, str(page), "exec"), names)
        # A listing that prints nothing shows nothing.
        assert printed.getvalue().strip() or "print(" not in listing
        assert "False" not in printed.getvalue().split()


def test_there_are_pages():
    assert len(PAGES) >= 3
