// The table of steps: one row is one line of `rosenblatt trace`. A click goes there.

import { fill, h } from "./dom.js";
import { full, label, show } from "./number.js";

/** Rows of a page. */
const SHOWN = 40;
/** Narrow columns have short names, so that the weights are seen without a scroll. @type {Record<string, string>} */
const SHORT = { example: "ex.", mistake: "✗" };

/** @param {any} w @param {(v: number) => string} number */
function written(w, number) {
  if (w === undefined) return "";
  return Array.isArray(w[0]) ? w.map((/** @type {number[]} */ one) => `(${one.map(number).join(", ")})`).join(" ") : Array.isArray(w) ? `(${w.map(number).join(", ")})` : number(w);
}

export class StepsView {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.body = h("tbody", {});
    this.weights = h("th", { scope: "col" }, "w after");
    this.note = h("p", { class: "hint" });
    this.key = "";
    /** @type {Element | null} The row of the present step. */
    this.marked = null;
    this.digits = h("input", { type: "checkbox", onchange: () => this.draw() });
    this.element = h("div", {}, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of steps" },
      h("table", { class: "steps" }, h("thead", {}, h("tr", {}, ["pass", "step", "example", "label", "score", "mistake"].map((name) => h("th", { scope: "col" }, SHORT[name] ? h("abbr", { title: name }, SHORT[name]) : name)), this.weights, h("th", { scope: "col" }, "b"))), this.body)), h("label", { class: "chip" }, this.digits, "all digits"), this.note);
  }

  draw() {
    const { session } = this;
    const { step } = session.state;
    this.element.classList.toggle("no-weights", Boolean(session.state.settings.kernel));
    const total = session.trace?.total ?? 0;
    // Pages of rows: a step within a page marks another row, and builds none.
    const first = Math.floor(Math.max(0, step - 1) / SHOWN) * SHOWN + 1;
    const last = Math.min(total, first + SHOWN - 1);
    const loaded = session.rows.has(first) && session.rows.has(last);
    const key = [session.tracedVersion, first, last, loaded, this.digits.checked].join();
    if (key !== this.key) this.build(first, last);
    this.key = key;
    this.mark(step);
    this.note.textContent = total > SHOWN ? `Steps ${first} to ${last} of ${total}; the scrubber goes anywhere.` : "One row is one line of rosenblatt trace.";
  }

  /** @param {number} first @param {number} last */
  build(first, last) {
    const { session } = this;
    const number = this.digits.checked ? full : show;
    const rows = [];
    for (let at = first; at <= last; at++) {
      const found = session.rows.get(at);
      if (!found) continue;
      const { row } = found;
      const go = () => session.store.set({ step: at });
      rows.push(h("tr", { class: row.mistake ? "mistake" : "", "data-step": at, onclick: go },
        h("td", {}, row.epoch), h("td", {}, h("button", { type: "button", class: "bare", "aria-label": `Go to step ${row.step}`, onclick: go }, row.step)), h("td", {}, row.example),
        h("td", {}, label(row.label)), h("td", { title: full(row.score) }, number(row.score)), h("td", {}, row.mistake ? "✗" : "–"), h("td", { title: written(row.weights, full) }, written(row.weights, number)), h("td", { title: written(row.bias, full) }, written(row.bias, number))));
    }
    fill(this.body, rows);
    this.marked = null;
  }

  /** @param {number} step */
  mark(step) {
    const here = this.body.querySelector(`[data-step="${step}"]`);
    if (here === this.marked) return;
    this.marked?.classList.remove("here");
    this.marked?.removeAttribute("aria-current");
    this.marked = here;
    here?.classList.add("here");
    here?.setAttribute("aria-current", "step");
    // In the next frame, when the page is laid out anyway; and only if the row is not in sight.
    requestAnimationFrame(() => here === this.marked && this.reveal(/** @type {HTMLElement | null} */ (here)));
  }

  /** @param {HTMLElement | null} row */
  reveal(row) {
    const box = /** @type {HTMLElement} */ (this.element.firstElementChild);
    const [top, height] = [row?.offsetTop ?? 0, row?.offsetHeight ?? 0];
    // The head of the table stands over the first row.
    if (top - height < box.scrollTop || top + 2 * height > box.scrollTop + box.clientHeight) box.scrollTop = row ? top - box.clientHeight / 2 : 0;
  }
}
