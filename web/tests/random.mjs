// Random data, settings and seeds: what the page computes is what the program prints, byte for byte.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** Numbers by a seed (Marsaglia 2003). */
class Dice {
  /** @param {number} seed */
  constructor(seed) {
    this.state = seed;
  }

  below(n) {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % n;
  }

  pick(all) {
    return all[this.below(all.length)];
  }

  /** A number as people write them: whole, with decimals, or negative. */
  number() {
    const whole = this.below(21) - 10;
    return [String(whole), `${whole}.${this.below(10)}`, `${whole}.${String(this.below(1000)).padStart(3, "0")}`][this.below(3)];
  }
}

/** A link with random points and settings. @param {Dice} dice @param {string[]} learners */
function link(dice, learners) {
  const [rows, columns, classes] = [3 + dice.below(12), 1 + dice.below(4), 2 + Math.floor(dice.below(5) / 3)];
  const labels = classes === 2 ? ["+1", "-1"] : ["a", "b b", "c"];
  const table = [[...Array.from({ length: columns }, (_, j) => `x${j + 1}`), "label"]];
  for (let i = 0; i < rows; i++) table.push([...Array.from({ length: columns }, () => dice.number()), labels[i < classes ? i : dice.below(classes)]]);
  const degree = dice.below(4) === 0 ? 2 : 1;
  const bias = dice.pick([1, 1, 0, 0.5]);
  const hash = new URLSearchParams({
    csv: table.map((row) => row.join(",")).join(";"), learner: dice.pick(learners), tie: dice.pick(["update", "positive", "negative"]), bias, degree, epochs: 1 + dice.below(5),
    order: dice.pick(["cyclic", "shuffled", Array.from({ length: rows }, (_, i) => rows - i).join(" ")]), seed: dice.below(1000), multiclass: dice.pick(["single", "uniform", "one-vs-rest"]),
  });
  if (classes === 2 && degree === 1 && dice.below(3) === 0) hash.set("init", Array.from({ length: columns + (bias ? 1 : 0) }, () => dice.below(9) / 4 - 1).join(" "));
  return `#${hash}`;
}

/** What the page makes of a link: its own reading of it, its own table, its engine. */
async function onPage(page, hash) {
  return page.evaluate(async (hash) => {
    const [{ decode }, { connect }, { write }] = await Promise.all(["link.js", "engine.js", "csv.js"].map((name) => import(new URL(name, location.href).href)));
    const ask = (globalThis.ask ??= connect(null));
    const { state } = await decode(hash);
    const { data, settings } = state;
    const csv = write(data.columns, data.rows);
    try {
      const trace = await ask("trace", { data: { csv }, settings, count: 0, lines: true });
      const several = trace.classes.length > 2;
      const verdict = several && settings.degree > 1 ? null : await ask("separable", { data: { csv }, bias: settings.bias !== 0, degree: settings.degree, certificate: !several });
      return { csv, lines: trace.lines, commands: trace.commands, verdict };
    } catch (error) {
      return { csv, refused: String(error) };
    }
  }, hash);
}

/** Compares so many random cases; throws at the first difference. @returns how many lines were compared */
export async function compare(page, program, cases, seed = 7) {
  const { learners } = await page.evaluate(async () => {
    const { connect } = await import(new URL("engine.js", location.href).href);
    return (globalThis.ask ??= connect(null))("learners");
  });
  const dice = new Dice(seed);
  const folder = mkdtempSync(join(tmpdir(), "lab-random-"));
  const script = /** @type {string[]} */ ([]);
  const all = [];
  for (let i = 0; i < cases; i++) {
    const hash = link(dice, learners.map((one) => one.name));
    const found = await onPage(page, hash);
    all.push({ ...found, hash });
    const here = join(folder, String(i));
    mkdirSync(here);
    writeFileSync(join(here, "points.csv"), found.csv);
    if (found.refused) continue;
    script.push(`cd ${here}; ${found.commands.shell} > trace.jsonl 2> trace.err; ${found.verdict ? `${found.commands.separable} --json > verdict.json 2> verdict.err` : ":"}`);
  }
  const run = promisify(execFile);
  const half = Math.ceil(script.length / 2);
  const env = { ...process.env, PATH: `${dirname(program)}:${process.env.PATH}` };
  await Promise.all([script.slice(0, half), script.slice(half)].map((part) => run("bash", ["-c", `${part.join("\n")}\nexit 0`], { env })));
  let [lines, verdicts, refused] = [0, 0, 0];
  all.forEach((one, i) => {
    if (one.refused) return (refused += 1);
    const printed = readFileSync(join(folder, String(i), "trace.jsonl"), "utf8");
    if (printed !== one.lines) throw new Error(`${one.hash}\n${one.commands.shell}\n${one.lines.slice(0, 500)}\n---\n${printed.slice(0, 500)}\n${readFileSync(join(folder, String(i), "trace.err"), "utf8")}`);
    lines += printed.split("\n").length - 1;
    if (!one.verdict) return;
    const told = JSON.parse(readFileSync(join(folder, String(i), "verdict.json"), "utf8"));
    for (const key of ["verdict", "margin", "radius", "bound", "witness"]) {
      if (JSON.stringify(one.verdict[key] ?? null) !== JSON.stringify(told[key] ?? null)) throw new Error(`${one.hash}\n${one.commands.separable}: ${key}\n${JSON.stringify(one.verdict)}\n---\n${JSON.stringify(told)}`);
    }
    if (one.verdict.checked_certificate && !one.verdict.checked_certificate.verified) throw new Error(`${one.hash}: ${one.verdict.checked_certificate.reason}`);
    verdicts += 1;
  });
  rmSync(folder, { recursive: true });
  if (refused > cases / 5 || lines < 10 * cases) throw new Error(`${cases} cases, ${refused} refused, ${lines} lines: too few to mean anything`);
  return { lines, verdicts, refused };
}
