// Chromium, as a person has it: pages, keys, downloads. Every request and every error of the page is kept.

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

const home = process.env.LAB_NODE ?? new URL("../../target/lab/", import.meta.url).pathname;
const require = createRequire(`${home}/`);
const { chromium } = require("playwright-core");
const axe = require.resolve("axe-core/axe.min.js");
export const shots = process.env.LAB_SHOTS ?? `${home}/shots`;
mkdirSync(shots, { recursive: true });

const FLAGS = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export async function open() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
}

/** A fresh page of the lab; fails on any error in it, and on any request to another origin. */
export async function visit(browser, address, hash = "", { width = 1280, height = 900, dark = false, still = true } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", reducedMotion: still ? "reduce" : "no-preference", acceptDownloads: true });
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(`error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && page.problems.push(`console: ${message.text()}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !/^(data|blob):/.test(url)) page.problems.push(`a request left the origin: ${url}`);
  });
  await page.goto(`${address}${hash}`);
  await page.waitForSelector("#lab[data-ready=yes]");
  await settled(page);
  return page;
}

/** Waits until nothing is awaited from the engine, twice: what came may have asked for more. */
export async function settled(page) {
  for (let i = 0; i < 2; i++) {
    await page.waitForFunction(() => document.querySelector("#lab").dataset.working !== "yes" && !/Deciding|thinking/.test(document.querySelector(".verdict")?.textContent + document.querySelector(".sentence")?.textContent));
    await page.waitForTimeout(30);
  }
}

/** Waits until the link in the address is that of what is seen. */
export async function saved(page) {
  await settled(page);
  await page.waitForFunction(() => document.querySelector("#lab").dataset.saved === "yes");
}

/** Opens a page anew, or goes to a link of it as if it came from elsewhere. */
export async function again(page, address = null) {
  if (address) await page.goto("about:blank"), await page.goto(address);
  else await page.reload();
  await page.waitForSelector("#lab[data-ready=yes]");
  await settled(page);
}

/** Checks a page and closes it: nothing went wrong in it. */
export async function done(page) {
  if (page.problems.length) throw new Error(page.problems.join("\n"));
  await page.context().close();
}

/** axe-core finds nothing. */
export async function accessible(page, name) {
  // The policy of the page allows no foreign script: axe is evaluated by the debugger.
  await page.evaluate(`${readFileSync(axe, "utf8")}\n;undefined`);
  const result = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const found = result.violations.map((v) => `${v.id}: ${v.help}\n    ${v.nodes.slice(0, 4).map((n) => `${n.html.slice(0, 160)} ${n.any.concat(n.all, n.none).map((c) => c.message).join("; ").slice(0, 200)}`).join("\n    ")}`);
  if (found.length) throw new Error(`${name}: axe-core finds\n  ${found.join("\n  ")}`);
}

export async function shot(page, name) {
  await page.screenshot({ path: `${shots}/${name}.png` });
}

/** What a click downloads, as text. */
export async function downloaded(page, click) {
  const [file] = await Promise.all([page.waitForEvent("download"), click()]);
  const chunks = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk);
  return { name: file.suggestedFilename(), bytes: Buffer.concat(chunks) };
}
