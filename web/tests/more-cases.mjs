// What a person does in the lab, and what goes wrong for them: hands, links, words, motion, hostile input, both engines.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accessible, again, done, saved, settled, shot, visit } from "./browser.mjs";
import { both, marks, place, sentence, verdict, view } from "./hands.mjs";
import { compare } from "./random.mjs";

export const more = {
  async "what a hand can do: other class, delete, drop a file, generate"({ browser, address }) {
    const page = await visit(browser, address, "#data=and");
    const at = async (i) => {
      const box = await page.locator(".ink .mark").nth(i).boundingBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    await page.mouse.click(...(await at(0)), { button: "right" });
    await settled(page);
    assert.equal(await marks(page), 4, "the click that relabels once added a point as well");
    assert.match(await verdict(page), /^Not separable/, "(0,0) and (1,1) against the others is XOR");
    await page.keyboard.press("Control+z");
    await settled(page);
    assert.match(await verdict(page), /^Separable/);
    await page.mouse.dblclick(...(await at(3)));
    await settled(page);
    assert.equal(await marks(page), 3);
    assert.match(await sentence(page), /two classes/, "only −1 is left");
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+Shift+z");
    await page.keyboard.press("Control+z");
    await settled(page);
    assert.equal(await marks(page), 4);
    await page.evaluate(() => {
      const files = new DataTransfer();
      files.items.add(new File(["height,width,kind\n1,2,cat\n2,1,dog\n3,1,dog\n"], "pets.csv"));
      document.querySelector("#lab").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: files }));
    });
    await page.waitForFunction(() => document.querySelectorAll(".ink .mark").length === 3);
    await settled(page);
    assert.match(await page.textContent(".legend.classes"), /cat.*dog/);
    await page.locator("#data-choice").selectOption("moons");
    await settled(page);
    const first = await page.locator(".ink .mark").first().getAttribute("transform");
    await page.locator("#data-seed").fill("5");
    await page.locator("#data-seed").press("Tab");
    await settled(page);
    assert.notEqual(await page.locator(".ink .mark").first().getAttribute("transform"), first);
    await page.locator("#data-points").fill("30");
    await page.locator("#data-points").press("Tab");
    await page.waitForFunction(() => document.querySelectorAll(".ink .mark").length === 30);
    await done(page);
  },

  async "every number can be typed, and is used as typed"({ browser, address, program }) {
    const page = await visit(browser, address, "#data=and");
    await page.getByLabel("Weight of x1").fill("0.5");
    await page.getByLabel("Weight of x1").press("Tab");
    await page.getByLabel("Bias weight").fill("-2");
    await page.getByLabel("Bias weight").press("Tab");
    await settled(page);
    for (const [name, value] of [["rate", "0.1"], ["bias", "0.5"], ["passes", "7"], ["order", "4 3 2 1"]]) {
      await page.getByLabel(name, { exact: true }).fill(value);
      await page.getByLabel(name, { exact: true }).press("Tab");
      await settled(page);
    }
    await page.getByLabel("a score of 0 is", { exact: true }).selectOption("negative");
    await settled(page);
    await page.getByRole("button", { name: "Step", exact: true }).click();
    await settled(page);
    assert.match(await page.textContent(".numbers"), /0\.5·1 \+ 0·1/, "the first score is that of the typed weights");
    await accessible(page, "typed weights");
    if (!program) return done(page);
    const { trace, printed, command } = await both(page, program);
    for (const part of ["--set rate=0.1", "--bias 0.5", "--epochs 7", "--tie negative", "4 3 2 1", "0.5 0 -2"]) assert.ok(command.includes(part), `${part}: ${command}`);
    assert.equal(trace, printed);
    await done(page);
  },

  async "each lecture is one link, which survives a reload"({ browser, address }) {
    const page = await visit(browser, address, "#data=cmu");
    const told = async () => [await verdict(page), await sentence(page), await page.locator(".view").textContent()].join("\n");
    const expected = { "#data=and": /Separable/, "#data=or": /Separable/, "#data=xor&view=separable": /Not separable[^]*= 0/, "#data=cmu&step=5": /score 0, which says \+1 here: a mistake, so the weights move away/, "#data=ucla&step=2": /example 2, label −1/, "#view=fit&fit-degree=9&fit-points=10": /test error/ };
    for (const [hash, seen] of Object.entries(expected)) {
      await again(page, `${address}${hash}`);
      await saved(page);
      const before = await told();
      assert.match(before, seen, hash);
      await again(page);
      assert.equal(await told(), before, hash);
    }
    // Settings that built-in data bring along were taken for unsaid when a link held the defaults instead.
    await again(page, `${address}#data=cmu`);
    await page.getByRole("button", { name: "Reset the learner" }).click();
    await page.getByRole("checkbox", { name: "street" }).uncheck();
    await saved(page);
    await again(page);
    assert.equal(await page.getByLabel("bias", { exact: true }).inputValue(), "1");
    assert.equal(await page.getByRole("checkbox", { name: "street" }).isChecked(), false);
    await done(page);
  },

  async "each step is one spoken sentence"({ browser, address }) {
    for (const hash of ["#data=cmu", "#data=and&learner=pa1", "#data=three", "#data=moons&points=12&epochs=2"]) {
      const page = await visit(browser, address, hash);
      const region = page.locator(".sentence");
      assert.equal(await region.getAttribute("aria-live"), "polite");
      const said = new Set();
      for (let i = 0; i < 9; i++) {
        const text = await region.textContent();
        assert.match(text, /^[A-Z][^]*\.$/, text);
        assert.ok(!/\. [A-Z]/.test(text), `one sentence: ${text}`);
        said.add(text);
        await page.keyboard.press("ArrowRight");
        await settled(page);
      }
      assert.equal(said.size, 9, `${hash}: each step says something of its own`);
      await done(page);
    }
  },

  async "why did the weights change: the first lesson, by keyboard alone"({ browser, address }) {
    const page = await visit(browser, address, "#data=or");
    const focus = async (text) => {
      for (let i = 0; i < 120; i++) {
        if (await page.evaluate((text) => document.activeElement?.textContent?.trim() === text, text)) return;
        await page.keyboard.press("Tab");
      }
      assert.fail(`Tab does not reach “${text}”`);
    };
    await focus("1The update");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".lesson fieldset");
    await settled(page);
    assert.match(await page.evaluate(() => document.activeElement.textContent), /The update/);
    await focus("Yes, a mistake");
    await page.keyboard.press("Enter");
    await settled(page);
    // The answer, the reason and the numbers are on the screen without a scroll.
    const why = page.locator(".why");
    assert.match(await why.textContent(), /Why did the weights change\?Example 1 has the label −1, but the score is exactly 0, which says \+1\. So w moves away from x\..*from 0 to 5: now it is right/);
    const box = await why.boundingBox();
    assert.ok(box.y + box.height <= 900, `the reason ends at ${box.y + box.height}`);
    await accessible(page, "why");
    await shot(page, "why");
    await done(page);
  },

  async "the update is shown as it happens, and is not cut short"({ browser, address }) {
    const page = await visit(browser, address, "#data=cmu&step=2", { still: false });
    await page.waitForTimeout(500);
    await page.keyboard.press("ArrowRight");
    // First y·x, then the new w.
    await page.waitForFunction(() => document.querySelectorAll(".vector.step").length === 1 && document.querySelectorAll(".vector.new").length === 0);
    await page.waitForFunction(() => document.querySelectorAll(".vector.new").length === 1);
    await page.waitForTimeout(1200);
    const end = await page.locator(".layer-line .boundary:not(.before)").evaluate((line) => ["x1", "y1", "x2", "y2"].map((k) => Number(line.getAttribute(k))));
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowRight");
    await settled(page);
    assert.deepEqual(await page.locator(".layer-line .boundary:not(.before)").evaluate((line) => ["x1", "y1", "x2", "y2"].map((k) => Number(line.getAttribute(k)))), end);
    await done(page);
  },

  async "hostile links and files: refused clearly, and the page stays alive"({ browser, address }) {
    const page = await visit(browser, address, "#data=and");
    const alive = async (name) => {
      await page.waitForFunction(() => document.querySelector("#lab").dataset.ready === "yes");
      await page.waitForTimeout(250);
      await view(page, "Steps");
      await page.locator("#data-choice").selectOption("or");
      await page.waitForFunction(() => document.querySelectorAll(".ink .mark").length === 4 && /^Separable/.test(document.querySelector(".verdict").textContent), null, { timeout: 5000 }).catch(() => assert.fail(`${name}: the page is dead`));
    };
    for (const hash of ["#data=nosuch", "#z=%00garbage", "#csv=x1,x2,label;NaN,1,a;2,2,b", "#csv=x1,x2,label;1e999,1,a;2,2,b", "#csv=;;;,,,", "#data=and&step=1e99", "#data=and&step=-3", "#data=and&view=nosuch", "#data=and&plane=7 9", "#data=and&epochs=4e9", "#data=and&degree=99", "#data=and&init=1 2 3 4 5", "#data=and&order=9 9 9", "#data=and&kernel=cubic:x", "#data=and&learner=<img src=x>", "#lesson=99", "#lesson=1&scene=77", "#view=fit&fit-degree=1e9&fit-points=-1", "#data=street&points=1e9"]) {
      await page.goto("about:blank");
      await page.goto(`${address}${hash}`);
      await alive(hash);
    }
    const drop = (lines, text) => page.evaluate(({ lines, text }) => {
      const files = new DataTransfer();
      files.items.add(new File([text + "1.5,2.5,a\n".repeat(lines)], "large.csv"));
      document.querySelector("#lab").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: files }));
    }, { lines, text });
    for (const [lines, text, said] of [[1_000_000, "x,y,label\n0,0,b\n", /1000002 examples|at most 100000|1,000,001|1000001/], [3_000_000, "x,y,label\n", /30 MB: the lab takes at most 12 MB/], [0, "\u0000\u0001\u0002", /./]]) {
      await drop(lines, text);
      await page.waitForFunction((was) => document.querySelector(".data > .problem").textContent && document.querySelector(".data > .problem").textContent !== was, "", { timeout: 30000 });
      assert.match(await page.textContent(".data > .problem"), said);
      assert.equal(await marks(page), 4, "what was there stays");
      await alive("a file");
    }
    await done(page);
  },

  async "the engine is busy, gone, and back"({ browser, address }) {
    const page = await visit(browser, address, "#data=and");
    if (await page.evaluate(() => document.documentElement.dataset.engine !== "http")) return done(page);
    let refusals = 1;
    await page.route("**/lab", (route) => (refusals-- > 0 ? route.fulfill({ status: 429, body: '{"error": {"kind": "busy", "message": "busy"}}' }) : route.continue()));
    await page.getByLabel("passes", { exact: true }).fill("5");
    await page.getByLabel("passes", { exact: true }).press("Tab");
    await page.waitForFunction(() => /of 20$/.test(document.querySelector(".place").textContent)).catch(() => assert.fail("a busy engine is asked again"));
    await page.unroute("**/lab");
    await page.route("**/lab", (route) => route.abort());
    await page.getByLabel("passes", { exact: true }).fill("6");
    await page.getByLabel("passes", { exact: true }).press("Tab");
    await page.waitForFunction(() => /does not answer/.test(document.querySelector(".sentence").textContent));
    await accessible(page, "gone");
    await page.unroute("**/lab");
    await page.getByLabel("passes", { exact: true }).fill("7");
    await page.getByLabel("passes", { exact: true }).press("Tab");
    await settled(page);
    assert.match(await place(page), /of 28$/);
    page.problems = page.problems.filter((text) => !/429|ERR_FAILED/.test(text));
    await done(page);
  },

  async "200 random data sets, settings and seeds: the program's numbers"({ browser, address, program }) {
    if (!program) return;
    const page = await visit(browser, address, "#data=and");
    const { lines, verdicts, refused } = await compare(page, program, 200);
    console.log(`      200 cases: ${lines} lines and ${verdicts} verdicts are those of the program; ${refused} were refused`);
    await done(page);
  },

  async "on a slide, and in a notebook"({ browser, address }) {
    const page = await visit(browser, address, "#data=cmu&step=3&view=take");
    const frame = await page.getByLabel("Lines for a slide").inputValue();
    const slide = join(mkdtempSync(join(tmpdir(), "lab-")), "slide.html");
    writeFileSync(slide, `<!doctype html><html lang="en"><title>A slide</title>${frame}`);
    const other = await browser.newPage();
    await other.goto(`file://${slide}`);
    const shown = other.frameLocator("iframe");
    await shown.locator("#lab[data-ready=yes]").waitFor();
    await shown.locator(".sentence", { hasText: "Step 3: example 3" }).waitFor();
    assert.equal(await shown.locator(".left").isVisible(), false);
    await other.close();
    // The notebook hands over the files and answers from Python; here the server answers in its place.
    if (await page.evaluate(() => document.documentElement.dataset.engine === "http")) {
      const web = new URL("..", import.meta.url).pathname;
      const [, esm] = readFileSync(join(web, "../python/rosenblatt/_lab.py"), "utf8").match(/_ESM = r"""([^]*?)"""/);
      const files = Object.fromEntries(readdirSync(web).filter((name) => /\.(js|css)$/.test(name)).map((name) => [name, readFileSync(join(web, name), "utf8")]));
      await page.route("**/notebook", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><html lang=en><title>A notebook</title><body></body>" }));
      await page.goto(`${address}notebook`);
      await page.evaluate(async ({ esm, files }) => {
        const widget = await import(URL.createObjectURL(new Blob([esm], { type: "text/javascript" })));
        const traits = { _files: files, height: 900, csv: "x1,x2,label\n0.1,2,1\n1,1,-1\n3,-1,1\n", settings: '{"bias": 0}' };
        const hear = [];
        const send = async ({ id, request }) => {
          const text = await (await fetch("lab", { method: "POST", body: request })).text();
          hear.forEach((one) => one({ id, text }));
        };
        widget.default.render({ model: { get: (name) => traits[name], on: (_, one) => hear.push(one), off: () => {}, send }, el: document.body });
      }, { esm, files });
      const lab = page.frameLocator("iframe");
      await lab.locator("#widget[data-ready=yes]").waitFor();
      await lab.locator(".sentence", { hasText: "3 examples" }).waitFor();
      await lab.getByRole("button", { name: "Step", exact: true }).click();
      await lab.locator(".numbers strong", { hasText: "(0.1," }).waitFor();
    }
    await done(page);
  },
};
