"""Runs examples/verify_certificate.py on a corpus of certificates: python3 run.py SCRIPT CORPUS. Prints a line for each."""
import contextlib, io, json, runpy, sys

script = runpy.run_path(sys.argv[1])


def outcome(case):
    raw, data = (case[key].encode("latin-1") for key in ("certificate", "data"))
    beside = [case["labels"].encode("latin-1")] if "labels" in case else []
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return "proved" if script["verify"](raw, data, beside, False) else "departs"
    except script["MALFORMED"] as why:
        return f"refused: {why}"


for line in open(sys.argv[2], encoding="utf-8"):
    print(ascii(outcome(json.loads(line))))
