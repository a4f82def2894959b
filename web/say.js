// One sentence for each step, seen and spoken.

import { count, label, show } from "./number.js";

/** Whether y is +1 or −1. @param {number} y */
export function sign(y) {
  return y > 0 ? "+1" : "−1";
}

/**
 * @param {import("./session.js").Session} session
 * @returns {string}
 */
export function sentence(session) {
  const { state, trace, problem } = session;
  if (problem) return problem;
  if (!trace) return "The engine is thinking …";
  if (state.step === 0) {
    const next = session.rows.get(1)?.row;
    return `Nothing is learned yet: ${count(trace.codes.length, "example", "examples")}, ${count(trace.total, "step", "steps")} ahead${next ? `; example\u00a0${next.example} comes first` : ""}.`;
  }
  const now = session.now();
  if (!now) return `Step ${state.step} of ${trace.total}.`;
  const { row, detail } = now;
  const place = `Step ${row.step}: example\u00a0${row.example}, label\u00a0${label(row.label)}`;
  if (!detail) return `${place}, score\u00a0${show(row.score)}: ${row.mistake ? "a mistake, it becomes a support vector." : "correct."}`;
  const what = `${place}, score\u00a0${show(row.score)}`;
  if (row.mistake && detail.margin === 0 && (state.settings.tie === "update" || detail.y === null)) return `${what}: zero counts as a mistake here, so the weights move.`;
  if (row.mistake && detail.margin === 0) return `${what}, which says ${sign(-detail.y)} here: a mistake, so the weights move ${detail.y > 0 ? "towards" : "away from"} this example.`;
  if (row.mistake && detail.y !== null) return `${what}: a mistake, so the weights move ${detail.y > 0 ? "towards" : "away from"} this example.`;
  if (row.mistake) return `${what}: a mistake, so the weights of the classes move.`;
  if (detail.moved) return `${what}: right, but not by enough, so the weights move.`;
  return `${what}: correct, nothing changes.`;
}

/** How the training ended. @param {import("./session.js").Session} session */
export function ending(session) {
  const { trace } = session;
  if (!trace) return "";
  const { stopped, mistakes, epochs } = trace.report;
  const passes = `${epochs} ${epochs === 1 ? "pass" : "passes"}`;
  if (stopped === "separated") return `A pass without a mistake: separated after ${passes} and ${count(mistakes, "mistake", "mistakes")}.`;
  if (trace.cycle) return `After pass ${trace.cycle.again_pass} the weights are those of pass ${trace.cycle.first_pass} again: they repeat for ever, which proves that no line separates these points${trace.cycle.numbers === "floats" ? " as floats" : ""}.`;
  return `Stopped after ${passes} and ${count(mistakes, "mistake", "mistakes")}: ${reason(stopped)}.`;
}

/** Why a training stopped. @param {string} stopped */
export function reason(stopped) {
  return { separated: "a pass without a mistake", "max-epochs": "no more passes were asked for", "no-progress": "no progress any more", "small-step": "the steps have become small" }[stopped] ?? stopped;
}
