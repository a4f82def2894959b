// Numbers for people: a real minus, at most six significant digits; the full digits stay in titles and tables.

/** All digits, as the engine wrote them. @param {number} v */
export function full(v) {
  return String(v).replaceAll("-", "−");
}

/** 1.2000e+12 as 1.2e12. @param {string} text */
function short(text) {
  return text.replace(/\.?0*e\+?/, "e");
}

/** Six significant digits. @param {number} v */
export function show(v) {
  if (!Number.isFinite(v)) return "—";
  if (Number.isInteger(v) && Math.abs(v) < 1e9) return full(v);
  const text = Math.abs(v) >= 1e9 || Math.abs(v) < 1e-4 ? short(v.toExponential(4)) : String(Number(v.toPrecision(6)));
  return text.replaceAll("-", "−");
}

/** A number inside a product or a sum: negative ones in parentheses. @param {number} v */
export function factor(v) {
  return v < 0 ? `(${show(v)})` : show(v);
}

/** A label as it is read: a real minus before a number. @param {string} name */
export function label(name) {
  return /^-[\d.]/.test(name) ? `−${name.slice(1)}` : name;
}

/** A vector. @param {number[]} values @param {number} [most] */
export function vector(values, most = 6) {
  const shown = values.slice(0, most).map(show).join(",\u00a0");
  return `(${shown}${values.length > most ? ", …" : ""})`;
}

/** @param {number} share */
export function percent(share) {
  return `${Number((100 * share).toFixed(2))}%`;
}

/** Made once: a number's own method would make it anew for each. */
const GROUPED = new Intl.NumberFormat("en-US");

/** @param {number} n */
export function thousands(n) {
  return GROUPED.format(Math.round(n));
}

/** @param {number} n @param {string} one @param {string} many */
export function count(n, one, many) {
  return `${thousands(n)} ${n === 1 ? one : many}`;
}

/** A whole bound of mistakes. @param {number} bound */
export function atMost(bound) {
  // The margin is known to nine digits: 5.999999999 may be 6.
  return bound < 1e15 ? thousands(Math.floor(bound * (1 + 4e-9))) : show(bound);
}
