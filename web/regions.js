// The regions of a model on a canvas: scores of a coarse grid from the engine, smooth between its points.

import { colours } from "./palette.js";

/** Scores below this share of the greatest are zero but for rounding: there the model knows nothing, and the rule for zero answers. */
const NOTHING = 1e-13;

/** How far two neighbours of the grid may differ for a straight line between them to be a fair picture: by a factor of e^0.7, about 2. */
const FAIR = 0.7;

/**
 * The power of the scores between which lines are drawn. Those of a narrow kernel fall by orders of magnitude from one point of the
 * grid to the next, and a straight line between them would put the border at the smaller one: in stairs. A power keeps the sign.
 * @param {number[]} scores @param {number} columns
 */
export function power(scores, columns) {
  const steps = [];
  for (let i = 1; i < scores.length; i++) {
    const step = Math.abs(Math.log(scores[i] / scores[i - 1]));
    if (i % columns && Number.isFinite(step)) steps.push(step);
  }
  const usual = steps.sort((a, b) => a - b)[steps.length >> 1] ?? 0;
  return usual > FAIR ? FAIR / usual : 1;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{outputs: number, grid: [number, number], scores: number[], positive_at_zero: boolean, classes: string[]}} regions
 */
export function paint(canvas, regions) {
  const { width, height } = canvas;
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  const [columns, rows] = regions.grid;
  const { outputs } = regions;
  const p = outputs === 1 ? power(regions.scores, columns) : 1;
  const nothing = outputs === 1 ? (NOTHING * regions.scores.reduce((most, v) => Math.max(most, Math.abs(v)), 0)) ** p : -1;
  const scores = p < 1 ? regions.scores.map((v) => Math.sign(v) * Math.abs(v) ** p) : regions.scores;
  const looks = colours(regions.classes.length);
  const value = new Float64Array(outputs);
  for (let py = 0; py < height; py++) {
    const v = ((height - 1 - py) / (height - 1)) * (rows - 1);
    const r = Math.min(rows - 2, Math.floor(v));
    const fy = v - r;
    for (let px = 0; px < width; px++) {
      const u = (px / (width - 1)) * (columns - 1);
      const c = Math.min(columns - 2, Math.floor(u));
      const fx = u - c;
      const at = (r * columns + c) * outputs;
      const up = at + columns * outputs;
      for (let k = 0; k < outputs; k++) {
        const low = scores[at + k] * (1 - fx) + scores[at + outputs + k] * fx;
        const high = scores[up + k] * (1 - fx) + scores[up + outputs + k] * fx;
        value[k] = low * (1 - fy) + high * fy;
      }
      let best = 0;
      if (outputs === 1) best = value[0] > 0 || (value[0] === 0 && regions.positive_at_zero) ? 1 : 0;
      else for (let k = 1; k < outputs; k++) if (value[k] > value[best]) best = k;
      const i = (py * width + px) * 4;
      image.data[i] = looks[best][0];
      image.data[i + 1] = looks[best][1];
      image.data[i + 2] = looks[best][2];
      image.data[i + 3] = Math.abs(value[0]) <= nothing ? 80 : 255;
    }
  }
  context.putImageData(image, 0, 0);
}
