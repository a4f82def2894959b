// Asks for all models once a second and draws their progressive error, with the lab's modules. Foreign text is only ever set as
// text.
import { chart } from "/page/chart.js";
import { fill, h } from "/page/dom.js";
import { count, percent, thousands } from "/page/number.js";

const MOST = 600;
const WINDOWS = [
  { kind: "all", pick: (error) => error.all, say: "of all" },
  { kind: "longer", pick: (error) => error.last_10000, say: "of the last 10,000" },
  { kind: "recent", pick: (error) => error.last_1000, say: "of the last 1,000" },
];
const shown = new Map();
const status = document.getElementById("status");
const token = document.getElementById("token");

function share(value) {
  return value === null ? "–" : percent(value);
}

function make(name) {
  const facts = h("p", { class: "facts" });
  const keys = WINDOWS.map((window) => h("span", { class: `key ${window.kind}` }));
  const legend = h("p", {}, keys.map((key, i) => (i ? [" · ", key] : [key])));
  const alarm = h("p", { class: "alarm", role: "status" });
  const picture = h("div");
  const rows = h("tbody");
  const heads = ["class", "examples", "mistakes", "share"].map((text) => h("th", { scope: "col" }, text));
  const section = h("section", {}, h("h2", {}, name), facts, legend, alarm, picture, h("table", {}, h("thead", {}, h("tr", {}, heads)), rows));
  document.getElementById("models").append(section);
  return { section, facts, keys, alarm, picture, rows, points: [] };
}

// One point for each moment at which there were more examples.
function remember(view, model) {
  if (model.error.all === null || view.points.at(-1)?.seq === model.seq) return false;
  view.points.push({ seq: model.seq, errors: WINDOWS.map((window) => 100 * window.pick(model.error)) });
  if (view.points.length > MOST) view.points.shift();
  return true;
}

function drawing(view, model) {
  const series = WINDOWS.map((window, k) => ({ name: window.kind, kind: window.kind, points: view.points.map((p) => [p.seq, p.errors[k]]) }));
  // Room for the name of the axis.
  const top = 1.15 * Math.max(1, ...view.points.flatMap((p) => p.errors));
  const label = `Progressive error, now ${share(model.error.all)} of all examples and ${share(model.error.last_1000)} of the last 1,000`;
  return chart(series, { x: "examples", y: "error, %", label, top, bottom: 0, width: 960, height: 260, whole: true });
}

function draw(model) {
  if (!shown.has(model.name)) shown.set(model.name, make(model.name));
  const view = shown.get(model.name);
  const keep = model.keep === "last" ? "" : `, keeps ${model.keep}`;
  const maps = Object.entries(model.maps).map(([name, value]) => `, ${name} ${value}`).join("");
  view.facts.textContent = `${model.learner}${keep}${maps} · ${count(model.seq, "example", "examples")} · ` +
    `${count(model.features, "feature", "features")} · ${count(model.classes.length, "class", "classes")}`;
  WINDOWS.forEach((window, k) => (view.keys[k].textContent = `${k ? "" : "error "}${share(window.pick(model.error))} ${window.say}`));
  const alarm = !model.learning ? `It does not learn: ${model.stopped || "the server is stopping"}`
    : model.drift ? "Drift: the last 1,000 examples went worse than chance allows" : "";
  // A reader of the screen hears it once.
  if (view.alarm.textContent !== alarm) view.alarm.textContent = alarm;
  if (remember(view, model)) fill(view.picture, drawing(view, model));
  const worst = [...model.by_label].sort((a, b) => b.mistakes - a.mistakes);
  fill(view.rows, worst.slice(0, 20).map((one) =>
    h("tr", {}, [one.label, thousands(one.examples), thousands(one.mistakes), percent(one.mistakes / one.examples)].map((text) => h("td", {}, text)))));
}

async function ask() {
  try {
    const headers = token.value ? { Authorization: "Bearer " + token.value } : {};
    const answer = await fetch("/v1/models", { headers });
    document.getElementById("token-row").hidden = answer.status !== 401 && !token.value;
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.error.message);
    body.models.forEach(draw);
    for (const [name, view] of shown) {
      if (!body.models.some((model) => model.name === name)) {
        view.section.remove();
        shown.delete(name);
      }
    }
    const failed = body.failed.map((one) => `${one.name}: ${one.why}`).join("; ");
    status.textContent = failed || (body.models.length ? "" : "No models yet: the first learn makes one.");
  } catch (error) {
    status.textContent = "No answer: " + error.message;
  }
  setTimeout(ask, 1000);
}

ask();
