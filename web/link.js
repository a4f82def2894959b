// The state in the link: readable names and numbers, the points included. Large tables are compressed.

import { defaults, initial } from "./state.js";
import { parse, write } from "./csv.js";

/** @typedef {import("./state.js").State} State */

/** The most characters of points that are written plainly. */
const PLAIN = 3000;

/** @param {string} text @param {"encode" | "decode"} way */
async function squeezed(text, way) {
  if (way === "encode") {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

/** Tables that were written: a step changes the link, and not its table. @type {WeakMap<import("./state.js").Data, Promise<[string, string]>>} */
const WRITTEN = new WeakMap();

/** A table in the link: its key and its text. @param {import("./state.js").Data} data @returns {Promise<[string, string]>} */
async function table(data) {
  const csv = write(data.columns, data.rows);
  const plain = csv.trimEnd().replaceAll("\n", ";");
  return plain.length <= PLAIN && !/[;"]/.test(csv) ? ["csv", plain] : ["z", await squeezed(csv, "encode")];
}

/** The hash of a state. @param {State} state */
export async function encode(state) {
  const link = new URLSearchParams();
  const { data, settings, fit } = state;
  if (data.source) {
    link.set("data", data.source);
    if (data.seed) link.set("data-seed", String(data.seed));
    if (data.points !== null) link.set("points", String(data.points));
    if (data.noise !== null) link.set("noise", String(data.noise));
  } else {
    if (!WRITTEN.has(data)) WRITTEN.set(data, table(data));
    const [name, text] = await WRITTEN.get(data);
    link.set(name, text);
  }
  const usual = /** @type {Record<string, any>} */ (defaults());
  for (const [name, value] of Object.entries(settings)) {
    if (name === "set") for (const [key, text] of Object.entries(settings.set)) link.append("set", `${key}=${text}`);
    else if (Array.isArray(value)) link.set(name, value.join(" "));
    else if (value !== usual[name]) link.set(name, String(value));
  }
  // Built-in data have settings of their own, which hold unless the link names one.
  if (data.source) link.set("learner", settings.learner);
  const hidden = Object.keys(state.show).filter((key) => !state.show[key]);
  if (hidden.length) link.set("hide", hidden.join(" "));
  if (state.step) link.set("step", String(state.step));
  if (state.view !== "steps") link.set("view", state.view);
  if (state.plane.join() !== "0,1") link.set("plane", state.plane.join(" "));
  if (state.lesson) link.set("lesson", String(state.lesson)), link.set("scene", String(state.scene));
  if (state.view === "race") link.set("rival", state.rival);
  if (state.view === "fit") for (const [key, value] of Object.entries(fit)) link.set(`fit-${key}`, String(value));
  return link.toString().replaceAll("%2C", ",").replaceAll("%3B", ";").replaceAll("%3A", ":").replaceAll("%3D", "=");
}

/** A number of a link, or none. @param {string | null} text */
function number(text) {
  const value = text === null || text === "" ? NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

/** @param {string | null} text */
function list(text) {
  const numbers = (text ?? "").split(/[\s,+]+/).filter(Boolean).map(Number);
  return numbers.length > 0 && numbers.every(Number.isFinite) ? numbers : null;
}

/** The state of a hash; what it does not name is as at the beginning. @param {string} hash */
export async function decode(hash) {
  const link = new URLSearchParams(hash.replace(/^#/, ""));
  const state = initial();
  const { data, settings } = state;
  const z = link.get("z");
  const csv = z ? await squeezed(z, "decode").catch(() => Promise.reject(new Error("its table is damaged; was it copied whole?"))) : link.get("csv")?.replaceAll(";", "\n");
  if (csv) Object.assign(data, parse(csv + "\n"), { source: null });
  else if (link.has("data")) data.source = link.get("data");
  data.seed = number(link.get("data-seed")) ?? 0;
  data.points = number(link.get("points"));
  data.noise = number(link.get("noise"));
  for (const name of /** @type {const} */ (["learner", "keep", "tie", "multiclass", "kernel"])) {
    const text = link.get(name);
    if (text) /** @type {any} */ (settings)[name] = text;
  }
  for (const name of /** @type {const} */ (["bias", "epochs", "seed", "degree"])) {
    settings[name] = number(link.get(name)) ?? settings[name];
  }
  for (const text of link.getAll("set")) {
    const at = text.indexOf("=");
    if (at > 0) settings.set[text.slice(0, at)] = text.slice(at + 1);
  }
  const order = link.get("order");
  if (order) settings.order = list(order) ?? order;
  settings.init = list(link.get("init"));
  state.step = Math.max(0, Math.floor(number(link.get("step")) ?? 0));
  state.view = link.get("view") ?? "steps";
  const plane = list(link.get("plane"));
  if (plane?.length === 2 && plane.every((j) => Number.isInteger(j) && j >= 0)) state.plane = /** @type {[number, number]} */ (plane);
  state.lesson = number(link.get("lesson")) ?? 0;
  state.scene = number(link.get("scene")) ?? 0;
  for (const key of (link.get("hide") ?? "").split(" ")) if (key in state.show) state.show[key] = false;
  state.rival = link.get("rival") ?? state.rival;
  for (const key of /** @type {(keyof State["fit"])[]} */ (Object.keys(state.fit))) {
    state.fit[key] = number(link.get(`fit-${key}`)) ?? state.fit[key];
  }
  // Settings that belong to built-in data hold unless the link names others.
  const named = [...link.keys()].some((key) => key in settings || key === "set");
  const lesson = state.lesson > 0 && !link.has("data") && !csv;
  return { state, named, lesson, embed: link.has("embed"), empty: link.size === 0 };
}
