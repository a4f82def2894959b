"""Taggers beside CRFsuite's averaged perceptron and NLTK's PerceptronTagger, on the same files, in one run.

Usage: bench/tagger [--data FOLDER] [--runs N]    default: ../shared/data, 3 runs, the programs taking turns

Times are wall times, the minimum of the runs. Training: from the text file to the model on disk, features included.
Tagging: ours is the whole program, from start to the last line written; CRFsuite's is shown with and without the time to
make its features from the text. NLTK makes its own. F1 is counted by one function for all.
"""

import argparse
import gzip
import json
import subprocess
import tempfile
import time
from pathlib import Path

import pycrfsuite
from nltk.tag.perceptron import PerceptronTagger

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target" / "release" / "rosenblatt"
PASSES = 10


def sentences(path, separator=None):
    sentence = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line.strip():
                sentence.append(line.rstrip("\n").split(separator))
            elif sentence:
                yield sentence
                sentence = []
    if sentence:
        yield sentence


def chunks(tags):
    """The chunks of IOB2 tags as conlleval finds them."""
    found, start, kind = set(), None, None
    for i, tag in enumerate([*tags, "O"]):
        mark, _, of = tag.partition("-")
        if start is not None and (mark in "BO" or of != kind):
            found.add((start, i, kind))
            start = None
        if mark != "O" and start is None:
            start, kind = i, of
    return found


def f1(truth, answer):
    right = of = got = 0
    for a, b in zip(truth, answer, strict=True):
        a, b = chunks(a), chunks(b)
        right, of, got = right + len(a & b), of + len(a), got + len(b)
    return 200 * right / (of + got)


def accuracy(truth, answer):
    pairs = [(a, b) for t, u in zip(truth, answer, strict=True) for a, b in zip(t, u, strict=True)]
    return 100 * sum(a == b for a, b in pairs) / len(pairs)


def clock(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


# Ours.

def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True).stdout


def train(path, model, *options):
    return clock(lambda: run("train", path, "-o", model, "--epochs", PASSES, "--json", *options))[0]


def tag(model, path):
    """Seconds, and the tags in the last column of predict's output."""
    seconds, out = clock(lambda: run("predict", model, path))
    answer, tags = [], []
    for line in out.decode().split("\n"):
        if line.strip():
            tags.append(line.split()[-1])
        elif tags:
            answer.append(tags)
            tags = []
    return seconds, answer


def judge(model, path):
    return json.loads(run("eval", model, path, "--json"))


# CRFsuite.

WORD, POS = 0, 1
NINETEEN = (
    [[(WORD, o)] for o in range(-2, 3)] + [[(WORD, -1), (WORD, 0)], [(WORD, 0), (WORD, 1)]]
    + [[(POS, o)] for o in range(-2, 3)] + [[(POS, o), (POS, o + 1)] for o in range(-2, 2)]
    + [[(POS, o), (POS, o + 1), (POS, o + 2)] for o in range(-2, 1)]
)
NINETEEN = [("|".join(f"{'w' if c == WORD else 'pos'}[{o}]" for c, o in parts) + "=", parts) for parts in NINETEEN]


def nineteen(sentence):
    """The attributes of CRFsuite's example for this task."""
    length, found = len(sentence), []
    for i in range(length):
        own = []
        for name, parts in NINETEEN:
            values = []
            for column, offset in parts:
                if not 0 <= i + offset < length:
                    break
                values.append(sentence[i + offset][column])
            else:
                own.append(name + "|".join(values))
        found.append(own)
    found[0].append("__BOS__")
    found[-1].append("__EOS__")
    return found


def shape(word):
    return "".join("X" if c.isupper() else "x" if c.isalpha() else "d" if c.isnumeric() else c for c in word)


def outline(word):
    return "".join(c for i, c in enumerate(shape(word)) if i == 0 or shape(word)[i - 1] != c)


