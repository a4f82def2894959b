// The lab: puts the parts together, and keeps link and storage up to date.

import { button, fill, h, keep } from "./dom.js";
import { connect } from "./engine.js";
import { parse } from "./csv.js";
import { decode, encode } from "./link.js";
import { DataPanel } from "./data-panel.js";
import { FitView } from "./fit-view.js";
import { KeepsView } from "./keeps-view.js";
import { LearnerPanel } from "./learner-panel.js";
import { LessonPanel } from "./lesson.js";
import { Plot } from "./plot.js";
import { ProofView } from "./proof-view.js";
import { RaceView } from "./race-view.js";
import { Session } from "./session.js";
import { StepCard } from "./step.js";
import { StepsView } from "./steps-view.js";
import { Store, defaults, initial, labels } from "./state.js";
import { TakeView } from "./take-view.js";
import { Transport } from "./transport.js";
import { VerdictView, headline, overlay } from "./verdict-view.js";
import { WeightsView } from "./weights-view.js";
import { label as written } from "./number.js";
import { forget, look } from "./palette.js";

const SAVED = "rosenblatt-lab";
/** @type {Set<number>} */
const NONE = new Set();
/** Up to this many points the weights of a proof stand beside them in every view. */
const NUMBERED = 24;
/** How long tables and formulas may lag behind a point that is dragged, in milliseconds; behind one of many they wait until the hand rests. */
const LATE = 120;

/** The settings of data that were named without settings. @param {import("./engine.js").Ask} ask @param {import("./state.js").State} state @param {boolean} named */
async function complete(ask, state, named) {
  if (!state.data.source) return;
  const { seed, points, noise, source } = state.data;
  const { csv, about } = await ask("data", { name: source, seed, points: points ?? undefined, noise: noise ?? undefined });
  Object.assign(state.data, parse(csv));
  if (!named) state.settings = { ...defaults(), ...about.settings };
}

