"""What onnxruntime says, beside what this program says.

images FOLDER NAME COUNT OUT    the first images of an IDX pair as LIBSVM text
census FILE COUNT OUT    the first rows of adult without missing values, with a header
gaps FILE COUNT OUT    the first rows of adult, with a header; every fifth age is missing, too
messages FILE COUNT OUT    the first messages of a file of label, tab, text, as CSV with a header
columns ONNX CSV    the label of each row, from inputs of the names of the columns; missing are NaN and the empty text
compare ONNX WEIGHTS DATA LABELS    JSON: rows, labels that differ, and how many of those lie within float32 rounding
"""

import gzip
import json
import sys

import numpy


NAMES = "age workclass fnlwgt education years marital occupation relationship race sex gain loss hours country income"


def census(path, count, out):
    lines = gzip.open(path, "rt").read().split("\n")
    rows = [line for line in lines if "," in line and "?" not in line][:count]
    with open(out, "w") as file:
        file.write("\n".join([NAMES.replace(" ", ","), *rows]) + "\n")


def gaps(path, count, out):
    lines = [line for line in gzip.open(path, "rt").read().split("\n") if "," in line][:count]
    rows = ["?," + line.split(",", 1)[1] if i % 5 == 0 else line for i, line in enumerate(lines)]
    with open(out, "w") as file:
        file.write("\n".join([NAMES.replace(" ", ","), *rows]) + "\n")


def messages(path, count, out):
    import csv

    lines = gzip.open(path, "rt", encoding="utf-8").read().split("\n")
    with open(out, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["label", "message"])
        rows.writerows(line.split("\t", 1) for line in lines[:count])


def columns(model, path):
    import csv

    import onnxruntime

    session = onnxruntime.InferenceSession(model)
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    # A number or a category, and what stands for none.
    kinds = {"tensor(float)": (numpy.float32, "nan"), "tensor(string)": (object, "")}

    def column(one):
        kind, missing = kinds[one.type]
        cells = [row[one.name].strip() for row in rows]
        return numpy.array([[missing if cell == "?" else cell] for cell in cells]).astype(kind)

    feed = {one.name: column(one) for one in session.get_inputs()}
    print("\n".join(str(label) for label in session.run(["label"], feed)[0]))


def images(folder, name, count, out):
    pixels = gzip.open(f"{folder}/{name}-images-idx3-ubyte.gz").read()[16 : 16 + 784 * count]
    labels = gzip.open(f"{folder}/{name}-labels-idx1-ubyte.gz").read()[8 : 8 + count]
    with open(out, "w") as file:
        for i, label in enumerate(labels):
            row = pixels[784 * i : 784 * (i + 1)]
            entries = " ".join(f"{j + 1}:{v}" for j, v in enumerate(row) if v)
            file.write(f"{label} {entries}\n")


def read(path, features):
    """Rows of a LIBSVM file, or of a CSV file whose last column is the label."""
    lines = open(path).read().split("\n")[:-1]
    rows = numpy.zeros((len(lines), features))
    for i, line in enumerate(lines):
        if ":" in line:
            for entry in line.split()[1:]:
                j, v = entry.split(":")
                rows[i, int(j) - 1] = float(v)
        else:
            rows[i] = [float(v) for v in line.split(",")[:-1]]
    return rows


def weights(path):
    """The hyperplanes as `export --to text` prints them: names of the outputs, weights, biases."""
    head, *lines = [line.split("\t") for line in open(path).read().split("\n")[:-1]]
    table = {line[0]: [float(v) for v in line[1:]] for line in lines}
    bias = numpy.array(table.pop("(bias)"))
    w = numpy.zeros((max(int(name[1:]) for name in table), len(bias)))
    for name, row in table.items():
        w[int(name[1:]) - 1] = row
    return head[1:], w, bias


def compare(model, text, data, labels):
    import onnxruntime

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    features = session.get_inputs()[0].shape[1]
    x = read(data, features)
    theirs = [str(label) for label in session.run(["label"], {"X": x.astype(numpy.float32)})[0]]
    ours = open(labels).read().split("\n")[:-1]
    assert len(ours) == len(theirs) == len(x)
    names, w, bias = weights(text)
    w = numpy.vstack([w, numpy.zeros((features - len(w), w.shape[1]))])
    scores, sizes = x @ w + bias, numpy.abs(x) @ numpy.abs(w) + numpy.abs(bias)
    if len(names) == 1:  # two classes: the positive one's score, and its negative
        names.append(next(label for label in set(ours) | set(theirs) if label != names[0]))
        scores, sizes = numpy.hstack([scores, -scores]), numpy.hstack([sizes, sizes])
    differ = [i for i in range(len(x)) if ours[i] != theirs[i]]
    # A float32 sum of n products is off by at most about (n + 2) roundings of the sum of their sizes; the input and
    # the weights are rounded once each.
    roundings = (features + 4) * 2.0**-24
    within = 0
    for i in differ:
        a, b = names.index(ours[i]), names.index(theirs[i])
        within += abs(scores[i, a] - scores[i, b]) <= roundings * (sizes[i, a] + sizes[i, b])
    print(json.dumps({"rows": len(x), "differ": len(differ), "within_rounding": int(within)}))


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    if command == "images":
        images(arguments[0], arguments[1], int(arguments[2]), arguments[3])
    elif command == "census":
        census(arguments[0], int(arguments[1]), arguments[2])
    elif command == "messages":
        messages(arguments[0], int(arguments[1]), arguments[2])
    elif command == "gaps":
        gaps(arguments[0], int(arguments[1]), arguments[2])
    elif command == "columns":
        columns(*arguments)
    else:
        compare(*arguments)
