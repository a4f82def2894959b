"""Files: the engine of the command line, and LIBSVM text as arrays."""

import gzip

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import rosenblatt
from rosenblatt import (
    AROW,
    AveragedPerceptron,
    DataError,
    KernelPerceptron,
    Perceptron,
    PocketPerceptron,
    SettingsError,
    VotedPerceptron,
    load_libsvm,
)


@pytest.fixture
def text(tmp_path):
    """LIBSVM text of two classes, not quite separable."""
    random = np.random.RandomState(1)
    y = np.where(random.rand(400) < 0.5, 1, -1)
    X = np.round(random.normal(size=(400, 20)) + 0.4 * y[:, None], 3) * (random.rand(400, 20) < 0.5)
    path = tmp_path / "some.svm"
    dump_svmlight_file(X, y, str(path), zero_based=False)
    return path


@pytest.mark.parametrize("passes", [1, 5])
@pytest.mark.parametrize(
    "make, learner",
    [(AveragedPerceptron, "averaged"), (VotedPerceptron, "voted"), (PocketPerceptron, "pocket"), (AROW, "arow")],
)
def test_the_model_has_the_bytes_of_the_command_line(make, learner, passes, text, command, tmp_path):
    command("train", text, "--learner", learner, "--epochs", passes, "-o", tmp_path / "theirs.model")
    clf = make(max_iter=passes).fit_file(text)
    clf.save(tmp_path / "ours.model")
    assert (tmp_path / "ours.model").read_bytes() == (tmp_path / "theirs.model").read_bytes()


def test_real_files(data, command, tmp_path):
    """One pass while it is read, many through a cache or in memory: the same bytes, and those of the command line."""
    path = data / "a9a" / "a9a.gz"
    for passes in (1, 3):
        command("train", path, "--learner", "averaged", "--epochs", passes, "-o", tmp_path / "theirs.model")
        theirs = (tmp_path / "theirs.model").read_bytes()
        for cache in ({"cache": "off"}, {"memory": 0}, {"cache": tmp_path / "a9a.cache"}):
            clf = AveragedPerceptron(max_iter=passes).fit_file(path, **cache)
            assert clf._fitted_model().to_bytes() == theirs, (passes, cache)
    assert (tmp_path / "a9a.cache").exists()
    command("predict", tmp_path / "theirs.model", path, "-o", tmp_path / "theirs.txt")
    answers = clf.predict_file(path, output=tmp_path / "ours.txt")
    assert (tmp_path / "ours.txt").read_bytes() == (tmp_path / "theirs.txt").read_bytes()
    X, y = load_libsvm(path, n_features=clf.n_features_in_)
    assert (answers == clf.predict(X)).all()
    assert clf.score(X, y) > 0.8


def test_a_table_with_categories_and_words(tmp_path, command):
    path = tmp_path / "mail.csv"
    rows = ["from,text,kind", "friend,see you at lunch,ham", "stranger,win money now,spam", "friend,money for lunch,ham"]
    path.write_text("\n".join([*rows, "stranger,win a prize now,spam", ""]))
    clf = AveragedPerceptron(max_iter=50).fit_file(path, text="text", label="kind", scale="none")
    assert clf.stopped_ == "separated" and "from=friend" in clf.feature_names_in_.tolist()
    assert clf.predict_file(path).tolist() == ["ham", "spam", "ham", "spam"]
    options = ["--learner", "averaged", "--text", "text", "--label", "kind", "--epochs", 50, "--scale", "none"]
    command("train", path, *options, "-o", tmp_path / "theirs.model")
    assert clf._fitted_model().to_bytes() == (tmp_path / "theirs.model").read_bytes()
    again = rosenblatt.load(tmp_path / "theirs.model")
    assert again.predict_file(path).tolist() == ["ham", "spam", "ham", "spam"]


