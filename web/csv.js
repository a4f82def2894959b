// A table of CSV: cells stay as they were written, so that the engine's exact arithmetic sees the same digits.

/** @param {string} cell */
function quoted(cell) {
  return /[",\n\r]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** @param {string[]} columns @param {string[][]} rows the label last */
export function write(columns, rows) {
  return [[...columns, "label"], ...rows].map((row) => row.map(quoted).join(",")).join("\n") + "\n";
}

/**
 * The cells of a CSV text that the engine wrote: a header, then rows.
 * @param {string} text
 * @returns {{columns: string[], rows: string[][]}} the label's column last, its name left out
 */
export function parse(text) {
  /** @type {string[][]} */
  const rows = [];
  let row = /** @type {string[]} */ ([]);
  let cell = "";
  let inside = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (inside) {
      if (c === '"' && text[i + 1] === '"') (cell += '"'), i++;
      else if (c === '"') inside = false;
      else cell += c;
    } else if (c === '"') inside = true;
    else if (c === ",") row.push(cell), (cell = "");
    else if (c === "\n") row.push(cell), rows.push(row), (row = []), (cell = "");
    else if (c !== "\r") cell += c;
  }
  if (cell !== "" || row.length > 0) rows.push([...row, cell]);
  const header = rows.shift() ?? [];
  return { columns: header.slice(0, -1), rows };
}
