"""Makes corpus.jsonl: certificates whose `reading` is not the plain one of their data. python3 make.py > corpus.jsonl

Each reading of a few small files is changed in one place, the change is proved anew where its rows allow a proof (so that
the arithmetic of the forgery is right), and the digest is computed again. No verifier may accept one of them in silence.
Bytes are written as the characters of Latin-1.
"""
import copy, hashlib, itertools, json, pathlib, runpy, struct
from fractions import Fraction as Q

script = runpy.run_path(str(pathlib.Path(__file__).parents[4] / "examples" / "verify_certificate.py"))


def perceptron(rows, width):  # w with a·w > 0 for all, if one is found soon
    w = [Q(0)] * width
    for _ in range(2000):
        wrong = [a for a in rows if sum(v * w[j] for j, v in a.items()) <= 0]
        if not wrong:
            return w
        for j, v in wrong[0].items():
            w[j] += v
    return None


def witness(rows, width):  # p ≥ 0 with Σp = 1 and Σ p a = 0: the first phase of the simplex method, by Bland's rule
    table = [[a.get(j, Q(0)) for a in rows] + [Q(0)] for j in range(width)] + [[Q(1)] * len(rows) + [Q(1)]]
    basis = [None] * len(table)
    while True:
        gains = [sum(row[i] for row, b in zip(table, basis) if b is None) for i in range(len(rows))]
        enter = next((i for i, gain in enumerate(gains) if gain > 0 and i not in basis), None)
        if enter is None:
            break
        ratios = [(row[-1] / row[enter], len(rows) if b is None else b, k) for k, (row, b) in enumerate(zip(table, basis)) if row[enter] > 0]
        leave = min(ratios)[2]
        pivot = table[leave][enter]
        table[leave] = [v / pivot for v in table[leave]]
        for k, row in enumerate(table):
            if k != leave and row[enter]:
                share = row[enter]
                table[k] = [v - share * u for v, u in zip(row, table[leave])]
        basis[leave] = enter
    if any(row[-1] for row, b in zip(table, basis) if b is None):
        return None
    return {b: row[-1] for row, b in zip(table, basis) if b is not None and row[-1]}


def prove(reading, data, labels):  # the claim's fields, or None
    how = script["Reading"](copy.deepcopy(reading))
    mapped, features = how.monomials()
    rows, numbers, signs, examples = [], [], [], 0
    for label, x in how.rows(data, labels):
        examples += 1
        y = how.sign.get(script["name"](label))
        if y:
            rows.append({j: y * v for j, v in mapped(x).items()} | ({features: Q(y)} if how.bias else {}))
            numbers.append(examples)
            signs.append(y)
    if set(signs) != {1, -1}:
        return None
    share = lambda i, p: {"example": numbers[i], "weight": str(p)}
    w = perceptron(rows, features + how.bias)
    if w is not None:
        some = [signs.index(1), signs.index(-1)] if how.bias else [0]
        z = [sum(rows[i].get(j, 0) for i in some) for j in range(features)]
        upper = int(sum(v * v for v in z)) + 1
        return examples, {
            "verdict": "separable",
            "hyperplane": {"weights": [str(v) for v in w[:features]], "bias": str(w[features] if how.bias else 0)},
            "margin": {"kind": "hull" if how.bias else "origin", "lower": "0", "upper": str(upper)},
            "support": [share(i, Q(1)) for i in some],
        }
    p = witness(rows, features + how.bias)
    return p and (examples, {"verdict": "inseparable", "support": [share(i, v) for i, v in sorted(p.items())]})


def certificate(reading, data, labels, claim):
    examples, fields = claim
    hashes = {"sha256": hashlib.sha256(data).hexdigest(), "examples": examples}
    if labels is not None:
        hashes["labels"] = hashlib.sha256(labels).hexdigest()
    text = json.dumps({"rosenblatt": "certificate", "version": 1, "data": hashes, "reading": reading, **fields, "digest": "0" * 64})
    digest = hashlib.sha256(text.encode()).hexdigest()
    return text.replace("0" * 64, digest)


def npy(descr, shape, values):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values


