// Weight space beside data space: each example is a half plane of weights, the solutions are where all overlap.

import { fill, h, s } from "./dom.js";
import { look } from "./palette.js";
import { show } from "./number.js";
import { ticks } from "./scale.js";

const SIZE = 420;
/** The most examples that are drawn. */
const SHOWN = 60;

/** The vector in weight space that stands for an example: its features, or its only feature and the constant of the bias. @param {string[]} row @param {any} settings */
function example(row, settings) {
  return row.length > 2 ? [Number(row[0]), Number(row[1])] : [Number(row[0]), settings.bias];
}

export class WeightsView {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.element = h("div", {});
  }

  /** The names of the two weights, if two suffice. */
  names() {
    const { trace, state } = this.session;
    const { settings } = state;
    if (trace.classes.length !== 2 || settings.kernel || settings.degree !== 1) return null;
    if (trace.features.length === 2 && settings.bias === 0) return ["w₁", "w₂"];
    return trace.features.length === 1 && settings.bias !== 0 ? ["w", "b"] : null;
  }

  draw() {
    const { session } = this;
    const { trace } = session;
    if (!trace) return fill(this.element);
    const names = this.names();
    if (names) return this.drawSpace(names);
    const line = session.now()?.row;
    const list = line && !Array.isArray(line.weights?.[0]) ? line.weights?.slice(0, 24).map((/** @type {number} */ w, /** @type {number} */ j) => h("li", {}, `${trace.features[j]}: `, h("b", {}, show(w)))) : null;
    fill(this.element, h("p", {}, "Weight space is a plane only where two weights suffice: two features and no bias (set the bias to 0, or choose the six points), or one feature and the bias."), list ? h("ul", { class: "weights" }, list) : null);
  }

  /** @param {string[]} names */
  drawSpace(names) {
    const { trace, state } = this.session;
    const start = state.settings.init?.length === 2 ? state.settings.init : [0, 0];
    const all = [start, ...(trace.path ?? [])];
    const path = all.slice(0, 1 + trace.moves.filter((/** @type {number} */ step) => step <= state.step).length);
    const reach = Math.max(1e-9, ...all.slice(0, 2000).flat().map(Math.abs)) * 1.25;
    const x = (/** @type {number} */ v) => (SIZE / 2) * (1 + v / reach);
    const y = (/** @type {number} */ v) => SIZE - x(v);
    const now = path[path.length - 1];
    const picture = s("svg", { class: "weight-space", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", "aria-label": `Weight space: (${names.join(", ")}) is (${now.map(show).join(", ")})` });
    const half = reach * 3;
    state.data.rows.slice(0, SHOWN).forEach((row, i) => {
      const sign = trace.codes[i] === 1 ? 1 : -1;
      const [a, b] = example(row, state.settings).map((v) => sign * v);
      const norm = Math.hypot(a, b);
      if (!norm) return;
      // The weights on the wrong side of y(w·x) = 0 are shaded.
      const [ux, uy, tx, ty] = [a / norm, b / norm, -b / norm, a / norm];
      const p = (/** @type {number} */ along, /** @type {number} */ out) => `${x(tx * along - ux * out)},${y(ty * along - uy * out)}`;
      picture.append(s("path", { class: "refused", d: `M${p(-half, 0)}L${p(half, 0)}L${p(half, half)}L${p(-half, half)}Z` }),
        s("line", { x1: x(tx * -half), y1: y(ty * -half), x2: x(tx * half), y2: y(ty * half), stroke: look(trace.codes[i], 2).colour, class: "constraint" }));
    });
    for (const v of ticks(-reach, reach, 6)) {
      if (v === 0 || Math.abs(v) > 0.9 * reach) continue;
      picture.append(s("text", { class: "tick", x: x(v), y: y(0) + 17, "text-anchor": "middle" }, show(v)), s("text", { class: "tick", x: x(0) - 6, y: y(v) + 5, "text-anchor": "end" }, show(v)));
    }
    picture.append(s("path", { class: "axis", d: `M0,${y(0)}H${SIZE}M${x(0)},0V${SIZE}` }), s("text", { class: "name", x: SIZE - 8, y: y(0) + 19, "text-anchor": "end" }, names[0]), s("text", { class: "name", x: x(0) + 8, y: 20 }, names[1]));
    if (trace.unit) picture.append(s("line", { class: "unit", x1: x(0), y1: y(0), x2: x(trace.unit[0] * reach * 0.9), y2: y(trace.unit[1] * reach * 0.9) }), s("text", { class: "name", x: x(trace.unit[0] * reach * 0.9) + 8, y: y(trace.unit[1] * reach * 0.9) - 8 }, "u"));
    picture.append(s("path", { class: "path", d: path.map(([a, b], i) => `${i ? "L" : "M"}${x(a)},${y(b)}`).join("") }),
      path.length < 40 ? path.slice(0, -1).map(([a, b]) => s("circle", { class: "w-then", cx: x(a), cy: y(b), r: 4 })).reduce((g, one) => (g.append(one), g), s("g", {})) : s("g", {}),
      s("circle", { class: "w-now", cx: x(now[0]), cy: y(now[1]), r: 8 }));
    fill(this.element, picture, h("p", {}, `w = (${now.map(show).join(", ")}) after ${path.length - 1} of ${all.length - 1} moves.`),
      h("p", { class: "hint" }, "Each example allows the weights on one side of its line; the clear region satisfies all of them. The path of w enters it, or the data are not separable. The dashed direction is u, the widest."));
  }
}
