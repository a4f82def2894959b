"""What a certificate and its data hold, read strictly: JSON, decimal numbers, delimited text, arrays of NumPy and IDX.

For verify_certificate.py, beside this file.
"""
import ast, json, math, re, struct, sys
from fractions import Fraction as Q

getattr(sys, "set_int_max_str_digits", int)(0)  # rationals may be long
SPACE = b" \t\n\x0c\r"


class Refused(Exception):
    pass


# What a certificate that is no certificate may raise.
MALFORMED = (Refused, ValueError, KeyError, IndexError, TypeError, AttributeError, SyntaxError, RecursionError, struct.error)


def check(fact, otherwise):
    if not fact:
        raise Refused(otherwise)


# The certificate: exact keys, each once; whole numbers from 0; every rational in its one form.


def once(pairs):  # json itself keeps the last of two equal keys
    check(len(dict(pairs)) == len(pairs), "a key occurs twice")
    return dict(pairs)


def count(text):
    check(re.fullmatch(r"\d+", text, re.ASCII) and int(text) < 2**64, "a number is not whole, or too large")
    return int(text)


def no_number(text):
    raise Refused("a number is not whole")


def fields(value, *keys):
    check(type(value) is dict and set(value) == set(keys), f"the keys of an object are not {', '.join(keys)}")
    return [value[key] for key in keys]


def a(kind, value):
    check(type(value) is kind, f"a value is not of type {kind.__name__}")
    return value


def texts(value):
    return [a(str, text).encode() for text in a(list, value)]


