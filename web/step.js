// This step: the formula, then its numbers in it; why the weights moved; the weights, to be typed.

import { button, fill, h } from "./dom.js";
import { factor, full, label, show, vector } from "./number.js";
import { ending, sentence, sign } from "./say.js";
import { StartWeights } from "./start-weights.js";

/** A number whose full digits are in its title. @param {number} v */
function n(v) {
  return h("span", { class: "n", title: full(v) }, factor(v));
}

/** A part of a formula that stays on one line if it can. @param {...any} parts */
function part(...parts) {
  return h("span", { class: "part" }, parts);
}

/** w·x + b with numbers. @param {any} d @param {boolean} biased @param {number} k */
function sum(d, biased, k) {
  const parts = /** @type {any[]} */ ([]);
  const shown = Math.min(d.x.length, 5);
  for (let j = 0; j < shown; j++) parts.push(j ? " + " : "", n(d.before[k][j]), "·", n(d.x[j]));
  if (shown < d.x.length) parts.push(" + …");
  if (biased) parts.push(" + ", n(d.before_bias[k]));
  return parts;
}

/** The factor τ in Δ = τ·x, if there is one; of x = 0 only the bias tells it. @param {any} d @param {number} k @param {number} bias the constant input of the bias */
function stepLength(d, k, bias) {
  const j = d.x.findIndex((/** @type {number} */ v) => v !== 0);
  if (j < 0) return bias !== 0 ? d.delta_bias[k] / bias : null;
  const tau = d.delta[k][j] / d.x[j];
  const fits = d.x.every((/** @type {number} */ v, /** @type {number} */ i) => Math.abs(d.delta[k][i] - tau * v) <= 1e-9 * (1 + Math.abs(tau * v)));
  return fits ? tau : null;
}

/** A line: what it is about, the formula in letters, then in numbers. @param {string} lead @param {any[]} parts */
function line(lead, ...parts) {
  return h("p", { class: "formula" }, h("span", { class: "lead" }, lead), h("span", { class: "terms" }, parts));
}

/** Why the weights moved, in words and numbers. @param {import("./session.js").Session} session */
function why(session) {
  const { row, detail: d } = session.now();
  const biased = session.state.settings.bias !== 0;
  const score = biased ? "w·x + b" : "w·x";
  const said = d.margin === 0 ? `the score is exactly 0, which ${session.state.settings.tie === "update" ? "always counts as a mistake" : `says ${sign(-d.y)}`}` : `the score ${show(row.score)} says ${sign(row.score)}`;
  const reason = row.mistake ? `Example ${row.example} has the label ${label(row.label)}, but ${said}.` : `The score is on the right side, but too near to zero for this learner.`;
  const moves = d.delta[0].some((/** @type {number} */ v) => v !== 0) ? `w moves ${d.y > 0 ? "towards" : "away from"} x` : `b goes ${d.y > 0 ? "up" : "down"}, and w stays: x is 0`;
  const grew = d.margin_after > d.margin;
  return h("div", { class: "why" }, h("h3", {}, "Why did the weights change?"),
    h("p", {}, reason, ` So ${moves}. For this example y(${score}) ${grew ? "goes up" : "goes"} from `, h("b", { title: full(d.margin) }, show(d.margin)), " to ", h("b", { title: full(d.margin_after) }, show(d.margin_after)),
      d.margin_after > 0 ? ": now it is right." : grew ? ": nearer to the right side." : "."));
}

/** @param {import("./session.js").Session} session */
function twoClasses(session) {
  const { row, detail: d } = session.now();
  const biased = session.state.settings.bias !== 0;
  const tie = session.state.settings.tie;
  const wrong = row.mistake;
  const compare = wrong ? (tie === "update" ? " ≤ 0" : d.margin === 0 ? `, and zero says ${sign(-d.y)}` : " < 0") : d.margin === 0 ? `, and zero says ${sign(d.y)}` : " > 0";
  const lines = [
    line("is it right?", part(h("i", {}, biased ? "y (w·x + b)" : "y (w·x)")), part(" = ", sign(d.y), " · (", sum(d, biased, 0), ")"),
      part(" = ", h("strong", { title: full(d.margin) }, show(d.margin)), `${compare}: `, h("strong", { class: wrong ? "bad" : "good" }, wrong ? "mistake" : "correct"))),
  ];
  const after = row.weights;
  if (d.moved) {
    const tau = stepLength(d, 0, session.state.settings.bias);
    const plain = tau === d.y;
    const rule = tau === null ? "w + Δ" : plain ? "w + y·x" : `w + ${show(tau * d.y)}·y·x`;
    lines.push(line("it moves", part(h("i", {}, "w ← ", rule)), part(" = ", vector(d.before[0]), " + ", h("span", { class: "step-colour" }, vector(d.delta[0]))), part(" = ", h("strong", {}, vector(after)))));
    if (biased) lines.push(line("", part(h("i", {}, plain && session.state.settings.bias === 1 ? "b ← b + y" : "b ← b + Δb")), part(" = ", n(d.before_bias[0]), " + ", h("span", { class: "step-colour" }, n(d.delta_bias[0])), " = ", h("strong", {}, show(row.bias)))));
    lines.push(why(session));
  } else lines.push(line("it stays", part(h("i", {}, "w"), " = ", h("strong", {}, vector(after)), biased ? ", " : ""), biased ? part(h("i", {}, "b"), " = ", h("strong", {}, show(row.bias))) : ""));
  return lines;
}