class Lab {
  /** @param {HTMLElement} root @param {import("./engine.js").Ask} ask @param {any} registry @param {any} catalogue @param {any} lessons @param {boolean} inPage */
  constructor(root, ask, registry, catalogue, lessons, inPage) {
    this.ask = ask;
    this.inPage = inPage;
    this.lessons = lessons;
    this.store = new Store(initial());
    this.session = new Session(this.store, ask, (changed) => this.draw(changed));
    const entry = (/** @type {string} */ name) => registry.learners.find((/** @type {any} */ l) => l.name === name);
    this.session.keepOf = (/** @type {string} */ name) => entry(name)?.keeps;
    this.session.boundOf = (/** @type {string} */ name) => /at most \(R\/γ\)² mistakes/.test(entry(name)?.guarantee ?? "");
    this.plot = new Plot(this.hands());
    this.session.box = () => this.plot.scale?.box;
    this.step = new StepCard(this.session, () => this.lesson.open(1, 0));
    this.transport = new Transport(this.session);
    this.dataPanel = new DataPanel(this.session, catalogue);
    this.learnerPanel = new LearnerPanel(this.session, registry);
    this.lesson = new LessonPanel(this.session, lessons, (state) => this.show(state, true));
    this.views = /** @type {Record<string, {name: string, view: any}>} */ ({
      steps: { name: "Steps", view: new StepsView(this.session) }, proof: { name: "Proof", view: new ProofView(this.session) },
      separable: { name: "Separable?", view: new VerdictView(this.session) }, weights: { name: "Weights", view: new WeightsView(this.session) },
      keeps: { name: "Keeps", view: new KeepsView(this.session) }, race: { name: "Race", view: new RaceView(this.session, registry) },
      fit: { name: "Over-fitting", view: new FitView(this.session) }, take: { name: "Take along", view: new TakeView(this.session, this.plot) },
    });
    this.lesson.answered = () => root.classList.remove("asking", "veiled");
    this.layOut(root);
    /** @type {Set<string>} What has changed since all was drawn. */
    this.late = new Set();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.waiting = undefined;
    /** What was wrong with the link; until the next change. */
    this.notice = "";
    this.session.counted = () => (root.dataset.working = this.session.awaited > 0 ? "yes" : "no");
    this.store.listen((changed) => {
      this.notice = "";
      this.session.refresh(changed);
      this.draw(changed);
      this.save();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
    root.ownerDocument.addEventListener("keydown", (event) => this.press(event));
    this.dropZone(root);
  }

  /** @param {HTMLElement} root */
  layOut(root) {
    this.root = root;
    this.stage = h("div", { class: "stage" }, this.plot.element);
    this.verdict = h("p", { class: "verdict", role: "status" });
    this.legend = h("ul", { class: "legend classes", "aria-label": "Classes" });
    this.problem = h("p", { class: "problem", role: "alert", hidden: true });
    this.tabs = Object.entries(this.views).map(([key, { name }]) => h("button", { type: "button", role: "tab", id: `tab-${key}`, "aria-controls": "view", onclick: () => this.store.set({ view: key }), onkeydown: (/** @type {KeyboardEvent} */ e) => this.tabKey(e, key) }, name));
    this.viewBox = h("div", { class: "card view", id: "view", role: "tabpanel", tabindex: -1 });
    this.shows = ["street", "vectors"].map((key) => {
      const box = h("input", { type: "checkbox", onchange: () => this.store.set({ show: { ...this.store.state.show, [key]: box.checked } }) });
      const name = h("span", {}, key === "street" ? "street" : "arrows");
      return { key, box, name, label: h("label", { class: "chip" }, box, name) };
    });
    this.contents = this.lessons.map((/** @type {any} */ l, /** @type {number} */ i) => h("button", { type: "button", title: `${l.title}: ${l.goal}`, onclick: () => this.lesson.open(i + 1, 0) }, h("b", {}, i + 1), h("span", {}, l.short)));
    this.theme = button(matchMedia("(prefers-color-scheme: dark)").matches ? "Light" : "Dark", () => this.turn(), { class: "bare" });
    root.classList.add("lab");
    fill(root,
      h("header", {}, h("h1", {}, h("span", { class: "mark-i", "aria-hidden": "true" }), "rosenblatt ", h("em", {}, "lab")), h("nav", { class: "lessons", "aria-label": "Lessons" }, h("ol", {}, this.contents.map((/** @type {any} */ one) => h("li", {}, one)))), h("div", { class: "tools" }, this.theme, button("Share", () => this.store.set({ view: "take" })))),
      h("main", { class: "board" }, this.lesson.element,
        h("div", { class: "middle" }, this.problem, this.stage, h("div", { class: "under" }, this.legend, h("div", { class: "shows" }, this.shows.map(({ label }) => label))), this.verdict, this.transport.element),
        h("div", { class: "right" }, h("div", { role: "tablist", "aria-label": "Views", class: "tabs" }, this.tabs), this.step.element, this.viewBox),
        h("div", { class: "left" }, this.dataPanel.element, this.learnerPanel.element)),
      h("footer", {}, h("p", {}, "Every number here is the engine's: the same as ", h("code", {}, "rosenblatt trace"), " prints. Keys: ← → step, m next mistake, e end of pass, space play; in the plot n and p choose a point, arrows move it, Delete removes it.")));
  }

  /** @param {KeyboardEvent} event @param {string} key */
  tabKey(event, key) {
    const keys = Object.keys(this.views);
    const to = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!to) return;
    event.preventDefault();
    event.stopPropagation();
    const next = keys[(keys.indexOf(key) + to + keys.length) % keys.length];
    this.store.set({ view: next });
    document.getElementById(`tab-${next}`)?.focus();
  }

  turn() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    this.theme.textContent = dark ? "Dark" : "Light";
    this.recolour();
  }

  recolour() {
    forget();
    this.plot.draw();
  }

  /** What a hand can do to the points. @returns {import("./plot.js").Hands} */
  hands() {
    const { store } = this;
    const cells = (/** @type {number} */ i, /** @type {string} */ x, /** @type {string} */ y) => {
      const { data, plane } = store.state;
      return data.rows.with(i, data.rows[i].map((v, j) => (j === plane[0] ? x : j === plane[1] ? y : v)));
    };
    return {
      grab: () => store.remember(),
      drop: () => this.draw(new Set(["all"])),
      move: (i, x, y) => store.data({ rows: cells(i, x, y), source: null }, false),
      add: (x, y) => {
        const { data, plane } = store.state;
        const row = data.columns.map((_, j) => (j === plane[0] ? x : j === plane[1] ? y : "0"));
        store.data({ rows: [...data.rows, [...row, this.dataPanel.label()]], source: null });
      },
      remove: (i) => store.data({ rows: store.state.data.rows.filter((_, k) => k !== i), source: null }),
      relabel: (i, code) => {
        const { data } = store.state;
        const all = labels(data);
        const row = data.rows[i];
        const at = code >= 0 ? code : all.indexOf(row[row.length - 1]) + 1;
        const label = all[at % all.length];
        store.data({ rows: data.rows.map((r, k) => (k === i ? [...r.slice(0, -1), label] : r)), source: null });
      },
    };
  }

  /** @param {HTMLElement} root */
  dropZone(root) {
    root.addEventListener("dragover", (event) => event.preventDefault());
    root.addEventListener("drop", (event) => {
      event.preventDefault();
      this.dataPanel.open(event.dataTransfer?.files[0]);
    });
    root.addEventListener("paste", (event) => {
      const target = /** @type {HTMLElement} */ (event.target);
      const text = event.clipboardData?.getData("text") ?? "";
      if (!/INPUT|TEXTAREA/.test(target.tagName) && text.includes("\n")) this.dataPanel.read(text, null);
    });
  }