def rational(text):
    form = re.fullmatch(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?", a(str, text))
    check(form and len(text) < 200_000, f"{text[:40]!r} is not a rational number in its one form")
    check(str(Q(text)) == text, f"{text[:40]!r} is not in lowest terms")
    return Q(text)


# Numbers in a text, exactly: one tenth is 1/10. A label may be a number with an exponent that has no value here.


def parts(text):  # sign, digits and power of ten, without zeros at either end; None for what is no number
    form = re.fullmatch(rb"([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?)0*(\d+))?", text)
    if not form or not form[2] + form[3]:
        return None
    size = 0 if form[5] is None else min(int(form[5][:17]), 10**15)
    power = (-size if form[4] == b"-" else size) - len(form[3])
    digits = (form[2] + form[3]).rstrip(b"0")
    power += len(form[2] + form[3]) - len(digits)
    digits = digits.lstrip(b"0")
    return (form[1] == b"-", digits, power, size) if digits else (False, b"", 0, size)


def number(text):
    p = parts(text)
    check(p, f"{text[:40]!r} is not a number")
    check(len(p[1]) <= 5000 and (not p[1] or abs(p[2]) <= 5000), "a number is too long")
    return (-1) ** p[0] * Q(int(p[1] or b"0")) * Q(10) ** p[2]


def name(label):  # two labels are the same if their texts are, or if both are the same number
    p = parts(label)
    return label if p is None or p[3] >= 10**15 else p[:3]


# Delimited text: records of fields.


def records(data, delimiter):
    data, d = data.removeprefix(b"\xef\xbb\xbf"), re.escape(delimiter)
    blank = re.compile(b" *" if delimiter == b"\t" else b"[ \t]*")
    end, bare = re.compile(rb"\r\n|\n|\r\Z|\Z"), re.compile(b"[^\n" + d + b"]*")
    quoted = re.compile(rb'"((?:[^"]+|"")*)"(?!")')
    at, width = 0, None
    while True:
        start = blank.match(data, at).end()
        if start == len(data):
            return
        if end.match(data, start):
            at = end.match(data, start).end()
            continue
        record, more = [], True
        while more:
            start = blank.match(data, at).end()
            if data[start:start + 1] == b'"':
                field = quoted.match(data, start)
                check(field, "a quote is never closed")
                record.append(field[1].replace(b"\r\n", b"\n").replace(b'""', b'"').strip(b" \t"))
                at = blank.match(data, field.end()).end()
                more = data[at:at + 1] == delimiter
                check(more or end.match(data, at), "text after a closing quote")
                at = at + 1 if more else end.match(data, at).end()
            else:
                field = bare.match(data, at)
                at, more = field.end() + 1, data[field.end():field.end() + 1] == delimiter
                record.append((field[0] if more else field[0].removesuffix(b"\r")).strip(b" \t"))
        check(width in (None, len(record)), "records have not equally many fields")
        width = len(record)
        yield record


# JSON Lines: an object on each line, its values by the names of their fields.


class Word(str):  # a number, true or false as it is written
    pass


def deep(value, depth=1):
    check(depth <= 100 or type(value) not in (list, Pairs), "arrays and objects are nested too deeply")
    for inner in value if type(value) is list else [v for _, v in value.pairs] if type(value) is Pairs else []:
        deep(inner, depth + 1)


class Pairs:  # an object; a key may come twice
    def __init__(self, pairs):
        self.pairs = pairs


def objects(data):
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if line.strip(SPACE):
            value = json.loads(line.decode(), object_pairs_hook=Pairs, parse_int=Word, parse_float=Word, parse_constant=no_number)
            check(type(value) is Pairs, "a line is not an object")
            deep(value)
            yield value


def kind_of(values):  # of an array: numbers, or strings, of which there may be none
    if values and (values[0] is None or type(values[0]) is Word):
        check(all(v is None or type(v) is Word for v in values), "an array holds more than numbers or more than strings")
        return Word
    check(all(type(v) is str for v in values), "an array holds more than numbers or more than strings")
    return str


def values_of(value, enters, above=""):  # name and value; an array of strings is a list, null is None
    for key, inner in value.pairs:
        name = above + "." + key if above else key
        if type(inner) is bool:
            inner = Word(str(inner).lower())
        if type(inner) in (list, Pairs) and not enters(name):
            yield name, inner
        elif type(inner) is Pairs:
            yield from values_of(inner, enters, name)
        elif type(inner) is list and kind_of(inner) is Word:
            yield from ((f"{name}.{i}", number) for i, number in enumerate(inner, 1))
        else:
            yield name, inner


def fields_of(value, sets, singles):  # the fields that are named, and the names of the others
    named = sets | singles
    parents = {name[:i] for name in named for i, c in enumerate(name) if c == "."}
    held, others = {}, []
    for name, inner in values_of(value, lambda name: name in named or name in parents):
        if name not in named:
            others += [] if inner is None or inner == [] else [name]
        elif type(inner) is list and name in singles:
            check(not inner, "a field is an array of strings")
        else:
            check(name not in held, "a field comes twice")
            check(name in singles or inner is None or type(inner) is list, "a field is not an array of strings")
            held[name] = inner
    return held, others


# NumPy's arrays, and IDX.


def is_idx(data):
    return data[:2] == b"\0\0" and data[2:3] in (b"\x08", b"\x09", b"\x0b", b"\x0c", b"\x0d", b"\x0e") and 1 <= data[3] <= 8


def idx(data):
    kind = {8: "|u1", 9: "|i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}[data[2]]
    start = 4 + 4 * data[3]
    return kind, False, struct.unpack(f">{data[3]}I", data[4:start]), start


def array(data):  # rows of values as a function, and the two sizes
    if is_idx(data):
        return values(data, *idx(data))
    start = {1: 10, 2: 12, 3: 12}[data[6]]
    end = start + int.from_bytes(data[8:start], "little")
    head = ast.literal_eval(data[start:end].decode())
    return values(data, *fields(head, "descr", "fortran_order", "shape"), end)


def values(data, descr, fortran, shape, end):
    order, kind, size = descr[0], descr[1], int(descr[2:])
    check(type(fortran) is bool and order in ("<>|" if size == 1 or kind == "S" else "<>"), "the array is malformed")
    size *= 4 if kind == "U" else 1
    check(kind in "US" or descr[1:] in ("b1", "f4", "f8") or kind in "iu" and size in (1, 2, 4, 8), "not such an array")
    columns = math.prod(shape[1:])
    check(shape[0] * columns * size == len(data) - end and shape[0] * columns > 0, "the array's shape does not fit")
    code = {"b1": "B", "f4": "f", "f8": "d"}.get(descr[1:]) or " bh i   q"[size:size + 1]

    def place(i, j):  # the last index of the features runs fastest
        if not fortran:
            return i * columns + j
        place, stride = i, shape[0] * columns
        for length in reversed(shape[1:]):
            stride //= length
            place, j = place + j % length * stride, j // length
        return place

    def value(i, j):
        at = end + place(i, j) * size
        raw = data[at:at + size]
        if kind == "U":
            return raw.decode("utf-32-be" if order == ">" else "utf-32-le").split("\0")[0].encode()
        if kind == "S":
            return raw.split(b"\0")[0]
        value, = struct.unpack(order.replace("|", "<") + (code.upper() if kind == "u" else code), raw)
        check(math.isfinite(value), "a number is not finite")
        return value

    return value, shape[0], columns


def arrays(data, beside, features):
    value, rows, columns = array(data)
    check(columns == features, "reading.features is wrong")
    if beside[:6] == b"\x93NUMPY" or is_idx(beside[:4].ljust(4)):
        label, labels, one = array(beside)
        check(one == 1, "the labels are a matrix")
        names = [label(i, 0) for i in range(labels)]
        names = [name if isinstance(name, bytes) else str(name).encode() for name in names]
    else:
        names = beside.removeprefix(b"\xef\xbb\xbf").removesuffix(b"\n").split(b"\n")
        names = [name.strip(SPACE) for name in names]
        check(all(names), "an example has no label")
    check(len(names) == rows, "there are not as many labels as rows")
    for i in range(rows):
        x = {j: value(i, j) for j in range(features)}
        check(not any(isinstance(v, bytes) for v in x.values()), "the features are texts")
        yield names[i], {j: Q(v) for j, v in x.items() if v}


# The reading: how labels and features come from the bytes.
