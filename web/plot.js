// The plot: points that can be added, moved and deleted; the line, its normal w, and the update as vectors.

import { h, keep, s, stale, still } from "./dom.js";
import { colour, look } from "./palette.js";
import { paint } from "./regions.js";
import { Scale, around, ticks } from "./scale.js";
import { show } from "./number.js";
import { ARRIVED, vectors } from "./vectors.js";

/** Above this many points they are drawn on a canvas; those that are pointed at are SVG. */
const MANY = 700;
/** Up to this many points have their numbers beside them. */
const NUMBERED = 24;
/** How long an update is shown, in milliseconds: y·x grows from the origin, goes to the tip of w, and the line turns. */
const UPDATE = 1100;
/** How long the line turns when it only moves from one place to another. */
const TURN = 280;

/**
 * @typedef {{points: [number, number][], codes: number[], classes: string[], names: [string, string],
 *            step: number, quick: boolean, weighed: boolean, current: number, next: number, mistake: boolean, wrong: Set<number>, line: number[] | null, before: number[] | null,
 *            move: import("./vectors.js").Move | null, regions: any, overlay: any, show: Record<string, boolean>}} Scene
 * @typedef {{add: (x: string, y: string) => void, move: (i: number, x: string, y: string, last: boolean) => void,
 *            grab: () => void, drop: () => void, remove: (i: number) => void, relabel: (i: number, code: number) => void}} Hands
 */

