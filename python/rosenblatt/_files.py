"""Training and prediction on files of any size, and LIBSVM text as arrays."""

from __future__ import annotations

import numbers
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from . import _frames as frames
from . import _rosenblatt
from ._arrays import classes_of, names_of
from ._notes import warn
from ._rosenblatt import DataError, SettingsError, canonical_labels
from ._targets import classes_in, codes_of, row_weights, target_of

if TYPE_CHECKING:
    from typing_extensions import Self


#: How rows of a file are prepared.
_PREPARATION = ("scale", "tf", "tf_idf", "degree", "hash_bits", "min_count")


class FileMethods:
    """Fits and predicts files, which may be larger than memory, as the command line does."""

    if TYPE_CHECKING:
        # Attributes of an estimator.
        max_iter: int
        tol: float | None
        n_iter_no_change: int
        early_stopping: bool
        gamma: Any
        warm_start: bool
        calibrate: bool
        verbose: int
        classes_: np.ndarray
        _model: _rosenblatt.Model | None
        _online: _rosenblatt.OnlineTrainer | None
        _paused: _rosenblatt.Paused | None

        def _trainer(
            self, X: Any, epochs: int, classes: Any = None, bias: float | None = None, all_classes: bool = False
        ) -> _rosenblatt.Trainer: ...
        def _fitted_model(self) -> _rosenblatt.Model: ...
        def _set_report(self, report: dict[str, Any]) -> None: ...

    def fit_file(
        self,
        path: Any,
        *,
        scale: str = "auto",
        tf: str | None = None,
        tf_idf: bool | None = None,
        degree: int | None = None,
        hash_bits: int | None = None,
        min_count: int | None = None,
        cache: Any = "auto",
        memory: int | None = None,
        **reading: Any,
    ) -> Self:
        """Trains on a file: LIBSVM, CSV, TSV, VW, NPY, IDX or Parquet, compressed or not.

        The model has the same bytes as that of ``rosenblatt train``. One pass learns while reading; more passes keep the
        rows in memory, or in a cache on disk if they do not fit.

        Parameters
        ----------
        path
            The file: its path, content as bytes, or an object with `read`; or a list of files of the same columns.
        scale
            'auto' gives rows what their first look needs, as the command line does: each column of numbers mean 0 and
            deviation 1 where columns differ much, log counts with tf-idf for texts, else nothing. 'none', 'ball', 'unit',
            'standard' and 'minmax' do that.
        tf, tf_idf, degree, hash_bits, min_count
            As on the command line: the value of a word's count ('count', 'log' or 'binary'), whether words are weighted by
            inverse document frequency, products of up to so many features, features hashed into 2 to this power buckets,
            and in how many rows a feature must occur. The model contains them: `predict_file` prepares its rows likewise.
        cache
            'auto' makes a temporary cache if the rows take more than `memory` bytes; 'off' never does; a path keeps the
            cache there, to be used again.
        memory
            Bytes; None: half of the free memory.
        **reading
            Reading options, with the names of the command line: `format`, `header`, `label`, `drop`, `category`, `text`,
            `ngrams`, `char_ngrams` ('3..6'), `delimiter`, `na`, `missing`, `weight`, `positive`, `labels`.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from rosenblatt import Perceptron
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "fruit.csv"
        >>> _ = path.write_text("grams,red,fruit\\n120,0.9,apple\\n9,0.8,cherry\\n150,0.4,apple\\n7,0.9,cherry\\n")
        >>> clf = Perceptron(max_iter=100, tol=None).fit_file(path)
        >>> clf.stopped_, clf.feature_names_in_.tolist()
        ('separated', ['grams', 'red'])
        >>> clf.predict_file(path).tolist()
        ['apple', 'cherry', 'apple', 'cherry']
        """
        given = dict(scale=scale, tf=tf, tf_idf=tf_idf, degree=degree, hash_bits=hash_bits, min_count=min_count)
        _warn(path, self._learn(_files(path), given, reading, cache, memory))
        return self

    def _learn(
        self, source: Any, given: dict[str, Any], reading: dict[str, Any], cache: Any, memory: int | None, classes: Any = None
    ) -> list[str]:
        """Trains on a source, prepared as given, and returns what is worth a warning; `classes` are all that it has, if known."""
        if self.early_stopping or self.warm_start:
            raise SettingsError("files and tables with texts hold out no rows and start at zero: leave out early_stopping, warm_start")
        if memory is not None and not (isinstance(memory, numbers.Integral) and memory >= 0):
            raise SettingsError(f"memory={memory!r}: expected a whole number of bytes, or None")
        if self.calibrate:
            raise SettingsError("calibrate=True: files and tables with texts give no probabilities; leave it out")
        if getattr(self, "gamma", None) in ("scale", "auto"):
            raise SettingsError(f"gamma={self.gamma!r} needs an array of numbers: give fit_file a number (and fit, where a table has texts)")
        trainer = self._trainer(None, self.max_iter, classes, all_classes=classes is not None)
        model, report, notes = _rosenblatt.fit_file(
            trainer,
            source,
            reading,
            {name: value for name, value in given.items() if value is not None},
            cache=os.fspath(cache),
            memory=memory,
            tolerance=self.tol,
            patience=self.n_iter_no_change,
            pass_ended=_print_pass if self.verbose else None,
        )
        self._model, self._online, self._paused = model, None, None
        self.classes_ = classes_of(model.labels)
        self.n_features_in_ = model.features
        self.__dict__.pop("feature_names_in_", None)
        if model.names is not None:
            self.feature_names_in_ = np.array(model.names, dtype=object)
        self._set_report(report)
        return notes

    def predict_file(self, path: Any, *, output: Any = None, **reading: Any) -> np.ndarray:
        """The class of each row of a file (a path, bytes or a file object), which is read like the training file; labels in it
        are ignored.

        With `output` they are also written there, one a line, as ``rosenblatt predict`` does: line breaks and other control
        characters of a label are written as ``\\n`` or ``\\u{1b}``, a backslash as ``\\\\``.
        """
        check_is_fitted(self)
        place = None if output is None else os.fspath(output)
        classes, notes = _rosenblatt.predict_file(self._fitted_model(), _source(path), reading, place)
        _warn(path, notes)
        return self.classes_[classes]

    def fit_dataframe(self, frame: Any, y: Any, sample_weight: Any = None, **options: Any) -> Self:
        """Trains on a data frame of pandas or polars, or a table of Arrow, with texts and categories beside numbers, as
        `fit_file` does on a table with a header. `options` are those of `fit_file`; columns of categories are categories.
        `fit` does the same without options.

        >>> import pandas
        >>> from rosenblatt import Perceptron
        >>> fruit = pandas.DataFrame({"grams": [120, 9, 150, 7], "colour": ["red", "red", "green", "black"]})
        >>> clf = Perceptron(max_iter=100, tol=None).fit_dataframe(fruit, ["apple", "cherry", "apple", "cherry"])
        >>> clf.predict(fruit).tolist()
        ['apple', 'cherry', 'apple', 'cherry']
        """
        frame = _framed(frame)
        if "label" in options:
            raise SettingsError(f"label={options['label']!r}: y has the labels; drop={options['label']!r} leaves out the column")
        y = target_of(y, len(frame))
        classes = classes_in(y)
        label, weight = _free("label", frame), _free("weight", frame)
        names = names_of(classes, in_table=True)
        more = {label: np.array(names, dtype=object)[codes_of(classes, y)]}
        if sample_weight is not None:
            more[weight], options["weight"] = row_weights(sample_weight, frame), weight
        if "category" not in options:
            options["category"] = frames.categories(frame, _columns(options)) or None
        if len(classes) == 2 and not {"positive", "labels"} & options.keys():
            # In the order of `classes_` everywhere in scikit-learn: a file may have them in another.
            options["positive"] = names[1]
        content = frames.written(frame, **more)
        given = {name: options.pop(name, None) for name in _PREPARATION}
        given["scale"] = given["scale"] or "auto"
        cache, memory = options.pop("cache", "auto"), options.pop("memory", None)
        reading = dict(format="csv", header=True, label=label, **options)
        try:
            notes = self._learn(content, given, reading, cache, memory, classes)
        except DataError as error:
            raise DataError(frames.in_rows(str(error), content)) from None
        _warn("the data", [frames.in_rows(note, content) for note in notes])
        # The labels as they were given: truths are texts in a table.
        by_name = dict(zip(canonical_labels(names), classes))
        learned = canonical_labels(self._fitted_model().labels)
        if by_name.keys() == set(learned):
            self.classes_ = np.array([by_name[name] for name in learned], dtype=classes.dtype)
        return self

    def predict_dataframe(self, frame: Any) -> np.ndarray:
        """The class of each row of a data frame with the columns of the training, by their names: those of `fit_dataframe`, or
        of a table that the command line learned from."""
        check_is_fitted(self)
        frame = _framed(frame)
        model = self._fitted_model()
        return self.classes_[model.classify(self._table_rows(model, frame))]

    def _tabled(self, X: Any) -> Any:
        """X as a data frame of pandas, if the model reads tables or X has texts."""
        X = frames.tabled(X)
        of_polars = type(X).__module__.startswith("polars")
        return frames.tabled(X, also_numbers=True) if of_polars and self._fitted_model().columns is not None else X

    def _table_rows(self, model: _rosenblatt.Model, frame: Any) -> sparse.csr_matrix:
        rows, notes = frames.rows_for(model, frame)
        _warn("the data", notes)
        return rows


