// Over-fitting: degree, λ, noise and the number of points as sliders; errors beside the curve.

import { chart } from "./chart.js";
import { newest } from "./engine.js";
import { button, command, download, fill, h } from "./dom.js";
import { full, show } from "./number.js";

/** The picture shows −2 to 2. */
const HIGH = 2;

/** Saves points as a table. @param {string} name @param {[number, number][]} points */
function save(name, points) {
  return button(`Save ${name}`, () => download(name, `x,y\n${points.map((p) => p.join(",")).join("\n")}\n`, "text/csv"));
}

export class FitView {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.key = "";
    const slider = (/** @type {keyof import("./state.js").Fit} */ key, /** @type {string} */ name, /** @type {number} */ min, /** @type {number} */ max, /** @type {number} */ step) => {
      const out = h("output", {});
      const input = h("input", { type: "range", id: `fit-${key}`, min, max, step, oninput: () => this.change(key, Number(input.value)) });
      return { key, input, out, row: h("div", { class: "slider" }, h("label", { for: `fit-${key}` }, name), input, out) };
    };
    this.sliders = [slider("degree", "degree", 0, 12, 1), slider("ridge", "λ", -13, 1, 1), slider("noise", "noise", 0, 1, 0.05), slider("points", "points", 4, 100, 1), slider("seed", "seed", 0, 20, 1)];
    this.result = h("div", { class: "fit" });
    this.stage = h("div", { class: "card fit-stage" });
    this.element = h("div", {}, h("div", { class: "sliders" }, this.sliders.map(({ row }) => row)), this.result);
    this.ask = newest((/** @type {any} */ request) => session.ask("polyfit", request), (answer, request) => this.answered(answer, request), (error) => fill(this.result, h("p", { class: "problem" }, error.message)));
  }

  /** λ is moved by powers of ten; the lowest place is 0. @param {string} key @param {number} value */
  change(key, value) {
    const v = key === "ridge" ? (value <= -13 ? 0 : Number(`1e${value}`)) : value;
    this.session.store.set({ fit: { ...this.session.state.fit, [key]: v } });
  }

  draw() {
    const { fit } = this.session.state;
    for (const { key, input, out } of this.sliders) {
      input.value = String(key === "ridge" ? (fit.ridge > 0 ? Math.round(Math.log10(fit.ridge)) : -13) : fit[key]);
      out.textContent = show(fit[key]);
    }
    const key = JSON.stringify(fit);
    if (key !== this.key) (this.key = key), this.ask({ ...fit, outside: 0.15 });
  }

  /** @param {any} answer @param {any} request */
  answered(answer, request) {
    const dots = (/** @type {any} */ points, /** @type {string} */ kind) => points.map((/** @type {any} */ p) => ({ name: kind, kind, points: [p] }));
    // In a narrow place it is drawn narrower: its letters stay legible.
    const narrow = (this.stage.clientWidth || innerWidth) < 560;
    const picture = chart([{ name: "truth", kind: "truth", points: answer.truth }, { name: "fit", kind: "fitted", points: answer.curve }, ...dots(answer.train_points, "train")], { x: "x", y: "y", top: HIGH, bottom: -HIGH, height: narrow ? 330 : 420, width: narrow ? 420 : 640, label: `A polynomial of degree ${request.degree} through ${request.points} noisy points of a sine` });
    const pairs = (/** @type {string} */ key) => answer.errors.map((/** @type {any} */ e) => [e.degree, e[key]]);
    const errors = chart([{ name: "train", kind: "one", points: pairs("train") }, { name: "test", kind: "two", points: pairs("test") }], { x: "degree", y: "error", here: request.degree, top: 1.2, bottom: 0, height: 240, ends: true, whole: true, label: "Training and test error by degree" });
    const w = Math.max(...answer.coefficients.map(Math.abs));
    const leaves = answer.curve.some((/** @type {[number, number]} */ p) => Math.abs(p[1]) > HIGH);
    fill(this.stage, h("ul", { class: "legend" }, h("li", { class: "fitted" }, "the polynomial"), h("li", { class: "truth" }, "the truth, sin πx"), h("li", { class: "train" }, "points to learn from")), picture,
      h("p", { class: "hint" }, `Outside of the points nothing holds the curve${leaves ? ": it leaves the picture" : ""}.`));
    fill(this.result, h("p", { class: "big stats" }, h("span", {}, "training error ", h("b", { class: "one", title: full(answer.train) }, show(answer.train))), h("span", {}, "test error ", h("b", { class: "two", title: full(answer.test) }, show(answer.test)))), errors,
      h("p", { class: "hint" }, `An error is the root of the mean square; the test has ${answer.test_points.length} other points. The greatest coefficient is ${show(w)}. λ keeps the coefficients small.`), h("pre", { tabindex: 0, "aria-label": "Command line of this fit" }, command(answer.command)),
      h("p", { class: "row" }, save("train.csv", answer.train_points), save("test.csv", answer.test_points)));
  }
}
