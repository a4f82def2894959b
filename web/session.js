// What the engine answered about the present state: the trace, the verdict, the regions. Views draw from here.

import { newest } from "./engine.js";
import { write } from "./csv.js";
import { labels } from "./state.js";

/** @typedef {import("./state.js").Store} Store */
/** @typedef {{epoch: number, step: number, example: number, label: string, score: number, mistake: boolean, weights: any, bias: any}} Row */

/** Rows that are asked for at a time. */
const WINDOW = 200;
/** With so many points the engine rests between two traces, in milliseconds, so that a hand that drags one is not held up. */
const MANY = 500;
const REST = 100;

export class Session {
  /** @param {Store} store @param {import("./engine.js").Ask} ask @param {(changed: Set<string>) => void} draw */
  constructor(store, ask, draw) {
    this.store = store;
    this.draw = draw;
    /** @type {any} the last trace */
    this.trace = null;
    /** @type {Map<number, {row: Row, detail: any}>} rows by step, from 1 */
    this.rows = new Map();
    /** @type {any} */
    this.verdict = null;
    /** @type {any} */
    this.regions = null;
    /** @type {string | null} */
    this.problem = null;
    /** @type {(learner: string) => string | undefined} */
    this.keepOf = () => undefined;
    /** Whether the theorem's bound is that of this learner. @type {(learner: string) => boolean} */
    this.boundOf = () => false;
    /** @type {() => import("./scale.js").Box | undefined} */
    this.box = () => undefined;
    /** @type {{rows: string[][], plane: [number, number], points: [number, number][]} | null} */
    this.drawn = null;
    /** Whether there are points of fewer than two classes. */
    this.few = false;
    /** How often data or settings have changed. */
    this.version = 0;
    /** @type {ReturnType<typeof setTimeout> | null} Until the verdict is asked for. */
    this.timer = null;
    this.tracedVersion = -1;
    /** How many answers are awaited; the page shows it to those who wait for them. */
    this.awaited = 0;
    /** @type {() => void} */
    this.counted = () => {};
    const count = (/** @type {1 | -1} */ more) => ((this.awaited += more), this.counted());
    this.count = count;
    /** @type {import("./engine.js").Ask} */
    this.ask = (op, request) => {
      count(1);
      return ask(op, request).finally(() => count(-1));
    };
    // The data are written when a request is sent: a request that a newer one replaces costs nothing.
    const written = (/** @type {import("./state.js").Data} */ { columns, rows }) => ({ csv: write(columns, rows) });
    this.askTrace = newest(
      (/** @type {any} */ request) => ask("trace", { ...request.body, data: written(request.body.data) }),
      (answer, request) => this.traced(answer, request),
      (error) => this.failed(error),
      count,
      (request) => (request.body.data.rows.length > MANY ? REST : 0),
    );
    this.askVerdict = newest(
      (/** @type {any} */ body) => ask("separable", { ...body, data: written(body.data) }),
      (answer) => ((this.verdict = answer), this.draw(new Set(["verdict"]))),
      (error) => ((this.verdict = { problem: error.message }), this.draw(new Set(["verdict"]))),
      count,
    );
    this.askRegions = newest(
      (/** @type {any} */ body) => ask("regions", { ...body, data: written(body.data) }),
      (answer) => ((this.regions = answer), this.draw(new Set(["regions"]))),
      () => ((this.regions = null), this.draw(new Set(["regions"]))),
      count,
    );
  }

  get state() {
    return this.store.state;
  }

  /** The data as the engine takes them. */
  data() {
    const { columns, rows } = this.state.data;
    return { csv: write(columns, rows) };
  }

  /** The two columns that are shown. @returns {[number, number][]} */
  points() {
    const { data, plane } = this.state;
    if (this.drawn?.rows !== data.rows || this.drawn.plane !== plane) {
      const y = data.columns.length > 1 ? plane[1] : -1;
      // A row that is the same is the same point: what is drawn of it stays.
      const was = this.drawn?.plane === plane && this.drawn.rows[0]?.length === data.rows[0]?.length ? this.drawn : null;
      const points = data.rows.map((row, i) => (was && was.rows[i] === row ? was.points[i] : /** @type {[number, number]} */ ([Number(row[plane[0]]), y < 0 ? 0 : Number(row[y])])));
      this.drawn = { rows: data.rows, plane, points };
    }
    return this.drawn.points;
  }

  /** Their names. @returns {[string, string]} */
  names() {
    const { data, plane } = this.state;
    return [data.columns[plane[0]] ?? "", data.columns[plane[1]] ?? ""];
  }

