// Frames while one of 5,000 points is dragged, the time of a step, and the regions of a kernel model, from the trace of
// Chromium's profiler; the size of the page and of the engine. node bench/lab.mjs PROGRAM ENGINE

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { open, settled, visit } from "../web/tests/browser.mjs";
import { serve } from "../web/tests/serve.mjs";

const [program, engine] = process.argv.slice(2);
const CATEGORIES = "toplevel,devtools.timeline,disabled-by-default-devtools.timeline,disabled-by-default-devtools.timeline.frame,blink.user_timing";

const STEPS = 40;

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const at = (numbers, share) => sorted(numbers)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))];
const ms = (v) => `${v.toFixed(1)} ms`;

/** The events of the profiler while `work` runs, with times in milliseconds. */
async function profiled(page, work) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", { categories: CATEGORIES, transferMode: "ReportEvents" });
  await work();
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  return events.map((e) => ({ ...e, ts: e.ts / 1000, dur: (e.dur ?? 0) / 1000, processor: (e.tdur ?? 0) / 1000 }));
}

/** The thread that runs the page's scripts. */
function main(events) {
  return events.find((e) => e.name === "thread_name" && e.args?.name === "CrRendererMain" && events.some((f) => f.tid === e.tid && f.pid === e.pid && f.name === "EventDispatch"));
}

/** Processor time of all tasks of the threads with these names, in the browser's processes that draw the page. */
function processor(events, from, to, names) {
  const threads = new Set(events.filter((e) => e.name === "thread_name" && names.test(e.args.name)).map((e) => `${e.pid} ${e.tid}`));
  return events.filter((e) => /^(ThreadPool_)?RunTask$/.test(e.name) && e.ts >= from && e.ts <= to && threads.has(`${e.pid} ${e.tid}`)).reduce((sum, e) => sum + e.processor, 0);
}

/** Drags one of many points for two seconds, with a mouse that tells its place 125 times a second as any mouse does: frames that
 * were drawn, and how long the page, and the rest of the browser, worked for each. */
async function drag(page) {
  const box = await page.locator(".middle .plot").boundingBox();
  const [x, y] = [box.x + box.width * 0.45, box.y + box.height * 0.35];
  await page.mouse.move(x, y);
  const mouse = await page.context().newCDPSession(page);
  const events = await profiled(page, async () => {
    await page.evaluate(() => performance.mark("drag-begins"));
    await page.mouse.down();
    const began = performance.now();
    const told = [];
    // A mouse does not wait until the page has drawn.
    for (let i = 0; performance.now() - began < 2000; i++) {
      told.push(mouse.send("Input.dispatchMouseEvent", { type: "mouseMoved", button: "left", buttons: 1, x: x + 80 * Math.sin(i / 12), y: y + 60 * Math.cos(i / 15) }));
      await new Promise((resolve) => setTimeout(resolve, 8));
    }
    await Promise.all(told);
    await page.mouse.up();
    await page.evaluate(() => performance.mark("drag-ends"));
  });
  const mark = (name) => events.find((e) => e.name === name && e.cat.includes("user_timing"))?.ts;
  const [from, to] = [mark("drag-begins"), mark("drag-ends")];
  const inside = events.filter((e) => e.ts >= from && e.ts <= to);
  const thread = main(events);
  const drawn = inside.filter((e) => e.name === "DrawFrame").map((e) => e.ts);
  const work = inside.filter((e) => e.name === "EventDispatch" && e.args?.data?.type === "pointermove" && e.tid === thread.tid).map((e) => e.dur);
  const busy = inside.filter((e) => e.name === "RunTask" && e.tid === thread.tid && e.pid === thread.pid).reduce((sum, e) => sum + e.processor, 0) / drawn.length;
  const raster = processor(events, from, to, /^(ThreadPoolForegroundWorker|CompositorTileWorker)/) / drawn.length;
  const compose = processor(events, from, to, /^(Compositor|VizCompositorThread)$/) / drawn.length;
  await mouse.detach();
  const gaps = drawn.slice(1).map((t, i) => t - drawn[i]);
  return { frames: (1000 * gaps.length) / (drawn[drawn.length - 1] - drawn[0]), gap: at(gaps, 0.95), busy, raster, compose, median: at(work, 0.5), slow: at(work, 0.95) };
}

