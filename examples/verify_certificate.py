"""Checks a rosenblatt certificate of degree 1: python3 verify_certificate.py certificate.json data [labels]"""
import ast, csv, hashlib, json, math, re, struct, sys
from fractions import Fraction as Q

getattr(sys, "set_int_max_str_digits", int)(0)  # rationals may be long

def check(fact, otherwise):
    fact or sys.exit("refused: " + otherwise)

def once(pairs):  # json itself keeps the last of two equal keys
    check(len(dict(pairs)) == len(pairs), "a key occurs twice")
    return dict(pairs)

def number(text):
    return Q(text) if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text, re.ASCII) else None

def name(label):  # two labels are the same if their texts are, or if both are the same number
    return label if number(label) is None else number(label)

def array(data):  # the values of an NPY file, in order, and how many rows there are
    start = 10 if data[6] == 1 else 12
    end = start + int.from_bytes(data[8:start], "little")
    head = ast.literal_eval(data[start:end].decode())
    order, kind, size = head["descr"][0], head["descr"][1], int(head["descr"][2:])
    check(not head["fortran_order"] and kind in "bfiuU", "not for this script")
    if kind == "U":
        texts = data[end:].decode("utf-32-be" if order == ">" else "utf-32-le")
        return [texts[i:i + size].rstrip("\0") for i in range(0, len(texts), size)], head["shape"][0]
    code = {"b1": "B", "f4": "f", "f8": "d"}.get(f"{kind}{size}", " bh i   q"[size])
    count, code = len(data[end:]) // size, code.upper() if kind == "u" else code
    return struct.unpack(f"{order.replace('|', '<')}{count}{code}", data[end:]), head["shape"][0]

def arrays(data, beside, how):  # each row's label and exact features: floats are the fractions that they are
    values, count = array(data)
    labels = array(beside)[0] if beside[:6] == b"\x93NUMPY" else beside.decode("utf-8-sig").strip("\n").split("\n")
    values = [Q(value) if math.isfinite(value) else None for value in values]
    check(len(labels) == count and len(values) == count * how["features"], "the data do not fit")
    for i, label in enumerate(labels):
        yield str(label).strip(), values[i * how["features"]:(i + 1) * how["features"]]

def features(field, c):  # of one field
    marks = [Q(0)] * (c.get("missing") == "indicator")
    if "missing" in c and field.lower() in ("", "?", "na", "nan"):
        return [Q(0)] * len(c.get("values", "1")) + [Q(1)] * len(marks)
    if c["kind"] == "number":
        return [number(field)] + marks
    if c["kind"] == "category":
        return [Q(field == v) for v in c["values"]] + marks if field in c["values"] else [None]
    check(field.isascii(), "not for this script")  # Unicode's letters are not all Python's
    words = re.findall(r"\w+", field.lower())
    runs = [" ".join(words[i:i + n]) for n in range(1, c["ngrams"] + 1) for i in range(len(words) + 1 - n)]
    return [Q(runs.count(run)) for run in c["words"]] if set(runs) <= set(c["words"]) else [None]

def rows(text, how):  # each row's label and exact features; None for what is no number or not listed
    if how["format"] == "libsvm":
        for label, *words in filter(None, (line.split("#")[0].split() for line in text.split("\n"))):
            pairs = [word.split(":") for word in words if not word.startswith("qid:")]
            x = {int(j) - how["first"]: number(value) for j, value in pairs}
            check(len(x) == len(pairs) and all(0 <= j < how["features"] for j in x), "a feature index is wrong")
            yield label, [x.get(j, Q(0)) for j in range(how["features"])]
        return
    lines = re.split("(?<=\n)", text.replace("\r\n", "\n"))
    table = csv.reader(lines, delimiter=how["delimiter"], skipinitialspace=how["delimiter"] != "\t")
    table = [[field.strip(" \t") for field in row] for row in table if len(row) > 1 or "".join(row).strip()]
    for row in table[how["header"]:]:
        yield row[how["label"] - 1], sum((features(row[c["at"] - 1], c) for c in how["columns"]), [])

def reduce(a, basis):  # a without its part along a basis in echelon form
    for pivot, b in basis:
        a = [x - a[pivot] * y for x, y in zip(a, b)] if a[pivot] else a
    return a

raw, data, *beside = (open(path, "rb").read() for path in sys.argv[1:4])
proof = json.loads(raw, object_pairs_hook=once)
digest, how, verdict = proof["digest"], proof["reading"], proof["verdict"]
check(hashlib.sha256(raw.replace(digest.encode(), b"0" * 64)).hexdigest() == digest, "the digest is wrong")
check(hashlib.sha256(data).hexdigest() == proof["data"]["sha256"], "these are other data")
hashes = [hashlib.sha256(labels).hexdigest() for labels in beside]
check(hashes == ([proof["data"]["labels"]] if how["format"] == "npy" else []), "these are other labels")
check(how["degree"] == 1 and verdict in ("separable", "weakly-separable", "inseparable"), "not for this script")
sign = {name(label): y for y, key in ((1, "positive"), (-1, "negative")) for label in how[key]}
check(len(sign) == len(how["positive"] + how["negative"]), "a label is listed twice")
table = list(arrays(data, *beside, how) if beside else rows(data.decode("utf-8-sig"), how))
check(len(table) == proof["data"]["examples"] and not any(None in x for _, x in table), "the data do not fit")
Y = {i: sign[name(label)] for i, (label, _) in enumerate(table, 1) if name(label) in sign}
A = {i: [Y[i] * value for value in table[i - 1][1] + [Q(1)] * how["bias"]] for i in Y}  # a = y (x, 1) or y x
check(set(Y.values()) == {1, -1}, "a class is empty")

p = {share["example"]: Q(share["weight"]) for share in proof["support"]}
check(len(p) == len(proof["support"]) and set(p) <= set(A) and all(v > 0 for v in p.values()), "the support is malformed")
z = [sum(p[i] * A[i][j] for i in p) for j in range(len(next(iter(A.values()))))]
convex = {y: sum(p[i] for i in p if Y[i] == y) for y in (1, -1)}
if verdict != "inseparable":
    w = [Q(text) for text in proof["hyperplane"]["weights"]] + [Q(proof["hyperplane"]["bias"])]
    check(len(w) == len(z) + 1 - how["bias"] and (how["bias"] or w[-1] == 0), "the hyperplane is malformed")
    scores = [sum(x * y for x, y in zip(a, w)) for a in A.values()]
    check(min(scores) >= 0 and (min if verdict == "separable" else max)(scores) > 0, "an example is on the wrong side")
if verdict == "separable":
    lower, upper = Q(proof["margin"]["lower"]), Q(proof["margin"]["upper"])
    check(0 <= lower <= upper and min(scores) ** 2 >= lower ** 2 * sum(v * v for v in w[:-1]), "the lower bound is wrong")
    check(set(convex.values()) == {1} if how["bias"] else sum(convex.values()) == 1, "the weights are not convex")
    z = z[:len(w) - 1]
    check(sum(v * v for v in z) <= ((1 + how["bias"]) * upper) ** 2, "the upper bound is wrong")
else:
    check(sum(convex.values()) == 1 and not any(z), "the support does not cancel")
if verdict == "inseparable":  # then every example lies in the span of the support
    basis = []
    for a in (reduce(A[i], basis) for i in p):
        basis += [(j, [value / a[j] for value in a]) for j, pivot in enumerate(a) if pivot][:1]
    check(not any(any(reduce(a, basis)) for a in A.values()), "an example is not in the support's span")
print("proved:", verdict)