  /** The examples that the present model has wrong; the same set while it is the same model. */
  wrong() {
    const { regions } = this.session;
    if (!regions) return NONE;
    return (regions.set ??= new Set(regions.wrong ?? []));
  }

  drawPlot() {
    const { session, store } = this;
    const { state } = store;
    const { trace, regions } = session;
    const all = labels(state.data);
    // As the engine orders them: numbers by their value, so that +1 is the positive class.
    const classes = trace?.classes ?? [...all].sort((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1));
    const codes = trace && trace.codes.length === state.data.rows.length ? trace.codes : state.data.rows.map((row) => Math.max(0, classes.indexOf(row[row.length - 1])));
    const now = session.now();
    const straight = session.straight();
    const detail = now?.detail;
    const pair = (/** @type {number[]} */ v) => /** @type {[number, number]} */ ([v[0], v[1]]);
    const move = straight && detail ? { w: pair(detail.before[0]), d: pair(detail.delta[0]), plain: state.settings.learner === "perceptron" && !state.settings.set.rate } : null;
    const next = session.rows.get(state.step + 1)?.row;
    this.plot.update({
      points: session.points(), codes, classes, names: session.names(), step: state.step, quick: this.transport.hurried(), weighed: state.view === "separable" || state.data.rows.length <= NUMBERED, current: now ? now.row.example - 1 : -1, next: next ? next.example - 1 : -1,
      mistake: Boolean(now?.row.mistake), wrong: this.wrong(), line: straight ? session.lineAt(state.step) : null, before: straight && state.step > 0 ? session.lineAt(state.step - 1) : null,
      move, regions: straight ? null : regions, overlay: state.settings.kernel && state.view !== "separable" ? null : overlay(session.verdict, session), show: state.show,
    }, `${state.data.source}${state.data.seed}${state.data.columns.join()}${state.plane}${state.lesson}${state.scene}`);
    this.plot.element.setAttribute("aria-label", `Plot of ${state.data.rows.length} points. ${headline(session.verdict, session)}`);
    const wrong = regions?.wrong?.length;
    keep(this.legend, [wrong, ...classes], () => [classes.map((/** @type {string} */ name, /** @type {number} */ code) => h("li", {}, h("span", { class: `swatch c${(classes.length === 2 ? 1 - code : code) % 6}`, "aria-hidden": "true" }), `${written(name)} `, h("span", { class: "visually-hidden" }, look(code, classes.length).name))), wrong ? h("li", { class: "crossed" }, h("span", { "aria-hidden": "true" }, "✕ "), `${wrong} wrong now`) : null]);
  }

  /** @param {Set<string>} changed */
  draw(changed) {
    this.drawPlot();
    // While a point is dragged the plot comes first; the rest follows a few times a second.
    changed.forEach((one) => this.late.add(one));
    if (this.plot.dragging < 0) return this.drawRest();
    if (this.plot.many) clearTimeout(this.waiting), (this.waiting = undefined);
    this.waiting ??= setTimeout(() => this.drawRest(), LATE);
  }

  drawRest() {
    clearTimeout(this.waiting);
    this.waiting = undefined;
    const changed = this.late;
    this.late = new Set();
    const { state } = this.store;
    this.step.draw(this.session);
    this.transport.draw();
    if (changed.has("data") || changed.has("trace") || changed.has("all")) this.dataPanel.draw();
    if (changed.has("settings") || changed.has("trace") || changed.has("all")) this.learnerPanel.draw();
    this.lesson.draw();
    this.root.classList.toggle("in-lesson", state.lesson > 0);
    this.root.classList.toggle("asking", state.lesson > 0 && this.lesson.asking);
    this.root.classList.toggle("veiled", state.lesson > 0 && this.lesson.veiled);
    this.contents.forEach((/** @type {Element} */ one, /** @type {number} */ i) => (i + 1 === state.lesson ? one.setAttribute("aria-current", "true") : one.removeAttribute("aria-current")));
    this.verdict.textContent = headline(this.session.verdict, this.session);
    this.verdict.className = `verdict ${this.session.verdict?.verdict ?? ""}`;
    const problem = this.notice || (this.session.few ? "" : this.session.problem) || "";
    this.problem.hidden = !problem;
    if (this.problem.textContent !== problem) this.problem.textContent = problem;
    const here = this.views[state.view] ?? this.views.steps;
    if (this.viewBox.lastElementChild !== here.view.element) fill(this.viewBox, h("h2", { class: "visually-hidden" }, here.name), here.view.element);
    // Some views need the whole stage; the others leave it to the plot.
    const stage = here.view.stage ?? this.plot.element;
    if (this.stage.firstElementChild !== stage) fill(this.stage, stage);
    this.root.dataset.view = this.views[state.view] ? state.view : "steps";
    for (const { key, box, label } of this.shows) {
      box.checked = state.show[key];
      label.hidden = key === "vectors" ? !this.session.straight() : !this.plot.scene?.overlay;
    }
    this.shows[0].name.textContent = this.session.verdict?.witness ? "proof" : "street";
    Object.keys(this.views).forEach((key, i) => {
      const chosen = this.views[key] === here;
      this.tabs[i].setAttribute("aria-selected", String(chosen));
      this.tabs[i].tabIndex = chosen ? 0 : -1;
    });
    this.viewBox.setAttribute("aria-labelledby", `tab-${state.view in this.views ? state.view : "steps"}`);
    here.view.draw();
  }