def entity(sentence):
    """Words, affixes, shapes: attributes for names."""
    words = ["<s>", "<s>", *(token[0] for token in sentence), "</s>", "</s>"]
    found = []
    for i in range(2, len(words) - 2):
        word, own = words[i], ["bias"]
        own += [f"w[{o}]={words[i + o]}" for o in range(-2, 3)]
        own += [f"lower[{o}]={words[i + o].lower()}" for o in range(-1, 2)]
        own += [f"w[-1]|w[0]={words[i - 1]}|{word}", f"w[0]|w[1]={word}|{words[i + 1]}"]
        own += [f"prefix{n}={word[:n]}" for n in range(1, 5) if len(word) >= n]
        own += [f"suffix{n}={word[-n:]}" for n in range(1, 5) if len(word) >= n]
        own += [f"shape[{o}]={shape(words[i + o])}" for o in range(-1, 2)]
        own += [f"outline[{o}]={outline(words[i + o])}" for o in range(-2, 3)]
        own += [f"digit={any(c.isnumeric() for c in word)}", f"hyphen={'-' in word}", f"upper={word.isupper()}"]
        own += [f"title={word.istitle()}|first={i == 2}"]
        found.append(own)
    return found


def crfsuite_train(path, model, features, separator=None):
    trainer = pycrfsuite.Trainer("ap", verbose=False)
    trainer.set_params({"max_iterations": PASSES})
    for sentence in sentences(path, separator):
        trainer.append(features(sentence), [token[-1] for token in sentence])
    trainer.train(str(model))


def crfsuite_tag(model, data, features):
    """Seconds to make features, seconds to tag, and the tags."""
    tagger = pycrfsuite.Tagger()
    tagger.open(str(model))
    prepare, found = clock(lambda: [features(sentence) for sentence in data])
    seconds, answer = clock(lambda: [tagger.tag(attributes) for attributes in found])
    return prepare, seconds, answer


def write_attributes(path, data, features):
    escape = str.maketrans({"\\": "\\\\", ":": "\\:", "\t": " "})
    with open(path, "w", encoding="utf-8") as file:
        for sentence in data:
            for token, attributes in zip(sentence, features(sentence), strict=True):
                file.write("\t".join([token[-1], *(a.translate(escape) for a in attributes)]) + "\n")
            file.write("\n")


# The tables.

def least(best, name, seconds):
    best[name] = min(seconds, best.get(name, seconds))


def chunking(data, folder, runs):
    train_file, test_file = data / "conll2000/train.txt.gz", data / "conll2000/test.txt.gz"
    big, test = list(sentences(train_file)), list(sentences(test_file))
    truth = [[token[-1] for token in sentence] for sentence in test]
    tokens, best = sum(map(len, big)), {}
    ours, theirs = folder / "ours", folder / "theirs"
    for _ in range(runs):
        least(best, "train ours", train(train_file, ours, "--templates", "chunk19"))
        least(best, "train theirs", clock(lambda: crfsuite_train(train_file, theirs, nineteen))[0])
        least(best, "tag ours", tag(ours, train_file)[0])
        prepare, seconds, _ = crfsuite_tag(theirs, big, nineteen)
        least(best, "tag theirs", seconds)
        least(best, "tag theirs from text", prepare + seconds)
    our_f1, their_f1 = f1(truth, tag(ours, test_file)[1]), f1(truth, crfsuite_tag(theirs, test, nineteen)[2])
    assert abs(our_f1 - 100 * judge(ours, test_file)["chunks"]["f1"]) < 1e-9, "eval counts otherwise"
    rate = {name: tokens / seconds for name, seconds in best.items() if name.startswith("tag")}
    print("\nCoNLL-2000 chunks, the nineteen attributes, ten passes")
    print(f"  {'':24}{'rosenblatt':>12}{'CRFsuite ap':>13}{'ratio':>8}")
    print(f"  {'F1':24}{our_f1:12.2f}{their_f1:13.2f}")
    print(f"  {'training, seconds':24}{best['train ours']:12.2f}{best['train theirs']:13.2f}"
          f"{best['train theirs'] / best['train ours']:7.1f}x")
    for name, shown in [("tag theirs from text", "tokens/s from text"), ("tag theirs", "  features ready")]:
        print(f"  {shown:24}{rate['tag ours']:12,.0f}{rate[name]:13,.0f}{rate['tag ours'] / rate[name]:7.1f}x")
    for title, options in [("chunk templates", ()), ("chunk, learned as iobes", ("--encode", "iobes"))]:
        train(train_file, ours, "--templates", "chunk", *options)
        print(f"  F1 with {title}: {100 * judge(ours, test_file)['chunks']['f1']:.2f}")


