"""The estimators beside scikit-learn's, on the same arrays in memory, in one run.

Usage: bench/python [--rows N] [--dense N] [--passes N] [--runs N] [--only sparse dense one]

Both take turns, and the best of three turns counts. The time of an epoch is that of a whole `fit` divided by its passes; a
ratio is theirs over ours. The data are those of bench/speed.
"""

import argparse
import time

import numpy as np
import sklearn
from scipy.sparse import csr_matrix
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron, SGDClassifier

import rosenblatt
from shared import HERE, machine, make, options, table


def seconds(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def turns(works, count):
    """The best time of each, in turns, and its last result."""
    best = {}
    for _ in range(count):
        for name, work in works.items():
            took, result = seconds(work)
            best[name] = (min(took, best.get(name, (took,))[0]), result)
    return best


def compare(title, works, passes, runs, test):
    """Trains all of them; the first is ours."""
    best = turns({name: (lambda make=make: make().fit(*data)) for name, (make, data) in works.items()}, runs)
    ours = next(iter(best.values()))[0]
    rows = []
    for name, (took, fitted) in best.items():
        X, y = test[works[name][1][0].dtype]
        ratio = "" if took == ours else f"{took / ours:.1f} ×"
        rows.append([name, f"{took / passes:.3f}", ratio, f"{1 - fitted.score(X, y):.4f}"])
    print(f"### {title}, {passes} passes\n")
    table(["", "seconds an epoch", "to ours", "test error"], rows)


def sgd(passes):
    return SGDClassifier(
        loss="perceptron",
        penalty=None,
        learning_rate="constant",
        eta0=1.0,
        average=True,
        max_iter=passes,
        tol=None,
        random_state=0,
    )


def read(args):
    """LIBSVM text to CSR; the other benchmarks use the arrays."""
    path = HERE / "sparse.train.svm"
    works = {"scikit-learn load_svmlight_file": lambda: load_svmlight_file(str(path))}
    if hasattr(rosenblatt, "load_libsvm"):
        works = {"rosenblatt.load_libsvm": lambda: rosenblatt.load_libsvm(path), **works}
    # Theirs takes half a minute: once is enough.
    best = {name: turns({name: work}, 1 if "scikit" in name else args.runs)[name] for name, work in works.items()}
    ours = next(iter(best.values()))[0]
    print(f"### Reading {path.stat().st_size / 1e6:.0f} MB of LIBSVM text\n")
    table(["", "seconds", "to ours"], [[n, f"{t:.2f}", "" if t == ours else f"{t / ours:.1f} ×"] for n, (t, _) in best.items()])
    X, y = next(iter(best.values()))[1]
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y


def sparse(args):
    X, y = read(args)
    test = load_svmlight_file(str(HERE / "sparse.test.svm"), n_features=X.shape[1])
    # Rows have length 1; scikit-learn slows its intercept on sparse data by the square of this.
    ours = dict(max_iter=args.passes, intercept_scaling=0.1)
    # The margin was chosen by a run of bench/speed, on a tenth of the training rows.
    wide = dict(**ours, margin=0.5)
    works = {
        "rosenblatt.AveragedPerceptron(intercept_scaling=0.1, margin=0.5)": (lambda: rosenblatt.AveragedPerceptron(**wide), (X, y)),
        "rosenblatt.AveragedPerceptron(intercept_scaling=0.1)": (lambda: rosenblatt.AveragedPerceptron(**ours), (X, y)),
        'SGDClassifier(loss="perceptron", average=True)': (lambda: sgd(args.passes), (X, y)),
    }
    compare(f"CSR of {X.nnz / 1e6:.0f} million values, {X.shape[0]:,} rows", works, args.passes, args.runs, {X.dtype: test})


def dense(args):
    import pandas

    values = pandas.read_csv(HERE / "dense.csv", header=None).to_numpy()
    X, y = values[:, 1:].copy(), values[:, 0].astype(int)
    cut = len(y) - len(y) // 10
    for kind in (np.float64, np.float32):
        train, test = (np.ascontiguousarray(X[:cut], kind), y[:cut]), (np.ascontiguousarray(X[cut:], kind), y[cut:])
        ours = dict(max_iter=args.passes, tol=None)
        title = f"Dense {np.dtype(kind)}, {cut:,} × {X.shape[1]}"
        plain = {
            "rosenblatt.Perceptron": (lambda: rosenblatt.Perceptron(**ours), train),
            "sklearn.linear_model.Perceptron": (lambda: Perceptron(max_iter=args.passes, tol=None), train),
        }
        averaged = {
            "rosenblatt.AveragedPerceptron": (lambda: rosenblatt.AveragedPerceptron(max_iter=args.passes), train),
            'SGDClassifier(loss="perceptron", average=True)': (lambda: sgd(args.passes), train),
        }
        for works in (plain, averaged):
            compare(title, works, args.passes, args.runs, {np.dtype(kind): test})


def each(work, items):
    """Microseconds for one item: the median of all, because some grow a table."""
    times = []
    for item in items:
        took, _ = seconds(lambda: work(*item))
        times.append(took)
    return 1e6 * float(np.median(times))


def one(_args):
    """Latencies."""
    one_row()
    one_dict()


def one_row():
    """One row at a time, by `partial_fit` and `predict`: tiny dense rows, and sparse ones with many classes."""
    random = np.random.default_rng(0)
    rows = []
    for title, features, entries, classes in [
        ("4 features, dense", 4, None, 2),
        ("100,000 features, 50 entries", 100_000, 50, 2),
        ("2^18 features, 50 entries, 20 classes", 1 << 18, 50, 20),
    ]:
        y = random.integers(classes, size=300)
        if entries is None:
            X = random.normal(size=(300, features))
        else:
            indices = np.concatenate([np.sort(random.choice(features, entries, replace=False)) for _ in y])
            parts = (random.normal(size=300 * entries), indices.astype(np.int32), np.arange(301) * entries)
            X = csr_matrix(parts, shape=(300, features))
        items = [(X[i : i + 1], y[i : i + 1]) for i in range(300)]
        line = [title]
        for make in (rosenblatt.AveragedPerceptron, rosenblatt.VotedPerceptron, lambda: sgd(1), Perceptron):
            clf = make()
            clf.partial_fit(*items[0], classes=np.arange(classes))
            line.append(f"{each(clf.partial_fit, items[1:]):.0f} + {each(clf.predict, [item[:1] for item in items]):.0f}")
        rows.append(line)
    print("### One row at a time: microseconds of `partial_fit` + `predict`\n")
    table(["", "averaged", "voted", "scikit-learn's SGD, averaged", "scikit-learn's Perceptron"], rows)


def one_dict():
    """One dict at a time, beside river."""
    from river import linear_model

    import rosenblatt.river

    random, rows = np.random.default_rng(0), []
    for features in (4, 20, 100, 1000):
        names = [f"feature {j}" for j in range(features)]
        items = [
            (dict(zip(names, random.normal(size=features).tolist())), bool(label)) for label in random.integers(2, size=500)
        ]
        line = [f"{features} features"]
        for make in (rosenblatt.river.AveragedPerceptron, rosenblatt.river.Perceptron, linear_model.Perceptron):
            model = make()
            learn, predict = each(model.learn_one, items), each(model.predict_one, [item[:1] for item in items])
            line.append(f"{learn:.1f} + {predict:.1f}")
        rows.append(line)
    print("### One dict at a time: microseconds of `learn_one` + `predict_one`\n")
    table(["", "averaged", "perceptron", "river's Perceptron"], rows)


def main():
    parser = argparse.ArgumentParser()
    options(parser)
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--only", nargs="*", default=["sparse", "dense", "one"])
    args = parser.parse_args()
    if {"sparse", "dense"} & set(args.only):
        make(args)
    machine(f"scikit-learn {sklearn.__version__}")
    for part in args.only:
        {"sparse": sparse, "dense": dense, "one": one}[part](args)


if __name__ == "__main__":
    main()
