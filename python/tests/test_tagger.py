"""Taggers: NLTK's calls, sklearn-crfsuite's, and those of the command line."""

import gzip
import pickle

import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from rosenblatt import AveragedPerceptron, DataError, ModelError, PerceptronTagger, SettingsError, load

TEXT = """the D
dog N
barks V

a D
cat N
runs V

the D
old A
cat N
barks V
"""


def sentences(text):
    return [[tuple(line.split()) for line in part.split("\n")] for part in text.strip().split("\n\n")]


TOY = sentences(TEXT)
WORDS = [[word for word, _ in sentence] for sentence in TOY]
TAGS = [[tag for _, tag in sentence] for sentence in TOY]


def test_nltk():
    tagger = PerceptronTagger()
    assert tagger.train(TOY, nr_iter=7) is None
    assert tagger.tag(["the", "old", "dog", "runs"]) == [("the", "D"), ("old", "A"), ("dog", "N"), ("runs", "V")]
    assert tagger.tag([]) == [] and tagger.tag_sents([["a", "dog"], [], ["cat"]])[1] == []
    assert tagger.classes == {"D", "N", "V", "A"} and tagger.accuracy(TOY) == 1.0
    assert tagger.stopped_ == "separated" and tagger.n_iter_ <= 7
    assert PerceptronTagger(tag_dictionary=2).fit(WORDS, TAGS).tagdict == {"the": "D", "cat": "N", "barks": "V"}


def test_tokens_without_a_tag_are_passed_over_on_request(tmp_path):
    row = "{}\t{}\t_\t{}\t_\t_\t_\t_\t_\t_\n"
    path = tmp_path / "toy.conllu"
    path.write_text((row.format(1, "go", "VERB") + row.format(2, "um", "_") + row.format(3, "home", "ADV") + "\n") * 3)
    with pytest.raises(DataError, match="skip_untagged"):
        PerceptronTagger().fit_file(path)
    with pytest.warns(UserWarning, match="3 tokens without a tag were passed over, the first in line 2"):
        tagger = PerceptronTagger().fit_file(path, skip_untagged=True)
    assert sorted(tagger.classes_) == ["ADV", "VERB"]


def test_words_from_memory_are_words_from_a_file(tmp_path, command):
    """The same weights; only the name of the data is not in the model from memory."""
    path = tmp_path / "toy.conll"
    path.write_text(TEXT)
    command("train", path, "--epochs", 4, "-o", tmp_path / "theirs.model")
    theirs = (tmp_path / "theirs.model").read_bytes()
    by_file = PerceptronTagger(max_iter=4).fit_file(path)
    assert by_file._model.to_bytes() == theirs
    by_memory = PerceptronTagger(max_iter=4).fit(WORDS, TAGS)
    by_memory.save(tmp_path / "ours.json")
    by_file.save(tmp_path / "file.json")
    import json

    ours, file = (json.loads((tmp_path / name).read_text()) for name in ("ours.json", "file.json"))

    def without_data(value):
        if isinstance(value, dict):
            return {k: without_data(v) for k, v in value.items() if k not in ("data", "checksum", "digest", "xxh3")}
        return value

    assert without_data(ours) == without_data(file)
    assert by_file.tag_file(path) == TOY
    loaded = PerceptronTagger.load(tmp_path / "theirs.model")
    assert loaded.predict(WORDS) == TAGS and loaded.get_params()["templates"] == by_file._model.facts["templates"]
    # What Python learned tags a file at the command line.
    by_memory.save(tmp_path / "ours.model")
    (tmp_path / "new.conll").write_text("the\nold\ndog\n")
    assert command("predict", tmp_path / "ours.model", tmp_path / "new.conll").split() == "the D old A dog N".split()


def features(word):
    return {"word": word, "last": word[-1:], "old": word == "old", "length": len(word), "of": {"first": word[0]}}


def test_features_of_ones_own(tmp_path, command):
    X = [[features(word) for word in sentence] for sentence in WORDS]
    tagger = PerceptronTagger().fit(X, TAGS)
    assert tagger.predict(X) == TAGS and tagger.score(X, TAGS) == 1.0
    assert sorted(tagger.classes_) == ["A", "D", "N", "V"]
    # The same in CRFsuite's own format, at the command line.
    lines = []
    for sentence, tags in zip(WORDS, TAGS):
        for word, tag in zip(sentence, tags):
            own = features(word)
            texts = [f"word={word}", f"last={own['last']}", f"old:{float(own['old'])}", f"length:{len(word)}", f"of\\:first={word[0]}"]
            lines.append("\t".join([tag, *texts]))
        lines.append("")
    path = tmp_path / "toy.crfsuite"
    path.write_text("\n".join(lines))
    command("train", path, "-o", tmp_path / "theirs.model")
    theirs = PerceptronTagger.load(tmp_path / "theirs.model")
    assert theirs.predict(X) == TAGS and theirs.history_ == tagger.history_
    # Lists of texts.
    X = [[[f"word={word}", f"last={word[-1]}"] for word in sentence] for sentence in WORDS]
    assert PerceptronTagger().fit(X, TAGS).predict(X) == TAGS


