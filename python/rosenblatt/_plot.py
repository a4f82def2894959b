"""Plots of decision boundaries, with matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import check_is_fitted

#: Colours for any kind of colour vision (Okabe and Ito).
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000"]
MARKS = ["o", "s", "^", "D", "v", "P", "X", "*"]


def plot_boundary(
    clf: Any,
    X: Any,
    y: Any,
    *,
    features: tuple[int, int] = (0, 1),
    resolution: int = 300,
    ax: Any = None,
) -> Any:
    """Draws the examples, the regions of the classes, and a ring around each misclassified example.

    It takes any fitted classifier of scikit-learn. With more than two features, two are drawn and the others are held at
    their means; a ring then marks a row that is misclassified with all its features.

    Parameters
    ----------
    clf
        A fitted classifier.
    X, y
        The examples to draw.
    features
        Which two columns to draw.
    resolution
        Grid points on each axis.
    ax
        The axes to draw on; None: the current axes.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")   # where there is no screen
    >>> from rosenblatt import Perceptron, plot_boundary
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> ax = plot_boundary(Perceptron(shuffle=False).fit(X, y), X, y)
    >>> ax.get_xlabel()
    'x0'
    """
    try:
        import matplotlib.pyplot as plt
        from matplotlib.colors import ListedColormap
    except ImportError as missing:
        raise ImportError("plot_boundary needs matplotlib: pip install matplotlib") from missing
    check_is_fitted(clf)
    names = getattr(clf, "feature_names_in_", None)
    X = check_array(X, dtype=np.float64)
    y = np.asarray(y)
    check_consistent_length(X, y)
    if X.shape[1] < 2 or not all(0 <= column < X.shape[1] for column in features) or features[0] == features[1]:
        raise ValueError(f"features={features}: expected two of the {X.shape[1]} columns, by their numbers from 0")
    axes: Any = plt.gca() if ax is None else ax
    across, up = (_range(X[:, column], resolution) for column in features)
    grid = np.repeat(X.mean(axis=0)[None, :], resolution * resolution, axis=0)
    grid[:, features[0]] = np.tile(across, resolution)
    grid[:, features[1]] = np.repeat(up, resolution)
    classes = list(clf.classes_)
    numbers = {name: number for number, name in enumerate(classes)}
    region = np.array([numbers[label] for label in _predict(clf, grid, names)])
    region = region.reshape(resolution, resolution)
    colours = [COLOURS[k % len(COLOURS)] for k in range(len(classes))]
    levels = np.arange(len(classes) + 1) - 0.5
    axes.contourf(across, up, region, levels=levels, cmap=ListedColormap(colours), alpha=0.15)
    axes.contour(across, up, region, levels=levels[1:-1], colors="0.25", linewidths=1.0)
    wrong = _predict(clf, X, names) != y
    for k, name in enumerate(classes):
        own = X[y == name]
        mark = {"color": colours[k], "marker": MARKS[k % len(MARKS)], "linewidths": 0}
        axes.scatter(own[:, features[0]], own[:, features[1]], s=24, label=str(name), **mark)
    if wrong.any():
        rings = {"facecolors": "none", "edgecolors": "black", "linewidths": 1.0}
        axes.scatter(X[wrong, features[0]], X[wrong, features[1]], s=90, label=f"{int(wrong.sum())} wrong", **rings)
    for axis, column in zip((axes.set_xlabel, axes.set_ylabel), features):
        axis(str(names[column]) if names is not None else f"x{column}")
    axes.legend(loc="best", fontsize="small")
    return axes


def _range(values: np.ndarray, resolution: int) -> np.ndarray:
    margin = 0.08 * (values.max() - values.min()) or 1.0
    return np.linspace(values.min() - margin, values.max() + margin, resolution)


def _predict(clf: Any, X: np.ndarray, names: Any) -> np.ndarray:
    """Predicts rows, with column names if the classifier was fitted on named columns."""
    if names is not None:
        import pandas

        return clf.predict(pandas.DataFrame(X, columns=names))
    return clf.predict(X)