def table(width, label=None, header=False, delimiter=",", kinds=None, positive=("1",), negative=("0",), **more):
    label = width if label is None else label
    columns = [{"at": at, "kind": "number"} for at in range(1, width + 1) if at != label]
    for column in columns:
        column.update((kinds or {}).get(column["at"], {}))
    sides = {"positive": list(positive), "negative": list(negative), "bias": True, "degree": 1}
    return {"format": "table", "delimiter": delimiter, "header": header, "label": label, "columns": columns, **sides, **more}


def libsvm(features, first=1, positive=("1",), negative=("-1",)):
    return {"format": "libsvm", "first": first, "features": features, "positive": list(positive), "negative": list(negative), "bias": True, "degree": 1}


def jsonl(label, columns, positive, negative):
    return {"format": "jsonl", "label": label, "columns": columns, "positive": positive, "negative": negative, "bias": True, "degree": 1}


COLOURS = {"kind": "category", "values": ["blue", "green", "red"]}
WORDS = {"kind": "category", "values": ["bad film", "good film", "good good film"]}
OBJECTS = b"""{"x": 1.5, "at": {"z": 2}, "colour": "red", "tags": ["p"], "class": "yes"}
{"class": "no", "x": 0, "at": {"z": 1}, "colour": "blue", "tags": []}
{"x": 3, "at": {"z": 1e0}, "colour": "red", "tags": ["q", "p"], "class": "yes"}
{"x": -1, "at": {"z": 7}, "colour": "red", "tags": ["q"], "class": "no"}
"""
BASES = [
    ("xor", b"0,0,0\n0,1,1\n1,0,1\n1,1,0\n", None, table(3)),
    ("and", b"0,0,0\n0,1,0\n1,0,0\n1,1,1\n", None, table(3)),
    ("semicolons", b"a;b;y\n1,5;2;0\n1;1;1\n0;7;0\n", None, table(3, header=True, delimiter=";", kinds={1: {"kind": "category", "values": ["0", "1", "1,5"]}})),
    ("named", b"class,x,z\nyes,1,2\nno,2,1\nyes,3,5\nno,4,3\nno,1,0\n", None, table(3, label=1, header=True, positive=("yes",), negative=("no",))),
    ("tabs", b"x\ty\tz\n1\t5\ta\n2\t4\tb\n3\t3\ta\n4\t1\tb\n", None, table(3, label=2, header=True, delimiter="\t", positive=("5", "3"), negative=("4", "1"), kinds={3: {"kind": "category", "values": ["a", "b"]}})),
    ("colours", b"red,1.5,yes\ngreen,2,no\nblue,-3e-1,yes\nred,7,yes\ngreen,1,no\n", None, table(3, kinds={1: COLOURS}, positive=("yes",), negative=("no",))),
    ("missing", b"size,colour,kind\n1,red,yes\n ? ,red,yes\n-2,green,no\n-1,blue,no\n", None, table(3, header=True, kinds={1: {"missing": "zero"}, 2: COLOURS}, positive=("yes",), negative=("no",))),
    ("films", b"good film,1\nbad film,0\ngood good film,1\n", None, table(2, kinds={1: WORDS})),
    ("three", b"1,2,a\n2,1,b\n3,3,c\n0,1,a\n5,5,c\n4,0,b\n", None, table(3, positive=("a",), negative=("b", "c"))),
    ("banana", b"-1 1:1.1 2:-0.5\n1 1:0.2 2:2\n-1 1:-1 2:0.7\n1 1:1.1 2:-0.5\n1 1:0 2:0.1\n", None, libsvm(2)),
    ("from zero", b"1 0:1 2:.5\n-1 1:1\n1 0:2 2:1\n-1 0:-3 1:0 2:-1.5\n", None, libsvm(3, first=0)),
    ("quoted", b' "x" ,"y,y",\t"label"\n"1" , 2 , "a"\n 2,"1",\t"b"\n"3",3,a\n', None, table(3, header=True, positive=("a",), negative=("b",))),
    ("four", b"1,0,7,1\n2,1,7,0\n3,0,8,1\n4,1,9,0\n", None, table(4)),
    ("array", npy("<f8", "(4, 2)", struct.pack("<8d", 0.1, 0.3, 0.2, 0.6, 0.5, 0.25, 1, 0)), npy("<i8", "(4,)", struct.pack("<4q", 1, -1, 1, -1)), {"format": "npy", "features": 2, "positive": ["1"], "negative": ["-1"], "bias": True, "degree": 1}),
    ("objects", OBJECTS, None, jsonl("class", [{"name": "x", "kind": "number"}, {"name": "at.z", "kind": "number"}, {"name": "colour", "kind": "category", "values": ["blue", "red"]}, {"name": "tags", "kind": "set", "values": ["p", "q"]}], ["yes"], ["no"])),
    ("xor in objects", b'{"a": 0, "b": 0, "y": 0}\n{"a": 0, "b": 1, "y": 1}\n{"a": 1, "b": 0, "y": 1}\n{"a": 1, "b": 1, "y": 0}\n', None, jsonl("y", [{"name": "a", "kind": "number"}, {"name": "b", "kind": "number"}], ["1"], ["0"])),
    ("idx", b"\0\0\x08\x02\0\0\0\x04\0\0\0\x02\0\0\0\x01\x01\0\x01\x01", b"\0\0\x08\x01\0\0\0\x04\0\x01\x01\0", {"format": "idx", "features": 2, "positive": ["1"], "negative": ["0"], "bias": True, "degree": 1}),
]


