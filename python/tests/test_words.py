"""Errors and warnings name Python's parameters, and no flags."""

import inspect
import re

import pytest
import rosenblatt
from rosenblatt import _rosenblatt

READING = set(re.findall(r"`(\w+)`", rosenblatt.Perceptron.fit_file.__doc__.split("**reading")[1].split("Examples")[0]))


def parameters_of_callables():
    names = set()
    for thing in map(rosenblatt.__dict__.get, rosenblatt.__all__):
        # Exceptions have no signature to look at.
        if callable(thing) and not (inspect.isclass(thing) and issubclass(thing, BaseException)):
            names |= set(inspect.signature(thing).parameters)
        if inspect.isclass(thing):
            for _, method in inspect.getmembers(thing, inspect.isfunction):
                names |= set(inspect.signature(method).parameters)
    return names


def test_every_setting_is_worded_by_a_parameter_that_exists():
    words = _rosenblatt.parameters()
    assert len(words) > 20
    assert set(words.values()) - parameters_of_callables() - READING == set()


@pytest.mark.parametrize("name", sorted(READING))
def test_the_parameters_of_reading_are_known(name, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a,b,y\n1,2,p\n3,4,q\n")
    # An unknown one is a TypeError that lists those there are.
    try:
        rosenblatt.Perceptron().fit_file(path, **{name: "no such thing"})
    except Exception as refused:
        assert "unknown reading option" not in str(refused)
    with pytest.raises(TypeError, match=rf"expected .*\b{name}\b"):
        rosenblatt.Perceptron().fit_file(path, **{name + "_": 1})


@pytest.mark.parametrize(
    "text, reading, result",
    [
        ("a,y\n1,p\n2,q\n", {"label": "z"}, "label='z': no column has this name; the file has \"a\", \"y\""),
        ("a,y\n1,p\n2,q\n", {"label": 9}, "label=9: the file has 2 columns"),
        (
            "a,b,y\n1,2,p\n?,3,q\n",
            {},
            "fill it in, pass missing='zero', 'mean' or 'indicator', or drop='a'",
        ),
        ("a,y\n1,p\n2,q\n", {"ngrams": 2}, "ngrams is for text: name a column with text"),
        ("a,y\n1,p\n2,q\n", {"positive": "r"}, "positive='r': no example has this label"),
    ],
)
def test_what_is_wrong_with_a_file_names_parameters(text, reading, result, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(text)
    with pytest.raises(ValueError) as refused:
        rosenblatt.Perceptron().fit_file(path, **reading)
    assert result in str(refused.value)
    assert "--" not in str(refused.value)


def test_a_budget_names_the_parameter_that_it_needs():
    machine = rosenblatt.KernelPerceptron(budget=2)
    with pytest.raises(ValueError, match="keep='average' needs .* add keep='last'"):
        machine.fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])


def test_a_warning_names_parameters(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a,y\nu,p\nv,q\nw,p\n")
    with pytest.warns(UserWarning, match="pass header=True if it is a header"):
        rosenblatt.Perceptron().fit_file(path)
