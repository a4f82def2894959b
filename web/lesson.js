// A lesson: short scenes, each a state of the lab, with a question before the answer.

import { button, fill, h } from "./dom.js";
import { decode } from "./link.js";

/** Keeps the numbers of a point on one line. @param {string} text */
function whole(text) {
  return text.replace(/\((−?[\d.]+), ?(?=−?[\d.]+\))/g, "($1,\u00a0");
}

/**
 * @typedef {{text: string, link: string, question?: string, choices?: string[], answer?: string | number, because?: string, veil?: boolean}} Scene  veil: the verdict and the view tell the answer
 * @typedef {{title: string, short: string, goal: string, scenes: Scene[]}} Lesson
 */

export class LessonPanel {
  /** @param {import("./session.js").Session} session @param {Lesson[]} lessons @param {(state: any) => Promise<void>} show */
  constructor(session, lessons, show) {
    this.session = session;
    this.lessons = lessons;
    this.show = show;
    this.key = "";
    /** Whether a question is open whose answer the page would show: what comes is hidden until it is answered. */
    this.asking = this.veiled = false;
    this.answered = () => {};
    this.element = h("section", { class: "card lesson", "aria-label": "Lesson" });
  }

  /** Opens a scene, with its state. @param {number} lesson from 1; 0: none @param {number} scene from 0 */
  async open(lesson, scene) {
    const found = this.lessons[lesson - 1]?.scenes[scene];
    if (!found) return this.session.store.set({ lesson: 0, scene: 0 });
    const { state } = await decode(found.link);
    await this.show({ ...state, lesson, scene });
    this.element.querySelector("h2")?.focus();
  }

  draw() {
    const { lesson, scene } = this.session.state;
    const found = this.lessons[lesson - 1];
    this.element.hidden = !found;
    const key = `${lesson} ${scene}`;
    if (!found || key === this.key) {
      this.key = found ? this.key : "";
      return;
    }
    this.key = key;
    const now = found.scenes[scene];
    this.asking = now.answer === "mistake" || Boolean(now.veil);
    this.veiled = Boolean(now.veil);
    const last = scene === found.scenes.length - 1;
    const answer = h("div", { class: "answer", role: "status" });
    // The way on stands back until the question is answered.
    const look = { class: now.question ? "on" : "on primary" };
    const next = last
      ? lesson < this.lessons.length ? button(`Next lesson: ${this.lessons[lesson].short}`, () => this.open(lesson + 1, 0), look) : button("Done", () => this.open(0, 0), look)
      : button("Next", () => this.open(lesson, scene + 1), look);
    fill(this.element,
      h("p", { class: "over" }, `Lesson ${lesson} of ${this.lessons.length}, ${scene + 1} of ${found.scenes.length}`),
      h("h2", { tabindex: -1 }, found.title),
      now.text.split("\n").map((line) => h("p", {}, whole(line))),
      now.question ? h("fieldset", {}, h("legend", {}, whole(now.question)), (now.choices ?? ["yes", "no"]).map((choice, i) => button(choice, () => (next.classList.add("primary"), this.judge(now, i, answer)), { class: "choice", "aria-pressed": "false" })), answer) : null,
      h("p", { class: "row" }, scene > 0 ? button("Back", () => this.open(lesson, scene - 1)) : null, next, button("Leave", () => this.open(0, 0), { class: "bare" })));
  }

  /** The answer comes from the engine where it can: "mistake" asks the next step. @param {Scene} scene @param {number} chosen @param {Element} place */
  judge(scene, chosen, place) {
    const { session } = this;
    let right = scene.answer;
    if (right === "mistake") {
      // The step after that of the scene, wherever the reader has gone since, and though the page was opened anew.
      const step = Number(new URLSearchParams(scene.link).get("step") ?? 0) + 1;
      right = session.trace?.mistakes.includes(step) ? 0 : 1;
      session.store.set({ step });
    }
    this.asking = this.veiled = false;
    this.answered();
    const good = chosen === right;
    this.element.querySelectorAll(".choice").forEach((/** @type {Element} */ one, /** @type {number} */ i) => one.setAttribute("aria-pressed", String(i === chosen)));
    fill(place, h("p", { class: good ? "good" : "bad" }, h("b", {}, good ? "Yes." : "Not quite."), " ", whole(scene.because ?? "")));
  }
}
