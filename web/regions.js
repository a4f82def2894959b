// The regions of a model on a canvas: scores of a coarse grid from the engine, smooth between its points.

import { colours } from "./palette.js";

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{outputs: number, grid: [number, number], scores: number[], positive_at_zero: boolean, classes: string[]}} regions
 */
export function paint(canvas, regions) {
  const { width, height } = canvas;
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  const [columns, rows] = regions.grid;
  const { outputs, scores } = regions;
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
      image.data[i + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
}
