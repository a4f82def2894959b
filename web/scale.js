// From numbers to pixels and back: equal units on both axes, so that w is perpendicular to its line.

/** @typedef {{left: number, bottom: number, right: number, top: number}} Box */

/**
 * The box around points and the origin, with room around it, in the shape of the picture.
 * @param {[number, number][]} points @param {number} aspect width / height
 * @returns {Box}
 */
export function around(points, aspect) {
  let [left, right, bottom, top] = [0, 0, 0, 0];
  for (const [x, y] of points) {
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
    (left = Math.min(left, x)), (right = Math.max(right, x));
    (bottom = Math.min(bottom, y)), (top = Math.max(top, y));
  }
  const [cx, cy] = [(left + right) / 2, (bottom + top) / 2];
  let half = Math.max((right - left) / 2 / aspect, (top - bottom) / 2, 1e-9) * 1.35;
  if (right - left < 1e-9 && top - bottom < 1e-9) half = 2;
  return { left: cx - half * aspect, right: cx + half * aspect, bottom: cy - half, top: cy + half };
}

/** Round steps between ticks. @param {number} span @param {number} wanted */
export function tickStep(span, wanted) {
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const share = rough / power;
  return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

/** @param {number} low @param {number} high @param {number} wanted */
export function ticks(low, high, wanted) {
  const step = tickStep(high - low, wanted);
  const all = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) all.push(Number((k * step).toPrecision(12)));
  return all;
}

/** Pixels of a box. */
export class Scale {
  /** @param {Box} box @param {number} width @param {number} height */
  constructor(box, width, height) {
    this.box = box;
    this.width = width;
    this.height = height;
  }

  /** @param {number} v */
  x(v) {
    return ((v - this.box.left) / (this.box.right - this.box.left)) * this.width;
  }

  /** @param {number} v */
  y(v) {
    return this.height - ((v - this.box.bottom) / (this.box.top - this.box.bottom)) * this.height;
  }

  /** @param {number} px @param {number} py @returns {[number, number]} */
  back(px, py) {
    const { left, right, bottom, top } = this.box;
    return [left + (px / this.width) * (right - left), bottom + ((this.height - py) / this.height) * (top - bottom)];
  }

  /** A coordinate as a person would write it at this zoom. @param {number} v */
  written(v) {
    const digits = Math.max(0, 2 - Math.floor(Math.log10((this.box.right - this.box.left) / 10)) - 1);
    return String(Number(v.toFixed(Math.min(digits, 12))) + 0);
  }

  /** The smallest move by keyboard. */
  nudge() {
    return tickStep(this.box.right - this.box.left, 10) / 10;
  }

  /**
   * The two ends of the line a·x + b·y + c = 0 inside the box.
   * @param {number} a @param {number} b @param {number} c
   * @returns {[[number, number], [number, number]] | null}
   */
  line(a, b, c) {
    const { left, right, bottom, top } = this.box;
    /** @type {[number, number][]} */
    const ends = [];
    if (b !== 0) for (const x of [left, right]) ends.push([x, -(a * x + c) / b]);
    if (a !== 0) for (const y of [bottom, top]) ends.push([-(b * y + c) / a, y]);
    const slack = 1e-9 * (right - left);
    const inside = ends.filter(([x, y]) => x >= left - slack && x <= right + slack && y >= bottom - slack && y <= top + slack);
    if (inside.length < 2) return null;
    let best = /** @type {[[number, number], [number, number]]} */ ([inside[0], inside[1]]);
    let far = -1;
    for (const p of inside) for (const q of inside) {
      const distance = Math.hypot(p[0] - q[0], p[1] - q[1]);
      if (distance > far) (far = distance), (best = [p, q]);
    }
    return best;
  }
}
