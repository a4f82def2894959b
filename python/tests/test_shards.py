"""Training on shards without an engine: the same bytes as the command line, checkpoints, refusals."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import AveragedPerceptron, DataError, ModelError, SettingsError
from rosenblatt._rosenblatt import Mixture, Trainer, merge_labels, sum_reports
from rosenblatt._shards import Rows, begin, coded, label_text, local_round, rows_of_file, train_here


@pytest.fixture
def shards(blobs):
    x, y = blobs
    cut = [i * len(y) // 11 for i in range(12)]
    return [Rows(x[a:b], *coded(y[a:b])) for a, b in zip(cut, cut[1:])]


def trainer(learner="averaged", **more):
    return Trainer(learner, params={}, seed=3, **more)


def test_files_give_the_bytes_of_the_command_line(tmp_path, command, a9a):
    _, X, y = a9a
    lines = [f"{int(y[i]):+d} " + " ".join(f"{j + 1}:1" for j in sorted(X.getrow(i).indices)) for i in range(1000)]
    (tmp_path / "all.svm").write_text("\n".join(lines) + "\n")
    for i in range(4):
        (tmp_path / f"{i}.svm").write_text("\n".join(lines[i * 250 : (i + 1) * 250]) + "\n")
    settings = ["--learner", "averaged", "--scale", "none", "--shards", 4, "--epochs", 3, "--seed", 3]
    command("train", tmp_path / "all.svm", *settings, "-o", tmp_path / "model")
    rows = [rows_of_file(str(tmp_path / f"{i}.svm")) for i in range(4)]
    state = train_here(rows, trainer(), "momentum", 3)
    assert state.model().to_bytes() == (tmp_path / "model").read_bytes()
    assert state.model().labels == ["-1", "+1"]


def test_one_shard_is_the_estimator(blobs):
    x, y = blobs
    local = AveragedPerceptron(max_iter=5, random_state=3).fit(x, y)
    state = train_here([Rows(x, *coded(y))], trainer(), "uniform", 5)
    assert state.model().to_bytes() == local._model.to_bytes()


def test_dense_and_sparse_rows_sums_and_bytes(shards):
    whole = train_here(shards, trainer(), "errors", 4)
    thin = [Rows(sparse.csr_matrix(rows.x), rows.classes, rows.labels, sized=False) for rows in shards]
    assert train_here(thin, trainer(), "errors", 4).model().to_bytes() == whole.model().to_bytes()
    state, keys = begin(trainer(), "errors", [rows.survey(5 * key) for key, rows in enumerate(shards)])
    assert keys == {5 * shard: shard for shard in range(11)}
    while state.rounds < 4:
        state = pickle.loads(pickle.dumps(state))
        reports = [local_round(state, shard, rows) for shard, rows in enumerate(shards)]
        state.mix([sum_reports(reports[: Mixture.FAN]), sum_reports(reports[Mixture.FAN :])])
    assert state.to_bytes() == whole.to_bytes()
    report = state.report()
    assert np.shape(report["mistakes"]) == (4, 11) and report["bound"] is None


def test_rows_may_begin_anywhere_in_memory(shards):
    """Dask passes views of the bytes that it received: a round failed where these were not aligned."""

    def moved(array):
        buffer = np.empty(array.nbytes + 1, np.uint8)
        buffer[1:] = np.frombuffer(array.tobytes(), np.uint8)
        return np.frombuffer(buffer.data, array.dtype, offset=1).reshape(array.shape)

    whole = train_here(shards, trainer(), "uniform", 1)
    odd = [Rows(moved(rows.x), moved(rows.classes), rows.labels) for rows in shards]
    assert not odd[0].x.flags.aligned
    assert train_here(odd, trainer(), "uniform", 1).to_bytes() == whole.to_bytes()
    thin = [sparse.csr_matrix(rows.x) for rows in shards]
    for x in thin:
        x.data = moved(x.data)
    odd = [Rows(x, rows.classes, rows.labels) for x, rows in zip(thin, shards)]
    assert train_here(odd, trainer(), "uniform", 1).model().to_bytes() == whole.model().to_bytes()


def test_a_training_resumes_from_its_folder(shards, tmp_path):
    whole = train_here(shards, trainer(), "momentum", 4)
    train_here(shards, trainer(), "momentum", 2, checkpoint_dir=str(tmp_path / "c"))
    rounds = []
    end = train_here(
        shards, trainer(), "momentum", 4, checkpoint_dir=str(tmp_path / "c"), round_ended=lambda s: rounds.append(s.rounds)
    )
    assert rounds == [3, 4] and end.to_bytes() == whole.to_bytes()
    with pytest.raises(SettingsError, match="other settings or data"):
        train_here(shards, trainer(), "errors", 4, checkpoint_dir=str(tmp_path / "c"))


def test_what_is_refused(shards, tmp_path):
    with pytest.raises(SettingsError, match="cannot be mixed"):
        train_here(shards, trainer("alma"), "uniform", 1)
    with pytest.raises(SettingsError, match="mixing='best'"):
        train_here(shards, trainer(), "best", 1)
    with pytest.raises(DataError, match="no examples"):
        begin(trainer(), "uniform", [])
    other = Rows(np.ones((2, 4)), *coded(["a", "b"]))
    with pytest.raises(DataError, match="partition 11 of size 4"):
        begin(trainer(), "uniform", [rows.survey(key) for key, rows in enumerate([*shards, other])])
    state, _ = begin(trainer(), "uniform", [rows.survey(key) for key, rows in enumerate(shards)])
    with pytest.raises(DataError, match="no such class"):
        local_round(state, 0, Rows(shards[0].x, *coded(["z"] * len(shards[0].classes))))
    with pytest.raises(DataError, match="where training began with 5"):
        local_round(state, 0, other)
    with pytest.raises(ModelError):
        state.mix([])
    with pytest.raises(ModelError):
        Mixture.from_bytes(b"RSNBLATT")


def test_labels():
    assert [label_text(label) for label in (1.0, np.float32(-2), 0.5, 3, "x", True)] == ["1", "-2", "0.5", "3", "x", "true"]
    assert merge_labels([["1", "-1"], ["+1"]]) == ["-1", "1"]
    with pytest.raises(DataError, match="nan"):
        label_text(float("nan"))