export class Plot {
  /** @param {Hands | null} hands null: only to look at */
  constructor(hands) {
    this.hands = hands;
    this.regionCanvas = h("canvas", { class: "regions", "aria-hidden": "true" });
    this.pointCanvas = h("canvas", { class: "dots", "aria-hidden": "true" });
    this.svg = s("svg", { class: "ink", "aria-hidden": "true", focusable: "false" });
    this.element = h("div", { class: "plot", ...(hands ? { tabindex: 0, role: "application", "aria-roledescription": "plot" } : { role: "img" }) },
      this.regionCanvas, this.pointCanvas, this.svg);
    /** @type {Scale | null} */
    this.scale = null;
    /** @type {Scene | null} */
    this.scene = null;
    this.key = "";
    this.size = 1;
    /** The size of the plot in pixels: to ask the page for it would lay the page out. */
    this.width = this.height = 0;
    /** @type {SVGElement[]} The marks of few points. */
    this.marks = [];
    this.selected = -1;
    this.dragging = -1;
    /** @type {number[] | null} */
    this.drawnLine = null;
    /** @type {{from: number[], to: number[], began: number, whole: boolean} | null} What moves now. */
    this.motion = null;
    /** How much of the update is shown, from 0 to 1. */
    this.phase = 1;
    this.layers = ["grid", "line", "overlay", "marks", "top", "ticks", "weights"].map((name) => s("g", { class: `layer-${name}` }));
    const [grid, line, overlay, marks, top, numbers, weights] = this.layers;
    this.svg.append(grid, line, overlay, numbers, marks, top, weights);
    // Marks, their numbers, and rings around them.
    this.around = [0, 1, 2].map(() => s("g"));
    marks.append(...this.around);
    if (hands) this.listen(hands);
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  /** @param {Hands} hands */
  listen(hands) {
    const at = (/** @type {PointerEvent} */ event) => {
      const r = this.element.getBoundingClientRect();
      return /** @type {[number, number]} */ ([event.clientX - r.left, event.clientY - r.top]);
    };
    let [moved, pressed] = [false, false];
    /** Where the pointer went down. */
    let began = /** @type {[number, number]} */ ([0, 0]);
    // A finger on a point moves it; elsewhere it scrolls the page.
    this.element.addEventListener("touchstart", (/** @type {TouchEvent} */ event) => {
      if (this.nearest(...at(/** @type {any} */ (event.touches[0]))) >= 0) event.preventDefault();
    }, { passive: false });
    this.element.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
      if (!this.scale || event.button !== 0) return;
      const [px, py] = (began = at(event));
      this.dragging = this.nearest(px, py);
      this.selected = this.dragging;
      [moved, pressed] = [false, true];
      this.element.setPointerCapture(event.pointerId);
    });
    this.element.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
      if (this.dragging < 0 || !this.scale) return;
      const [px, py] = at(event);
      const [x, y] = this.scale.back(px, py);
      if (!moved) hands.grab();
      moved = true;
      hands.move(this.dragging, this.scale.written(x), this.scale.written(y), false);
    });
    this.element.addEventListener("pointerup", (/** @type {PointerEvent} */ event) => {
      // The other button's click relabels: it adds nothing.
      if (!this.scale || !pressed || event.button !== 0) return;
      pressed = false;
      const [px, py] = at(event);
      const [x, y] = this.scale.back(px, py).map((v) => this.scale.written(v));
      if (this.dragging >= 0 && moved) hands.move(this.dragging, x, y, true);
      else if (this.dragging < 0 && Math.hypot(px - began[0], py - began[1]) < 8) hands.add(x, y);
      this.dragging = -1;
      this.draw();
      hands.drop();
    });
    this.element.addEventListener("pointercancel", () => ((pressed = false), (this.dragging = -1)));
    this.element.addEventListener("dblclick", () => this.selected >= 0 && hands.remove(this.selected));
    this.element.addEventListener("contextmenu", (/** @type {MouseEvent} */ event) => {
      const i = this.nearest(...at(/** @type {any} */ (event)));
      if (i >= 0) event.preventDefault(), hands.relabel(i, -1);
    });
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.press(event, hands));
    this.element.addEventListener("blur", () => ((this.selected = -1), this.draw()));
  }

  /** n and p choose a point, arrows move it, Delete removes it, digits relabel it, Enter adds one. @param {KeyboardEvent} event @param {Hands} hands */
  press(event, hands) {
    if (!this.scene || !this.scale || event.ctrlKey || event.metaKey) return;
    const all = this.scene.points.length;
    const step = this.scale.nudge() * (event.shiftKey ? 5 : 1);
    const moves = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] });
    const key = event.key;
    if (key === "n" && all) this.selected = (this.selected + 1) % all;
    else if (key === "p" && all) this.selected = (this.selected + all - 1 + (this.selected < 0 ? 1 : 0)) % all;
    else if (key === "Enter") {
      const { left, right, bottom, top } = this.scale.box;
      hands.add(this.scale.written((left + right) / 2), this.scale.written((bottom + top) / 2));
      this.selected = all;
    } else if (this.selected >= 0 && key in moves) {
      const [x, y] = this.scene.points[this.selected];
      hands.grab();
      hands.move(this.selected, this.scale.written(x + moves[key][0]), this.scale.written(y + moves[key][1]), true);
    } else if (this.selected >= 0 && (key === "Delete" || key === "Backspace")) hands.remove(this.selected);
    else if (this.selected >= 0 && /^[1-9]$/.test(key)) hands.relabel(this.selected, Number(key) - 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.draw();
  }

  /** The point under the pointer, or −1. @param {number} px @param {number} py */
  nearest(px, py) {
    let [best, far] = [-1, 16];
    this.scene?.points.forEach(([x, y], i) => {
      const distance = Math.hypot(this.scale.x(x) - px, this.scale.y(y) - py);
      if (distance < far) (far = distance), (best = i);
    });
    return best;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width < 20 || height < 20) return;
    [this.width, this.height] = [width, height];
    const sharp = Math.min(devicePixelRatio || 1, 2);
    // Marks grow with the letters: on a projector they are seen from the last row.
    this.size = parseFloat(getComputedStyle(document.documentElement).fontSize) / 17 || 1;
    for (const canvas of [this.regionCanvas, this.pointCanvas]) {
      const k = canvas === this.regionCanvas ? 0.75 : sharp;
      canvas.width = Math.round(width * k);
      canvas.height = Math.round(height * k);
    }
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.fit(true);
    this.draw();
  }

  /** Chooses the box anew if the data are others, or a point is outside. @param {boolean} anyway */
  fit(anyway) {
    // Before the observer has told it once, the page is asked.
    if (!this.width) [this.width, this.height] = [this.element.clientWidth, this.element.clientHeight];
    const { width, height } = this;
    if (!this.scene || width < 20) return;
    const box = this.scale?.box;
    const outside = box && this.dragging < 0 && this.scene.points.some(([x, y]) => x < box.left || x > box.right || y < box.bottom || y > box.top);
    if (anyway || !this.scale || outside) this.scale = new Scale(around(this.scene.points, width / height), width, height);
  }

  /** Shows a scene; `key` names the data: another key chooses another box. @param {Scene} scene @param {string} key */
  update(scene, key) {
    const other = key !== this.key;
    const [from, was] = [this.scene?.line, this.scene?.step];
    this.scene = scene;
    this.key = key;
    this.fit(other);
    const to = scene.line;
    const same = (/** @type {number[] | null | undefined} */ w) => w && to && w.every((v, i) => v === to[i]);
    if (other || !from || !to || still() || this.dragging >= 0) this.rest();
    else if (!same(from)) this.move(from, to, scene.step === was + 1 && Boolean(scene.move) && !scene.quick);
    else if (!this.motion || !same(this.motion.to)) this.rest();
    this.draw();
  }

  /** Nothing moves: the picture is that of the scene. */
  rest() {
    this.motion = null;
    this.phase = 1;
    this.drawnLine = this.scene.line;
  }

  /**
   * Moves the line from the old weights to the new; `whole` shows the update before: first y·x, then where it is added.
   * @param {number[]} from @param {number[]} to @param {boolean} whole
   */
  move(from, to, whole) {
    const unit = (/** @type {number[]} */ w) => {
      const norm = Math.hypot(w[0], w[1]) || 1;
      return w.map((v) => v / norm);
    };
    const flat = !Math.hypot(from[0], from[1]);
    const [a, b] = [unit(from), unit(to)];
    const motion = (this.motion = { from, to, began: performance.now(), whole });
    const frame = (/** @type {number} */ now) => {
      if (this.motion !== motion) return;
      const t = Math.min(1, Math.max(0, now - motion.began) / (whole ? UPDATE : TURN));
      this.phase = whole ? t : Math.max(ARRIVED, t);
      const share = whole ? Math.max(0, (t - ARRIVED) / (1 - ARRIVED)) : t;
      const ease = 1 - (1 - share) ** 3;
      this.drawnLine = t >= 1 ? to : flat ? (share > 0 ? to : from) : a.map((v, i) => v * (1 - ease) + b[i] * ease);
      if (t >= 1) this.rest();
      this.drawMoving();
      if (t < 1) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  /** Whether the points are drawn on the canvas. */
  get many() {
    return this.scene.points.length > MANY;
  }

  draw() {
    const { scene, scale } = this;
    if (!scene || !scale) return;
    const { many } = this;
    this.drawDots(many);
    const [grid, , overlay] = this.layers;
    const [marks, numbers, rings] = this.around;
    if (stale(grid, [scale, ...scene.names])) this.drawGrid(grid, this.layers[5]);
    const held = [scale, scene.show.street, scene.overlay, ...(scene.overlay?.held ?? []).map((/** @type {number} */ i) => scene.points[i])];
    keep(overlay, held, () => (scene.show.street ? this.overlay() : null));
    keep(this.layers[6], [scene.weighed, ...held], () => (scene.show.street && scene.weighed ? this.weights() : null));
    this.drawMarks(marks, many ? 0 : scene.points.length);
    keep(numbers, [scale, scene.points.length > NUMBERED ? null : scene.points], () => this.numbers());
    const ringed = [scene.current, scene.next, this.selected, this.dragging];
    keep(rings, [scale, many, scene.mistake, scene.codes, scene.wrong, ...ringed, ...ringed.map((i) => scene.points[i])], () => this.highlights(many));
    this.drawMoving();
  }

  /** The marks of the first `count` points: only those are made anew that look otherwise. @param {Element} layer @param {number} count */
  drawMarks(layer, count) {
    const { scene, scale } = this;
    while (this.marks.length > count) this.marks.pop().remove();
    const r = this.radius();
    for (let i = 0; i < count; i++) {
      const [old, wrong] = [this.marks[i], scene.wrong.has(i)];
      if (old && !stale(old, [scale, scene.points[i], scene.codes[i], scene.classes.length, wrong, r])) continue;
      const now = (this.marks[i] = this.mark(i));
      stale(now, [scale, scene.points[i], scene.codes[i], scene.classes.length, wrong, r]);
      if (old) old.replaceWith(now);
      else layer.append(now);
    }
  }

  /** The picture with every point as a shape, until it is drawn the next time: for files. */
  whole() {
    if (this.scene && this.scale) this.drawMarks(this.around[0], this.scene.points.length);
    return this.svg;
  }

  /** The parts that move with the weights. */
  drawMoving() {
    const { scene, scale, drawnLine } = this;
    const { move, before } = scene;
    this.drawRegions();
    keep(this.layers[1], [scale, ...(drawnLine ?? []), null, ...((move && before) ?? [])], () => this.boundary());
    const shown = scene.show.vectors && move;
    keep(this.layers[4], shown ? [scale, this.phase, ...move.w, ...move.d, move.plain, scene.points.length > 200 ? null : scene.points] : [], () => (shown ? vectors(move, scale, this.phase, this.crowd(), this.size) : null));
  }

  drawRegions() {
    const { scene, scale, drawnLine: line } = this;
    const { regions } = scene;
    const canvas = this.regionCanvas;
    const { width, height } = canvas;
    const curved = regions && regions.outputs * regions.grid[0] * regions.grid[1] > 8;
    if (!stale(canvas, [scale, width, colour("--class-0"), ...(curved ? [regions] : line ?? [])])) return;
    if (curved) return paint(canvas, regions);
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, width, height);
    if (!line || (line[0] === 0 && line[1] === 0)) return;
    // The half plane in which the score is positive, cut at the box.
    const { left, right, bottom, top } = scale.box;
    const corners = [[left, bottom], [right, bottom], [right, top], [left, top]];
    for (const sign of [1, -1]) {
      const value = (/** @type {number[]} */ p) => sign * (line[0] * p[0] + line[1] * p[1] + line[2]);
      const cut = /** @type {number[][]} */ ([]);
      corners.forEach((p, i) => {
        const q = corners[(i + 1) % 4];
        const [a, b] = [value(p), value(q)];
        if (a >= 0) cut.push(p);
        if (a * b < 0) cut.push([p[0] + ((q[0] - p[0]) * a) / (a - b), p[1] + ((q[1] - p[1]) * a) / (a - b)]);
      });
      context.fillStyle = colour(sign > 0 ? "--class-0" : "--class-1");
      context.beginPath();
      cut.forEach(([x, y]) => context.lineTo((scale.x(x) / scale.width) * width, (scale.y(y) / scale.height) * height));
      context.fill();
    }
  }

  /** Many points, on the canvas. @param {boolean} many */
  drawDots(many) {
    const { scene, scale } = this;
    const canvas = this.pointCanvas;
    // While one of many points is dragged, the others stay as they are painted.
    const held = many ? this.dragging : -1;
    if (!stale(canvas, [canvas.width, ...(many ? [scale, scene.codes, colour("--class-0"), held, held < 0 && scene.points] : [])])) return;
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, canvas.width, canvas.height);
    if (!many) return;
    const k = canvas.width / scale.width;
    const shapes = scene.classes.map((_, code) => {
      const kind = look(code, scene.classes.length);
      return { fill: colour(kind.colour.slice(4, -1)), path: new Path2D(kind.shape(this.radius() * k)) };
    });
    shapes.forEach(({ fill, path }, code) => {
      context.fillStyle = fill;
      scene.points.forEach(([x, y], i) => {
        if (scene.codes[i] !== code || i === held) return;
        context.setTransform(1, 0, 0, 1, scale.x(x) * k, scale.y(y) * k);
        context.fill(path);
      });
    });
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  /** The squares, and the numbers of the axes, which stand over lines. @param {Element} grid @param {Element} numbers */
  drawGrid(grid, numbers) {
    const { scale, size } = this;
    const { left, right, bottom, top } = scale.box;
    const group = s("g", {});
    const texts = s("g", {});
    for (const v of ticks(left, right, Math.max(3, Math.round(scale.width / (90 * size))))) {
      const x = scale.x(v);
      group.append(s("line", { x1: x, x2: x, y1: 0, y2: scale.height, class: v === 0 ? "axis" : "" }));
      if (x > 36 * size && x < scale.width - size * (24 + 8 * this.scene.names[0].length)) texts.append(s("text", { x, y: scale.height - 7, class: "tick", "text-anchor": "middle" }, show(v)));
    }
    for (const v of ticks(bottom, top, Math.max(3, Math.round(scale.height / (90 * size))))) {
      const y = scale.y(v);
      group.append(s("line", { x1: 0, x2: scale.width, y1: y, y2: y, class: v === 0 ? "axis" : "" }));
      if (y > 34 * size && y < scale.height - 26 * size) texts.append(s("text", { x: 8, y: y + 5 * size, class: "tick" }, show(v)));
    }
    const [x, y] = this.scene.names;
    texts.append(s("text", { x: scale.width - 9, y: scale.height - 7, class: "name", "text-anchor": "end" }, x), s("text", { x: 9, y: 19 * size, class: "name" }, y));
    grid.replaceChildren(group);
    numbers.replaceChildren(texts);
  }

  boundary() {
    const { scale, scene } = this;
    const all = s("g", {});
    const draw = (/** @type {number[] | null} */ w, /** @type {string} */ kind) => {
      const ends = w && scale.line(w[0], w[1], w[2]);
      if (ends) all.append(s("line", { class: kind, x1: scale.x(ends[0][0]), y1: scale.y(ends[0][1]), x2: scale.x(ends[1][0]), y2: scale.y(ends[1][1]) }));
    };
    if (scene.before && scene.move) draw(scene.before, "boundary before");
    draw(this.drawnLine, "boundary");
    return all;
  }

  /** The size of a mark: the more points, the smaller. */
  radius() {
    const all = this.scene?.points.length ?? 0;
    const r = this.size * (all > 2000 ? 2.4 : all > MANY ? 3.2 : all > 150 ? 5 : all > 40 || !this.hands ? 7 : 10);
    // In a small plot, as on a phone, they would hide each other.
    return Math.min(r, this.width / 36);
  }

  /** @param {number} i @param {number} [r] */
  mark(i, r = this.radius()) {
    const { scene, scale } = this;
    const [x, y] = scene.points[i];
    if (!Number.isFinite(x + y)) return s("g", {});
    const kind = look(scene.codes[i], scene.classes.length);
    const wrong = scene.wrong.has(i);
    const inside = s("g", { transform: `translate(${scale.x(x)} ${scale.y(y)})`, class: wrong ? "mark wrong" : "mark" }, s("path", { d: kind.shape(r), fill: kind.colour }));
    if (wrong) inside.append(s("path", { d: `M${-r * 0.5},${-r * 0.5}L${r * 0.5},${r * 0.5}M${r * 0.5},${-r * 0.5}L${-r * 0.5},${r * 0.5}`, class: "cross" }));
    return inside;
  }

  /** Where the points and their numbers are, in pixels, if they are few: names of arrows keep clear of them. @returns {[number, number][]} */
  crowd() {
    const { scene, scale } = this;
    if (scene.points.length > 200) return [];
    const places = scene.points.map(([x, y]) => /** @type {[number, number]} */ ([scale.x(x), scale.y(y)]));
    return places.length > NUMBERED ? places : places.flatMap(([x, y]) => [[x, y], [x + 20 * this.size, y - 21 * this.size]]);
  }

  /** The numbers of the examples, as the table and the lessons call them. */
  numbers() {
    const { scene, scale } = this;
    if (scene.points.length > NUMBERED || !this.hands) return [];
    return scene.points.map(([x, y], i) => Number.isFinite(x + y) && s("text", { class: "number", x: scale.x(x) + 15 * this.size, y: scale.y(y) - 15 * this.size }, i + 1));
  }

  /** @param {boolean} many */
  highlights(many) {
    const { scene, scale } = this;
    const all = s("g", {});
    const ring = (/** @type {number} */ i, /** @type {string} */ kind) => {
      const p = scene.points[i];
      if (!p || !Number.isFinite(p[0] + p[1])) return;
      if (many) all.append(this.mark(i, 5 * this.size));
      all.append(s("circle", { cx: scale.x(p[0]), cy: scale.y(p[1]), r: 17 * this.size, class: kind }));
    };
    if (scene.next >= 0 && scene.next !== scene.current && !many) ring(scene.next, "ring next");
    if (scene.current >= 0) ring(scene.current, scene.mistake ? "ring mistake" : "ring");
    if (many && this.dragging >= 0 && this.dragging !== this.selected) ring(this.dragging, "ring selected");
    if (this.selected >= 0) ring(this.selected, "ring selected");
    return all;
  }

  /** The widest street, or the hulls that cross. */
  overlay() {
    const { scene, scale } = this;
    const o = scene.overlay;
    if (!o) return null;
    const all = s("g", { class: "overlay" });
    if (o.kind === "street") {
      for (const c of [o.c - o.level, o.c + o.level, o.c]) {
        const ends = scale.line(o.a, o.b, c);
        if (ends) all.append(s("line", { class: c === o.c ? "street middle" : "street", x1: scale.x(ends[0][0]), y1: scale.y(ends[0][1]), x2: scale.x(ends[1][0]), y2: scale.y(ends[1][1]) }));
      }
      for (const i of o.held) if (scene.points[i]) all.append(s("circle", { class: "support", cx: scale.x(scene.points[i][0]), cy: scale.y(scene.points[i][1]), r: 14 * this.size }));
    } else {
      for (const hull of o.hulls) {
        const points = hull.map((/** @type {number} */ i) => scene.points[i]).filter(Boolean);
        if (points.length) all.append(s("path", { class: "hull", d: `M${points.map((/** @type {number[]} */ p) => `${scale.x(p[0])},${scale.y(p[1])}`).join("L")}${points.length > 2 ? "Z" : ""}` }));
      }
      if (o.at) all.append(s("path", { class: "meet", transform: `translate(${scale.x(o.at[0])} ${scale.y(o.at[1])})`, d: "M-8,0L8,0M0,-8L0,8" }));
    }
    return all;
  }

  /** The weights of a proof, over the points: what cancels must be read. */
  weights() {
    const { scene, scale } = this;
    return (scene.overlay?.weights ?? []).map((/** @type {{i: number, text: string}} */ { i, text }) => {
      if (!scene.points[i]) return null;
      const [x, y] = [scale.x(scene.points[i][0]), scale.y(scene.points[i][1])];
      const left = x + this.size * (14 + 12.5 * text.length) > scale.width;
      return s("text", { class: "weight", x: x + (left ? -14 : 14) * this.size, y: y + 25 * this.size, "text-anchor": left ? "end" : "start" }, text);
    });
  }
}
