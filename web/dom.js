// Elements from one line each. Text is always set as text, never parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {Element} element
 * @param {Record<string, any>} props
 */
function apply(element, props) {
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value") /** @type {any} */ (element).value = value;
    else if (key === "checked") /** @type {any} */ (element).checked = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
}

/**
 * An HTML element.
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...any} children
 * @returns {any}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  apply(element, props);
  return element;
}

/**
 * An SVG element.
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...any} children
 * @returns {any}
 */
export function s(tag, props = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  apply(element, props);
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * Replaces all children.
 * @param {Element} element
 * @param {...any} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
}

/** What elements show now, by the values it was made of. @type {WeakMap<object, any[]>} */
const MADE = new WeakMap();

/** Whether `element` shows something else than what is made of these values; from now on it shows that. @param {object} element @param {any[]} values */
export function stale(element, values) {
  const made = MADE.get(element);
  if (made && made.length === values.length && made.every((v, i) => Object.is(v, values[i]))) return false;
  MADE.set(element, values);
  return true;
}

/**
 * Replaces all children, if the values they are made of are others than last time.
 * @param {Element} element
 * @param {any[]} values
 * @param {() => any} make
 */
export function keep(element, values, make) {
  if (stale(element, values)) fill(element, make());
}

/**
 * As `keep`; the focus stays on the element with the same id. What is being typed is left alone.
 * @param {Element} element
 * @param {any[]} values
 * @param {() => any} make
 */
export function refill(element, values, make) {
  const focused = /** @type {any} */ (element.contains(document.activeElement) ? document.activeElement : null);
  if (focused?.tagName === "INPUT" && !/radio|checkbox|range/.test(focused.type)) {
    MADE.delete(element);
    return;
  }
  if (!stale(element, values)) return;
  fill(element, make());
  if (focused?.id) /** @type {HTMLElement | null} */ (element.querySelector(`#${CSS.escape(focused.id)}`))?.focus({ preventScroll: true });
}

/** A button. @param {string} text @param {() => void} onclick @param {Record<string, any>} [props] */
export function button(text, onclick, props = {}) {
  return h("button", { type: "button", onclick, ...props }, text);
}

/** A command: breaks between its words, never within one. @param {string} text */
export function command(text) {
  return text.split(/( |\n)/).map((word) => (/\s|^$/.test(word) ? word : h("span", {}, word)));
}

/** Whether the reader asked for less motion. */
export function still() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Offers bytes or text as a file. @param {string} name @param {BlobPart} content @param {string} type */
export function download(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