def _columns(options: dict[str, Any]) -> list[str]:
    """The columns of texts and those left out, by their names."""
    named = [options.get(name) for name in ("text", "drop")]
    return [str(one) for given in named for one in (given if isinstance(given, (list, tuple)) else [given])]


def _framed(given: Any) -> Any:
    """The data frame of pandas."""
    frame = frames.tabled(given)
    frame = frame.to_pandas() if hasattr(frame, "to_pandas") else frame
    if not frames.is_frame(frame):
        raise TypeError(f"expected a data frame or a table of Arrow: found {type(given).__name__}")
    return frame


def _free(name: str, frame: Any) -> str:
    """A name that no column has."""
    while name in {str(column) for column in frame.columns}:
        name += "_"
    return name


def _files(path: Any) -> Any:
    """A path, the bytes of a file or file object, or a list of paths."""
    return [os.fspath(one) for one in path] if isinstance(path, (list, tuple)) else _source(path)


def _source(path: Any) -> Any:
    """A path, or the bytes of a file object."""
    if isinstance(path, bytes):
        return path
    if not hasattr(path, "read"):
        return os.fspath(path)
    content = path.read()
    return content.encode() if isinstance(content, str) else bytes(content)


def _print_pass(epoch: int, mistakes: int, _model: Any) -> bool:
    print(f"pass {epoch}: {mistakes:,} mistakes")
    return False


