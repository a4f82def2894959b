"""Checks a certificate of separability against its data, with the standard library alone. FORMAT.md is the specification.

    python3 verify_certificate.py [--reading-as-certified] certificate.json data [labels]

Prints what is proved, and of what: which rows, columns and numbers. Exit status 0: proved, of the data as anyone would read
them. 1: refused, or proved of another reading than the plain one, which is announced first; --reading-as-certified accepts
that. Texts must be ASCII where words are counted.
"""
import hashlib, itertools, json, math, os, re, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from certificate_data import MALFORMED, SPACE, Q, Refused, a, arrays, check, count, fields, name  # noqa: E402
from certificate_data import Word, fields_of, is_idx, kind_of, no_number, number, objects, once, parts  # noqa: E402
from certificate_data import rational, records, texts, values_of  # noqa: E402


def missing(field):
    return field.lower() in (b"", b"?", b"na", b"nan")


def gap(field):  # where numbers are
    return missing(field) or field.lower() in (b"n/a", b"#n/a", b"null", b"none", b"-")


class Column:
    def __init__(self, given, key, at=None):
        kind, lacking = given.get("kind"), given.get("missing")
        keys = {"number": [], "category": ["values"], "text": ["ngrams", "words"], "set": ["values"]}
        check(kind in keys and (kind != "set" or key == "name"), "the kind of a column is unknown")
        fields(given, key, "kind", *keys[kind], *["missing"] * ("missing" in given))
        check("missing" not in given or lacking in ("zero", "indicator") and kind in ("number", "category"), "missing is malformed")
        self.at = a(int, given["at"]) - 1 if key == "at" else at
        self.name = a(str, given["name"]) if key == "name" else ""
        self.kind, self.missing, self.lacks = kind, lacking, False
        self.values = texts(given["words" if kind == "text" else "values"]) if kind != "number" else []
        self.places = {value: place for place, value in enumerate(self.values)}
        self.ngrams = a(int, given["ngrams"]) if kind == "text" else 0
        check(self.at >= 0 and len(self.places) == len(self.values), "a column or value is malformed")
        check(kind != "text" or 1 <= self.ngrams <= 5, "ngrams is not 1 to 5")
        check(not lacking or not any(map(missing, self.values)), "a value is a missing one")
        self.width, self.met = (len(self.values) if self.values or kind != "number" else 1) + (lacking == "indicator"), set()

    def read(self, field):  # the features that are not zero
        if self.kind == "set":
            runs = {member.encode() for member in field if member}
            check(all(run in self.places for run in runs), "a string is not listed")
            self.met.update(runs)
            return {self.places[run]: Q(1) for run in runs}
        if self.missing and (gap if self.kind == "number" else missing)(field):
            self.lacks = True
            return {self.width - 1: Q(1)} if self.missing == "indicator" else {}
        if self.kind == "number":
            value = number(field)
            return {0: value} if value else {}
        if self.kind == "category":
            runs = [field]
        else:
            check(field.isascii(), "not for this script: its letters are not all Unicode's")
            words = re.findall(rb"\w+", field.lower())
            runs = [b" ".join(words[i:i + n]) for n in range(1, self.ngrams + 1) for i in range(len(words) + 1 - n)]
        check(all(run in self.places for run in runs), "a value or a word is not listed")
        self.met.update(runs)
        return {self.places[run]: Q(runs.count(run)) for run in runs}

    def end(self):
        check(len(self.met) == len(self.values), "a listed value does not occur")
        check(not self.missing or self.lacks, "no value is missing")


