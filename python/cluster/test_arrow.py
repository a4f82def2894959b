"""What is refused in the rows of a partition: the error names the partition, the row and the reason. No engine is needed."""

import functools
import json
import re

import numpy as np
import pyarrow as pa
import pytest

from rosenblatt import DataError
from rosenblatt._arrow import Features, Packer, restored


def batches(**columns):
    """Two batches of two rows, so that rows of the second have later numbers."""
    whole = pa.RecordBatch.from_pydict(columns)
    return iter([whole.slice(0, 2), whole.slice(2, 2)])


def refusal(features, weight=None, **columns):
    columns.setdefault("label", [0.0, 1.0, 0.0, 1.0])
    with pytest.raises(DataError) as refused:
        list(Packer(features, "label", weight).pack(5, batches(**columns)))
    return str(refused.value)


NUMBERS = [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(("wrong", "said"), [(float("nan"), "nan"), (float("inf"), "inf"), (float("-inf"), "-inf")])
def test_values_that_are_not_finite(wrong, said):
    x = [1.0, 2.0, wrong, 4.0]
    assert refusal(["a", "b"], a=NUMBERS, b=x) == f"partition 5, row 3: b is {said}, not a finite number"
    lists = [[1.0, v] for v in x]
    assert refusal(["v"], v=lists) == f"partition 5, row 3: v[1] is {said}, not a finite number"
    sparse = [{"type": 0, "size": 9, "indices": [2, 7], "values": [1.0, v]} for v in x]
    assert refusal(["v"], v=sparse) == f"partition 5, row 3: v[7] is {said}, not a finite number"
    weights = refusal(["a"], weight="w", a=NUMBERS, w=x)
    assert weights == f"partition 5, row 3: w is {said}: a weight is finite and not negative"


def test_nulls():
    assert refusal(["a"], a=[1.0, 2.0, None, 4.0]) == "partition 5, row 3: a is null"
    assert refusal(["v"], v=[[1.0], [2.0], None, [4.0]]) == "partition 5, row 3: v is null"
    assert "row 4: v[0] is nan" in refusal(["v"], v=[[1.0], [2.0], [3.0], [None]])
    assert refusal(["a"], a=NUMBERS, label=[0.0, 1.0, 0.0, None]) == "partition 5, row 4: label is null"
    assert "row 4: w is nan" in refusal(["a"], weight="w", a=NUMBERS, w=[1.0, 1.0, 1.0, None])


def test_vectors_of_different_sizes_and_weights_below_zero():
    assert "row 4: a vector of size 1, where size 2 came before" in refusal(["v"], v=[[1.0, 2.0]] * 3 + [[1.0]])
    assert "row 2: w is -1.0" in refusal(["a"], weight="w", a=NUMBERS, w=[1.0, -1.0, 1.0, 1.0])


def test_good_rows_are_stored_and_read_back():
    columns = {"v": [[1.0, 2.0], [0.0, 3.0], [4.0, 5.0], [6.0, 0.0]], "label": ["a", "b", "b", "b"], "w": NUMBERS}
    ((partition, rows),) = restored(Packer(["v"], "label", "w").pack(3, batches(**columns)))
    assert partition == 3 and rows.labels == ["a", "b"] and rows.classes.tolist() == [0, 1, 1, 1]
    assert np.array_equal(rows.x, columns["v"]) and rows.weights.tolist() == NUMBERS
    assert list(restored(Packer(["v"], "label", None).pack(0, iter([])))) == [], "a partition without rows"
    assert Features(["v"]).read(pa.RecordBatch.from_pydict(columns)).shape == (4, 2)


def test_files_are_those_of_the_beginning(tmp_path):
    from rosenblatt import _shards
    from rosenblatt import spark as rs

    paths = [str(tmp_path / name) for name in ("a.svm", "empty.svm", "b.svm")]
    for path, text in zip(paths, ["1 1:1\n-1 2:1\n", "", "1 1:2\n-1 2:3\n"]):
        (tmp_path / path).write_text(text)
    numbers = pa.RecordBatch.from_pydict({"id": pa.array(range(3), pa.int64())})
    found = [json.loads(batch.column(0)[0].as_py()) for batch in rs._survey(iter([numbers]), paths)]
    surveys = {survey["key"]: survey for survey in found}
    state, shards = _shards.begin(rs.AveragedPerceptron()._trainer(), "uniform", found)
    read = functools.partial(rs._rows_of_files, surveys=surveys, paths=paths)
    round_of = functools.partial(rs._round, state=state.to_bytes(), shards=shards, rows=read, files=paths)
    assert [report.column(0)[0].as_py() for report in round_of(iter([numbers]))] == [0, 1]
    (tmp_path / "b.svm").write_text("1 1:2\n-1 2:4\n")
    with pytest.raises(DataError, match=f"^{re.escape(paths[2])}: the file has changed since training began$"):
        list(round_of(iter([numbers])))


def test_tasks_name_the_file_or_the_partition():
    from rosenblatt import _shards
    from rosenblatt import spark as rs

    rows = _shards.Rows(np.eye(3), *_shards.coded([0.0, 1.0, 1.0]))
    trainer = rs.AveragedPerceptron()._trainer()
    state, shards = _shards.begin(trainer, "uniform", [rows.survey(0), rows.survey(1)])
    stored = list(Packer(["v"], "label", None).pack(1, batches(v=[[1.0, 2.0]] * 4, label=[0.0, 1.0, 0.0, 1.0])))
    for files, where in [(None, "partition 1: "), (["a.svm", "b.svm"], "b.svm: ")]:
        with pytest.raises(DataError, match=f"^{where}rows of 2 features, where training began with 3"):
            list(rs._round(iter(stored), state=state.to_bytes(), shards=shards, files=files))
    model = bytes(_shards.train_here([rows], trainer, "uniform", 2).model().to_bytes())
    for wrong, said in [([1.0, 2.0], "rows of 2 features"), ([1.0, 2.0, float("nan")], r"row 2: v\[2\] is nan")]:
        batch = pa.RecordBatch.from_pydict({"v": [[1.0] * len(wrong), wrong]})
        with pytest.raises(DataError, match=f"^partition 0, {said}"):
            list(rs._answer(iter([batch]), model=model, features=["v"], columns=("scores", "answer")))