/** @param {import("./session.js").Session} session */
function manyClasses(session) {
  const { row, detail: d } = session.now();
  const biased = session.state.settings.bias !== 0;
  const classes = session.trace.classes;
  const right = classes.indexOf(row.label);
  const scores = d.scores.map((/** @type {number} */ score, /** @type {number} */ k) =>
    h("p", { class: k === right ? "formula own" : "formula" }, h("span", { class: "lead" }, label(classes[k])), h("span", { class: "terms" }, part(sum(d, biased, k)), part(" = ", h("strong", { title: full(score) }, show(score))),
      d.delta[k].some((/** @type {number} */ v) => v !== 0) ? part(h("span", { class: "step-colour" }, `, w ← w + ${vector(d.delta[k], 3)}`)) : "")));
  const lines = [h("div", { class: "scores" }, scores)];
  const verdict = row.mistake ? h("strong", { class: "bad" }, "mistake") : h("strong", { class: "good" }, "correct");
  lines.push(line("is it right?", part(`${label(row.label)} is ahead by `, h("strong", {}, show(d.margin)), ": ", verdict)));
  if (d.moved) lines.push(h("div", { class: "why" }, h("h3", {}, "Why did the weights change?"),
    h("p", {}, `${row.mistake ? "The right class must have the highest score, and it had not." : "The right class is ahead, but not by enough for this learner."} Its weights move towards x, those of the others away: now ${label(row.label)} is ahead by `, h("b", { title: full(d.margin_after) }, show(d.margin_after)), ".")));
  return lines;
}

/** @param {import("./session.js").Session} session @param {() => void} begin */
function start(session, begin) {
  const { settings, lesson } = session.state;
  const biased = settings.bias !== 0;
  const score = biased ? "w·x + b" : "w·x";
  const { tie } = settings;
  const test = tie === "update" ? part(h("i", {}, `if y (${score}) ≤ 0`), ", ") : part(h("i", {}, `if sign(${score}) ≠ y`), ", with sign(0) = ", tie === "positive" ? "+1" : "−1", ": ");
  const lines = [line("the rule", test, part(h("i", {}, "w ← w + y·x")), biased ? part(" and ", h("i", {}, "b ← b + y")) : "")];
  if (settings.learner !== "perceptron") lines.push(h("p", { class: "hint" }, `That is the perceptron's; ${settings.learner} moves by another length, which each step shows.`));
  if (!lesson) lines.push(h("p", { class: "row" }, button("New here? Lesson 1: the update", begin, { class: "primary" })));
  return lines;
}

/** @param {import("./session.js").Session} session */
function inKernelSpace(session) {
  const { row } = session.now();
  return [line("score", part(h("i", {}, "Σ αᵢ yᵢ K(xᵢ, x)"), " = ", h("strong", { title: full(row.score) }, show(row.score)))),
    row.mistake ? h("p", { class: "why" }, "The example becomes a support vector: from now on it takes part in every score, so the curve bends around it.") : ""];
}

export class StepCard {
  /** @param {import("./session.js").Session} session @param {() => void} begin opens the first lesson */
  constructor(session, begin) {
    this.begin = begin;
    this.say = h("p", { class: "sentence", role: "status", "aria-live": "polite" });
    this.body = h("div", { class: "numbers" });
    this.weights = new StartWeights(session);
    this.title = h("h2", { id: "this-step" }, "This step");
    this.element = h("section", { class: "card this-step", "aria-labelledby": "this-step" }, this.title, this.say, this.body, this.weights.element);
  }

  /** @param {import("./session.js").Session} session */
  draw(session) {
    const text = sentence(session);
    if (this.say.textContent !== text) this.say.textContent = text;
    const now = session.now();
    this.element.classList.toggle("is-mistake", Boolean(now?.row.mistake));
    const { trace, state } = session;
    this.title.textContent = session.few ? "No points yet" : state.step === 0 ? "The start" : "This step";
    this.weights.draw();
    if (!trace) return fill(this.body);
    const body = state.step === 0 ? start(session, this.begin) : !now ? [] : !now.detail ? inKernelSpace(session) : now.detail.y === null ? manyClasses(session) : twoClasses(session);
    const last = state.step === trace.total ? h("p", { class: "ending" }, ending(session)) : null;
    fill(this.body, body, last);
  }
}