class Reading:
    def __init__(self, how):
        check(type(how) is dict, "the reading is malformed")
        own = {"table": ["delimiter", "header", "label", "columns"], "libsvm": ["first", "features"], "npy": ["features"]}
        own |= {"idx": ["features"], "jsonl": ["label", "columns"]}
        self.format = how.get("format")
        check(self.format in own, "the format is unknown")
        fields(how, "format", *own[self.format], "positive", "negative", "bias", "degree")
        self.bias, self.degree = a(bool, how["bias"]), a(int, how["degree"])
        check(1 <= self.degree <= 64, "the degree is not 1 to 64")
        self.sides = [texts(how["positive"]), texts(how["negative"])]
        self.sign = {name(label): y for y, side in zip((1, -1), self.sides) for label in side}
        check(all(self.sides) and len(self.sign) == sum(map(len, self.sides)), "a label is listed twice, or none is")
        self.columns, self.width = [], 0
        if self.format == "table":
            self.delimiter = a(str, how["delimiter"]).encode()
            check(len(self.delimiter) == 1 and self.delimiter not in b'"\r\n ', "the delimiter is malformed")
            self.header, self.label = a(bool, how["header"]), a(int, how["label"]) - 1
            self.columns = [Column(a(dict, given), "at") for given in a(list, how["columns"])]
            ats = [column.at for column in self.columns]
            check(self.label >= 0 and self.label not in ats and ats == sorted(set(ats)), "the columns are malformed")
            self.base = sum(column.width for column in self.columns)
        elif self.format == "jsonl":
            self.label, self.others = a(str, how["label"]), []
            self.columns = [Column(a(dict, given), "name", at) for at, given in enumerate(a(list, how["columns"]))]
            names = [column.name for column in self.columns] + [self.label]
            check(all(names) and len(set(names)) == len(names), "the fields are malformed")
            self.base = sum(column.width for column in self.columns)
        else:
            self.base, self.first = a(int, how["features"]), a(int, how.get("first", 1))
            check(self.base < 2**32 and self.first in (0, 1), "first or features is malformed")

    def rows(self, data, beside):  # each row's label and features
        if self.format in ("npy", "idx"):
            check((self.format == "idx") == is_idx(data), "the format is another")
            yield from arrays(data, beside, self.base)
        elif self.format == "jsonl":
            yield from self.jsonl(data)
        elif self.format == "libsvm":
            yield from self.libsvm(data)
        else:
            table = records(data, self.delimiter)
            check(not self.header or next(table, None), "there is no header")
            for record in table:
                self.width, x, first = len(record), {}, 0
                check(max([self.label] + [c.at for c in self.columns]) < len(record), "a column is not there")
                for column in self.columns:
                    x.update((first + j, v) for j, v in column.read(record[column.at]).items())
                    first += column.width
                yield record[self.label], x
            for column in self.columns:
                column.end()

    def jsonl(self, data):
        sets = {column.name for column in self.columns if column.kind == "set"}
        singles = {column.name for column in self.columns} - sets | {self.label}
        for value in objects(data):
            held, others = fields_of(value, sets, singles)
            self.others += [name for name in others if name not in self.others]
            check(held.get(self.label) is not None, "a line has no label")
            x, first = {}, 0
            for column in self.columns:
                field = held.get(column.name)
                field = (field or []) if column.kind == "set" else (field or "").encode()
                x.update((first + j, v) for j, v in column.read(field).items())
                first += column.width
            yield held[self.label].encode(), x
        for column in self.columns:
            column.end()

    def libsvm(self, data):
        met = set()
        for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
            label, *words = line.split(b"#")[0].split() or [b""]
            if not label:
                continue
            check(b":" not in label, "a line does not start with a label")
            x, last = {}, self.first - 1
            for word in words:
                if word.startswith(b"qid:"):
                    continue
                index, colon, value = word.partition(b":")
                check(colon and re.fullmatch(rb"\d+", index) and len(index.lstrip(b"0")) < 15, "a pair is malformed")
                check(last < int(index) < self.first + self.base, "a feature index is wrong")
                last = int(index)
                met.add(last)
                x[last - self.first] = number(value)
            yield label, {j: v for j, v in x.items() if v}
        check(self.first == 1 or 0 in met, "no feature has the index 0")
        check(max(met, default=self.first - 1) + 1 - self.first == self.base, "reading.features is wrong")

    def monomials(self):  # a row's features from what is read, and how many there are
        if self.degree == 1:
            return (lambda x: x), self.base
        features = math.comb(self.base + self.degree, self.degree) - 1
        check(features <= 2**20, "there are too many monomials")
        of = lambda n, keys: itertools.combinations_with_replacement(keys, n)
        degrees = range(1, self.degree + 1)
        place = {t: i for i, t in enumerate(t for n in degrees for t in of(n, range(self.base)))}
        return (lambda x: {place[t]: math.prod(x[j] for j in t) for n in degrees for t in of(n, sorted(x))}), features


# The plain reading: what the data are by their bytes alone.


def sample(data):  # the first lines that are not blank; a line does not end within quotes
    lines, pieces, quotes = [], [], 0
    for piece in data.split(b"\n"):
        pieces.append(piece)
        quotes += piece.count(b'"')
        if quotes % 2 == 0:
            lines.append(b"\n".join(pieces))
            pieces = []
            if len(lines) == 50:
                break
    if len(lines) < 50:
        lines.append(b"\n".join(pieces))
    return [line for line in lines if line.strip(SPACE)]


