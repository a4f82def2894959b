// All keeps at once: last, average, vote and pocket over the same points.

import { fill, h, stale } from "./dom.js";
import { percent } from "./number.js";
import { Plot } from "./plot.js";

const ABOUT = /** @type {Record<string, {about: string}>} */ ({
  last: { about: "the weights at the end: one late mistake can spoil them" }, average: { about: "the mean of the weights after each step: smooth" },
  vote: { about: "every weight vector votes, as often as it survived: its boundary may bend" }, pocket: { about: "the best so far, by counting errors" },
});

export class KeepsView {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.plots = Object.keys(ABOUT).map((keep) => {
      const plot = new Plot(null);
      const title = h("figcaption", {}, keep);
      return { keep, plot, title, figure: h("figure", {}, plot.element, title) };
    });
    this.note = h("p", {});
    this.stage = h("div", { class: "four" }, this.plots.map(({ figure }) => figure));
    this.element = h("div", { class: "keeps" }, h("p", {}, "One path of weights, four ways to make a model of it:"),
      h("dl", {}, Object.entries(ABOUT).map(([keep, { about }]) => [h("dt", {}, keep), h("dd", {}, about)])), this.note);
  }

  draw() {
    const { state, trace } = this.session;
    if (!trace || !stale(this, [state.data.rows, state.settings, state.step])) return;
    const run = (this.run = {});
    this.note.textContent = `After step ${state.step} of ${trace.total}; crossed-out points are wrong. The other views bring the large plot back.`;
    for (const one of this.plots) this.ask(one, run);
  }

  /** @param {any} one @param {object} run */
  async ask({ keep, plot, title }, run) {
    const { session } = this;
    const { state, trace } = session;
    const points = session.points();
    /** @type {import("./plot.js").Scene} */
    const scene = { points, codes: trace.codes, classes: trace.classes, names: session.names(), step: state.step, quick: true, weighed: false, current: -1, next: -1, mistake: false, wrong: new Set(), line: null, before: null, move: null, regions: null, overlay: null, show: {} };
    plot.update(scene, state.data.source + points.length);
    const box = plot.scale?.box;
    if (!box) return;
    try {
      const regions = await session.ask("regions", { data: session.data(), settings: { ...state.settings, keep }, step: state.step, box: [box.left, box.bottom, box.right, box.top], grid: [60, 60], plane: state.plane });
      if (run !== this.run) return;
      plot.update({ ...scene, regions, wrong: new Set(regions.wrong) }, plot.key);
      fill(title, h("b", {}, keep), `: ${percent(regions.train_error)} wrong`);
      plot.element.setAttribute("aria-label", `${keep}: ${percent(regions.train_error)} of the examples are wrong`);
    } catch (error) {
      fill(title, h("b", {}, keep), ` ${/** @type {Error} */ (error).message}`);
    }
  }
}
