"""Reads a linear model of rosenblatt and labels rows:  read_model.py MODEL 1.5,2,0 0,0,1 ..."""
import json, struct, sys, zlib

def read_model(path):
    data = open(path, "rb").read()
    if len(data) < 28 or data[:16] != b"RSNBLATT" + struct.pack("<II", 1, 0):
        raise ValueError("not a rosenblatt model of version 1")
    if zlib.crc32(data[:-4]) != struct.unpack("<I", data[-4:])[0]:
        raise ValueError("damaged or cut short")
    at = 24 + struct.unpack_from("<Q", data, 16)[0]
    header, arrays = json.loads(data[24:at]), {}
    for a in header["arrays"]:
        code = {"f64": "d", "u64": "Q", "u32": "I"}[a["type"]]
        arrays[a["name"]] = struct.unpack_from(f"<{a['length']}{code}", data[:-4], at)
        at += -(-a["length"] * struct.calcsize("<" + code) // 8) * 8
    return header["content"], arrays

def label(content, arrays, row):
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
