"""Dask: a cluster of two processes, one of which is killed in the middle of a round; arrays and DataFrames."""

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
        rd.WIDE = 1
        same(rd.AveragedPerceptron(max_iter=4, random_state=7).fit_files(parts(folder)), folder)

        mark = Path(tempfile.mkdtemp()) / "third"
        rd._round = slowly(rd._round, str(mark), 1.0)
        pids = list(client.run(lambda: __import__("os").getpid()).values())
        killed = kill_when(mark, lambda: pids)
        same(clf.fit_files(parts(FOLDERS[0])), FOLDERS[0])
        assert killed, "no worker was killed"
        print(f"killed worker {killed[0]}")


if __name__ == "__main__":
    main()
