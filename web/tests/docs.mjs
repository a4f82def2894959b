// The documentation in a real browser: node web/tests/docs.mjs FOLDER, which docs/build has written. Every page opens without an
// error, asks no other origin, fits a phone and pleases axe-core; where a page shows the lab, it is alive; the switch of the theme works.

import { strict as assert } from "node:assert";
import { readdirSync } from "node:fs";
import { accessible, open } from "./browser.mjs";
import { serve } from "./serve.mjs";

const [folder] = process.argv.slice(2);
const { server, address } = await serve(folder);
const browser = await open();
const context = await browser.newContext({ viewport: { width: 360, height: 800 } });
const problems = [];
let [pages, labs] = [0, 0];
for (const name of readdirSync(folder).filter((file) => file.endsWith(".html") && file !== "404.html")) {
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(`${name}: ${error.message}`));
  page.on("request", (request) => !request.url().startsWith(address) && !/^(data|blob):/.test(request.url()) && problems.push(`${name} asks ${request.url()}`));
  page.on("response", (answer) => answer.status() >= 400 && problems.push(`${name}: ${answer.status()} ${answer.url()}`));
  await page.goto(address + name);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) problems.push(`${name} is ${wide} pixels wider than a phone`);
  await accessible(page, name).catch((error) => problems.push(error.message));
  for (const frame of await page.locator("figure.lab iframe").all()) {
    await frame.scrollIntoViewIfNeeded();
    const lab = frame.contentFrame();
    await lab.locator("#lab[data-ready=yes]").waitFor({ timeout: 60000 });
    const said = await lab.locator(".problem").allTextContents();
    if (said.join("")) problems.push(`${name}: the lab says ${said}`);
    if (await lab.locator("#lab[data-view=fit]").count()) await lab.locator(".curve.fitted").waitFor();
    else {
      await lab.getByRole("button", { name: "To the end" }).click();
      await lab.locator(".this-step .ending").waitFor({ state: "attached" });
    }
    labs += 1;
  }
  pages += 1;
  await page.close();
}
const page = await context.newPage();
await page.setViewportSize({ width: 1280, height: 800 });
await page.goto(`${address}index.html`);
await page.locator("#theme-menu").click();
await page.locator("[data-bs-theme-value=dark]").click();
assert.equal(await page.evaluate(() => document.documentElement.dataset.bsTheme), "dark", "the switch of the theme");
assert.equal(await page.evaluate(() => localStorage.getItem("rosenblatt-lab")), null, "a lab that is shown in a page keeps nothing");
await browser.close();
server.close();
console.log(problems.length ? problems.join("\n") : `${pages} pages of the documentation are in order, with ${labs} labs in them`);
process.exit(problems.length ? 1 : 0);