def pair(word):
    return bool(re.match(rb"qid:|\d+:.", word, re.DOTALL))


def delimiter_of(lines):
    outside, quoted = [], False  # the lines without what is quoted
    for line in lines:
        kept = []
        for piece in line.split(b'"'):
            kept += [] if quoted else [piece]
            quoted = not quoted
        quoted = not quoted  # the last piece does not end with a quote
        outside.append(b"".join(kept))
    tests = (
        lambda n: n and n[0] > 0 and set(n) == {n[0]},
        lambda n: n and min(n) > 0,
        lambda n: n and n[0] > 0,
    )
    for test in tests:
        for d in (b"\t", b",", b";"):
            if test([line.count(d) for line in outside]):
                return d
    return None


def numeric(field):
    return parts(field) is not None or bool(re.fullmatch(rb"(?i)[+-]?inf(inity)?", field))


def plain(data):  # 'npy', 'libsvm', or delimiter, header, label and the columns that hold numbers; else why there is none
    if data[:6] == b"\x93NUMPY":
        return "npy"
    if is_idx(data[:4].ljust(4)):
        return "idx"
    lines = sample(data.removeprefix(b"\xef\xbb\xbf"))
    for line in lines:
        first, *words = [word for word in re.split(rb"[ \t\n\x0c\r]", line.split(b"#")[0]) if word] or [b""]
        if pair(first) or words:
            if all(map(pair, words)):
                return "libsvm"
            break
    if any(re.match(rb"[^|,;\t]* \|", line) for line in lines):
        raise Refused("they look like Vowpal Wabbit's format")
    if re.match(rb"[ \t\n\x0c\r]*\{[ \t\n\x0c\r]*[\"}]", data.removeprefix(b"\xef\xbb\xbf")):
        return plain_objects(data)
    d = delimiter_of(lines)
    check(d, "no tab, comma or semicolon divides their lines")
    below, kinds, first, read, prose = False, [], [], 0, {}
    for read, record in enumerate(itertools.islice(records(data, d), 1 << 14), 1):
        found = any(map(numeric, record))
        if read == 1:
            kinds = [None] * len(record)
            if not found:
                first = record
                continue
        for column, field in enumerate(record):  # a number among texts, values of several words, tells no header
            values, wordy = prose.get(column, (0, 0))
            below |= 2 * wordy <= values and numeric(field)
            prose[column] = (values + bool(field), wordy + (b" " in field))
        settle(kinds, record)
        if below and None not in kinds:
            break
    check(len(kinds) > 1 and not (first and read == 1), "they are one record without a number, or one field in each")
    if not below:
        settle(kinds, first)
    names = [name.lower() for name in first] if below else []
    label = next((names.index(n) for n in (b"label", b"class", b"target", b"y") if n in names), len(kinds) - 1)
    return d, bool(names), label, [kind is not False for kind in kinds]


def plain_objects(data):  # the label's field, and the kind of each other one
    seen = {}
    for i, value in enumerate(objects(data)):
        for name, inner in values_of(value, lambda name: True):
            if inner is None or inner == []:
                continue
            held = seen.setdefault(name, {"set": False, "single": False, "number": False, "first": None})
            if type(inner) is list:
                held["set"] = True
                continue
            held["single"] = True
            held["number"] |= type(inner) is Word and inner not in ("true", "false")
            if held["first"] is None and i <= 1 << 14 and not gap(inner.encode()):
                held["first"] = numeric(inner.encode())
    check(not any(held["set"] and held["single"] for held in seen.values()), "a field is an array and a single value")
    usual = [n for u in ("label", "class", "target", "y") for n, held in seen.items() if lower(n) == u and not held["set"]]
    check(usual, "no field is called label, class, target or y")
    kind = lambda held: "set" if held["set"] else "number" if held["number"] and held["first"] is not False else "category"
    return usual[0], {name: kind(held) for name, held in seen.items() if name != usual[0]}


def lower(name):  # of ASCII alone
    return name.lower() if name.isascii() else name


def settle(kinds, record):  # the first value of a column tells whether it holds numbers
    for i, field in enumerate(record):
        if kinds[i] is None and not gap(field):
            kinds[i] = numeric(field)


