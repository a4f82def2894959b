// What the tests read from the page and do to it, and what the program prints for the same.

import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { downloaded, settled } from "./browser.mjs";

/** With common spaces. */
export const sentence = async (page) => (await page.textContent(".sentence")).replaceAll("\u00a0", " ");
export const verdict = (page) => page.textContent(".verdict");
export const place = (page) => page.textContent(".place");
export const view = (page, name) => page.getByRole("tab", { name }).click();
export const lesson = (page, n) => page.locator(".lessons button").nth(n - 1).click();
export const marks = (page) => page.locator(".ink .mark").count();

/** What the program prints for a command in a folder with these files. */
export function printedBy(program, command, files) {
  const folder = mkdtempSync(join(tmpdir(), "lab-"));
  for (const file of files) writeFileSync(join(folder, file.name), file.bytes);
  const env = { ...process.env, PATH: `${dirname(program)}:${process.env.PATH}` };
  return execFileSync("bash", ["-c", command], { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] }).toString();
}

/** The page's trace, and what the program prints for the command that the page shows. */
export async function both(page, program) {
  await view(page, "Take along");
  await settled(page);
  const data = await downloaded(page, () => page.getByRole("button", { name: "Data (CSV)" }).click());
  const trace = await downloaded(page, () => page.getByRole("button", { name: "Trace (JSON)" }).click());
  const [command] = (await page.textContent("pre[aria-label='Command line']")).split("\n");
  return { trace: trace.bytes.toString(), printed: printedBy(program, command, [data]), command };
}