def test_names_that_no_text_could_hold():
    X = [[{"a\tb": "c\nd"}, {"a:b": "\\"}], [{"a:b": "x"}, {}]]
    y = [["one", "two"], ["three", "four five"]]
    tagger = PerceptronTagger().fit(X, y)
    assert pickle.loads(pickle.dumps(tagger)).predict(X) == tagger.predict(X) == y


def test_columns():
    X = [[(word, word[-1]) for word in sentence] for sentence in WORDS]
    tagger = PerceptronTagger(templates="pos").fit(X, TAGS)
    assert tagger.predict(X) == TAGS and tagger.tag(X[0]) == list(zip(X[0], TAGS[0]))
    with pytest.raises(DataError, match="trained on words"):
        tagger.predict([[{"word": "the"}]])


def test_chunks_and_schemes():
    words = [["Ada", "Lovelace", "met", "Babbage"], ["She", "met", "Ada"]]
    tags = [["B-P", "I-P", "O", "B-P"], ["O", "O", "B-P"]]
    tagger = PerceptronTagger(constrain="auto", encode="iobes").fit(words, tags)
    assert tagger.predict(words) == tags
    assert all(tag in {"B-P", "I-P", "O"} for tag in tagger.predict([["Lovelace", "Lovelace"]])[0])


def test_it_moves():
    tagger = PerceptronTagger(max_iter=3, random_state=5).fit(WORDS, TAGS)
    again = pickle.loads(pickle.dumps(tagger))
    assert again._model.to_bytes() == tagger._model.to_bytes() and again.get_params() == tagger.get_params()
    assert clone(tagger).get_params() == tagger.get_params() and not hasattr(clone(tagger), "classes_")


@pytest.mark.parametrize(
    "settings, said",
    [
        ({"search": "wide"}, "beam:N"),
        ({"constrain": "bio"}, "iob1"),
        ({"max_iter": 0}, "max_iter=0: expected a whole number of at least 1"),
        ({"templates": "word[0"}, "templates:1"),
    ],
)
def test_settings_are_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        PerceptronTagger(**settings).fit(WORDS, TAGS)


def test_what_is_refused(tmp_path):
    with pytest.raises(NotFittedError):
        PerceptronTagger().tag(["a"])
    tagger = PerceptronTagger()
    for X, y, said in [
        (WORDS, TAGS[:2], "as many tags"),
        (WORDS[:2], TAGS, "more lists of tags"),
        ([["a", "b"]], [["X"]], "as many tags"),
        ([["a"]], [["X", "Y"]], "as many tags"),
        ([["a"]], [["X"]], "every token has the tag"),
        ([], [], "no sentences"),
        ([["a", {"b": 1}]], [["X", "Y"]], "among tokens of"),
        ([[{"a": float("nan")}, {}]], [["X", "Y"]], "finite"),
        ([["a", "b"]], [["X", ""]], "empty tag"),
    ]:
        with pytest.raises(DataError, match=said):
            tagger.fit(X, y)
    with pytest.raises(TypeError, match="as str"):
        tagger.fit([[[1, 2]]], [["X"]])
    with pytest.raises(SettingsError, match="have attributes instead"):
        PerceptronTagger(templates="pos").fit([[{"a": 1}, {}]], [["X", "Y"]])
    AveragedPerceptron().fit([[0.0], [1.0]], [0, 1]).save(tmp_path / "clf.model")
    with pytest.raises(ModelError, match="a classifier, not a tagger"):
        PerceptronTagger.load(tmp_path / "clf.model")
    tagger.fit(WORDS, TAGS).save(tmp_path / "tagger.model")
    with pytest.raises(ModelError, match="tagger"):
        load(tmp_path / "tagger.model")


def test_real_chunks(data, command, tmp_path):
    """The command line's own bytes, and its tags."""
    found = sorted((data / "conll2000").glob("*test*"))
    if not found:
        pytest.skip(f"no sentences at {data / 'conll2000'}")
    path = found[0]
    tagger = PerceptronTagger(max_iter=2).fit_file(path, format="conll")
    command("train", path, "--format", "conll", "--epochs", 2, "-o", tmp_path / "theirs.model")
    assert tagger._model.to_bytes() == (tmp_path / "theirs.model").read_bytes()
    text = gzip.open(path, "rt").read() if path.suffix == ".gz" else path.read_text()
    parts = [[line.split() for line in part.split("\n")] for part in text.strip().split("\n\n")]
    X = [[(word, pos) for word, pos, _ in part] for part in parts]
    y = [[tag for *_, tag in part] for part in parts]
    assert PerceptronTagger(max_iter=2).fit(X, y).predict(X) == tagger.predict(X)
    assert tagger.score(X, y) > 0.97