def departures(how, data, left, rows):
    if left:
        yield f"{left} of {rows} rows are left out: their labels are not listed"
    try:
        reading = plain(data)
    except Refused as why:
        reading = None
        yield f"the data have no plain reading: {why}"
    objects = reading and len(reading) == 2 and not isinstance(reading, str)
    if objects and how.format == "jsonl":
        yield from objects_depart(how, *reading)
    elif isinstance(reading, str) or objects or reading and (how.format != "table" or reading[0] != how.delimiter):
        if reading != how.format:
            form = lambda d: "a table divided by " + ascii(d.decode())
            found = form(how.delimiter) if how.format == "table" else how.format
            other = "jsonl" if objects else reading if isinstance(reading, str) else form(reading[0])
            yield f"the data are {found}, not {other}"
    elif reading:
        _, header, label, numbers = reading
        used = {column.at: column for column in how.columns}
        out = [at + 1 for at in range(len(numbers)) if at not in used and at not in (label, how.label)]
        if out:
            yield f"columns {out} are left out"
        if header != how.header:
            yield "the first row is left out as a header" if how.header else "the first row, a header, is an example"
        if label != how.label:
            yield f"the label is column {how.label + 1}, not column {label + 1}"
        for at, column in used.items():
            wanted = "number" if numbers[at] else "category"
            if column.kind != wanted and at != label:
                yield f"column {at + 1} is read as {column.kind}, not as {wanted}"
            if column.missing:
                yield f"missing values of column {at + 1} count as 0"
    if list(map(len, how.sides)) != [1, 1]:
        yield "several labels count as one class"
    if not how.bias:
        yield "only hyperplanes through the origin count"
    if how.degree != 1:
        yield f"the features are monomials up to degree {how.degree}"


def objects_depart(how, label, kinds):
    used = {column.name: column for column in how.columns}
    out = [name for name in kinds if name not in used and name != how.label]
    if out:
        yield f"fields {ascii(out)} are left out"
    if label != how.label:
        yield f"the label is the field {ascii(how.label)}, not {ascii(label)}"
    for name, column in used.items():
        if name != label and column.kind != kinds.get(name):
            yield f"the field {ascii(name)} is read as {column.kind}, not as {kinds.get(name)}"
        if column.missing:
            yield f"missing values of the field {ascii(name)} count as 0"


def statement(verdict, how, features, hashes, sizes, rows):
    say = lambda labels: ", ".join(ascii(label.decode()) for label in labels[:8]) + " …" * (len(labels) > 8)
    print("proved:", verdict)
    print(f"rows: {sum(sizes)} of {rows}: {sizes[0]} positive, {sizes[1]} negative, {rows - sum(sizes)} left out")
    if how.format == "table":
        print(f"read as: table divided by {ascii(how.delimiter.decode())}, {'a header' if how.header else 'no header'}")
        used = [column.at + 1 for column in how.columns]
        out = [at for at in range(1, how.width + 1) if at not in used + [how.label + 1]]
        print(f"label: column {how.label + 1}; features: columns {used}; left out: {out or 'none'}")
    else:
        print("read as:", how.format)
    if how.format == "jsonl":
        print(f"label: {ascii(how.label)}; features: {ascii([c.name for c in how.columns])}; left out: {ascii(how.others) if how.others else 'none'}")
    print(f"classes: {say(how.sides[0])} against {say(how.sides[1])}")
    print(f"hyperplanes: {'with a bias' if how.bias else 'through the origin'}, over {features} features")
    print("numbers:", "what their bits encode" if how.format in ("npy", "idx") else "as written")
    print("sha256:", *hashes)


# The proof.


def dot(x, w):
    return sum(v * w[j] for j, v in x.items())


def reduce(row, basis):  # a row without its part along a basis in echelon form
    for pivot, b in basis:
        share = row.get(pivot, 0)
        if share:
            row = {j: row.get(j, 0) - share * b.get(j, 0) for j in row.keys() | b.keys()}
    return {j: v for j, v in row.items() if v}