def _warn(path: Any, notes: list[str]) -> None:
    if isinstance(path, (list, tuple)):
        name = " + ".join(os.fspath(one) for one in path)
    else:
        name = "the data" if isinstance(path, bytes) or hasattr(path, "read") else os.fspath(path)
    for note in notes:
        warn(f"{name}: {note}")


def load_libsvm(
    path: Any,
    *,
    n_features: int | None = None,
    dtype: Any = np.float64,
    zero_based: bool | str = "auto",
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Reads a file in LIBSVM's format, as :func:`sklearn.datasets.load_svmlight_file` does, on all cores.

    Returns the features as CSR, and the labels: numbers if all are, else texts. The file may be compressed (gzip, zstd,
    bzip2, xz). Errors have a line and a column. Query numbers (``qid:``) are ignored.

    Parameters
    ----------
    path
        The file: its path, or an object with a method `read`.
    n_features
        The number of features; None: as many as occur.
    dtype
        The type of the features.
    zero_based
        Whether features count from 0; 'auto': they do if a feature 0 occurs.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt import load_libsvm
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.svm"
    >>> _ = path.write_text("+1 1:0.5 3:2\\n-1 2:1\\n")
    >>> X, y = load_libsvm(path)
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1.0, -1.0])
    """
    if zero_based not in (True, False, "auto"):
        raise SettingsError(f"zero_based={zero_based!r}: expected True, False or 'auto'")
    dtype = np.dtype(dtype)
    values, indices, offsets, features, labels = _rosenblatt.load_libsvm(
        _source(path),
        features=n_features,
        zero_based=None if zero_based == "auto" else bool(zero_based),
        single=dtype == np.float32,
    )
    # SciPy's indices are signed; those of the reader are far below 2^31.
    X = sparse.csr_matrix(
        (values.astype(dtype, copy=False), indices.view(np.int32), offsets), shape=(len(offsets) - 1, features)
    )
    # The reader guarantees it, so that SciPy need not check.
    X.has_canonical_format = True
    if isinstance(labels, tuple):
        codes, names = labels
        return X, np.array(names)[codes]
    return X, labels
