// The update as vectors: w, then y·x at its tip, and the new w; all shortened alike if they are long.

import { s } from "./dom.js";
import { show } from "./number.js";

/** @typedef {{w: [number, number], d: [number, number], plain: boolean}} Move  the old w, what is added, and whether that is ±x */

/** The share of the time at which y·x is grown, and at which it has arrived at the tip of w. */
const GROWN = 0.32;
export const ARRIVED = 0.62;

/** How wide the name of an arrow is, in whatever letters this machine has. @type {Map<string, number>} */
const WIDTHS = new Map();

/** @param {string} text @param {number} size */
function width(text, size) {
  const key = `${size} ${text}`;
  if (!WIDTHS.has(key)) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `italic 600 ${20.4 * size}px ${getComputedStyle(document.documentElement).getPropertyValue("--serif")}`;
    WIDTHS.set(key, pen.measureText(text).width);
  }
  return WIDTHS.get(key);
}

/**
 * Draws arrows with names beside them: away from `middle` if there is room, else where no point and no other name is.
 * @param {number[]} middle @param {[number, number][]} taken @param {number} size @param {number} wide the width of the plot
 */
function pen(middle, taken, size, wide) {
  const places = [...taken];
  const free = (/** @type {number[]} */ at, /** @type {number} */ half) => at[0] > half && at[0] < wide - half && places.every(([x, y]) => Math.abs(x - at[0]) > half + 16 * size || Math.abs(y - at[1]) > 24 * size);
  return (/** @type {number[]} */ [x1, y1], /** @type {number[]} */ [x2, y2], /** @type {string} */ kind, /** @type {string} */ text) => {
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length < 3) return null;
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const head = Math.min(15 * size, length);
    const tip = `M${x2},${y2}L${x2 - head * ux - 0.45 * head * uy},${y2 - head * uy + 0.45 * head * ux}L${x2 - head * ux + 0.45 * head * uy},${y2 - head * uy - 0.45 * head * ux}Z`;
    const half = width(text, size) / 2;
    const outside = ((x1 + x2) / 2 - middle[0]) * -uy + ((y1 + y2) / 2 - middle[1]) * ux >= 0 ? 1 : -1;
    const beside = (/** @type {number} */ share, /** @type {number} */ side) => {
      const [nx, ny] = [-uy * side, ux * side];
      return [x1 + (x2 - x1) * share + nx * (half + 9 * size), y1 + (y2 - y1) * share + ny * 20 * size];
    };
    const offers = [0.5, 0.7, 0.3].flatMap((share) => [beside(share, outside), beside(share, -outside)]);
    const at = offers.find((offer) => free(offer, half)) ?? [Math.max(half, Math.min(wide - half, offers[0][0])), offers[0][1]];
    places.push([at[0] - half / 2, at[1]], [at[0] + half / 2, at[1]]);
    return s("g", { class: `vector ${kind}` }, s("line", { x1, y1, x2: x2 - 0.7 * head * ux, y2: y2 - 0.7 * head * uy }), s("path", { d: tip }),
      s("text", { x: at[0], y: at[1] + 6 * size, "text-anchor": "middle" }, text));
  };
}

/**
 * The vectors of an update of which the share `phase` is shown; `taken` are the places of points, in pixels.
 * @param {Move} move @param {import("./scale.js").Scale} scale @param {number} phase @param {[number, number][]} taken @param {number} size
 */
export function vectors({ w, d, plain }, scale, phase, taken, size) {
  const sum = [w[0] + d[0], w[1] + d[1]];
  const { left, right, bottom, top } = scale.box;
  const room = 0.42 * Math.min(right - left, top - bottom);
  const longest = Math.max(Math.hypot(...w), Math.hypot(...sum), Math.hypot(...d), 1e-12);
  const k = Math.min(1, room / longest);
  const at = (/** @type {number[]} */ v) => [scale.x(k * v[0]), scale.y(k * v[1])];
  const share = (/** @type {number} */ from, /** @type {number} */ to) => 1 - (1 - Math.min(1, Math.max(0, (phase - from) / (to - from)))) ** 2;
  const [grown, gone, turned] = [share(0, GROWN), share(GROWN, ARRIVED), share(ARRIVED, 1)];
  const foot = w.map((v) => v * gone);
  const tip = foot.map((v, i) => v + d[i] * grown);
  const now = w.map((v, i) => v + d[i] * turned);
  const corners = [w, sum, [0, 0]].map(at);
  const arrow = pen([0, 1].map((i) => (corners[0][i] + corners[1][i] + corners[2][i]) / 3), taken, size, scale.width);
  const scaled = k < 0.999 ? s("text", { x: scale.width - 9, y: 20 * size, class: "name scaled", "text-anchor": "end" }, `arrows × ${show(Number(k.toPrecision(2)))}`) : null;
  const named = plain ? "y·x" : "Δ";
  const origin = at([0, 0]);
  if (d[0] === 0 && d[1] === 0) return s("g", {}, arrow(origin, at(w), "new", "w"), scaled);
  // From w = 0 the new w is y·x itself.
  if (w[0] === 0 && w[1] === 0) return s("g", {}, phase > ARRIVED ? arrow(origin, at(sum), "new", `new w = ${named}`) : arrow(origin, at(tip), "step", named), scaled);
  return s("g", {}, arrow(origin, at(w), "old", "old w"), arrow(at(foot), at(tip), "step", named), phase > ARRIVED ? arrow(origin, at(now), "new", "new w") : null, scaled);
}