/** For 40 steps: from the key to the end of the frame's work on the page's thread, and how long that thread worked in between: the rest it waits for the screen's next turn. */
async function steps(page) {
  // With a point chosen, an arrow key would move the point.
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
  const events = await profiled(page, async () => {
    for (let i = 0; i < STEPS; i++) {
      await page.keyboard.press("ArrowRight");
      await page.waitForTimeout(60);
    }
  });
  const place = await page.textContent(".place");
  if (!place.startsWith(`step ${STEPS} of`)) throw new Error(`${STEPS} keys, and the page is at ${place}`);
  const thread = main(events);
  const own = events.filter((e) => e.tid === thread.tid && e.pid === thread.pid);
  const keys = own.filter((e) => e.name === "EventDispatch" && e.args?.data?.type === "keydown");
  const tasks = own.filter((e) => e.name === "RunTask");
  return keys.map((key) => {
    // The work that follows is layout and paint of the frame: until the thread hands it over.
    const handed = own.find((e) => e.name === "Commit" && e.ts > key.ts + key.dur);
    const end = handed ? handed.ts + handed.dur : key.ts + key.dur;
    const work = tasks.reduce((sum, e) => sum + Math.max(0, Math.min(end, e.ts + e.dur) - Math.max(key.ts, e.ts)), 0);
    return { time: end - key.ts, work };
  });
}

/** The time until the regions of a kernel model are painted: the request, the answer, the canvas. */
async function regions(page) {
  return page.evaluate(async () => {
    const [{ connect }, { paint }] = await Promise.all(["engine.js", "regions.js"].map((name) => import(new URL(name, location.href).href)));
    const ask = connect(null);
    const { csv } = await ask("data", { name: "clouds", points: 1200, noise: 1.8 });
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [520, 450];
    const times = [];
    let answer;
    for (let i = 0; i < 9; i++) {
      const began = performance.now();
      answer = await ask("regions", { data: { csv }, settings: { kernel: "rbf:2", epochs: 1 }, step: 1200, box: [-5, -5, 5, 5], grid: [90, 66] });
      paint(canvas, answer);
      times.push(performance.now() - began);
    }
    return { vectors: answer.support_vectors, times };
  });
}

async function measure(browser, address, name) {
  const page = await visit(browser, address, "#data=many&epochs=3", { still: false });
  const bytes = await page.evaluate(() => performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation")).filter((e) => /(\.js|\.css|\/)$|#/.test(e.name.split("#")[0]) && !e.name.endsWith("/lab")).reduce((sum, e) => sum + e.decodedBodySize, 0));
  const dragged = await drag(page);
  await settled(page);
  const pressed = await steps(page);
  await page.context().close();
  const other = await visit(browser, address, "#data=and");
  const kernel = await regions(other);
  if (other.problems.length) throw new Error(other.problems.join("\n"));
  await other.context().close();
  console.log(`| ${name}: dragging one of 5,000 points, frames a second | ${dragged.frames.toFixed(0)} |`);
  console.log(`| … between two frames, 95% | ${ms(dragged.gap)} |`);
  console.log(`| … processor time of the page's thread for a frame | ${ms(dragged.busy)} |`);
  console.log(`| … processor time of the browser for a frame: raster, composition | ${ms(dragged.raster)}, ${ms(dragged.compose)} |`);
  console.log(`| … work of the page for a move, median and 95% | ${ms(dragged.median)}, ${ms(dragged.slow)} |`);
  const both = (/** @type {number[]} */ times) => `${ms(at(times, 0.5))}, ${ms(at(times, 0.95))}`;
  console.log(`| … a step: work of the page's thread from the key to the end of the frame, median and 95% | ${both(pressed.map((p) => p.work))} |`);
  console.log(`| … with its wait for the screen's next turn | ${both(pressed.map((p) => p.time))} |`);
  console.log(`| … regions of a kernel model with ${kernel.vectors} support vectors, median | ${ms(at(kernel.times, 0.5))} |`);
  return bytes;
}

const lab = spawn(program, ["lab", "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
const address = await new Promise((resolve) => lab.stdout.once("data", (line) => resolve(String(line).trim())));
const browser = await open();
console.log(`${cpus()[0].model.trim()}, ${cpus().length} cores, Chromium ${browser.version()}, without a graphics card\n`);
console.log("| the lab | |\n|---|---|");
const bytes = await measure(browser, address, "native engine");
if (engine && existsSync(engine)) {
  const folder = mkdtempSync(join(tmpdir(), "lab-site-"));
  await new Promise((resolve, reject) => spawn(program, ["lab", "--export", folder, "--engine", engine], { stdio: "ignore" }).on("exit", (code) => (code ? reject(new Error("no site")) : resolve(null))));
  const { server, address } = await serve(folder);
  await measure(browser, address, "WebAssembly");
  server.close();
  rmSync(folder, { recursive: true });
} else console.log("| WebAssembly | not built here: web/engine |");
console.log(`| the page, all of it, not compressed | ${(bytes / 1000).toFixed(0)} KB |`);
if (engine && existsSync(engine)) console.log(`| the engine as WebAssembly, compressed | ${(gzipSync(readFileSync(engine), { level: 9 }).length / 1e6).toFixed(2)} MB |`);
await browser.close();
lab.kill();