def speech(data, folder, runs):
    ours = folder / "pos"
    treebank = data / "ud_english_ewt"
    train(treebank / "en_ewt-ud-train.conllu.gz", ours)
    told = judge(ours, treebank / "en_ewt-ud-test.conllu.gz")
    print(f"\nUD English EWT, UPOS: accuracy {100 * told['token_accuracy']:.2f}%")
    train_file, test_file = data / "conll2000/train.txt.gz", data / "conll2000/test.txt.gz"
    big, test = [[tuple(t[:2]) for t in s] for s in sentences(train_file)], list(sentences(test_file))
    words, tokens, best = [[t[0] for t in s] for s in big], sum(map(len, big)), {}
    for _ in range(runs):
        least(best, "train ours", train(train_file, ours, "--tag", "2", "--templates", "pos"))
        nltk = PerceptronTagger(load=False)
        least(best, "train theirs", clock(lambda nltk=nltk: nltk.train(big))[0])
        least(best, "tag ours", tag(ours, train_file)[0])
        least(best, "tag theirs", clock(lambda nltk=nltk: [nltk.tag(s) for s in words])[0])
    truth = [[t[1] for t in s] for s in test]
    answer = [[t for _, t in nltk.tag([t[0] for t in s])] for s in test]
    ours_right = 100 * judge(ours, test_file)["token_accuracy"]
    assert abs(accuracy(truth, tag(ours, test_file)[1]) - ours_right) < 1e-9, "eval counts otherwise"
    print("\nCoNLL-2000 parts of speech (NLTK with its own features and five passes)")
    print(f"  {'':24}{'rosenblatt':>12}{'NLTK':>13}{'ratio':>8}")
    print(f"  {'accuracy, %':24}{ours_right:12.2f}{accuracy(truth, answer):13.2f}")
    print(f"  {'training, seconds':24}{best['train ours']:12.2f}{best['train theirs']:13.2f}"
          f"{best['train theirs'] / best['train ours']:7.1f}x")
    rates = tokens / best["tag ours"], tokens / best["tag theirs"]
    print(f"  {'tokens/s':24}{rates[0]:12,.0f}{rates[1]:13,.0f}{rates[0] / rates[1]:7.1f}x")


def entities(data, folder):
    files = data / "wnut17/wnut17train.conll.gz", data / "wnut17/emerging.test.annotated.gz"
    big, test = (list(sentences(file, "\t")) for file in files)
    paths = folder / "train.crfsuite", folder / "test.crfsuite"
    for path, part in zip(paths, (big, test), strict=True):
        write_attributes(path, part, entity)
    ours, theirs = folder / "wnut", folder / "wnut.crfsuite-model"
    truth = [[token[-1] for token in sentence] for sentence in test]
    found = []
    for seed in range(5):
        train(paths[0], ours, "--seed", seed)
        found.append(f1(truth, tag(ours, paths[1])[1]))
    crfsuite_train(files[0], theirs, entity, "\t")
    their_f1 = f1(truth, crfsuite_tag(theirs, test, entity)[2])
    train(files[0], ours)
    built_in = 100 * judge(ours, files[1])["chunks"]["f1"]
    print("\nWNUT-2017 entities, the same attributes, ten passes")
    print(f"  F1 rosenblatt {found[0]:.2f} (seeds 0 to 4: {min(found):.2f} to {max(found):.2f}), "
          f"CRFsuite ap {their_f1:.2f}; with entity templates {built_in:.2f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=ROOT / ".." / "shared" / "data")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        chunking(args.data, folder, args.runs)
        entities(args.data, folder)
        speech(args.data, folder, args.runs)


if __name__ == "__main__":
    main()