def cells(data, reading):
    try:
        return list(script["records"](data, reading["delimiter"].encode()))[reading["header"]:]
    except script["MALFORMED"]:
        return []


def of_objects(data, reading, changed):
    columns, names = reading["columns"], [column["name"] for column in reading["columns"]]
    rows = [json.loads(line) for line in data.splitlines()]
    yield "no fields", changed(columns=[])
    yield "fields in another order and one twice", changed(columns=columns[::-1] + columns[:1])
    yield "the label as a feature", changed(columns=columns + [{"name": reading["label"], "kind": "category", "values": reading["negative"] + reading["positive"]}])
    yield "a field that is not there", changed(columns=columns + [{"name": "w", "kind": "number"}])
    yield "a field that is not there counts as 0", changed(columns=columns + [{"name": "w", "kind": "number", "missing": "zero"}])
    yield "a field without a name", changed(columns=columns + [{"name": "", "kind": "number"}])
    yield "columns by place", changed(columns=[{"at": 1, "kind": "number"}])
    yield "a header", changed(header=False)
    yield "as a table", {**table(2), "columns": [{"at": 1, "kind": "category", "values": ["x"]}]}
    yield "as LIBSVM", libsvm(2)
    for i, column in enumerate(columns):
        others = columns[:i] + columns[i + 1:]
        yield f"without {names[i]}", changed(columns=others)
        yield f"only {names[i]}", changed(columns=[column])
        for more in ({"missing": "zero"}, {"missing": "indicator"}, {"missing": "mean"}, {"values": ["red"]}, {"values": ["blue", "red", "green"]}):
            yield f"{more} in {names[i]}", changed(columns=columns[:i] + [{**column, **more}] + columns[i + 1:])
        values = sorted({json.dumps(row[column["name"]]).strip('"') for row in rows if column["name"] in row})
        for kind in ({"kind": "number"}, {"kind": "category", "values": values}, {"kind": "set", "values": values}, {"kind": "text", "ngrams": 1, "words": values}):
            if kind["kind"] != column["kind"]:
                yield f"{names[i]} as {kind['kind']}", changed(columns=columns[:i] + [{"name": names[i], **kind}] + columns[i + 1:])
        label = {"name": reading["label"], "kind": "category", "values": sorted(reading["negative"] + reading["positive"])}
        for pair in itertools.islice(itertools.combinations(values, 2), 3):
            for rest in (others, others + [label]):
                yield f"label {names[i]}, {pair}", changed(label=names[i], columns=rest, positive=[pair[0]], negative=[pair[1]])


