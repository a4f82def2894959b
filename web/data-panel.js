// The data: built in, generated, typed, pasted or dropped.

import { button, h, keep, refill } from "./dom.js";
import { parse } from "./csv.js";
import { count, label } from "./number.js";
import { defaults, labels } from "./state.js";

/** The most points whose coordinates can be typed. */
const TYPED = 60;

export class DataPanel {
  /** @param {import("./session.js").Session} session @param {any[]} catalogue */
  constructor(session, catalogue) {
    this.session = session;
    this.catalogue = catalogue;
    /** How often other data were wanted. */
    this.turn = 0;
    this.choose = h("select", { id: "data-choice", onchange: () => this.load(this.choose.value) }, h("option", { value: "" }, "own points"), catalogue.map((d) => h("option", { value: d.name }, d.title)));
    this.about = h("p", { class: "hint" });
    this.dice = h("div", { class: "dice" });
    this.brush = h("div", { class: "brush", role: "radiogroup", "aria-label": "Class of new points" });
    this.brushLabel = "";
    this.table = h("div", { class: "points" });
    this.said = h("p", { class: "problem", role: "status" });
    this.paste = h("textarea", { id: "paste", rows: 3, spellcheck: "false", placeholder: "x1,x2,label\n1,2,+1\n2,1,-1" });
    this.plane = h("div", { class: "plane" });
    this.element = h("section", { class: "card data", "aria-labelledby": "data-title" }, h("h2", { id: "data-title" }, "Data"), h("label", { for: "data-choice", class: "over" }, "examples"), this.choose, this.about, this.dice, this.plane,
      h("p", { class: "over" }, "a click adds a point of class"), this.brush,
      h("p", { class: "row" }, button("Undo", () => session.store.undo(), { title: "Ctrl+Z" }), button("Redo", () => session.store.redo(), { title: "Ctrl+Shift+Z" }), button("Clear", () => session.store.data({ rows: [], source: null }))),
      h("details", {}, h("summary", {}, "Coordinates"), this.table),
      h("details", {}, h("summary", {}, "Paste or drop a file"), h("label", { for: "paste", class: "over" }, "CSV, LIBSVM, TSV, VW: anything the reader takes"), this.paste, h("p", { class: "row" }, button("Use this", () => this.read(this.paste.value, null)), h("label", { class: "file" }, "Open …", h("input", { type: "file", class: "visually-hidden", onchange: (/** @type {any} */ e) => this.open(e.target.files[0]) })))), this.said);
  }

  /** Loads built-in data with the settings of their lecture, or with the present ones if `wish.keep`. @param {string} name @param {any} [wish] */
  async load(name, wish = {}) {
    const { store, ask } = this.session;
    if (!name) return store.data({ source: null });
    this.session.count(1);
    const turn = this.begin();
    try {
      const { keep, ...which } = wish;
      const { csv, about } = await ask("data", { name, ...which });
      if (turn !== this.turn) return this.session.count(-1);
      store.remember();
      const settings = keep ? store.state.settings : { ...defaults(), ...about.settings };
      store.set({ data: { source: name, seed: wish.seed ?? 0, points: wish.points ?? null, noise: wish.noise ?? null, ...parse(csv) }, settings, step: 0, plane: [0, 1] });
    } catch (error) {
      if (turn === this.turn) this.said.textContent = /** @type {Error} */ (error).message;
    }
    this.session.count(-1);
  }

  /** Other data are wanted: what was said of earlier ones is gone, and an answer about them comes too late. */
  begin() {
    this.said.classList.remove("fine");
    this.said.textContent = "";
    return ++this.turn;
  }

  /** @param {File | undefined} file */
  async open(file) {
    if (file) this.begin();
    if (file && file.size > 12e6) this.said.textContent = `${file.name} has ${Math.round(file.size / 1e6)} MB: the lab takes at most 12 MB; the command line has no such limit.`;
    else if (file) this.read(await file.text(), file.name);
  }

  /** @param {string} text @param {string | null} name */
  async read(text, name) {
    const { store, ask } = this.session;
    this.session.count(1);
    const turn = this.begin();
    try {
      const answer = await ask("read", { text, name });
      if (turn !== this.turn) return this.session.count(-1);
      const table = parse(answer.csv);
      store.remember();
      store.set({ data: { source: null, seed: 0, points: null, noise: null, ...table }, step: 0, plane: [0, Math.min(1, table.columns.length - 1)], settings: { ...store.state.settings, init: null } });
      this.said.classList.add("fine");
      this.said.textContent = [`Read as ${answer.format}: ${answer.examples} examples, ${answer.features} ${answer.features === 1 ? "feature" : "features"}.`, ...answer.notes].join(" ");
    } catch (error) {
      if (turn === this.turn) this.said.textContent = /** @type {Error} */ (error).message;
    }
    this.session.count(-1);
  }