  /** Asks for all that the state needs and that is not there. @param {Set<string>} changed */
  refresh(changed) {
    if (changed.has("data") || changed.has("settings")) {
      if (this.tooFew()) return;
      this.version += 1;
      this.request(this.state.step);
      this.scheduleVerdict();
    } else if (changed.has("step") && this.trace) {
      const at = this.state.step;
      if (at > 0 && !this.rows.has(at)) this.request(at);
      this.lookAround();
    } else if (changed.has("view") && this.trace && (this.state.view === "proof" || this.state.view === "weights") && !this.trace.asked) this.request(this.state.step);
    else if (changed.has("plane")) this.lookAround();
  }

  tooFew() {
    const few = (this.few = labels(this.state.data).length < 2 || this.state.data.rows.length < 2);
    if (few) {
      this.trace = null;
      this.regions = null;
      this.verdict = { problem: "there are no points of two classes" };
      this.rows.clear();
      this.problem = "Add points of two classes: click into the plot, or choose data.";
      this.draw(new Set(["trace", "verdict", "regions"]));
    }
    return few;
  }

  /** @param {number} step */
  request(step) {
    const from = Math.max(0, Math.floor((step - 1) / WINDOW) * WINDOW - 1);
    const proof = this.state.view === "proof" || this.state.view === "weights";
    this.askTrace({ body: { data: this.state.data, settings: this.state.settings, from, count: WINDOW + 2, proof }, version: this.version });
  }

  /** @param {any} answer @param {any} request */
  traced(answer, request) {
    if (request.version !== this.tracedVersion) this.rows.clear();
    this.tracedVersion = request.version;
    this.problem = null;
    answer.asked = request.body.proof;
    answer.rows.forEach((/** @type {Row} */ row, /** @type {number} */ i) => this.rows.set(row.step, { row, detail: answer.details[i] }));
    this.trace = answer;
    if (this.state.step > answer.total) this.store.set({ step: answer.total });
    if (this.state.step > 0 && !this.rows.has(this.state.step)) this.request(this.state.step);
    this.lookAround();
    this.draw(new Set(["trace"]));
  }

  /** @param {Error} error */
  failed(error) {
    this.problem = error.message;
    this.trace = this.regions = null;
    this.rows.clear();
    this.draw(new Set(["trace", "regions"]));
  }

  scheduleVerdict() {
    if (this.timer) clearTimeout(this.timer);
    else this.count(1);
    const wait = this.state.data.rows.length > MANY ? 350 : 60;
    this.timer = setTimeout(() => {
      this.timer = null;
      const { bias, degree } = this.state.settings;
      this.askVerdict({ data: this.state.data, bias: bias !== 0, degree: labels(this.state.data).length > 2 ? 1 : degree });
      this.count(-1);
    }, wait);
  }

  /** Whether the model is a line in the plane that is shown. */
  straight() {
    const { settings, data } = this.state;
    const keeps = settings.keep ?? this.keepOf(settings.learner) ?? "last";
    return !settings.kernel && settings.degree === 1 && data.columns.length === 2 && (this.trace?.features.length || 2) === 2 && labels(data).length === 2 && keeps === "last";
  }

  /** Whether (R/γ)² bounds the mistakes of this training: from zero, with a constant rate, and a bias of 1 if any. */
  bounded() {
    const { learner, set, init, bias, kernel } = this.state.settings;
    const usual = Object.entries(set).every(([key, value]) => key === "rate" || (key === "schedule" && value === "constant"));
    return this.boundOf(learner) && usual && !init && !kernel && (bias === 0 || bias === 1);
  }

  /** Asks for the regions of the model after the present step. */
  lookAround() {
    const box = this.box();
    if (!box || !this.trace) return;
    const { settings, step, data, plane } = this.state;
    const grid = this.straight() ? [2, 2] : [90, 66];
    if (data.rows.length > 1500 && this.straight()) return;
    this.askRegions({ data, settings, step, box: [box.left, box.bottom, box.right, box.top], grid, plane });
  }

  /** The present row; none at the start. */
  now() {
    return this.state.step > 0 ? this.rows.get(this.state.step) ?? null : null;
  }

  /** w₁, w₂ and b of the plane after a step, if the model is a line. @param {number} step @returns {number[] | null} */
  lineAt(step) {
    if (!this.straight() || !this.trace) return null;
    const found = this.rows.get(step);
    if (found) return [found.row.weights[0], found.row.weights[1], found.row.bias];
    const next = this.rows.get(step + 1)?.detail;
    return next ? [next.before[0][0], next.before[0][1], next.before_bias[0]] : null;
  }
}
