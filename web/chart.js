// A small chart of lines over a common horizontal axis.

import { s } from "./dom.js";
import { show } from "./number.js";
import { ticks } from "./scale.js";

/** The names of the lines at their ends, none over another. @param {Series[]} series @param {(v: number) => number} y @param {number} x */
function ends(series, y, x) {
  const places = series.filter((one) => one.points.length > 1).map((one) => ({ one, at: Math.max(20, y(one.points[one.points.length - 1][1]) + 6) })).sort((a, b) => a.at - b.at);
  places.forEach((place, i) => i && (place.at = Math.max(place.at, places[i - 1].at + 20)));
  return places.map(({ one, at }) => s("text", { class: `end ${one.kind}`, x, y: at }, one.name));
}

/**
 * @typedef {{name: string, kind: string, points: [number, number][], dashed?: boolean}} Series
 * @param {Series[]} series
 * @param {{x: string, y: string, here?: number | null, top?: number, bottom?: number, label: string, height?: number, width?: number, ends?: boolean, whole?: boolean, counts?: boolean}} options  ends: the name at the end of each line; whole: the horizontal axis counts; counts: the vertical one does
 */
export function chart(series, options) {
  const [width, height] = [options.width ?? (innerWidth < 1700 ? 440 : 560), options.height ?? 300];
  const [l, r, t, b] = [64, options.ends ? Math.max(66, 11 * Math.max(...series.filter((one) => one.points.length > 1).map((one) => one.name.length))) : 28, options.y ? 30 : 22, 52];
  const all = series.flatMap((one) => one.points).filter((p) => p.every(Number.isFinite));
  const xs = all.map((p) => p[0]);
  const ys = all.map((p) => p[1]);
  const [x0, x1] = [Math.min(0, ...xs), Math.max(1, ...xs)];
  const y0 = options.bottom ?? Math.min(0, ...ys);
  const y1 = options.top ?? (Math.max(...ys, y0 + 1e-9) || 1);
  const x = (/** @type {number} */ v) => l + ((v - x0) / (x1 - x0 || 1)) * (width - l - r);
  const y = (/** @type {number} */ v) => height - b - ((v - y0) / (y1 - y0 || 1)) * (height - t - b);
  const picture = s("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": options.label });
  for (const v of ticks(x0, x1, 6)) if (!options.whole || Number.isInteger(v)) picture.append(s("line", { class: "rule", x1: x(v), x2: x(v), y1: t, y2: height - b }), s("text", { class: "tick", x: x(v), y: height - b + 22, "text-anchor": "middle" }, show(v)));
  for (const v of ticks(y0, y1, 5)) if (!options.counts || Number.isInteger(v)) picture.append(s("line", { class: "rule", x1: l, x2: width - r, y1: y(v), y2: y(v) }), s("text", { class: "tick", x: l - 6, y: y(v) + 5, "text-anchor": "end" }, show(v)));
  picture.append(s("text", { class: "name", x: width - r, y: height - 4, "text-anchor": "end" }, options.x), s("text", { class: "name", x: 4, y: 15 }, options.y));
  // A curve that leaves the picture is cut at its edge.
  const inside = s("svg", { x: l, y: t, width: width - l - r, height: height - t - b, viewBox: `${l} ${t} ${width - l - r} ${height - t - b}` });
  for (const one of series) {
    if (one.points.length > 1) inside.append(s("path", { class: `curve ${one.kind}`, d: one.points.map((p, i) => `${i ? "L" : "M"}${x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`).join("") }));
  }
  picture.append(inside, ...series.filter((one) => one.points.length === 1).map((one) => s("circle", { class: `dot ${one.kind}`, cx: x(one.points[0][0]), cy: y(one.points[0][1]), r: 6 })));
  if (options.ends) picture.append(...ends(series, y, width - r + 6));
  if (options.here !== null && options.here !== undefined) picture.append(s("line", { class: "here", x1: x(options.here), x2: x(options.here), y1: t, y2: height - b }));
  return picture;
}
