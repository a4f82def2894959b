// Take it along: the picture, the data, the trace, and the lines that give these very numbers.

import { button, command, download, fill, h } from "./dom.js";
import { full } from "./number.js";
import { encode } from "./link.js";

export class TakeView {
  /** @param {import("./session.js").Session} session @param {import("./plot.js").Plot} plot */
  constructor(session, plot) {
    this.session = session;
    this.plot = plot;
    this.shell = h("pre", { tabindex: 0, "aria-label": "Command line" });
    this.python = h("pre", { tabindex: 0, "aria-label": "Python" });
    this.link = h("input", { readonly: true, "aria-label": "Link to this state", class: "wide" });
    this.frame = h("input", { readonly: true, "aria-label": "Lines for a slide", class: "wide" });
    this.said = h("p", { role: "status", class: "hint" });
    this.element = h("div", { class: "take" },
      h("h3", {}, "The link"), this.link, h("p", { class: "row" }, button("Copy the link", () => this.copy(this.link.value))),
      h("h3", {}, "In a slide"), this.frame,
      h("h3", {}, "Files"), h("p", { class: "row" }, button("Data (CSV)", () => download("points.csv", session.data().csv, "text/csv")), button("Trace (CSV)", () => this.trace("csv")), button("Trace (JSON)", () => this.trace("jsonl")),
        button("Picture (SVG)", () => download("lab.svg", this.svg(), "image/svg+xml")), button("Picture (PNG)", () => this.png())),
      h("h3", {}, "Command line"), this.shell, h("h3", {}, "Python"), this.python, this.said);
  }

  /** @param {string} text */
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.said.textContent = "Copied.";
    } catch {
      this.link.select();
      this.said.textContent = "Press Ctrl+C to copy.";
    }
  }

  async draw() {
    const { trace, state } = this.session;
    fill(this.shell, trace ? command(`${trace.commands.shell}\n${trace.commands.separable}`) : null);
    this.python.textContent = trace?.commands.python ?? "";
    const url = `${location.protocol === "about:" ? "" : location.origin + location.pathname}#${await encode(state)}`;
    this.link.value = url;
    this.frame.value = `<iframe src="${url.replaceAll("&", "&amp;")}&amp;embed" width="960" height="640" title="rosenblatt lab"></iframe>`;
  }

  /** @param {"csv" | "jsonl"} form */
  async trace(form) {
    const { session } = this;
    const proof = session.state.view === "proof";
    const { lines, features, classes } = await session.ask("trace", { data: session.data(), settings: session.state.settings, count: 0, lines: true, proof });
    if (form === "jsonl") return download("trace.jsonl", lines, "application/x-ndjson");
    const outputs = classes.length === 2 ? [""] : classes.map((/** @type {string} */ c) => `${c}: `);
    const head = ["pass", "step", "example", "label", "score", "mistake", ...outputs.flatMap((/** @type {string} */ o) => [...features.map((/** @type {string} */ f) => `${o}w(${f})`), `${o}b`])];
    const cell = (/** @type {any} */ v) => (/[",\n]/.test(String(v)) ? `"${String(v).replaceAll('"', '""')}"` : String(v));
    const rows = lines.trimEnd().split("\n").map((/** @type {string} */ line) => JSON.parse(line)).filter((/** @type {any} */ o) => "step" in o).map((/** @type {any} */ o) => {
      const weights = o.weights === undefined ? [] : Array.isArray(o.weights[0]) ? o.weights.flatMap((/** @type {number[]} */ w, /** @type {number} */ k) => [...w, o.bias[k]]) : [...o.weights, o.bias];
      return [o.epoch, o.step, o.example, o.label, o.score, o.mistake, ...weights].map(cell).join(",");
    });
    download("trace.csv", [head.map(cell).join(","), ...rows].join("\n") + "\n", "text/csv");
  }

  /** The plot with its colours written out, the regions as a picture in it. */
  svg() {
    const { plot } = this;
    const { width, height } = plot.scale;
    const whole = plot.whole();
    const copy = whole.cloneNode(true);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", String(width));
    copy.setAttribute("height", String(height));
    const originals = whole.querySelectorAll("*");
    copy.querySelectorAll("*").forEach((/** @type {SVGElement} */ element, /** @type {number} */ i) => {
      const style = getComputedStyle(originals[i]);
      for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "stroke-opacity", "opacity", "font-size", "font-family", "font-weight", "font-style"]) element.setAttribute(name, style.getPropertyValue(name));
      element.removeAttribute("class");
    });
    plot.draw();
    const paper = getComputedStyle(plot.element).backgroundColor;
    const shade = getComputedStyle(plot.regionCanvas).opacity;
    const regions = `<image width="${width}" height="${height}" opacity="${shade}" preserveAspectRatio="none" href="${plot.regionCanvas.toDataURL()}"/>`;
    const text = new XMLSerializer().serializeToString(copy);
    return text.replace(/(<svg[^>]*>)/, `$1<rect width="${width}" height="${height}" fill="${paper}"/>${regions}`);
  }

  async png() {
    const { width, height } = this.plot.scale;
    const picture = new Image();
    picture.src = URL.createObjectURL(new Blob([this.svg()], { type: "image/svg+xml" }));
    await picture.decode();
    const canvas = h("canvas", { width: width * 2, height: height * 2 });
    canvas.getContext("2d").drawImage(picture, 0, 0, width * 2, height * 2);
    URL.revokeObjectURL(picture.src);
    canvas.toBlob((/** @type {Blob} */ blob) => download("lab.png", blob, "image/png"));
    this.said.textContent = `Saved, ${full(width * 2)} × ${full(height * 2)} pixels.`;
  }
}
