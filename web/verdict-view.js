// Is it separable? Always on screen, exact: the street, or the points that cancel.

import { button, download, fill, h } from "./dom.js";
import { atMost, count, full, label, show } from "./number.js";

/** @param {string} weight a fraction */
function fraction(weight) {
  const [a, b] = weight.split("/").map(Number);
  return b ? a / b : a;
}

/** A number of a sum, with its sign before it if it is not the first. @param {number} v @param {boolean} later */
function signed(v, later) {
  return later ? ` ${v < 0 ? "−" : "+"} ${show(Math.abs(v))}` : show(v);
}

/** The verdict in one line. @param {any} v @param {import("./session.js").Session} session */
export function headline(v, session) {
  if (!v) return "Deciding …";
  if (v.problem) return `Not decided: ${v.problem}`;
  const space = v.degree > 1 ? ` at degree ${v.degree}` : "";
  const through = v.bias ? "" : " through the origin";
  if (v.verdict === "separable") {
    if (!v.margin) return `Separable${space}`;
    // With a bias the bound has a γ of its own: one number must not stand for both.
    const most = session.bounded() ? `, at most ${v.bias ? "(R/\u2060γ′)²" : "(R/\u2060γ)²"} = ${atMost(v.bound)} ${v.bound >= 1 && v.bound < 2 ? "mistake" : "mistakes"}` : "";
    return `Separable${space}: γ = ${show(v.margin.lower)}${most}`;
  }
  if (v.contradiction) return `Not separable${space}: examples ${v.contradiction[0]} and ${v.contradiction[1]} are one point with two labels`;
  // Weights of three or more classes that are all the same tie everywhere: that is no separation.
  const several = (session.trace?.classes.length ?? 2) > 2;
  if (several && v.verdict !== "undecided") return `Not separable${space}: no weights give every example's own class the highest score`;
  if (v.verdict === "weakly-separable") return `Only weakly separable${space}: the classes touch`;
  if (v.verdict === "not-separable") return `Not separable${space}: no line${through} has every point strictly on its side`;
  if (v.verdict === "inseparable") return `Not separable${space}: no line${through} can do it, proved by ${count(v.witness.length, "example", "examples")}`;
  return "Undecided within the time limit";
}

/** What is drawn over the points. @param {any} v @param {import("./session.js").Session} session */
export function overlay(v, session) {
  // The same object while nothing else is known: then nothing is drawn anew.
  if (v && v.overlaid?.trace !== session.trace) v.overlaid = { trace: session.trace, overlay: make(v, session) };
  return v ? v.overlaid.overlay : null;
}

/** @param {any} v @param {import("./session.js").Session} session */
function make(v, session) {
  if (v.problem || v.degree !== 1 || session.state.data.columns.length !== 2 || session.trace?.classes.length !== 2 || (session.trace.features.length || 2) !== 2) return null;
  const held = (v.support ?? []).map((/** @type {any} */ s) => s.example - 1);
  if (v.verdict === "separable" && v.hyperplane && v.margin) {
    const [a, b] = v.hyperplane.weights;
    return { kind: "street", held, a, b, c: v.hyperplane.bias, level: v.margin.lower * Math.hypot(a, b) };
  }
  if (!v.witness) return null;
  const codes = session.trace.codes;
  const of = (/** @type {number} */ code) => held.filter((/** @type {number} */ i) => codes[i] === code);
  // Fractions where all are short, else decimals for all, so that they can be compared.
  const long = v.support.some((/** @type {any} */ s) => s.weight.length > 5);
  const weights = v.support.map((/** @type {any} */ s) => ({ i: s.example - 1, text: `${codes[s.example - 1] === 1 ? "+" : "−"}${long ? show(Number(fraction(s.weight).toPrecision(2))) : s.weight}` }));
  return { kind: "hulls", held, hulls: [of(0), of(1)], at: v.meeting_point, weights };
}

