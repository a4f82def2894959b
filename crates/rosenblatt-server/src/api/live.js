"use strict";
// Asks for all models once a second and draws their progressive error. Foreign text is only ever set as text.
const SVG = "http://www.w3.org/2000/svg";
const MOST = 600;
const shown = new Map();
const status = document.getElementById("status");
const token = document.getElementById("token");

function element(parent, name, className) {
  const made = document.createElement(name);
  if (className) made.className = className;
  parent.append(made);
  return made;
}

function percent(share) {
  return share === null ? "–" : (100 * share).toFixed(2) + " %";
}

function make(name) {
  const section = element(document.getElementById("models"), "section");
  element(section, "h2").textContent = name;
  const facts = element(section, "p", "facts");
  const legend = element(section, "p");
  const all = element(legend, "span", "key all");
  legend.append(" · ");
  const longer = element(legend, "span", "key longer");
  legend.append(" · ");
  const recent = element(legend, "span", "key recent");
  const alarm = element(section, "p", "alarm");
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 1000 100");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  const lines = ["all", "longer", "recent"].map((kind) => {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", kind);
    svg.append(path);
    return path;
  });
  section.append(svg);
  const table = element(section, "table");
  const head = element(element(table, "thead"), "tr");
  ["class", "examples", "mistakes", "share"].forEach((text) => {
    const cell = element(head, "th");
    cell.scope = "col";
    cell.textContent = text;
  });
  return { section, facts, all, longer, recent, alarm, svg, lines, rows: element(table, "tbody"), points: [] };
}

function path(points, pick, highest) {
  const last = Math.max(1, points.length - 1);
  return points.map((p, i) => (i ? "L" : "M") + (1000 * i / last).toFixed(1) + " " +
    (98 - 96 * pick(p) / highest).toFixed(2)).join("");
}

function draw(model) {
  if (!shown.has(model.name)) shown.set(model.name, make(model.name));
  const view = shown.get(model.name);
  const keep = model.keep === "last" ? "" : ", keeps " + model.keep;
  view.facts.textContent = `${model.learner}${keep} · ${model.seq.toLocaleString("en")} examples · ` +
    `${model.features.toLocaleString("en")} features · ${model.classes.length} classes`;
  view.all.textContent = `error ${percent(model.error.all)} of all`;
  view.longer.textContent = `${percent(model.error.last_10000)} of the last 10,000`;
  view.recent.textContent = `${percent(model.error.last_1000)} of the last 1,000`;
  view.alarm.textContent = !model.learning ? "It does not learn: " + (model.stopped || "the server is stopping")
    : model.drift ? "Drift: the last 1,000 examples went worse than chance allows" : "";
  if (model.error.all !== null) view.points.push([model.error.all, model.error.last_10000, model.error.last_1000]);
  if (view.points.length > MOST) view.points.shift();
  const highest = Math.max(0.01, ...view.points.flat());
  view.lines.forEach((line, k) => line.setAttribute("d", path(view.points, (p) => p[k], highest)));
  view.svg.setAttribute("aria-label", `Progressive error now ${percent(model.error.all)}; top of the picture ${percent(highest)}`);
  const rows = model.by_label.slice(0, 20).map((count) => {
    const row = document.createElement("tr");
    [count.label, count.examples.toLocaleString("en"), count.mistakes.toLocaleString("en"), percent(count.mistakes / count.examples)]
      .forEach((text) => { element(row, "td").textContent = text; });
    return row;
  });
  view.rows.replaceChildren(...rows);
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
