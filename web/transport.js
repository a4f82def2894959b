// Time travel: step, back, next mistake, end of pass, end; play; a scrubber with a mark at each mistake.

import { button, fill, h, s } from "./dom.js";

/** @type {Record<string, string>} Pictures of the buttons, 16 × 16. */
const ICONS = {
  start: "M3,3V13M13,3L6,8L13,13Z", back: "M11,3L4,8L11,13Z", step: "M5,3L12,8L5,13Z", end: "M13,3V13M3,3L10,8L3,13Z",
  mistake: "M2,4L7,8L2,12ZM9.5,5L14.5,11M14.5,5L9.5,11", pass: "M2,4L7,8L2,12ZM10,4V12M13.5,4V12",
};

/** @param {string} name */
function icon(name) {
  return s("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));
}

export class Transport {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.playing = false;
    this.speed = h("input", { type: "range", min: 0, max: 10, step: 1, value: 2, "aria-label": "Speed of play", title: "Speed of play", class: "speed" });
    this.scrub = h("input", { type: "range", min: 0, max: 1, value: 0, class: "scrub", "aria-label": "Step", oninput: () => this.go(Number(this.scrub.value)) });
    this.marks = s("svg", { class: "marks", preserveAspectRatio: "none", viewBox: "0 0 1000 10", "aria-hidden": "true" });
    this.label = h("output", { class: "place" });
    this.play = button("Play", () => this.toggle(), { class: "play", title: "Space" });
    const b = (/** @type {string} */ picture, /** @type {string} */ name, /** @type {() => void} */ act, /** @type {string} */ key, text = "") =>
      h("button", { type: "button", onclick: act, "aria-label": name, title: `${name} (${key})`, class: text ? "worded" : "" }, icon(picture), text ? h("span", {}, text) : null);
    this.element = h("section", { class: "transport card", "aria-label": "Time travel" },
      h("div", { class: "buttons" }, b("start", "To the start", () => this.go(0), "Home"), b("back", "Back", () => this.by(-1), "←"),
        h("button", { type: "button", onclick: () => this.by(1), class: "primary worded", title: "→" }, h("span", {}, "Step"), icon("step")),
        b("mistake", "Next mistake", () => this.nextMistake(), "m", "mistake"), b("pass", "End of pass", () => this.endOfPass(), "e", "pass"), b("end", "To the end", () => this.go(Infinity), "End")),
      h("div", { class: "buttons" }, this.play, h("label", { class: "speed-label" }, h("span", {}, "speed"), this.speed), this.label),
      h("div", { class: "line" }, this.marks, this.scrub));
  }

  get total() {
    return this.session.trace?.total ?? 0;
  }

  /** @param {number} step */
  go(step) {
    const to = Math.max(0, Math.min(this.total, step));
    if (to !== this.session.state.step) this.session.store.set({ step: to });
  }

  /** @param {number} d */
  by(d) {
    this.go(this.session.state.step + d);
  }

  nextMistake() {
    const next = this.session.trace?.mistakes.find((/** @type {number} */ step) => step > this.session.state.step);
    this.go(next ?? this.total);
  }

  endOfPass() {
    this.go(this.session.trace?.passes.find((/** @type {number} */ step) => step > this.session.state.step) ?? this.total);
  }

  /** Whether steps follow each other too fast to show each as it happens. */
  hurried() {
    return this.playing && Number(this.speed.value) > 1;
  }

  toggle() {
    this.playing = !this.playing;
    this.play.textContent = this.playing ? "Pause" : "Play";
    if (this.playing && this.session.state.step >= this.total) this.go(0);
    if (this.playing) this.tick();
  }

  tick() {
    if (!this.playing) return;
    if (this.session.state.step >= this.total) return this.toggle();
    const perSecond = 2 ** (Number(this.speed.value) - 1);
    this.by(Math.max(1, Math.round(perSecond / 30)));
    setTimeout(() => this.tick(), Math.max(33, 1000 / perSecond));
  }

  draw() {
    const { state, trace } = this.session;
    if (this.scrub.max !== String(this.total)) this.scrub.max = String(this.total);
    this.scrub.value = String(state.step);
    const pass = trace ? trace.passes.findIndex((/** @type {number} */ step) => step >= state.step) + 1 : 0;
    this.label.textContent = trace ? `step ${state.step} of ${this.total}${state.step ? `, pass ${pass}` : ""}` : "";
    this.scrub.setAttribute("aria-valuetext", this.label.textContent);
    if (trace === this.marked) return;
    this.marked = trace;
    // Marks at one place are one mark.
    const ticks = (/** @type {number[]} */ steps, /** @type {number} */ top) => [...new Set(steps.map((step) => Math.round((1000 * step) / Math.max(1, this.total))))].map((x) => `M${x},${top}V10`).join("");
    fill(this.marks, s("path", { class: "mistakes", d: ticks(trace?.mistakes ?? [], 0) }), s("path", { class: "passes", d: ticks(trace?.passes ?? [], 6) }));
  }

  /** The keys of the page; false if the key is not one. @param {KeyboardEvent} event */
  press(event) {
    const keys = /** @type {Record<string, () => void>} */ ({
      ArrowRight: () => this.by(1), ArrowLeft: () => this.by(-1), m: () => this.nextMistake(), e: () => this.endOfPass(),
      Home: () => this.go(0), End: () => this.go(Infinity), " ": () => this.toggle(),
    });
    if (!(event.key in keys)) return false;
    keys[event.key]();
    return true;
  }
}
