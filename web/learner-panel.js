// The learner and its parameters, as the registry declares them; the order, the tie rule, the start.

import { button, h, keep, refill } from "./dom.js";
import { defaults } from "./state.js";

export class LearnerPanel {
  /** @param {import("./session.js").Session} session @param {any} registry */
  constructor(session, registry) {
    this.session = session;
    this.registry = registry;
    this.form = h("div", { class: "form" });
    this.about = h("p", { class: "hint" });
    this.element = h("section", { class: "card learner", "aria-labelledby": "learner-title" }, h("h2", { id: "learner-title" }, "Learner"), this.form, this.about);
  }

  /** @param {string} id @param {string} name @param {any} control @param {string} [help] */
  field(id, name, control, help) {
    control.id = `set-${id}`;
    if (help) control.setAttribute("aria-describedby", `help-${id}`);
    return h("div", { class: "field", title: help ?? "" }, h("label", { for: `set-${id}` }, name), control, help ? h("small", { id: `help-${id}`, class: "help" }, help) : null);
  }

  /** @param {string[]} options @param {string} value @param {(v: string) => void} change */
  select(options, value, change) {
    const control = h("select", { onchange: () => change(control.value) }, options.map((name) => h("option", { value: name }, name)));
    control.value = value;
    return control;
  }

  /** @param {string | number} value @param {(v: string) => void} change @param {Record<string, any>} [props] */
  input(value, change, props = {}) {
    const control = h("input", { value, onchange: () => change(control.value.trim()), ...props });
    return control;
  }

  /** The weights after the present step become the start. */
  startHere() {
    const { row } = this.session.now() ?? {};
    const { settings } = this.session.state;
    if (!row || settings.kernel || Array.isArray(row.weights[0])) return;
    this.session.store.settings({ init: settings.bias === 0 ? [...row.weights] : [...row.weights, row.bias] });
  }

  draw() {
    const { session, registry } = this;
    const { settings } = session.state;
    const entry = registry.learners.find((/** @type {any} */ l) => l.name === settings.learner) ?? registry.learners[0];
    const set = (/** @type {any} */ patch) => session.store.settings(patch);
    const list = (/** @type {string} */ text) => (text.match(/-?[0-9.]+(e-?\d+)?/g) ?? []).map(Number);
    const kind = settings.kernel?.split(":")[0] ?? "linear";
    const detail = settings.kernel?.slice(kind.length + 1) ?? "";
    const parameters = entry.parameters.map((/** @type {any} */ p) => {
      const value = settings.set[p.name] ?? p.default;
      const change = (/** @type {string} */ v) => {
        const { [p.name]: _, ...rest } = settings.set;
        set({ set: v === p.default || v === "" ? rest : { ...rest, [p.name]: v } });
      };
      return this.field(p.name, p.name, p.choices ? this.select(p.choices, value, change) : this.input(value, change, { inputmode: "decimal" }), `${p.help} (${p.range}, default ${p.default})`);
    });
    const order = Array.isArray(settings.order) ? settings.order.join(" ") : settings.order;
    const several = (session.trace?.classes.length ?? 2) > 2;
    refill(this.form, [settings, several], () => [
      this.field("learner", "learner", this.select(registry.learners.map((/** @type {any} */ l) => l.name), settings.learner, (v) => set({ learner: v, set: {}, keep: null }))),
      parameters,
      this.field("bias", "bias", this.input(settings.bias, (v) => set({ bias: Number(v) || 0 }), { inputmode: "decimal" }), "The constant input of the bias; 0: none is learned"),
      this.field("tie", "a score of 0 is", this.select(registry.ties, settings.tie, (v) => set({ tie: v })), "update: always a mistake; positive: predicts +1; negative: predicts −1"),
      this.field("order", "order", this.input(order, (v) => set({ order: v === "cyclic" || v === "shuffled" ? v : list(v).length ? list(v) : v || "cyclic" }), { list: "orders" }), "cyclic, shuffled, or example numbers: 3 1 2"),
      h("datalist", { id: "orders" }, registry.orders.map((/** @type {string} */ o) => h("option", { value: o }))),
      settings.order === "shuffled" ? this.field("seed", "seed", this.input(settings.seed, (v) => set({ seed: Math.max(0, Math.floor(Number(v) || 0)) }), { type: "number", min: 0 })) : null,
      this.field("epochs", "passes", this.input(settings.epochs, (v) => set({ epochs: Math.max(1, Math.floor(Number(v) || 1)) }), { type: "number", min: 1 }), "At most so many; it stops after a pass without a mistake"),
      this.field("init", "start", this.input(settings.init?.join(" ") ?? "", (v) => set({ init: list(v).length ? list(v) : null }), { placeholder: "0" }), "The start weights, the bias last: 1 -2 0"),
      entry.other_keeps ? this.field("keep", "keep", this.select(["(its own)", ...registry.keeps], settings.keep ?? "(its own)", (v) => set({ keep: v.startsWith("(") ? null : v })), `Which weights are kept; its own: ${entry.keeps}`) : null,
      this.field("degree", "degree", this.select(["1", "2", "3", "4", "5"], String(settings.degree), (v) => set({ degree: Number(v), init: null, kernel: null })), "Products of up to so many features as features"),
      this.field("kernel", "kernel", this.select(["linear", "poly", "rbf"], kind, (v) => set({ kernel: v === "linear" ? null : v === "poly" ? "poly:2:1" : "rbf:1", degree: 1, init: null }))),
      settings.kernel ? this.field("kernel-detail", kind === "rbf" ? "γ of rbf" : "degree : constant", this.input(detail, (v) => set({ kernel: `${kind}:${v || (kind === "rbf" ? "1" : "2:1")}` }))) : null,
      several ? this.field("multiclass", "many classes", this.select(registry.multiclass, settings.multiclass, (v) => set({ multiclass: v }))) : null,
      h("p", { class: "row" }, button("Start from the present weights", () => this.startHere(), { title: "For homework: go on from given weights" }), button("Reset the learner", () => session.store.set({ settings: defaults(), step: 0 })))]);
    keep(this.about, [entry], () => [`${entry.summary}. `, h("b", {}, "Proved: "), entry.guarantee, "."]);
  }
}