def verify(raw, data, beside, accept):
    proof = json.loads(raw.decode(), object_pairs_hook=once, parse_int=count, parse_float=no_number, parse_constant=no_number)
    check(type(proof) is dict, "it is no certificate")
    check(proof.get("rosenblatt") == "certificate" and proof.get("version") in (1, 2), "it is no certificate of version 1 or 2")
    verdict = proof.get("verdict")
    own = {"separable": ["hyperplane", "margin"], "weakly-separable": ["hyperplane"], "inseparable": []}
    if proof["version"] == 2:  # what was not decided to the end
        own = {"not-separable": []}
    check(verdict in own, "the verdict is unknown")
    keys = ["rosenblatt", "version", "data", "reading", "verdict", *own[verdict], "support", "digest"]
    check(type(proof["version"]) is int and fields(proof, *keys), "it is malformed")
    digest = a(str, proof["digest"])
    check(re.fullmatch("[0-9a-f]{64}", digest) and raw.count(digest.encode()) == 1, "the digest is malformed")
    check(hashlib.sha256(raw.replace(digest.encode(), b"0" * 64)).hexdigest() == digest, "the digest is wrong")
    how = Reading(proof["reading"])
    sha256, examples, *labels = fields(proof["data"], "sha256", "examples", *["labels"] * (how.format in ("npy", "idx")))
    check(hashlib.sha256(data).hexdigest() == sha256, "these are other data")
    check([hashlib.sha256(part).hexdigest() for part in beside] == labels, "these are other labels")

    mapped, features = how.monomials()
    Y, A, met, rows = {}, {}, set(), 0
    for label, x in how.rows(data, *beside or [b""]):
        rows += 1
        if name(label) in how.sign:
            met.add(name(label))
            Y[rows] = y = how.sign[name(label)]
            A[rows] = {j: y * v for j, v in mapped(x).items()}  # a = y (x, 1) or y x
            if how.bias:
                A[rows][features] = Q(y)
    check(rows == a(int, examples), "data.examples is wrong")
    check(len(met) == len(how.sign), "no example has a label that is listed")

    p = {}
    for share in a(list, proof["support"]):
        example, weight = fields(share, "example", "weight")
        check(a(int, example) in A and example not in p and rational(weight) > 0, "the support is malformed")
        p[example] = rational(weight)
    z = {}
    for i in p:
        for j, v in A[i].items():
            z[j] = z.get(j, 0) + p[i] * v
    convex = {y: sum(p[i] for i in p if Y[i] == y) for y in (1, -1)}
    if verdict in ("separable", "weakly-separable"):
        weights, bias = fields(proof["hyperplane"], "weights", "bias")
        w = [rational(text) for text in a(list, weights)] + [rational(bias)]
        check(len(w) == features + 1 and (how.bias or w[-1] == 0), "the hyperplane is malformed")
        scores = [dot(row, w) for row in A.values()]
        good = min(scores) > 0 if verdict == "separable" else min(scores) >= 0 and max(scores) > 0
        check(good, "an example is on the wrong side")
    if verdict == "separable":
        kind, lower, upper = fields(proof["margin"], "kind", "lower", "upper")
        lower, upper = rational(lower), rational(upper)
        check(kind == ("hull" if how.bias else "origin"), "the margin is of another kind")
        check(0 <= lower <= upper and min(scores) ** 2 >= lower**2 * sum(v * v for v in w[:-1]), "the lower bound is wrong")
        check(set(convex.values()) == {1} if how.bias else sum(convex.values()) == 1, "the weights are not convex")
        z.pop(features, None)
        check(sum(v * v for v in z.values()) <= ((1 + how.bias) * upper) ** 2, "the upper bound is wrong")
    else:
        check(sum(convex.values()) == 1 and not any(z.values()), "the support does not cancel")
    if verdict == "inseparable":  # then every example lies in the span of the support
        basis = []
        for row in (reduce(A[i], basis) for i in p):
            basis += [(j, {k: v / row[j] for k, v in row.items()}) for j in list(row)[:1]]
        check(not any(reduce(row, basis) for row in A.values()), "an example is not in the support's span")

    sizes = [sum(y == s for y in Y.values()) for s in (1, -1)]
    departs = list(departures(how, data, rows - sum(sizes), rows))
    for text in departs:
        print("departs:", text)
    statement(verdict, how, features, [sha256, *labels], sizes, rows)
    return not departs or accept


def main(words):
    accept = "--reading-as-certified" in words
    try:
        raw, data, *beside = (open(path, "rb").read() for path in words if path != "--reading-as-certified")
        if not verify(raw, data, beside[:1], accept):
            sys.exit("not accepted: the certificate departs from the plain reading (--reading-as-certified accepts it)")
    except MALFORMED as why:
        sys.exit(f"refused: {why}")


if __name__ == "__main__":
    main(sys.argv[1:])