  /** Opens a link; one that cannot be opened is said, and the lab begins as ever. @param {string} hash @param {(state: any) => any} [more] */
  async open(hash, more = () => ({})) {
    try {
      const { state, named, lesson, embed } = await decode(hash);
      document.documentElement.classList.toggle("embed", embed);
      const known = Boolean(more(state).settings) || named;
      await (lesson ? this.lesson.open(state.lesson, state.scene) : this.show(state, known));
    } catch (error) {
      await this.show((await decode("")).state, false);
      this.notice = `This link cannot be opened: ${/** @type {Error} */ (error).message}`;
      this.draw(new Set());
    }
  }

  /** Shows another state. @param {any} state @param {boolean} named */
  async show(state, named) {
    await complete(this.ask, state, named);
    const last = state.data.columns.length - 1;
    if (Math.max(...state.plane) > Math.max(1, last)) state.plane = [0, 1];
    this.store.set(state);
    this.draw(new Set(["all"]));
  }

  save() {
    if (!this.inPage) return;
    clearTimeout(this.saving);
    this.root.dataset.saved = "no";
    const turn = (this.saving = setTimeout(async () => {
      const embed = document.documentElement.classList.contains("embed") ? "&embed" : "";
      const hash = `#${await encode(this.store.state)}${embed}`;
      this.written = hash;
      history.replaceState(null, "", hash);
      if (turn === this.saving) this.root.dataset.saved = "yes";
      // A lab in a slide or a page is not where the reader left the lab.
      if (embed) return;
      try {
        localStorage.setItem(SAVED, hash);
      } catch {
        // Storage may be full or forbidden: the link still holds everything.
      }
    }, 250));
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = /INPUT|TEXTAREA|SELECT/.test(target.tagName) && /** @type {any} */ (target).type !== "checkbox";
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !typing) {
      event.preventDefault();
      return event.shiftKey ? this.store.redo() : this.store.undo();
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey || (event.key === " " && target.tagName === "BUTTON")) return;
    if (this.transport.press(event)) event.preventDefault();
  }
}

/**
 * Starts the lab in an element. A notebook gives its own way to ask, and its data.
 * @param {HTMLElement} root
 * @param {{send?: (request: string) => Promise<string>, csv?: string, settings?: any}} [options]
 */
export async function start(root, options = {}) {
  const inPage = !options.send;
  const ask = connect(options.send ?? null);
  try {
    const [registry, { data }, { lessons }] = await Promise.all([ask("learners"), ask("data"), ask("lesson")]);
    const lab = new Lab(root, ask, registry, data, lessons, inPage);
    const empty = inPage && location.hash.length < 2;
    const given = options.csv ?? (empty ? await file() : null);
    const hash = !inPage || given ? "" : empty ? saved() : location.hash;
    await lab.open(hash, (state) => {
      if (given) Object.assign(state.data, parse(given), { source: null });
      Object.assign(state.settings, options.settings ?? {});
      return options;
    });
    if (inPage) addEventListener("hashchange", () => location.hash !== lab.written && lab.open(location.hash));
    root.dataset.ready = "yes";
    return lab;
  } catch (error) {
    fill(root, h("p", { class: "problem", role: "alert" }, `The lab could not start: ${/** @type {Error} */ (error).message}`));
    throw error;
  }
}

/** The link at which the lab was left, if the browser may keep it. */
function saved() {
  try {
    return localStorage.getItem(SAVED) ?? "";
  } catch {
    return "";
  }
}

/** The file that the command line was given, if any. */
async function file() {
  if (document.documentElement.dataset.engine !== "http") return null;
  const answer = await fetch("lab/data");
  return answer.ok && answer.status === 200 && answer.headers.get("content-type")?.startsWith("text/csv") ? answer.text() : null;
}

const page = document.getElementById("lab");
if (page) start(page);
