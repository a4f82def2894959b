"""A tag for each token of a sentence: NLTK's calls, and sklearn-crfsuite's."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any, Iterable, Sequence

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _rosenblatt
from ._rosenblatt import SettingsError


class PerceptronTagger(BaseEstimator):
    """The structured perceptron (Collins 2002) for sequences, with Viterbi's algorithm.

    A token is a text or a tuple of texts (a word, its part of speech), whose features are made by templates; or a dict or a
    list of texts, which are its features, as in sklearn-crfsuite. Python and the command line read each other's models.

    Parameters
    ----------
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

    def __init__(
        self,
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
    ) -> None:
        self.templates = templates
        self.max_iter = max_iter
        self.averaged = averaged
        self.search = search
        self.constrain = constrain
        self.encode = encode
        self.tag_dictionary = tag_dictionary
        self.shuffle = shuffle
        self.random_state = random_state

    def _trainer(self, epochs: int) -> _rosenblatt.TaggerTrainer:
        seed = self.random_state
        if not isinstance(seed, (int, np.integer)):
            seed = check_random_state(seed).randint(np.iinfo(np.int32).max)
        if seed < 0 or epochs < 1:
            raise SettingsError(f"random_state={seed}, max_iter={epochs}: expected a seed of at least 0 and at least one pass")
        templates = self.templates
        if isinstance(templates, os.PathLike) or isinstance(templates, str) and os.path.exists(templates):
            templates = Path(templates).read_text(encoding="utf-8")
        return _rosenblatt.TaggerTrainer(
            templates=templates,
            epochs=epochs,
            shuffle=bool(self.shuffle),
            seed=int(seed),
            averaged=bool(self.averaged),
            search=self.search,
            constrain=self.constrain,
            encode=self.encode,
            dictionary=self.tag_dictionary,
        )

    # The interface of sklearn-crfsuite.

    def fit(self, X: Iterable[Iterable[Any]], y: Iterable[Iterable[Any]]) -> PerceptronTagger:
        """Trains on sentences: lists of tokens, and a list of tags for each."""
        return self._take(self._trainer(self.max_iter).fit(X, y))

    def predict(self, X: Iterable[Iterable[Any]]) -> list[list[str]]:
        """The tags of each sentence, on all cores."""
        return self._fitted_model().tag(X)

    def predict_single(self, sentence: Iterable[Any]) -> list[str]:
        """The tags of one sentence."""
        return self.predict([sentence])[0]

    def score(self, X: Iterable[Iterable[Any]], y: Iterable[Iterable[Any]]) -> float:
        """The share of tokens with a correct tag."""
        right = total = 0
        for predicted, truth in zip(self.predict(X), y, strict=True):
            right += sum(one == str(tag) for one, tag in zip(predicted, truth, strict=True))
            total += len(predicted)
        if total == 0:
            raise ValueError("no tokens to score")
        return right / total

    # The interface of NLTK.

    def train(self, sentences: Iterable[Sequence[tuple[Any, Any]]], save_loc: Any = None, nr_iter: int | None = None) -> None:
        """Trains on sentences of pairs (token, tag), and saves the model at `save_loc` if given."""
        pairs = [list(sentence) for sentence in sentences]
        tokens, tags = ([[pair[k] for pair in sentence] for sentence in pairs] for k in (0, 1))
        self._take(self._trainer(self.max_iter if nr_iter is None else nr_iter).fit(tokens, tags))
        if save_loc is not None:
            self.save(save_loc)

    def tag(self, tokens: Iterable[Any]) -> list[tuple[Any, str]]:
        """Pairs (token, tag)."""
        tokens = list(tokens)
        return list(zip(tokens, self.predict_single(tokens)))

    def tag_sents(self, sentences: Iterable[Iterable[Any]]) -> list[list[tuple[Any, str]]]:
        """Pairs (token, tag) of each sentence."""
        lists = [list(sentence) for sentence in sentences]
        return [list(zip(tokens, tags)) for tokens, tags in zip(lists, self.predict(lists))]

    def accuracy(self, gold: Iterable[Sequence[tuple[Any, Any]]]) -> float:
        """The share of tokens with the tag of sentences of pairs (token, tag)."""
        pairs = [list(sentence) for sentence in gold]
        return self.score(*([[pair[k] for pair in sentence] for sentence in pairs] for k in (0, 1)))

    @property
    def classes(self) -> set[str]:
        """The tags."""
        return set(self._fitted_model().labels)

    @property
    def tagdict(self) -> dict[str, str]:
        """Words that get their tag without search."""
        return self._fitted_model().dictionary

    # Files.

    def fit_file(self, path: Any, *, format: str | None = None, tag: Any = None) -> PerceptronTagger:
        """Trains on a file of sentences (conll, conllu, crfsuite), with the same bytes as ``rosenblatt train``."""
        trainer = self._trainer(self.max_iter)
        tagger, notes = trainer.fit_file(os.fspath(path), format=format, tag=None if tag is None else str(tag))
        for note in notes:
            warnings.warn(f"{os.fspath(path)}: {note}", stacklevel=2)
        return self._take(tagger)

    def tag_file(self, path: Any) -> list[list[tuple[str, str]]]:
        """Pairs (word, tag) of each sentence of a file in the format of the training file."""
        return [list(zip(words, tags)) for words, tags in self._fitted_model().tag_file(os.fspath(path))]

    def save(self, path: Any) -> None:
        """Writes the model, for `PerceptronTagger.load` and the command line; as JSON if the name ends in .json."""
        self._fitted_model().save(os.fspath(path))

    @classmethod
    def load(cls, path: Any) -> PerceptronTagger:
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

    def _take(self, model: _rosenblatt.Tagger) -> PerceptronTagger:
        facts = model.facts
        self._model = model
        self.classes_ = list(model.labels)
        self.mistakes_ = sum(facts["mistakes_by_epoch"])
        self.n_iter_ = len(facts["mistakes_by_epoch"])
        self.stopped_ = facts["stopped"]
        self.history_ = {"mistakes": facts["mistakes_by_epoch"]}
        return self

    def _fitted_model(self) -> _rosenblatt.Tagger:
        check_is_fitted(self, "classes_")
        return self._model