export class VerdictView {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.checked = h("p", { role: "status" });
    this.body = h("div", {});
    this.element = h("div", { class: "verdict-view" }, this.body, this.checked);
  }

  draw() {
    const v = this.session.verdict;
    const { trace } = this.session;
    if (!v || v.problem || !trace) return fill(this.body, h("p", {}, headline(v, this.session)));
    if (v !== this.shown) this.checked.textContent = "";
    this.shown = v;
    const lines = [h("p", { class: `big ${v.verdict}` }, headline(v, this.session))];
    const { codes } = trace;
    const names = v.degree === 1 ? trace.features : [];
    const several = trace.classes.length > 2;
    if (v.verdict === "separable" && !several) {
      lines.push(h("p", {}, "A line has every example strictly on its side, checked in whole numbers. The widest street has half-width γ between ", h("b", {}, full(v.margin.lower)), " and ", h("b", {}, full(v.margin.upper)), "; the ringed examples hold it."));
      lines.push(bound(v));
      if (v.hyperplane) lines.push(h("p", { class: "formula" }, v.hyperplane.weights.map((/** @type {number} */ w, /** @type {number} */ j) => `${signed(w, j > 0)}·${names[j] ?? `x${j + 1}`}`).slice(0, 6).join(""), v.bias ? signed(v.hyperplane.bias, true) : "", " = 0"));
    } else if (v.witness && !several) {
      const { rows, columns } = this.session.state.data;
      // The point itself where it is short: what cancels can be checked by hand.
      const named = (/** @type {number} */ i) => (v.degree === 1 && columns.length <= 3 ? `(${rows[i - 1]?.slice(0, -1).map(label).join(",\u00a0")})` : `example\u00a0${i}`);
      const sum = (/** @type {(i: number) => string} */ what) => v.support.slice(0, 8).map((/** @type {any} */ s, /** @type {number} */ i) => {
        const plus = codes[s.example - 1] === 1;
        return h("span", { class: "part" }, i || !plus ? `${plus ? "+" : "−"}\u00a0` : "", `${s.weight}${what(s.example)} `);
      });
      const zero = v.degree === 1 && columns.length <= 3 ? `= (${columns.map(() => 0).join(",\u00a0")})` : "= 0";
      lines.push(h("p", {}, "Weigh these examples, positive ones with +, negative ones with −: everything cancels."),
        h("p", { class: "formula" }, sum((i) => `·${named(i)}`), v.support.length > 8 ? " … " : "", h("strong", { class: "part" }, zero)),
        v.bias ? h("p", { class: "formula" }, "and so do the weights: ", sum(() => ""), v.support.length > 8 ? " … " : "", h("strong", { class: "part" }, "= 0")) : null,
        h("p", {}, "If a line had them all on their sides, the same sum of y(w·x + b) would be greater than zero. It is zero. So there is no line."),
        v.meeting_point ? h("p", { class: "hint" }, `Seen in the plot: the hulls of both classes share the point (${v.meeting_point.map(show).join(", ")}).`) : null);
      if (Math.abs(v.support.reduce((/** @type {number} */ sum, /** @type {any} */ s) => sum + fraction(s.weight), 0)) < 1e-300) lines.pop();
    }
    const take = several ? null : h("p", { class: "row" }, button("Save the certificate", () => this.certificate(true)), button("Check it here", () => this.certificate(false)));
    fill(this.body, lines, take);
  }

  /** @param {boolean} save */
  async certificate(save) {
    const { bias, degree } = this.session.state.settings;
    try {
      const answer = await this.session.ask("separable", { data: this.session.data(), bias: bias !== 0, degree, certificate: true });
      if (save) download("proof.json", answer.certificate, "application/json");
      const check = answer.checked_certificate;
      this.checked.textContent = check.verified ? `Checked: the certificate proves “${check.verdict}”. The checker shares no code with the program that found it.${save ? " At home: rosenblatt verify proof.json points.csv" : ""}` : `Refused: ${check.reason}`;
    } catch (error) {
      this.checked.textContent = /** @type {Error} */ (error).message;
    }
  }
}

/** Where the bound on the mistakes comes from: with a bias, its γ is not the half-width of the street. @param {any} v */
function bound(v) {
  const most = h("b", {}, atMost(v.bound));
  if (!v.bias) return h("p", {}, "The longest example has ", h("b", {}, `R = ${show(v.radius)}`), ": from zero, the perceptron makes at most (R/γ)² = ", most, " mistakes.");
  return h("p", {}, "The theorem takes the bias for one more weight, with 1 as its input. So counted, the margin is ", h("b", { title: full(v.radius / Math.sqrt(v.bound)) }, `γ′ = ${show(v.radius / Math.sqrt(v.bound))}`),
    ", the longest example has ", h("b", { title: full(v.radius) }, `R = ${show(v.radius)}`), ", and from zero the perceptron makes at most (R/γ′)² = ", most, " mistakes.");
}
