"""The lab as a widget."""

import json

import numpy as np
import pytest

import rosenblatt

anywidget = pytest.importorskip("anywidget")


def test_the_widget_has_the_page_and_the_engine_answers():
    X, y = np.array([[0.1, 2.0], [1.0, 1.0], [3.0, -1.0]]), np.array([1, -1, 1])
    widget = rosenblatt.lab(X, y, bias=0)
    assert widget.csv == "x1,x2,label\n0.1,2.0,1\n1.0,1.0,-1\n3.0,-1.0,1\n"
    assert {"main.js", "style.css", "plot.js"} <= set(widget._files)
    assert json.loads(widget.settings) == {"bias": 0}
    sent = []
    widget.send = sent.append
    request = {"op": "trace", "data": {"csv": widget.csv}, "settings": json.loads(widget.settings)}
    widget._answer(widget, {"id": 7, "request": json.dumps(request)}, [])
    answer = json.loads(sent[0]["text"])
    assert sent[0]["id"] == 7 and answer["rows"][0]["weights"] == [0.1, 2.0]
    steps = rosenblatt.trace(X, y, rosenblatt.Perceptron(fit_intercept=False, shuffle=False, max_iter=100))
    # The lab sends the first rows of a long training, and more when they are asked for.
    rows = answer["rows"]
    assert 100 <= len(rows) <= len(steps)
    assert [row["mistake"] for row in rows] == [step["mistake"] for step in steps][: len(rows)]


def test_rows_and_labels_must_fit():
    with pytest.raises(rosenblatt.DataError, match="2 labels"):
        rosenblatt.lab([[1.0], [2.0], [3.0]], [0, 1])


@pytest.mark.parametrize("settings", [{}, {"learner": "pa1", "set": {"c": "0.3"}}, {"learner": "arow", "bias": 0}, {"order": "shuffled", "seed": 3}])
def test_the_lines_that_the_lab_shows_give_its_numbers(settings, tmp_path, monkeypatch, capsys):
    csv = "x1,x2,label\n0.1,2,+1\n1,1,-1\n3,-1,+1\n0.5,0.5,-1\n"
    request = {"op": "trace", "data": {"csv": csv}, "settings": {"epochs": 4, **settings}}
    answer = json.loads(rosenblatt._rosenblatt.lab_answer(json.dumps(request)))
    (tmp_path / "points.csv").write_text(csv)
    monkeypatch.chdir(tmp_path)
    steps = []
    lines = answer["commands"]["python"].replace("print(step)", "steps.append(step)")
    exec(lines, {"steps": steps})
    assert [step["weights"].tolist() for step in steps] == [row["weights"] for row in answer["rows"]]
    assert [step["mistake"] for step in steps] == [row["mistake"] for row in answer["rows"]]