def test_columns_of_unlike_sizes_are_prepared_from_a_file(tmp_path):
    """A huge column that says nothing drowns the other, unless both get deviation 1; arrays are never changed."""
    rows = [f"{100_000 + i * 7919 % 10_007 * 90},{(-1) ** i + i % 13 / 10:.2f},{'ab'[i % 2]}" for i in range(300)]
    path = tmp_path / "prices.csv"
    path.write_text("price,change,label\n" + "\n".join(rows) + "\n")
    truth = [row[-1] for row in rows]
    wrong = {}
    for scale in ("auto", "none", "standard"):
        answers = AveragedPerceptron(max_iter=20).fit_file(path, scale=scale).predict_file(path)
        wrong[scale] = sum(a != b for a, b in zip(answers, truth))
    assert wrong["auto"] == wrong["standard"] < 10 < wrong["none"]


def test_fit_and_fit_file_agree(text):
    X, y = load_libsvm(text)
    by_array, by_file = Perceptron(max_iter=7).fit(X, y), Perceptron(max_iter=7).fit_file(text)
    assert by_array.coef_.tobytes() == by_file.coef_.tobytes()
    assert by_array.history_ == by_file.history_ and by_array.margin_ == by_file.margin_
    assert by_file.classes_.tolist() == [-1, 1]


def test_what_a_file_cannot_be_asked(text, tmp_path, capsys):
    with pytest.raises(SettingsError, match="early_stopping"):
        AveragedPerceptron(early_stopping=True).fit_file(text)
    with pytest.raises(SettingsError, match="give fit_file a number"):
        KernelPerceptron().fit_file(text)
    with pytest.raises(TypeError, match="'columns'|\"columns\""):
        AveragedPerceptron().fit_file(text, columns=3)
    with pytest.raises(FileNotFoundError):
        AveragedPerceptron().fit_file(tmp_path / "no.svm")
    with pytest.raises(SettingsError, match="zero, mean, indicator"):
        AveragedPerceptron().fit_file(text, missing="median")
    (tmp_path / "bad.svm").write_text("1 1:2\n-1 3:x\n")
    with pytest.raises(DataError, match=r"bad.svm:2:"):
        AveragedPerceptron().fit_file(tmp_path / "bad.svm")
    assert KernelPerceptron(gamma=0.1, max_iter=2).fit_file(text).n_support_ > 0
    AveragedPerceptron(verbose=1, max_iter=2).fit_file(text)
    assert capsys.readouterr().out.startswith("pass 1: ")


def test_what_is_worth_knowing_is_a_warning(tmp_path):
    path = tmp_path / "ranked.svm"
    path.write_text("1 qid:1 1:2\n-1 qid:1 1:-1\n")
    with pytest.warns(UserWarning, match="qid: ignored on 2 lines"):
        AveragedPerceptron().fit_file(path)


def same(ours, theirs):
    (X, y), (X_, y_) = ours, theirs
    assert X.shape == X_.shape and X.dtype == X_.dtype and X.indices.dtype == np.int32
    assert (X.indptr == X_.indptr).all() and (X.indices == X_.indices).all() and (X.data == X_.data).all()
    assert y.dtype == y_.dtype and (y == y_).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("zero_based", ["auto", True, False])
def test_libsvm_is_read_as_scikit_learn_reads_it(text, zero_based, dtype):
    how = {"zero_based": zero_based, "dtype": dtype}
    same(load_libsvm(text, **how), load_svmlight_file(str(text), **how))
    same(load_libsvm(text, n_features=50), load_svmlight_file(str(text), n_features=50))


def test_a_file_that_counts_from_zero(tmp_path):
    path = tmp_path / "zero.svm"
    path.write_text("2 0:1 2:3\n1 1:0.25 # a comment\n\n3\n")
    for zero_based in ("auto", True):
        same(load_libsvm(path, zero_based=zero_based), load_svmlight_file(str(path), zero_based=zero_based))
    with pytest.raises(DataError, match="a feature 0"):
        load_libsvm(path, zero_based=False)
    with pytest.raises(ValueError, match="n_features=2"):
        load_libsvm(path, n_features=2)
    with pytest.raises(SettingsError, match="'auto'"):
        load_libsvm(path, zero_based="maybe")


