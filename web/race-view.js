// A race of two learners over the same points: mistakes against steps.

import { chart } from "./chart.js";
import { fill, h, stale } from "./dom.js";
import { count, percent } from "./number.js";
import { reason } from "./say.js";

export class RaceView {
  /** @param {import("./session.js").Session} session @param {any} registry */
  constructor(session, registry) {
    this.session = session;
    /** @type {string | null} */
    this.key = null;
    this.rival = h("select", { id: "rival", onchange: () => session.store.set({ rival: this.rival.value }) }, registry.learners.map((/** @type {any} */ l) => h("option", { value: l.name }, l.name)));
    this.result = h("div", {});
    this.element = h("div", { class: "race" }, h("p", { class: "row" }, h("label", { for: "rival" }, "This learner against"), this.rival), this.result);
  }

  async draw() {
    const { session } = this;
    const { state, trace } = session;
    this.rival.value = state.rival;
    if (!trace || !stale(this, [state.data.rows, state.settings, state.rival])) return;
    const run = (this.run = {});
    try {
      const other = await session.ask("trace", { data: session.data(), settings: { ...state.settings, learner: state.rival, set: {}, keep: null }, from: 0, count: 0 });
      if (run !== this.run) return;
      const total = Math.max(trace.total, other.total);
      const curve = (/** @type {any} */ t) => [[0, 0], ...t.mistakes.flatMap((/** @type {number} */ step, /** @type {number} */ i) => [[step, i], [step, i + 1]]), [total, t.mistakes.length]];
      const line = (/** @type {string} */ name, /** @type {any} */ t, /** @type {string} */ kind) => h("li", { class: kind }, h("b", {}, name), `: ${count(t.report.mistakes, "mistake", "mistakes")} in ${count(t.report.epochs, "pass", "passes")}${t.report.train_error === null ? "" : `, ${percent(t.report.train_error)} wrong at the end`}; ${reason(t.report.stopped)}.`);
      fill(this.result, chart([{ name: state.settings.learner, kind: "one", points: /** @type {any} */ (curve(trace)) }, { name: state.rival, kind: "two", points: /** @type {any} */ (curve(other)) }], { x: "step", y: "mistakes", here: state.step, whole: true, counts: true, label: `Mistakes of ${state.settings.learner} and ${state.rival} against steps` }),
        h("ul", { class: "legend" }, line(state.settings.learner, trace, "one"), line(state.rival, other, "two")),
        trace.mistakes.length > 0 && trace.mistakes.join() === other.mistakes.join() ? h("p", { class: "hint" }, "Both make their mistakes at the same steps: two curves, one over the other.") : null);
    } catch (error) {
      fill(this.result, h("p", { class: "problem" }, /** @type {Error} */ (error).message));
    }
  }
}
