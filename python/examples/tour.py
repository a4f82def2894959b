# %% [markdown]
# # A tour of rosenblatt
#
# Spam, digits, tags, and separability. Run it as a whole (`python python/examples/tour.py`), or cell by cell in an editor
# that supports `# %%`. Nothing is downloaded: data are written here, generated, or scikit-learn's.

# %%
import csv
import gzip
import os
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline

import rosenblatt
from rosenblatt import AveragedPerceptron, KernelPerceptron, PerceptronTagger, VotedPerceptron

scratch = Path(tempfile.mkdtemp())

# %% [markdown]
# ## Spam
#
# Messages as bags of words. The real collection is used if it is beside the repository, else a generated one.


# %%
def messages():
    here = Path(__file__).resolve().parents[2] if "__file__" in globals() else Path.cwd()
    real = Path(os.environ.get("ROSENBLATT_DATA", here.parent / "shared" / "data")) / "sms_spam" / "SMSSpamCollection.tsv.gz"
    if real.exists():
        with gzip.open(real, "rt", encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t", 1) for line in file]
        rows = [row for row in rows if row[0] in ("ham", "spam")]
        return [text for _, text in rows], [kind for kind, _ in rows]
    words = {
        "ham": "see you at lunch home soon love are we meeting tomorrow thanks ok call me when the train is late".split(),
        "spam": "win free prize now call claim cash urgent offer reply text stop winner mobile guaranteed".split(),
    }
    random = np.random.RandomState(0)
    kinds = random.choice(["ham", "spam"], p=[0.8, 0.2], size=2000)
    either = words["ham"] + words["spam"]
    made = [" ".join([*random.choice(words[kind], 5), *random.choice(either, 3)]) for kind in kinds]
    return made, kinds.tolist()


texts, kinds = messages()
train_x, test_x, train_y, test_y = train_test_split(texts, kinds, test_size=0.25, random_state=0)
spam = make_pipeline(CountVectorizer(ngram_range=(1, 2)), AveragedPerceptron(max_iter=10))
spam.fit(train_x, train_y)
spam_score = spam.score(test_x, test_y)
print(f"spam: {len(texts):,} messages, {spam_score:.1%} of those held out are correct")

# %% [markdown]
# The words with the largest weights:

# %%
names, weights = spam[0].get_feature_names_out(), spam[-1].coef_[0]
print("  most like spam:", ", ".join(names[np.argsort(-weights)[:8]]))

# %% [markdown]
# The same from a file, which may be larger than memory: the model has the bytes of `rosenblatt train mail.csv --text text`.

# %%
with open(scratch / "mail.csv", "w", newline="", encoding="utf-8") as file:
    out = csv.writer(file)
    out.writerow(["kind", "text"])
    out.writerows(zip(train_y, train_x))
from_file = AveragedPerceptron(max_iter=10).fit_file(scratch / "mail.csv", text="text", label="kind")
from_file.save(scratch / "mail.model")
print(f"  from a file: {from_file.n_features_in_:,} words, {from_file.mistakes_:,} mistakes, {from_file.stopped_}")

# %% [markdown]
# ## Digits
#
# Ten classes. Any estimator goes into scikit-learn's searches.

# %%
X, y = load_digits(return_X_y=True)
X = X.astype(np.uint8)  # used as bytes, without a copy
folds = cross_val_score(AveragedPerceptron(max_iter=20), X, y, cv=5)
print(f"digits: averaged {folds.mean():.1%} in cross-validation")
search = GridSearchCV(KernelPerceptron(kernel="poly", max_iter=10), {"degree": [2, 3, 4]}, cv=3).fit(X, y)
print(f"  with a polynomial kernel {search.best_score_:.1%}, degree {search.best_params_['degree']}")

# %% [markdown]
# Batches, with new classes in later batches:

# %%
stream = VotedPerceptron(shuffle=False)
order = np.argsort(y > 4, kind="stable")  # digits above four come late
for batch in np.array_split(order, 20):
    stream.partial_fit(X[batch], y[batch])
print(f"  twenty batches: {stream.score(X, y):.1%} correct, {stream.mistakes_} mistakes while learning")

# %% [markdown]
# ## Tags
#
# A tag for each word, with NLTK's interface. Templates make the features; or use dicts, as in sklearn-crfsuite.

# %%
determiners, adjectives = ["the", "a", "every", "no"], ["old", "red", "quick", "small", "lazy"]
nouns, verbs = ["dog", "cat", "fox", "bird", "train"], ["sees", "likes", "passes", "hears"]
random = np.random.RandomState(1)


def phrase():
    some = [(str(random.choice(determiners)), "DET")]
    some += [(str(word), "ADJ") for word in random.choice(adjectives, random.randint(3))]
    return [*some, (str(random.choice(nouns)), "NOUN")]


sentences = [[*phrase(), (str(random.choice(verbs)), "VERB"), *phrase(), (".", ".")] for _ in range(200)]
tagger = PerceptronTagger()
tagger.train(sentences[:150], nr_iter=5)
tag_score = tagger.accuracy(sentences[150:])
print(f"tags: {tag_score:.1%} of the tokens;", tagger.tag("the lazy unicorn sees a dog .".split()))
tagger.save(scratch / "tagger.model")  # rosenblatt predict tagger.model new.conll
assert PerceptronTagger.load(scratch / "tagger.model").predict([["no", "fox"]]) == [["DET", "NOUN"]]

# %% [markdown]
# ## Linear separability
#
# `separable` decides it exactly, with a proof that independent code checks.

# %%
zero_or_one = np.isin(y, [0, 1])
proved = rosenblatt.separable(X[zero_or_one], y[zero_or_one])
print(proved)
assert proved.verify()["verdict"] == "separable"
square = [[0, 0], [0, 1], [1, 0], [1, 1]]
xor = rosenblatt.separable(square, [0, 1, 1, 0])
print(xor)
assert xor.verify()["verdict"] == "inseparable"

# %% [markdown]
# The perceptron step by step, with its mistake bound; and a picture.

# %%
steps = rosenblatt.trace(square, [0, 0, 0, 1], proof=True)
print(f"the perceptron learns AND with {steps.mistakes} mistakes; the theorem allows {int(steps.bound)}")

# %%
try:
    import matplotlib

    if "DISPLAY" not in os.environ and "inline" not in matplotlib.get_backend():
        matplotlib.use("agg")
    import matplotlib.pyplot as plt
except ImportError:
    print("no matplotlib: no picture")
else:
    random = np.random.RandomState(2)
    angle, radius = random.uniform(0, 2 * np.pi, 200), np.repeat([1.0, 2.5], 100) + random.normal(0, 0.25, 200)
    rings, ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.repeat(["inner", "outer"], 100)
    clf = KernelPerceptron(gamma=1.0, max_iter=20).fit(rings, ring)
    figure, axes = plt.subplots(figsize=(5, 4))
    rosenblatt.plot_boundary(clf, rings, ring, ax=axes)
    figure.savefig(scratch / "rings.png", dpi=120)
    print("picture:", scratch / "rings.png")
