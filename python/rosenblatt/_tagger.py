"""A tag for each token of a sentence: NLTK's calls, and sklearn-crfsuite's."""

from __future__ import annotations

import numbers
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _rosenblatt
from ._nltk import NltkMethods
from ._notes import warn
from ._rosenblatt import SettingsError
from ._sklearn import BaseEstimator

if TYPE_CHECKING:
    from typing_extensions import Self


class Sequences(list):
    """A list of lists of any lengths, which NumPy takes as one dimension of lists: `cross_val_predict` joins them."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = np.empty(len(self), dtype=object)
        for place, item in enumerate(self):
            array[place] = item
        return array


class PerceptronTagger(NltkMethods, BaseEstimator):
    """The structured perceptron (Collins 2002) for sequences, with Viterbi's algorithm.

    A token is a text or a tuple of texts (a word, its part of speech), whose features are made by templates; or a dict or a
    list of texts, which are its features, as in sklearn-crfsuite. Python and the command line read each other's models.

    Parameters
    ----------
    load, lang, loc
        For code that was written for NLTK: `loc` is a folder of `save_to_json`, which is read unless `load` is False. There is
        no built-in model: True without a folder is refused.
    templates
        The feature templates: the name of a built-in set ('pos', 'chunk', 'chunk19', 'entity'), the path of a file, or
        lines in the language of ``rosenblatt help templates``. None: a set chosen by the tags.
    max_iter
        At most this many passes; training stops early after a pass without a mistake.
    averaged
        Whether to keep the mean of all weights; else the last.
    search
        'viterbi', 'greedy' or 'beam:N'.
    constrain
        Predict only tags that are valid in a scheme: 'iob1', 'iob2', 'ioe1', 'ioe2', 'iobes', or 'auto', that of the data.
    encode
        The scheme to train in; predictions are in that of the data.
    tag_dictionary
        A word that occurs at least this often, always with one tag, gets it without search.
    shuffle
        Shuffle the sentences in every pass.
    random_state
        The seed; a whole number gives the same model as on the command line. None draws one.
    verbose
        Print the mistakes of every pass.

    Attributes
    ----------
    classes_
        The tags.
    n_iter_
        Passes made.
    mistakes_
        Sentences with a wrong tag before a step, in all passes.
    stopped_
        Why training stopped: 'separated', 'max-epochs' or 'no-progress'.
    history_
        For each pass its mistakes.
    state_features_, transition_features_
        The weights, by (feature, tag) and by (tag before, tag).
    dev_accuracy_
        The share of correct tags in `X_dev`, if that was given.

    Examples
    --------
    >>> from rosenblatt import PerceptronTagger
    >>> sentences = [[("the", "D"), ("dog", "N"), ("barks", "V")], [("a", "D"), ("cat", "N"), ("runs", "V")]]
    >>> tagger = PerceptronTagger()
    >>> tagger.train(sentences, nr_iter=5)
    >>> tagger.tag(["a", "dog", "runs"])
    [('a', 'D'), ('dog', 'N'), ('runs', 'V')]

    With the user's own features:

    >>> X = [[{"word": word, "capital": word[0].isupper()} for word, _ in sentence] for sentence in sentences]
    >>> y = [[tag for _, tag in sentence] for sentence in sentences]
    >>> PerceptronTagger().fit(X, y).predict([[{"word": "the"}, {"word": "cat"}]])
    [['D', 'N']]
    """

    #: A trainer for batches, after `partial_fit`.
    _online: _rosenblatt.OnlineTagger | None = None
    #: The model, after `fit`.
    _model: _rosenblatt.Tagger | None = None

    def __init__(
        self,
        load: bool | None = None,
        lang: str = "eng",
        loc: Any = None,
        *,
        templates: Any = None,
        max_iter: int = 10,
        averaged: bool = True,
        search: str = "viterbi",
        constrain: str | None = None,
        encode: str | None = None,
        tag_dictionary: int | None = None,
        shuffle: bool = True,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        if load and loc is None:
            raise SettingsError(
                "load=True: there is no built-in model; train one, or read one by PerceptronTagger.load(path)"
            )
        self.lang = lang
        self.templates = templates
        self.max_iter = max_iter
        self.averaged = averaged
        self.search = search
        self.constrain = constrain
        self.encode = encode
        self.tag_dictionary = tag_dictionary
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose
        if loc is not None and load is not False:
            self.load_from_json(lang, loc)

    @classmethod
    def _get_param_names(cls) -> list[str]:
        # These are no settings: they only say what is read.
        return [name for name in super()._get_param_names() if name not in ("load", "lang", "loc")]

    def _check(self, epochs: Any) -> None:
        """Raises an error that names the first parameter with a value of another type or out of range."""
        whole = numbers.Integral
        if not isinstance(epochs, whole) or epochs < 1:
            raise SettingsError(f"max_iter={epochs!r}: expected a whole number of at least 1")
        if self.tag_dictionary is not None and not (isinstance(self.tag_dictionary, whole) and self.tag_dictionary >= 0):
            raise SettingsError(f"tag_dictionary={self.tag_dictionary!r}: expected a whole number of at least 0, or None")
        for name in ("averaged", "shuffle"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise SettingsError(f"{name}={getattr(self, name)!r}: expected True or False")
        for name in ("search", "constrain", "encode"):
            if not isinstance(getattr(self, name), str) and (name == "search" or getattr(self, name) is not None):
                raise SettingsError(f"{name}={getattr(self, name)!r}: expected a text")

    def _trainer(self, epochs: int) -> _rosenblatt.TaggerTrainer:
        self._check(epochs)
        seed = self.random_state
        if not isinstance(seed, (int, np.integer)):
            seed = check_random_state(seed).randint(np.iinfo(np.int32).max)
        if seed < 0:
            raise SettingsError(f"random_state={seed}: expected a seed of at least 0")
        templates = self.templates
        if isinstance(templates, os.PathLike) or isinstance(templates, str) and os.path.exists(templates):
            templates = Path(templates).read_text(encoding="utf-8")
        return _rosenblatt.TaggerTrainer(
            templates=templates,
            epochs=int(epochs),
            shuffle=bool(self.shuffle),
            seed=int(seed),
            averaged=bool(self.averaged),
            search=self.search,
            constrain=self.constrain,
            encode=self.encode,
            dictionary=self.tag_dictionary,
        )

    # The interface of sklearn-crfsuite.

    def fit(
        self, X: Iterable[Iterable[Any]], y: Iterable[Iterable[Any]], X_dev: Any = None, y_dev: Any = None
    ) -> Self:
        """Trains on sentences: lists of tokens, and a list of tags for each.

        `X_dev` and `y_dev` are other sentences, of which `dev_accuracy_` is the share of tokens with a correct tag.
        """
        if (X_dev is None) != (y_dev is None):
            raise ValueError("X_dev and y_dev belong together: give both, or none")
        self._fit(X, y, self.max_iter)
        self.__dict__.pop("dev_accuracy_", None)
        if X_dev is not None:
            self.dev_accuracy_ = self.score(X_dev, y_dev)
        if self.verbose:
            for number, mistakes in enumerate(self.history_["mistakes"], 1):
                print(f"pass {number}: {mistakes:,} sentences with mistakes")
            if X_dev is not None:
                print(f"dev: {self.dev_accuracy_:.4f} of the tags are correct")
        return self

    def partial_fit(self, X: Iterable[Iterable[Any]], y: Iterable[Iterable[Any]], classes: Iterable[Any] = ()) -> Self:
        """Trains on one more batch of sentences, once. All batches together are one pass.

        New features and new tags may appear at any time; `classes` names tags that are known in the first call. After `fit`
        or `load` it starts from the weights of that model, and averages over the batches that follow.

        >>> from rosenblatt import PerceptronTagger
        >>> tagger = PerceptronTagger()
        >>> for _ in range(3):
        ...     _ = tagger.partial_fit([["the", "dog", "barks"]], [["D", "N", "V"]])
        >>> tagger.tag(["the", "dog"])
        [('the', 'D'), ('dog', 'N')]
        """
        online = self._online
        if online is None:
            start = self._fitted_model() if hasattr(self, "classes_") else None
            online = _rosenblatt.OnlineTagger(self._trainer(1), [str(tag) for tag in classes], start)
        online.learn(X, y)
        self._model, self._online = None, online
        self._set_report(online.labels, [online.mistakes], "max-epochs")
        self.__dict__.pop("dev_accuracy_", None)
        return self

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """The weight of each feature for each tag, (feature, tag), where it is not zero."""
        return {(feature, tag): weight for feature, tag, weight in self._fitted_model().strengths()[0]}

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """The weight of each tag after another, (before, tag), where it is not zero."""
        all_of_them = self._fitted_model().strengths()[1]
        return {(before, tag): weight for before, tag, weight in all_of_them if before in self.classes_}

    def _fit(self, X: Any, y: Any, epochs: int) -> Self:
        return self._take(self._trainer(epochs).fit(X, y))

    def predict(self, X: Iterable[Iterable[Any]]) -> list[list[str]]:
        """The tags of each sentence, on all cores."""
        return Sequences(self._fitted_model().tag(X))

    def predict_marginals(self, X: Iterable[Iterable[Any]]) -> list[list[dict[str, float]]]:
        """For each token a dict of all tags: the share of each, if a sequence of tags counts as e to the power of its score. A
        perceptron is not trained for these to be probabilities; they say how sure it is in comparison."""
        return Sequences(self._fitted_model().marginals(X))

    def predict_marginals_single(self, sentence: Iterable[Any]) -> list[dict[str, float]]:
        """The marginals of one sentence."""
        return self.predict_marginals([sentence])[0]

    def predict_single(self, sentence: Iterable[Any]) -> list[str]:
        """The tags of one sentence."""
        return self.predict([sentence])[0]

    def score(self, X: Iterable[Iterable[Any]], y: Iterable[Iterable[Any]]) -> float:
        """The share of tokens with a correct tag."""
        right = total = 0
        answers, truths = self.predict(X), [list(tags) for tags in y]
        if len(answers) != len(truths):
            raise ValueError(f"{len(answers)} sentences, but {len(truths)} lists of tags")
        for number, (predicted, truth) in enumerate(zip(answers, truths)):
            if len(predicted) != len(truth):
                raise ValueError(f"sentence {number}: {len(predicted)} tokens, but {len(truth)} tags")
            right += sum(one == str(tag) for one, tag in zip(predicted, truth))
            total += len(predicted)
        if total == 0:
            raise ValueError("no tokens to score")
        return right / total

    # Files.

    def fit_file(
        self, path: Any, *, format: str | None = None, tag: Any = None, skip_untagged: bool = False
    ) -> Self:
        """Trains on a file of sentences (conll, conllu, crfsuite), with the same bytes as ``rosenblatt train``.

        ``skip_untagged`` passes over tokens without a tag, with a warning that counts them; otherwise they are an error.
        """
        trainer = self._trainer(self.max_iter)
        column = None if tag is None else str(tag)
        tagger, notes = trainer.fit_file(os.fspath(path), format=format, tag=column, skip_untagged=skip_untagged)
        for note in notes:
            warn(f"{os.fspath(path)}: {note}")
        return self._take(tagger)

    def tag_file(self, path: Any) -> list[list[tuple[str, str]]]:
        """Pairs (word, tag) of each sentence of a file in the format of the training file."""
        return [list(zip(words, tags)) for words, tags in self._fitted_model().tag_file(os.fspath(path))]

    def save(self, path: Any) -> None:
        """Writes the model, for `PerceptronTagger.load` and the command line; as JSON if the name ends in .json."""
        self._fitted_model().save(os.fspath(path))

    @classmethod
    def load(cls, path: Any) -> Self:
        """Reads a tagger that `save` or the command line wrote."""
        model = _rosenblatt.Tagger.load(os.fspath(path))
        facts = model.facts
        tagger = cls(
            templates=facts["templates"],
            max_iter=max(1, len(facts["mistakes_by_epoch"])),
            averaged=facts["averaged"],
            search=facts["search"],
            constrain=facts["constrain"],
            shuffle=facts["shuffle"],
            random_state=facts["seed"] or 0,
        )
        return tagger._take(model)

    def __getstate__(self) -> Any:
        # Objects of the native module become plain bytes and lists, which skops stores, too.
        whole: Any = super().__getstate__()
        state = dict(whole)
        for name in _NATIVE.keys() & state.keys():
            if state[name] is not None:
                state[name] = list(state[name].__reduce__()[1])
        return state

    def __setstate__(self, state: Any) -> None:
        state = dict(state)
        for name, restore in _NATIVE.items():
            if isinstance(state.get(name), list):
                state[name] = restore(*state[name])
        super().__setstate__(state)

    def _take(self, model: _rosenblatt.Tagger) -> Self:
        facts = model.facts
        self._model, self._online = model, None
        self._set_report(model.labels, facts["mistakes_by_epoch"], facts["stopped"])
        return self

    def _set_report(self, tags: list[str], mistakes: list[int], stopped: str) -> None:
        """Sets the attributes that describe the training."""
        self.classes_ = list(tags)
        self.mistakes_ = sum(mistakes)
        self.n_iter_ = len(mistakes)
        self.stopped_ = stopped
        self.history_ = {"mistakes": mistakes}

    def _fitted_model(self) -> _rosenblatt.Tagger:
        check_is_fitted(self, "classes_")
        # Another thread may be training: a local name is the same in both lines.
        online = self._online
        if online is not None:
            return online.tagger()
        assert self._model is not None
        return self._model


#: Attributes of the native module, and what restores them from their pickled arguments.
_NATIVE: dict[str, Any] = {"_model": _rosenblatt.Tagger.from_bytes, "_online": _rosenblatt.OnlineTagger.resumed}
