"""The lab as a widget for Jupyter and marimo."""

import csv
import io
import json
from typing import Any

import numpy as np

from . import _rosenblatt

# The page in a frame of its own, so that its styles and keys stay apart from the notebook's. Modules are handed over as
# texts; each import of another one is replaced by the address at which that text can be had.
_ESM = r"""
function render({ model, el }) {
  const files = model.get("_files");
  const addresses = {};
  const address = (name) => {
    if (!addresses[name]) {
      const text = files[name].replace(/(from|import)\s*"\.\/([\w-]+\.js)"/g, (_, word, other) => `${word} "${address(other)}"`);
      addresses[name] = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    }
    return addresses[name];
  };
  const waiting = new Map();
  let next = 0;
  const answered = (message) => {
    if (!waiting.has(message.id)) return;
    waiting.get(message.id)(message.text);
    waiting.delete(message.id);
  };
  model.on("msg:custom", answered);
  const send = (request) => new Promise((resolve) => {
    waiting.set(++next, resolve);
    model.send({ id: next, request });
  });
  const frame = document.createElement("iframe");
  frame.title = "rosenblatt lab";
  frame.style.cssText = `width: 100%; height: ${model.get("height")}px; border: 0;`;
  frame.srcdoc = `<!doctype html><html lang="en"><meta charset="utf-8"><title>rosenblatt lab</title><body><div id="widget"></div></body></html>`;
  frame.addEventListener("load", () => {
    const page = frame.contentDocument;
    const style = page.createElement("style");
    style.textContent = files["style.css"];
    page.head.append(style);
    frame.contentWindow.lab = { send, csv: model.get("csv"), settings: JSON.parse(model.get("settings")) };
    const script = page.createElement("script");
    script.type = "module";
    script.textContent = `import { start } from "${address("main.js")}"; start(document.getElementById("widget"), window.lab);`;
    page.body.append(script);
  });
  el.append(frame);
  return () => model.off("msg:custom", answered);
}
export default { render };
"""


def _table(X: Any, y: Any) -> str:
    columns = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    rows = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    labels = np.asarray(y)
    if rows.ndim != 2 or len(rows) != len(labels):
        raise _rosenblatt.DataError(f"expected a row of X for each of the {len(labels)} labels, found {rows.shape}")
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*(columns or (f"x{j + 1}" for j in range(rows.shape[1]))), "label"])
    for row, label in zip(rows.tolist(), labels.tolist()):
        table.writerow([*row, label])
    return text.getvalue()


def lab(X: Any = None, y: Any = None, *, height: int = 900, **settings: Any) -> Any:
    """The lab as a widget: see a perceptron think, on these rows.

    Parameters
    ----------
    X, y
        The examples; None: built-in ones.
    height
        Of the widget, in pixels.
    settings
        How to learn: ``learner``, ``bias``, ``tie``, ``epochs``, ``order``, ``degree``, ``kernel`` and others, as in the lab's
        link.

    Notes
    -----
    It needs the package ``anywidget``.
    """
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ImportError("the lab is a widget of the package anywidget: pip install anywidget") from error

    class Lab(anywidget.AnyWidget):
        """The lab; it answers its page with the native engine."""

        _esm = _ESM
        _files = traitlets.Dict(dict(_rosenblatt.lab_files())).tag(sync=True)
        csv = traitlets.Unicode("").tag(sync=True)
        settings = traitlets.Unicode("{}").tag(sync=True)
        height = traitlets.Int(900).tag(sync=True)

        def __init__(self, **traits: Any) -> None:
            super().__init__(**traits)
            self.on_msg(self._answer)

        def _answer(self, _widget: Any, content: Any, _buffers: Any) -> None:
            self.send({"id": content["id"], "text": _rosenblatt.lab_answer(content["request"])})

    table = "" if X is None else _table(X, y)
    return Lab(csv=table, settings=json.dumps(settings), height=height)