def mutations(data, reading):
    def changed(**fields):
        return {**copy.deepcopy(reading), **fields}

    yield "no bias", changed(bias=False)
    for degree in (2, 3):
        yield f"degree {degree}", changed(degree=degree)
    yield "degree 70", changed(degree=70)
    yield "a bias of 1", changed(bias=1)
    yield "a degree as a text", changed(degree="1")
    yield "an unknown key", changed(note="all rows are covered")
    yield "no labels of one class", changed(negative=[])
    yield "a label that does not occur", changed(negative=reading["negative"] + ["7"])
    yield "a label that takes long", changed(negative=reading["negative"] + ["1e99999999999999999999"])
    yield "a label twice", changed(negative=reading["negative"] + [reading["positive"][0]])
    yield "a label twice as a number", changed(positive=["1", "1.0"], negative=reading["negative"])
    for side in ("positive", "negative"):
        for label in reading[side]:
            yield f"without {label}", changed(**{side: [other for other in reading[side] if other != label]})
    if reading["format"] == "jsonl":
        yield from of_objects(data, reading, changed)
        return
    if reading["format"] != "table":
        yield "one feature more", changed(features=reading["features"] + 1)
        yield "one feature less", changed(features=reading["features"] - 1)
        yield "first 0 or 1", changed(first=1 - reading.get("first", 1))
        if reading["format"] == "libsvm":
            width = len(data.split(b"\n")[0].split(b":"))
            fields = [line.split(b":") for line in data.split(b"\n") if line]
            for label in range(1, width + 1):
                names = sorted({row[label - 1].decode().strip() for row in fields if len(row) == width})
                for pair in itertools.islice(itertools.combinations(names, 2), 3):
                    for columns in [[]] + [[{"at": at, "kind": "number"}] for at in range(1, width + 1) if at != label]:
                        sides = {"positive": [pair[0]], "negative": [pair[1]], "bias": True, "degree": 1}
                        yield f"as a table, label {label}, {pair}", {"format": "table", "delimiter": ":", "header": False, "label": label, "columns": columns, **sides}
        return
    rows, width = cells(data, reading), max([c["at"] for c in reading["columns"]] + [reading["label"]])
    yield "the other header", changed(header=not reading["header"])
    yield "no columns", changed(columns=[])
    yield "columns in another order", changed(columns=reading["columns"][::-1])
    yield "a column twice", changed(columns=reading["columns"] + reading["columns"][-1:])
    yield "a column beyond the last", changed(columns=reading["columns"] + [{"at": width + 1, "kind": "number"}])
    yield "column 0", changed(columns=[{"at": 0, "kind": "number"}] + reading["columns"])
    yield "the label as a feature", changed(columns=sorted(reading["columns"] + [{"at": reading["label"], "kind": "number"}], key=lambda c: c["at"]))
    for delimiter in (":", ";", ",", "\t", "|", " ", '"', "\n", ""):
        if delimiter != reading["delimiter"]:
            yield f"divided by {delimiter!r}", changed(delimiter=delimiter)
    for i, column in enumerate(reading["columns"]):
        others = reading["columns"][:i] + reading["columns"][i + 1:]
        yield f"without column {column['at']}", changed(columns=others)
        yield f"only column {column['at']}", changed(columns=[column])
        for more in ({"missing": "zero"}, {"missing": "indicator"}, {"missing": "mean"}):
            yield f"{more} in column {column['at']}", changed(columns=reading["columns"][:i] + [{**column, **more}] + reading["columns"][i + 1:])
        values = sorted({row[column["at"] - 1].decode() for row in rows})
        words = sorted({word.lower() for value in values for word in value.replace(".", " ").replace("-", " ").split()})
        kinds = [{"kind": "category", "values": values}, {"kind": "category", "values": values + ["more"]}, {"kind": "number"}, {"kind": "text", "ngrams": 1, "words": words}]
        for kind in kinds:
            if kind["kind"] != column["kind"] or "more" in kind.get("values", []):
                yield f"column {column['at']} as {kind['kind']}", changed(columns=reading["columns"][:i] + [{"at": column["at"], **kind}] + reading["columns"][i + 1:])
        # Another label, and what was the label is a feature or is left out.
        for pair in itertools.islice(itertools.combinations(values, 2), 2):
            for columns in (others, sorted(others + [{"at": reading["label"], "kind": "category", "values": sorted({row[reading["label"] - 1].decode() for row in rows})}], key=lambda c: c["at"])):
                yield f"label {column['at']}, {pair}", changed(label=column["at"], columns=columns, positive=[pair[0]], negative=[pair[1]])


made = set()
for name, data, labels, reading in BASES:
    honest = prove(reading, data, labels)
    assert honest, name
    for what, mutated in mutations(data, reading):
        try:
            claim = prove(mutated, data, labels) or honest
        except script["MALFORMED"]:
            claim = honest
        text = certificate(mutated, data, labels, claim)
        if mutated == reading or text in made:
            continue
        made.add(text)
        case = {"name": f"{name}: {what}", "data": data.decode("latin-1")}
        if labels is not None:
            case["labels"] = labels.decode("latin-1")
        print(json.dumps({**case, "certificate": text}))
