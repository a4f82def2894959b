"""What the index of packages shows, and what an environment lists."""

import shutil
import subprocess
import sys
from importlib.metadata import metadata, version
from pathlib import Path

import pytest

import rosenblatt

ROOT = Path(__file__).parents[2]


def test_metadata():
    facts = metadata("rosenblatt")
    assert facts["Version"] == version("rosenblatt") == rosenblatt.__version__
    assert facts["Author"] == "The rosenblatt developers" and facts["License-Expression"] == "MIT OR Apache-2.0"
    assert set(facts.get_all("Provides-Extra")) == {"lab", "plot", "dask", "onnx", "river", "spark"}
    assert (facts.get_payload() or facts["Description"]).startswith("# rosenblatt")


@pytest.mark.skipif(sys.platform == "win32", reason="the script needs a shell")
def test_a_release_has_its_address(tmp_path):
    """The sources name none: `.github/workflows/wheels.yml` gives that of the place that builds them."""
    tomllib = pytest.importorskip("tomllib", reason="Python before 3.11 reads no TOML")
    path = tmp_path / "pyproject.toml"
    shutil.copy(ROOT / "pyproject.toml", path)

    def address(url):
        return subprocess.run([ROOT / "release/address", url, path], capture_output=True, text=True)

    before = tomllib.loads(path.read_text())
    assert address("somewhere").returncode == 2 and tomllib.loads(path.read_text()) == before
    assert address("https://example.org/of/us/").returncode == 0
    after = tomllib.loads(path.read_text())
    urls = after["project"].pop("urls")
    assert after == before and urls["Repository"] == "https://example.org/of/us" and urls.keys() > {"Issues", "Changelog"}
    assert "already" in address("https://example.org/of/us").stderr
