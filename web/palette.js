// A class is a colour and a shape: never colour alone.

/** @typedef {{colour: string, shape: (r: number) => string, name: string}} Look */

/** @param {number} r @param {number} n @param {number} turn */
function polygon(r, n, turn) {
  const at = (/** @type {number} */ i) => {
    const angle = turn + (2 * Math.PI * i) / n;
    return `${(r * Math.cos(angle)).toFixed(2)},${(r * Math.sin(angle)).toFixed(2)}`;
  };
  return `M${Array.from({ length: n }, (_, i) => at(i)).join("L")}Z`;
}

/** @type {((r: number) => string)[]} */
const SHAPES = [
  (r) => `M${r},0A${r},${r} 0 1 1 ${-r},0A${r},${r} 0 1 1 ${r},0Z`,
  (r) => polygon(r * 1.25, 4, Math.PI / 4),
  (r) => polygon(r * 1.4, 3, -Math.PI / 2),
  (r) => polygon(r * 1.3, 4, 0),
  (r) => polygon(r * 1.4, 3, Math.PI / 2),
  (r) => polygon(r * 1.2, 6, 0),
];
const NAMES = ["circle", "square", "triangle", "diamond", "wedge", "hexagon"];

/**
 * The look of a class: of two the positive one is the circle. Points that the engine has not seen yet have no code.
 * @param {number} code @param {number} classes @returns {Look}
 */
export function look(code, classes) {
  const i = (classes === 2 ? Math.max(0, 1 - (code || 0)) : code || 0) % SHAPES.length;
  return { colour: `var(--class-${i})`, shape: SHAPES[i], name: NAMES[i] };
}

/** @type {Map<string, string>} Colours of the theme that were read: to read one may cost a layout of the whole page. */
const KNOWN = new Map();

/** A colour of the theme. @param {string} name as --class-0 */
export function colour(name) {
  if (!KNOWN.has(name)) KNOWN.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return KNOWN.get(name);
}

/** The theme is another one. */
export function forget() {
  KNOWN.clear();
}

/** The colours of the classes as numbers, for the canvas. @param {number} classes */
export function colours(classes) {
  return Array.from({ length: classes }, (_, code) => {
    const hex = colour(look(code, classes).colour.slice(4, -1));
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  });
}