  /** The class of a new point. */
  label() {
    const all = labels(this.session.state.data);
    return all.includes(this.brushLabel) || this.brushLabel.startsWith("class") ? this.brushLabel : all[0];
  }

  draw() {
    const { state, store } = this.session;
    const { data } = state;
    this.choose.value = data.source ?? "";
    const entry = this.catalogue.find((d) => d.name === data.source);
    this.about.textContent = entry?.about ?? `${count(data.rows.length, "point", "points")}, ${count(data.columns.length, "feature", "features")}.`;
    const random = entry && "points" in entry;
    refill(this.dice, [random && data], () => (random ? ["seed", "points", "noise"].map((key) => {
      const value = /** @type {any} */ (data)[key] ?? entry[key] ?? 0;
      const input = h("input", { type: "number", id: `data-${key}`, value, min: 0, step: key === "noise" ? 0.05 : 1, onchange: () => this.load(data.source, { seed: data.seed, points: data.points ?? undefined, noise: data.noise ?? undefined, keep: true, [key]: Number(input.value) }) });
      return h("span", {}, h("label", { for: `data-${key}` }, key), input);
    }) : null));
    this.drawBrush();
    this.drawPlane();
    if (data.rows.length > TYPED) return keep(this.table, [data.rows.length], () => h("p", { class: "hint" }, `Coordinates of up to ${TYPED} points can be typed here; these are ${data.rows.length}.`));
    if (this.typing && this.table.contains(document.activeElement)) return;
    const cell = (/** @type {number} */ i, /** @type {number} */ j) => {
      const name = j < data.columns.length ? data.columns[j] : "label";
      const input = h("input", { value: data.rows[i][j], "aria-label": `${name} of example ${i + 1}`, size: 5, onchange: () => this.type(i, j, input.value.trim()), onfocus: () => (this.typing = true), onblur: () => (this.typing = false) });
      return h("td", {}, input);
    };
    keep(this.table, [data], () => h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "#"), [...data.columns, "label"].map((name) => h("th", { scope: "col" }, name)), h("td", {}))),
      h("tbody", {}, data.rows.map((row, i) => h("tr", {}, h("th", { scope: "row" }, i + 1), row.map((_, j) => cell(i, j)), h("td", {}, button("×", () => store.data({ rows: data.rows.filter((_, k) => k !== i), source: null }), { class: "bare", "aria-label": `Delete example ${i + 1}` }))))))
    );
  }

  /** @param {number} i @param {number} j @param {string} text */
  type(i, j, text) {
    const { data } = this.session.state;
    const number = j < data.columns.length;
    this.said.classList.remove("fine");
    if (number && (text === "" || !Number.isFinite(Number(text)))) return (this.said.textContent = `“${text}”: expected a number.`);
    this.said.textContent = "";
    this.session.store.data({ rows: data.rows.map((row, k) => (k === i ? row.map((v, l) => (l === j ? text : v)) : row)), source: null });
  }

  drawBrush() {
    const { data } = this.session.state;
    const all = labels(data);
    const offered = all.length < 2 ? [...new Set([...all, "+1", "-1"])] : [...all, "new"];
    const chosen = this.label();
    const fresh = chosen.startsWith("class") && !all.includes(chosen);
    refill(this.brush, [chosen, ...offered], () => [offered.slice(0, 8).map((name, i) => h("label", { class: "chip" }, h("input", { type: "radio", name: "brush", id: `brush-${i}`, value: name, checked: name === chosen, onchange: () => ((this.brushLabel = name === "new" ? `class ${all.length + 1}` : name), this.drawBrush()) }), label(name))), fresh ? h("span", { class: "chip" }, chosen) : null]);
  }

  drawPlane() {
    const { data, plane } = this.session.state;
    if (data.columns.length <= 2) return keep(this.plane, [], () => null);
    const pick = (/** @type {0 | 1} */ axis) => {
      const select = h("select", { id: `plane-${axis}`, "aria-label": axis ? "Vertical feature" : "Horizontal feature", onchange: () => this.session.store.set({ plane: axis ? [plane[0], Number(select.value)] : [Number(select.value), plane[1]] }) }, data.columns.slice(0, 200).map((name, j) => h("option", { value: j }, name)));
      select.value = String(plane[axis]);
      return select;
    };
    refill(this.plane, [data.columns, ...plane], () => [h("p", { class: "over" }, "two columns are shown, all are used"), pick(0), pick(1)]);
  }
}
