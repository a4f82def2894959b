"""Dask: a cluster of two processes, one of which is killed in the middle of a round; arrays and DataFrames."""

import functools
import sys
import tempfile
from pathlib import Path

import numpy as np
from drive import kill_when, same, slowly

FOLDERS = [Path(sys.argv[1]), Path(sys.argv[2])]


def main():
    import dask.array as da
    import dask.dataframe as dd
    import pandas as pd
    from dask.distributed import Client, LocalCluster

    from rosenblatt import dask as rd
    from rosenblatt import load_libsvm

    def parts(folder):
        return [str(folder / f"part-{i}.svm") for i in range(5)]

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        clf = rd.AveragedPerceptron(max_iter=4, random_state=7)
        for folder in FOLDERS:
            same(clf.fit_files(parts(folder)), folder)
            errors = rd.AveragedPerceptron(max_iter=4, random_state=7, mixing="errors")
            same(errors.fit_files(parts(folder)), folder, "errors")
        loaded = [load_libsvm(path, n_features=20) for path in parts(folder)]
        dense = np.concatenate([x.toarray() for x, _ in loaded])
        y = np.concatenate([y for _, y in loaded])
        chunks = tuple(len(labels) for _, labels in loaded)
        blocks = da.from_array(dense, chunks=(chunks, 20)), da.from_array(y, chunks=(chunks,))
        clf.fit(*blocks)
        own = rd.AveragedPerceptron(max_iter=4, random_state=7).fit_files(parts(folder))
        assert np.array_equal(clf.coef_, own.coef_), "dense rows give the weights of sparse ones"
        answers = clf.predict(blocks[0])
        assert isinstance(answers, da.Array) and np.array_equal(answers.compute(), clf.predict(dense))
        frame = dd.from_pandas(pd.DataFrame(dense).add_prefix("x").assign(label=y), npartitions=3)
        by_frame = rd.Perceptron(max_iter=2).fit(frame.drop(columns="label"), frame["label"])
        assert np.shape(by_frame.summary_["mistakes"]) == (2, 3)
        assert by_frame.feature_names_in_.tolist() == [f"x{j}" for j in range(20)], "names are checked in predictions"
        assert len(by_frame.predict(frame.drop(columns="label")).compute()) == len(frame)
        rd.WIDE = 1
        same(rd.AveragedPerceptron(max_iter=4, random_state=7).fit_files(parts(folder)), folder)

        odd_partitions(loaded, parts(folder))

        plain, scratch = rd._round, Path(tempfile.mkdtemp())
        for folder in FOLDERS:
            mark = scratch / folder.name
            rd._round = slowly(plain, str(mark), 1.0)
            client.wait_for_workers(2)
            pids = list(client.run(lambda: __import__("os").getpid()).values())
            killed = kill_when(mark, functools.partial(list, pids))
            same(clf.fit_files(parts(folder)), folder)
            assert killed, "no worker was killed"
            print(f"killed worker {killed[0]}")


def refused(work):
    try:
        work()
    except Exception as error:
        return str(error)
    raise AssertionError("nothing was refused")


def odd_partitions(loaded, files):
    """Partitions without rows or of one class, and those that fail always."""
    import dask.array as da
    import scipy.sparse
    from dask import delayed

    from rosenblatt import _shards
    from rosenblatt import dask as rd

    def bytes_of(clf):
        return bytes(clf._fitted_model().to_bytes())

    def make():
        return rd.AveragedPerceptron(max_iter=4, random_state=7)

    scratch = Path(tempfile.mkdtemp())
    (scratch / "empty.svm").write_text("")
    expected = bytes_of(make().fit_files(files))
    assert bytes_of(make().fit_files([files[0], str(scratch / "empty.svm"), *files[1:]])) == expected, "an empty file"
    x, y = scipy.sparse.vstack([x for x, _ in loaded], format="csr").toarray(), np.concatenate([y for _, y in loaded])
    order = np.argsort(y, kind="stable")
    x, y = x[order], y[order]
    cut = tuple(np.bincount(y.astype(int)).tolist())
    single = make().fit(da.from_array(x, chunks=(cut, 20)), da.from_array(y, chunks=(cut,)))
    shards = [_shards.Rows(x[y == label], *_shards.coded(y[y == label])) for label in np.unique(y)]
    here = _shards.train_here(shards, single._trainer(None, 4), "momentum", 4)
    assert bytes_of(single) == bytes(here.model().to_bytes()), "a class in each block"
    blocks, empty = [(delayed(x), delayed(y)) for x, y in loaded], (delayed(loaded[0][0][:0]), delayed(loaded[0][1][:0]))
    assert bytes_of(make().fit(*zip(blocks[0], empty, *blocks[1:]))) == bytes_of(make().fit(*zip(*blocks))), "an empty block"

    (scratch / "broken.svm").write_text("0 1:1\n1 2:x\n")
    said = refused(lambda: make().fit_files([*files, str(scratch / "broken.svm")]))
    assert f"{scratch / 'broken.svm'}:2:" in said, said
    holed = x.copy()
    holed[-1, 3] = np.nan
    said = refused(lambda: make().fit(da.from_array(holed, chunks=(cut, 20)), da.from_array(y, chunks=(cut,))))
    assert f"partition 2: row {cut[2] - 1}, feature 3: NaN is not a finite number" in said, said
    for name in ("calibrate", "early_stopping", "warm_start"):
        # They were ignored.
        said = refused(lambda: make().set_params(**{name: True}).fit_files(files))
        assert f"{name}=True: rounds on blocks" in said, said
    for labels in (y == y[0], np.where(y == y[0], "1", "2")):
        # Truths were answered as the texts 'true' and 'false', and texts of digits as numbers.
        typed = make().fit(da.from_array(x, chunks=(cut, 20)), da.from_array(labels, chunks=(cut,)))
        assert sorted(typed.classes_.tolist()) == np.unique(labels).tolist() and typed.score(x, labels) > 0.5
    weights = {int(label): 1 + index for index, label in enumerate(np.unique(y))}
    weighted = [make().set_params(class_weight=one).fit_files(files) for one in (weights, weights | {99: 1})]
    assert bytes_of(weighted[0]) == bytes_of(weighted[1]) != expected, "a weight of a class that does not occur"
    said = refused(lambda: make().predict(da.from_array(x, chunks=(cut, 20))))
    assert "not fitted yet" in said, said
    texts = np.array(["a", "b", None, "a"], dtype=object)
    said = refused(lambda: make().fit(da.from_array(x[:4], chunks=(2, 20)), da.from_array(texts, chunks=2)))
    assert "partition 1: row 0: the label is missing" in said, said
    sizes = [delayed(np.ones((2, 3))), delayed(np.ones((2, 4)))], [delayed(np.arange(2.0)), delayed(np.arange(2.0))]
    said = refused(lambda: make().fit(*sizes))
    assert "partition 0 has vectors of size 3, partition 1 of size 4" in said, said
    print("odd partitions")


if __name__ == "__main__":
    main()