@pytest.mark.parametrize("name", ["a9a/a9a.gz", "mushrooms/mushrooms.gz"])
def test_real_libsvm(name, data):
    same(load_libsvm(data / name), load_svmlight_file(gzip.open(data / name)))


def test_labels_that_are_no_numbers(tmp_path):
    path = tmp_path / "names.svm"
    path.write_text("spam 1:1\nham 2:1\nspam 2:0.5\n")
    X, y = load_libsvm(path)
    assert y.tolist() == ["spam", "ham", "spam"] and X.has_canonical_format
    assert AveragedPerceptron().fit(X, y).predict(X).tolist() == y.tolist()


def test_labels_that_one_float_cannot_tell_apart(tmp_path):
    path = tmp_path / "long.svm"
    path.write_text("9007199254740992 1:1\n9007199254740993 2:1\n")
    X, y = load_libsvm(path)
    assert y.tolist() == ["9007199254740992", "9007199254740993"]


@pytest.mark.parametrize(
    "labels",
    [["1", "1.0", "a"], ["1.0", "01", "b"], ["'1'", "1", "2"], ["'a'", "b", "c"], ["1_0", "2", "3"], [2**53, 2**53 + 1, 0]],
)
def test_labels_come_back_from_a_file(labels, tmp_path):
    """'1' and '1.0' came back as "'1'" and "'1.0'", with the quotes that keep them apart in the file."""
    X, y = np.eye(3), np.array(labels)
    clf = AveragedPerceptron(class_weight={y[0]: 2.0}).fit(X, y)
    clf.save(tmp_path / "a.model")
    again = rosenblatt.load(tmp_path / "a.model")
    assert again.classes_.tolist() == np.unique(y).tolist()
    assert again.predict(X).tolist() == clf.predict(X).tolist()


def test_the_arrays_are_the_readers_own(text):
    X, _ = load_libsvm(text)
    for array in (X.data, X.indices):
        while isinstance(array.base, np.ndarray):
            array = array.base
        assert not array.flags.owndata


def test_labels_are_written_one_a_line(tmp_path):
    path, out = tmp_path / "d.csv", tmp_path / "out"
    path.write_text('x,y,label\n1,2,"a\nb"\n3,1,c\\d\n1,3,"a\nb"\n4,0,c\\d\n')
    clf = AveragedPerceptron(max_iter=50).fit_file(path)
    answers = clf.predict_file(path, output=out)
    assert set(answers) == {"a\nb", "c\\d"}
    assert out.read_text().splitlines() == [{"a\nb": r"a\nb", "c\\d": r"c\\d"}[answer] for answer in answers]


def test_delimiter_missing_values_and_several_files(tmp_path, command):
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("x|c|label\n1|red|up\n-999|blue|down\n")
    second.write_text("x|c|label\n3|?|up\n-4|blue|down\n")
    reading = dict(delimiter="|", na=["-999"], missing="zero", format="csv")
    clf = AveragedPerceptron(max_iter=20).fit_file([first, second], **reading)
    options = ["--delimiter", "|", "--na", "-999", "--missing", "zero", "--format", "csv"]
    command("train", first, second, "--learner", "averaged", "--epochs", 20, *options, "-o", tmp_path / "theirs.model")
    assert clf._fitted_model().to_bytes() == (tmp_path / "theirs.model").read_bytes()
    assert clf.predict_file(first, format="csv").tolist() == ["up", "down"]
    second.write_text("x|d|label\n3|?|up\n")
    with pytest.raises(ValueError, match="its columns are"):
        AveragedPerceptron().fit_file([first, second], **reading)


def test_parts_of_words(tmp_path):
    path = tmp_path / "mail.csv"
    path.write_text("text,label\nbuying nowadays,spam\nhello younger,ham\nbuyer this,spam\nseeing younger,ham\n")
    for options in ({}, {"hash_bits": 12, "ngrams": 2}):
        clf = AveragedPerceptron(max_iter=50).fit_file(path, text="text", char_ngrams="3..5", **options)
        new = tmp_path / "new.csv"
        new.write_text("text\nbuyers\nyoung\n")
        assert clf.predict_file(new).tolist() == ["spam", "ham"]
