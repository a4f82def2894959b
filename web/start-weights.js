// The weights after the present step, to be typed over: what is typed becomes the start, and the training begins again.

import { h, keep } from "./dom.js";

/** More features than this are set in the panel of the learner. */
const SHOWN = 6;

export class StartWeights {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    /** @type {HTMLInputElement[]} */
    this.inputs = [];
    this.element = h("form", { class: "start-weights", "aria-label": "Weights", onsubmit: (/** @type {Event} */ e) => e.preventDefault() });
  }

  /** The weights after the present step, the bias last; none where they are not a short vector. @returns {number[] | null} */
  values() {
    const { trace, state } = this.session;
    const { settings, step } = state;
    if (!trace || settings.kernel || trace.classes.length !== 2 || trace.features.length > SHOWN) return null;
    const biased = settings.bias !== 0;
    const row = step > 0 ? this.session.rows.get(step)?.row : null;
    if (step > 0 && !row) return null;
    if (row) return biased ? [...row.weights, row.bias] : [...row.weights];
    const size = trace.features.length + (biased ? 1 : 0);
    return settings.init?.length === size ? settings.init : Array.from({ length: size }, () => 0);
  }

  draw() {
    if (this.element.contains(document.activeElement)) return;
    const values = this.values();
    this.element.hidden = !values;
    if (!values) return;
    const { trace, state } = this.session;
    const names = values.map((_, j) => (j < trace.features.length ? `w${trace.features.length > 1 ? "₁₂₃₄₅₆"[j] : ""}` : "b"));
    const about = (/** @type {number} */ j) => (j < trace.features.length ? `Weight of ${trace.features[j]}` : "Bias weight");
    const typed = () => {
      const { inputs } = this;
      const numbers = inputs.map((input) => Number(input.value.trim().replace("−", "-") || NaN));
      inputs.forEach((input, j) => input.setAttribute("aria-invalid", String(!Number.isFinite(numbers[j]))));
      if (numbers.every(Number.isFinite)) this.session.store.settings({ init: numbers.some((v) => v !== 0) ? numbers : null });
    };
    const started = state.step > 0;
    keep(this.element, [started, ...trace.features, values.length], () => {
      this.inputs = values.map((_, j) => h("input", { size: 5, inputmode: "decimal", autocomplete: "off", "aria-label": about(j), onchange: typed }));
      return [h("span", { class: "over" }, started ? "The weights now; type others to start from them:" : "The start; type other weights:"), this.inputs.map((input, j) => h("label", { class: "weight-cell" }, h("i", {}, names[j]), " ", input))];
    });
    this.inputs.forEach((input, j) => {
      if (input.value !== String(values[j])) input.value = String(values[j]);
      input.removeAttribute("aria-invalid");
    });
  }
}
