"""The tour runs from start to end, and comes to what it should."""

import runpy
from pathlib import Path

import pytest

TOUR = Path(__file__).resolve().parents[1] / "examples" / "tour.py"


@pytest.mark.parametrize("real", [True, False])
def test_the_tour(real, monkeypatch, tmp_path, capsys):
    if not real:
        # As on a fresh clone: no data beside the repository.
        monkeypatch.setenv("ROSENBLATT_DATA", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    result = runpy.run_path(str(TOUR))
    said = capsys.readouterr().out
    assert result["spam_score"] > 0.95
    assert result["folds"].mean() > 0.88 and result["search"].best_score_ > 0.95
    assert result["stream"].classes_.tolist() == list(range(10))
    assert result["tag_score"] == 1.0 and "('unicorn', 'NOUN')" in said
    assert result["proved"].separable and result["xor"].verdict == "inseparable"
    assert result["steps"].mistakes <= result["steps"].bound
    assert Path(result["scratch"], "rings.png").stat().st_size > 5000
