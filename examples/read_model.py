"""Reads a linear model of rosenblatt and labels rows:  read_model.py MODEL 1.5,2,0 0,0,1 ..."""
import json, math, struct, sys, zlib

def read_model(path):
    data = open(path, "rb").read()
    versions = [b"RSNBLATT" + struct.pack("<II", version, 0) for version in (1, 2, 3)]
    if len(data) < 28 or data[:16] not in versions:
        raise ValueError("not a rosenblatt model of version 1 to 3")
    if zlib.crc32(data[:-4]) != struct.unpack("<I", data[-4:])[0]:
        raise ValueError("damaged or cut short")
    at = 24 + struct.unpack_from("<Q", data, 16)[0]
    header, arrays = json.loads(data[24:at]), {}
    for a in header["arrays"]:
        code = {"f64": "d", "u64": "Q", "u32": "I"}[a["type"]]
        arrays[a["name"]] = struct.unpack_from(f"<{a['length']}{code}", data[:-4], at)
        at += -(-a["length"] * struct.calcsize("<" + code) // 8) * 8
    return header["content"], arrays

def prepare(content, arrays, row):
    for i, m in enumerate(content.get("maps", [])):
        own = {name.split(".")[2]: a for name, a in arrays.items() if name.startswith(f"maps.{i}.")}
        if m["map"] == "impute":
            for sign, mean in zip(own["signs"], own["means"]):
                row[sign - 1] = mean if row[sign] else row[sign - 1]
            row = [x for j, x in enumerate(row) if j not in own["signs"]]
        elif m["map"] == "select":
            row = [row[j] for j in own["kept"]]
        elif m["map"] == "words":
            tf = {"count": lambda x: x, "binary": lambda x: 1, "log": lambda x: 1 + math.log(x) if x > 1 else x}[m["tf"]]
            row = [idf * tf(x) if x and idf else x for x, idf in zip(row, own["idf"], strict=True)]
        elif m["map"] == "polynomial":
            products = []
            for before, last in zip(own["before"], own["last"]):
                products.append(row[last] * (products[before] if before < 2**32 - 1 else 1))
            row = products
        elif m["map"] == "hashing":
            buckets = [0] * 2 ** m["bits"]
            for x, b in zip(row, own["buckets"], strict=True):
                buckets[b % 2**31] += -x if b >= 2**31 else x
            row = buckets
        elif m["map"] == "scale" and m["by"] == "ball":
            row = [x * own["factor"][0] for x in row]
        elif m["map"] == "scale" and m["by"] == "unit":
            length = math.sqrt(sum(x * x for x in row))
            row = [x / length for x in row] if length else row
        elif m["map"] == "scale":
            row = [(x - s) * f for x, s, f in zip(row, own["shift"], own["factor"], strict=True)]
        else:
            raise ValueError(f"a map that is not known here: {m['map']}")
    return row

def label(content, arrays, row):
    row = prepare(content, arrays, row)
    weights, scores = arrays["weights"], list(arrays["weights.bias"])
    for k in range(len(scores)):
        scores[k] += sum(x * w for x, w in zip(row, weights[k::len(scores)], strict=True))
    if len(scores) > 1:
        return content["labels"][scores.index(max(scores))]
    above = scores[0] > 0 if content["facts"]["recipe"]["tie"] == "negative" else scores[0] >= 0
    return content["labels"][above]

if __name__ == "__main__":
    content, arrays = read_model(sys.argv[1])
    for text in sys.argv[2:]:
        print(label(content, arrays, [float(x) for x in text.split(",")]))
