// The state of the lab: data, settings, the step, the view. Data can be undone.

/**
 * @typedef {{source: string | null, seed: number, points: number | null, noise: number | null,
 *            columns: string[], rows: string[][]}} Data  rows: cells as written, the label last
 * @typedef {{learner: string, set: Record<string, string>, keep: string | null, tie: string, bias: number,
 *            multiclass: string, epochs: number, order: string | number[], seed: number, init: number[] | null,
 *            degree: number, kernel: string | null}} Settings
 * @typedef {{points: number, noise: number, degree: number, ridge: number, seed: number}} Fit
 * @typedef {{data: Data, settings: Settings, step: number, view: string, plane: [number, number],
 *            lesson: number, scene: number, rival: string, fit: Fit, show: Record<string, boolean>}} State
 */

/** @returns {Settings} */
export function defaults() {
  return {
    learner: "perceptron", set: {}, keep: null, tie: "update", bias: 1, multiclass: "single", epochs: 100,
    order: "cyclic", seed: 0, init: null, degree: 1, kernel: null,
  };
}

/** @returns {State} */
export function initial() {
  return {
    data: { source: "cmu", seed: 0, points: null, noise: null, columns: ["x1", "x2"], rows: [] },
    settings: defaults(), step: 0, view: "steps", plane: [0, 1], lesson: 0, scene: 0, rival: "averaged",
    fit: { points: 10, noise: 0.25, degree: 3, ridge: 0, seed: 0 }, show: { street: true, vectors: true },
  };
}

/** The labels of rows that were looked at. @type {WeakMap<string[][], string[]>} */
const KNOWN = new WeakMap();

/** The labels in the order in which they occur, sorted. @param {Data} data */
export function labels(data) {
  const known = KNOWN.get(data.rows);
  if (known) return known;
  const found = [...new Set(data.rows.map((row) => row[row.length - 1]))].sort();
  const all = found.length > 0 ? found : ["+1", "-1"];
  KNOWN.set(data.rows, all);
  return all;
}

/** Holds a state, tells listeners about changes, and undoes changes of the data. */
export class Store {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** @type {Data[]} */
    this.past = [];
    /** @type {Data[]} */
    this.future = [];
    /** @type {((changed: Set<string>) => void)[]} */
    this.listeners = [];
  }

  /** @param {(changed: Set<string>) => void} listener */
  listen(listener) {
    this.listeners.push(listener);
  }

  /** Changes parts of the state. @param {Partial<State>} patch */
  set(patch) {
    this.state = { ...this.state, ...patch };
    const changed = new Set(Object.keys(patch));
    this.listeners.forEach((listener) => listener(changed));
  }

  /** Changes some settings, and begins again. @param {Partial<Settings>} patch */
  settings(patch) {
    this.set({ settings: { ...this.state.settings, ...patch }, step: 0 });
  }

  /** Changes the data; `keep` false: a move in between, which is not undone by itself. @param {Partial<Data>} patch @param {boolean} [keep] */
  data(patch, keep = true) {
    if (keep) this.remember();
    this.set({ data: { ...this.state.data, ...patch } });
  }

  /** Marks the place to which undo returns. */
  remember() {
    this.past.push(this.state.data);
    if (this.past.length > 200) this.past.shift();
    this.future = [];
  }

  undo() {
    const data = this.past.pop();
    if (data) this.future.push(this.state.data), this.set({ data });
  }

  redo() {
    const data = this.future.pop();
    if (data) this.past.push(this.state.data), this.set({ data });
  }
}
