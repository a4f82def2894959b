// The proof, live: kγ ≤ u·w ≤ ‖w‖ ≤ √k·R after each of k updates.

import { chart } from "./chart.js";
import { fill, h } from "./dom.js";
import { atMost, full, show, vector } from "./number.js";

export class ProofView {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.element = h("div", { class: "proof" });
  }

  draw() {
    const { trace, state } = this.session;
    if (!trace) return fill(this.element, h("p", {}, "No training yet."));
    if (!trace.asked) return fill(this.element, h("p", {}, "Looking for the widest u …"));
    if (trace.no_proof) return fill(this.element, h("p", {}, `No proof here: ${trace.no_proof}.`), h("p", { class: "hint" }, "The theorem is for the perceptron from zero on separable data. Try AND, or the six points."));
    const end = trace.end.find((/** @type {any} */ o) => "bound" in o);
    if (!end) return fill(this.element);
    const k = trace.moves.filter((/** @type {number} */ step) => step <= state.step).length;
    const line = k > 0 ? trace.chain[k - 1] : [0, 0, 0, 0, 0];
    const column = (/** @type {number} */ i) => [[0, 0], ...trace.chain.map((/** @type {number[]} */ c) => [c[0], c[i]])];
    // The theorem takes the bias for one more weight: its margin is not the half-width of the street.
    const biased = state.settings.bias !== 0;
    const g = biased ? "γ′" : "γ";
    const part = (/** @type {string} */ name, /** @type {number} */ v, /** @type {string} */ kind) => h("span", { class: `link ${kind}` }, h("i", {}, name), h("b", { title: v === undefined ? "" : full(v) }, v === undefined ? "…" : show(v)));
    fill(this.element,
      h("p", { class: "chain" }, part(`k${g}`, line?.[1], "lower"), "≤", part("u·w", line?.[2], "uw"), "≤", part("‖w‖", line?.[3], "norm"), "≤", part("√k·R", line?.[4], "upper")),
      chart([
        { name: "√k·R", kind: "upper", points: column(4) }, { name: "‖w‖", kind: "norm", points: column(3) },
        { name: "u·w", kind: "uw", points: column(2) }, { name: `k${g}`, kind: "lower", points: column(1) },
      ], { x: "updates k", y: "", here: k, ends: true, whole: true, label: `Four quantities after each of ${trace.chain.length} updates, in the order of the proof` }),
      h("p", {}, "Each update adds at least ", h("b", { title: full(end.margin) }, `${g} = ${show(end.margin)}`), " to u·w, and at most ", h("b", { title: full(end.radius ** 2) }, `R² = ${show(end.radius ** 2)}`), " to ‖w‖². A line below a root: they must cross, so k cannot pass ", h("b", {}, `(R/${g})² = ${show(end.bound)}`), "."),
      h("p", { class: "mistakes-bound" }, h("b", {}, end.mistakes), ` of at most ${atMost(end.bound)} mistakes were made.`, h("progress", { max: end.bound, value: end.mistakes, "aria-label": "Mistakes beside the bound" })),
      h("p", { class: "hint" }, `u = ${vector(biased ? trace.unit : trace.unit.slice(0, -1))}${biased ? ", the bias last" : ""}: the unit vector with the widest margin.${biased ? ` Here the bias is one more weight, and every example has one more coordinate, ${show(state.settings.bias)}: γ′ and R count it, the street's half-width γ does not.` : ""}`));
  }
}
