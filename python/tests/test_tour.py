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
    told = runpy.run_path(str(TOUR))
    said = capsys.readouterr().out
    assert told["spam_score"] > 0.95
    assert told["folds"].mean() > 0.88 and told["search"].best_score_ > 0.95
    assert told["stream"].classes_.tolist() == list(range(10))
    assert told["tag_score"] == 1.0 and "('unicorn', 'NOUN')" in said
    assert told["proved"].separable and told["xor"].verdict == "inseparable"
    assert told["steps"].mistakes <= told["steps"].bound
    assert Path(told["scratch"], "rings.png").stat().st_size > 5000
