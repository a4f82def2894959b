"""NLTK's interface of a tagger: ``train``, ``tag``, and measures on sentences of pairs (token, tag)."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Sequence

from ._rosenblatt import SettingsError

Tagged = Iterable[Sequence[tuple[Any, Any]]]


class NltkMethods:
    """What :class:`nltk.tag.perceptron.PerceptronTagger` and NLTK's base class of taggers have."""

    #: The language in the names of files.
    lang: str = "eng"

    if TYPE_CHECKING:
        # Methods of a tagger.
        max_iter: int

        def _fit(self, X: Any, y: Any, epochs: int) -> Any: ...
        def _take(self, model: Any) -> Any: ...
        def _fitted_model(self) -> Any: ...
        def save(self, path: Any) -> None: ...
        def predict(self, X: Any) -> list[list[str]]: ...

    def train(self, sentences: Tagged, save_loc: Any = None, nr_iter: int | None = None) -> None:
        """Trains on sentences of pairs (token, tag), and saves the model at `save_loc` if given: in a file, or in a folder (one
        that exists, or whose name ends with a slash) for `load_from_json`, as NLTK does."""
        self._fit(*_unzipped(sentences), self.max_iter if nr_iter is None else nr_iter)
        if save_loc is not None and (Path(save_loc).is_dir() or str(save_loc).endswith(("/", os.sep))):
            self.save_to_json(self.lang, save_loc)
        elif save_loc is not None:
            self.save(save_loc)

    def tag(
        self, tokens: Iterable[Any], return_conf: bool = False, use_tagdict: bool = True
    ) -> list[tuple[Any, ...]]:
        """Pairs (token, tag); with `return_conf` triples (token, tag, marginal of the tag). The dictionary of tags belongs to
        the model: `use_tagdict=False` is refused if it has one."""
        if not use_tagdict and self.tagdict:
            raise SettingsError("use_tagdict=False: train with tag_dictionary=None instead")
        if not isinstance(tokens, str):  # which is refused where it is read
            tokens = list(tokens)
        pairs: list[tuple[Any, ...]] = list(self.tag_sents([tokens])[0])
        if not return_conf:
            return pairs
        shares = self._fitted_model().marginals([tokens])[0]
        return [(token, tag, share.get(tag, 0.0)) for (token, tag), share in zip(pairs, shares)]

    def tag_sents(self, sentences: Iterable[Iterable[Any]]) -> list[list[tuple[Any, str]]]:
        """Pairs (token, tag) of each sentence."""
        lists: list[Any] = [one if isinstance(one, str) else list(one) for one in sentences]
        return [list(zip(tokens, tags)) for tokens, tags in zip(lists, self.predict(lists))]

    # Measures.

    def accuracy(self, gold: Tagged) -> float:
        """The share of tokens with the correct tag."""
        pairs = self._pairs(gold)
        return sum(count for (truth, tag), count in pairs.items() if truth == tag) / pairs.total()

    def evaluate(self, gold: Tagged) -> float:
        """The same as `accuracy`; NLTK's former name of it."""
        return self.accuracy(gold)

    def confusion(self, gold: Tagged) -> Any:
        """NLTK's ConfusionMatrix of the correct and the predicted tags; needs NLTK."""
        from nltk.metrics import ConfusionMatrix

        pairs = list(self._pairs(gold).elements())
        return ConfusionMatrix([truth for truth, _ in pairs], [tag for _, tag in pairs])

    def precision(self, gold: Tagged) -> dict[str, float]:
        """For each tag, the share of its predictions that are correct; 0 if there is none."""
        return {tag: one for tag, (one, _) in self._by_tag(gold).items()}

    def recall(self, gold: Tagged) -> dict[str, float]:
        """For each tag, the share of its tokens that get it; 0 if there is none."""
        return {tag: one for tag, (_, one) in self._by_tag(gold).items()}

    def f_measure(self, gold: Tagged, alpha: float = 0.5) -> dict[str, float]:
        """For each tag, 1 / (alpha / precision + (1 - alpha) / recall); 0 if one of them is."""
        return {tag: _f(*both, alpha) for tag, both in self._by_tag(gold).items()}

    def evaluate_per_tag(
        self, gold: Tagged, alpha: float = 0.5, truncate: int | None = None, sort_by_count: bool = False
    ) -> str:
        """A table of precision, recall and F-measure by tag: the first `truncate`, in the order of the alphabet or, with
        `sort_by_count`, the most frequent first."""
        gold = [list(sentence) for sentence in gold]
        counts = Counter(str(tag) for sentence in gold for _, tag in sentence)
        scores = self._by_tag(gold)
        tags = sorted(scores, key=lambda tag: (-counts[tag], tag)) if sort_by_count else sorted(scores)
        tags = tags[: truncate or None]
        width = max([3, *map(len, tags)])
        lines = [f"{'Tag':>{width}} | Prec.  | Recall | F-measure", f"{'-' * width}-+--------+--------+-----------"]
        for tag in tags:
            precision, recall = scores[tag]
            lines.append(f"{tag:>{width}} | {precision:.4f} | {recall:.4f} | {_f(precision, recall, alpha):.4f}")
        return "\n".join(lines) + "\n"

    def _pairs(self, gold: Tagged) -> Counter[tuple[str, str]]:
        """How often each pair (correct tag, predicted tag) occurs."""
        tokens, tags = _unzipped(gold)
        if not any(tags):
            raise ValueError("no tokens to score")
        predicted = self.predict(tokens)
        return Counter(
            (str(truth), tag) for truths, ours in zip(tags, predicted) for truth, tag in zip(truths, ours, strict=True)
        )

    def _by_tag(self, gold: Tagged) -> dict[str, tuple[float, float]]:
        """Precision and recall of each tag, by name."""
        pairs, said, true = self._pairs(gold), Counter[str](), Counter[str]()
        for (truth, tag), count in pairs.items():
            said[tag] += count
            true[truth] += count
        share = lambda right, of: right / of if of else 0.0  # noqa: E731
        return {
            tag: (share(pairs[tag, tag], said[tag]), share(pairs[tag, tag], true[tag])) for tag in sorted(said | true)
        }

    # Files, in NLTK's folders.

    def save_to_json(self, lang: str = "xxx", loc: Any = None) -> None:
        """Writes the model as JSON in the folder `loc`, by default ``averaged_perceptron_tagger_LANG``."""
        path = _json(lang, loc)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.save(path)

    def load_from_json(self, lang: str = "eng", loc: Any = None) -> None:
        """Takes over a model that `save_to_json` wrote."""
        from ._rosenblatt import ModelError, Tagger

        path = _json(lang, loc)
        if not path.exists() and path.with_suffix(".weights.json").exists():
            raise ModelError(f"{path.parent}: a model of NLTK's own tagger, which has other features: train on its sentences")
        self._take(Tagger.load(path))

    @property
    def save_dir(self) -> str:
        """A folder of this tagger alone, for `train(save_loc=…)` and `save_to_json`: made when first asked for."""
        if "_save_dir" not in self.__dict__:
            self._save_dir = tempfile.mkdtemp(prefix=f"averaged_perceptron_tagger_{self.lang}_")
        return self._save_dir

    @property
    def classes(self) -> set[str]:
        """The tags."""
        return set(self._fitted_model().labels)

    @property
    def tagdict(self) -> dict[str, str]:
        """Words that get their tag without search."""
        return self._fitted_model().dictionary


def _unzipped(sentences: Tagged) -> tuple[list[list[Any]], list[list[Any]]]:
    """The tokens and the tags of sentences of pairs."""
    pairs = [list(sentence) for sentence in sentences]
    tokens, tags = ([[pair[k] for pair in sentence] for sentence in pairs] for k in (0, 1))
    return tokens, tags


def _f(precision: float, recall: float, alpha: float) -> float:
    return 1 / (alpha / precision + (1 - alpha) / recall) if precision and recall else 0.0


def _json(lang: str, loc: Any) -> Path:
    name = f"averaged_perceptron_tagger_{lang}"
    return Path(name if loc is None else loc) / f"{name}.json"
