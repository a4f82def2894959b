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


def ask(op, **request):
    return json.loads(rosenblatt._rosenblatt.lab_answer(json.dumps({"op": op, **request})))


TWO = "x1,x2,label\n0.1,2,+1\n1,1,-1\n3,-1,+1\n0.5,0.5,-1\n-2,0.25,+1\n0,-1.5,-1\n"
THREE = "a,b,c,label\n1,0,2,red\n0,1,-1,green\n-1,-1,0.5,blue\n2,0.5,1,red\n-0.5,3,0,green\n-3,-1,0,blue\n0.5,0.5,0.5,blue\n"


def states():
    """Every learner with each of its parameters changed, and the settings that the page offers beside them."""
    for learner in ask("learners")["learners"]:
        name = learner["name"]
        yield {"learner": name}, TWO
        yield {"learner": name, "bias": 0, "order": "shuffled", "seed": 3}, TWO
        yield {"learner": name}, THREE
        for parameter in learner["parameters"]:
            usual = parameter["default"]
            others = [one for one in parameter.get("choices") or ["0.3"] if one != usual]
            for other in others[:2]:
                yield {"learner": name, "set": {parameter["name"]: other}}, TWO
    yield {"learner": "penalized", "set": {"l1": "0.25", "l2": "0.75"}}, TWO
    yield {"bias": 0.5}, TWO
    for many in ["single", "uniform", "one-vs-rest"]:
        yield {"multiclass": many}, THREE
    for kernel in ["rbf:0.7", "poly:2:1", "poly:3:0.5"]:
        yield {"kernel": kernel}, TWO
        yield {"kernel": kernel, "learner": "averaged", "order": "shuffled", "seed": 5}, TWO


def test_the_lines_that_the_lab_shows_give_its_numbers(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run, none = 0, []
    for settings, csv in states():
        answer = ask("trace", data={"csv": csv}, settings={"epochs": 4, **settings})
        if "error" in answer:
            # Both refuse what the learner does not take: three classes, or a number outside its range.
            continue
        lines = answer["commands"]["python"]
        if lines.startswith("#"):
            none.append(settings)
            continue
        (tmp_path / "points.csv").write_text(csv)
        capsys.readouterr()
        steps = []
        exec(lines.replace("print(step)", "steps.append(step)"), {"steps": steps})
        run += 1
        rows = answer["rows"]
        if "kernel" in settings:
            # A kernel's training is told by the number of its mistakes.
            assert int(capsys.readouterr().out) == len(answer["mistakes"]), (settings, lines)
            continue
        assert [step["weights"].tolist() for step in steps] == [row["weights"] for row in rows], (settings, lines)
        assert [np.asarray(step["bias"]).tolist() for step in steps] == [row["bias"] for row in rows], (settings, lines)
        assert [step["score"] for step in steps] == [row["score"] for row in rows], (settings, lines)
        assert [step["mistake"] for step in steps] == [row["mistake"] for row in rows], (settings, lines)
    assert run > 60 and not none, (run, none)
