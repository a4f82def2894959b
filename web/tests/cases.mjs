// What a person does in the lab.

import assert from "node:assert/strict";
import { accessible, again, done, downloaded, saved, settled, shot, visit } from "./browser.mjs";
import { both, lesson, marks, place, printedBy, sentence, verdict, view } from "./hands.mjs";
import { more } from "./more-cases.mjs";
import { points } from "./point-cases.mjs";

export const cases = {
  ...more,
  ...points,

  async "the six points of the lecture, step by step"({ browser, address }) {
    const page = await visit(browser, address, "#data=cmu");
    await accessible(page, "start");
    await shot(page, "start");
    for (const [step, expected] of [[1, "(1, −2)"], [3, "(2, −1)"], [5, "(3, 1)"]]) {
      while (!(await place(page)).startsWith(`step ${step} `)) await page.keyboard.press("ArrowRight"), await page.waitForTimeout(30);
      await settled(page);
      assert.match(await sentence(page), /mistake/);
      assert.ok((await page.textContent(".numbers")).replaceAll("\u00a0", " ").includes(`= ${expected}`), `step ${step}: ${await page.textContent(".numbers")}`);
    }
    await shot(page, "update");
    await accessible(page, "update");
    await page.keyboard.press("End");
    await settled(page);
    assert.match(await page.textContent(".numbers"), /separated after 2 passes and 3 mistakes/);
    assert.equal(await page.locator(".steps tbody tr").count(), 12);
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("button", { name: "Go to step 3" }).click();
    assert.match(await place(page), /step 3 of 12/);
    assert.match(await verdict(page), /^Separable/);
    await done(page);
  },

  async "points are added, moved, deleted, typed, undone"({ browser, address }) {
    const page = await visit(browser, address, "#data=cmu");
    const plot = page.locator(".middle .plot");
    const box = await plot.boundingBox();
    await page.mouse.click(box.x + box.width * 0.8, box.y + box.height * 0.2);
    await settled(page);
    assert.equal(await marks(page), 7);
    await page.keyboard.press("Control+z");
    await settled(page);
    assert.equal(await marks(page), 6);
    const before = page.url();
    const point = await page.locator(".ink .mark").nth(1).boundingBox();
    await page.mouse.move(point.x + point.width / 2, point.y + point.height / 2);
    await page.mouse.down();
    await page.mouse.move(point.x + 60, point.y - 40, { steps: 8 });
    await page.mouse.up();
    await saved(page);
    assert.equal(await marks(page), 6);
    assert.notEqual(page.url(), before);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Coordinates", { exact: true }).click();
    const cell = page.getByLabel("x1 of example 1");
    assert.equal(await cell.inputValue(), "-1");
    await cell.fill("0.1");
    await cell.press("Enter");
    await settled(page);
    await page.getByRole("button", { name: "Delete example 6" }).click();
    await settled(page);
    assert.equal(await marks(page), 5);
    await cell.fill("many");
    await cell.press("Enter");
    assert.match(await page.textContent(".data .problem"), /expected a number/);
    await page.getByRole("button", { name: "Clear" }).click();
    await settled(page);
    assert.match(await sentence(page), /Add points of two classes/);
    await accessible(page, "empty");
    await done(page);
  },

  async "everything works by keyboard alone"({ browser, address }) {
    const page = await visit(browser, address, "#data=and");
    await page.locator(".middle .plot").focus();
    await page.keyboard.press("n");
    await page.keyboard.press("n");
    await page.keyboard.press("ArrowUp");
    await settled(page);
    await page.keyboard.press("1");
    await settled(page);
    await page.keyboard.press("Enter");
    await settled(page);
    assert.equal(await marks(page), 5);
    await page.keyboard.press("Delete");
    await settled(page);
    assert.equal(await marks(page), 4);
    await page.locator("#tab-steps").focus();
    for (const name of ["proof", "separable", "weights", "keeps", "race", "fit", "take"]) {
      await page.keyboard.press("ArrowRight");
      assert.equal(await page.evaluate(() => document.activeElement.id), `tab-${name}`);
    }
    // Tab reaches every control, and focus is never lost.
    await page.evaluate(() => document.activeElement.blur());
    const met = new Set();
    for (let i = 0; i < 90; i++) {
      await page.keyboard.press("Tab");
      met.add(await page.evaluate(() => document.activeElement.className + document.activeElement.id + document.activeElement.textContent?.slice(0, 12)));
    }
    assert.ok(met.size > 30, `${met.size} places`);
    await done(page);
  },

  async "the learner and its parameters"({ browser, address }) {
    const page = await visit(browser, address, "#data=clouds");
    await page.getByLabel("learner", { exact: true }).selectOption("pa1");
    await settled(page);
    await page.getByLabel("c", { exact: true }).fill("0.1");
    await page.getByLabel("c", { exact: true }).press("Tab");
    await settled(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Next mistake" }).click();
    await settled(page);
    assert.match(await page.textContent(".numbers"), /·y·x/);
    await page.getByLabel("c", { exact: true }).fill("-1");
    await page.getByLabel("c", { exact: true }).press("Tab");
    await settled(page);
    assert.match(await sentence(page), /c=-1: pa1 takes above 0/);
    await accessible(page, "refused parameter");
    await done(page);
  },

  async "many classes, kernels and degrees have regions"({ browser, address }) {
    for (const [name, hash] of [["three", "#data=three&step=40"], ["moons", "#data=moons&kernel=rbf:2&epochs=20&step=900"], ["circles", "#data=circles&degree=2&step=4000"], ["petals", "#data=petals&step=200"]]) {
      const page = await visit(browser, address, hash);
      const seen = await page.evaluate(() => {
        const canvas = document.querySelector(".middle canvas.regions");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        const colours = new Set();
        for (let i = 0; i < data.length; i += 4) colours.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
        return colours.size;
      });
      assert.equal(seen, name === "three" || name === "petals" ? 3 : 2, name);
      // With a kernel, rows after the sixth were hidden together with the columns of the weights.
      assert.ok(await page.locator(".steps .here").isVisible(), `${name}: the row of the step`);
      await accessible(page, name);
      await shot(page, name);
      await done(page);
    }
  },

  async "the proof, live"({ browser, address }) {
    const page = await visit(browser, address, "#data=street&view=proof&step=1000");
    await page.waitForSelector(".chain b");
    const [lower, uw, norm, upper] = (await page.locator(".chain b").allTextContents()).map((t) => Number(t.replace("−", "-")));
    assert.ok(lower <= uw + 1e-9 && uw <= norm + 1e-9 && norm <= upper + 1e-9, `${lower} ${uw} ${norm} ${upper}`);
    await accessible(page, "proof");
    await shot(page, "proof");
    await page.goto(`${address}#data=cmu&bias=0&tie=positive&step=6&view=weights`);
    await page.reload();
    await page.waitForSelector(".weight-space .w-now");
    await accessible(page, "weights");
    await shot(page, "weights");
    await done(page);
  },

  async "XOR: the proof that no line exists, and its certificate"({ browser, address }) {
    const page = await visit(browser, address, "#data=xor&view=separable");
    assert.match(await verdict(page), /Not separable: no line can do it, proved by 4 examples/);
    assert.match(await page.textContent(".verdict-view"), /= 0/);
    assert.equal(await page.locator(".ink .hull").count(), 2);
    await page.getByRole("button", { name: "Check it here" }).click();
    await page.waitForFunction(() => /proves “inseparable”/.test(document.querySelector(".verdict-view").textContent));
    const proof = await downloaded(page, () => page.getByRole("button", { name: "Save the certificate" }).click());
    assert.equal(JSON.parse(proof.bytes.toString()).verdict, "inseparable");
    await accessible(page, "xor");
    await shot(page, "xor");
    await page.keyboard.press("End");
    await settled(page);
    assert.match(await page.textContent(".numbers"), /repeat for ever/);
    await done(page);
  },

  async "keeps side by side, a race, over-fitting"({ browser, address }) {
    const page = await visit(browser, address, "#data=clouds&view=keeps&step=600");
    await page.waitForFunction(() => document.querySelectorAll(".four figcaption b").length === 4);
    assert.equal((await page.locator(".four figcaption").allTextContents()).filter((t) => /% wrong/.test(t)).length, 4);
    await accessible(page, "keeps");
    await shot(page, "keeps");
    await view(page, "Race");
    await page.waitForSelector(".chart .two");
    await page.getByLabel("This learner against", { exact: true }).selectOption("pa1");
    await page.waitForFunction(() => /pa1: \d/.test(document.querySelector(".view").textContent));
    await accessible(page, "race");
    await shot(page, "race");
    await view(page, "Over-fitting");
    await page.waitForSelector(".fit .big");
    await page.locator("#fit-degree").fill("9");
    await page.waitForFunction(() => document.querySelector(".slider output").textContent === "9");
    await settled(page);
    const [train, test] = (await page.locator(".fit .big b").allTextContents()).map((t) => Number(t.replaceAll("−", "-")));
    assert.ok(train < 1e-3 && test > 0.25, `${train} ${test}`);
    await accessible(page, "over-fitting");
    await shot(page, "overfitting");
    await done(page);
  },

  async "over-fitting: the curve's numbers are the program's"({ browser, address, program }) {
    if (!program) return;
    for (const hash of ["#view=fit&fit-degree=9", "#view=fit&fit-degree=5&fit-points=30&fit-noise=0.5&fit-ridge=0.001&fit-seed=3"]) {
      const page = await visit(browser, address, hash);
      await page.waitForSelector(".fit .big b");
      const files = [];
      for (const name of ["train.csv", "test.csv"]) files.push(await downloaded(page, () => page.getByRole("button", { name: `Save ${name}` }).click()));
      const command = await page.textContent("pre[aria-label='Command line of this fit']");
      const { fits } = JSON.parse(printedBy(program, `${command} --json`, files));
      const shown = await page.locator(".fit .big b").evaluateAll((all) => all.map((one) => one.title.replaceAll("−", "-")));
      const told = [fits[0].train.rms, fits[0].test.rms];
      // The least squares call hypot, which rounds differently as WebAssembly: by less than 1e-15 where it was measured.
      if (await page.evaluate(() => document.documentElement.dataset.engine === "http")) assert.deepEqual(shown, told.map(String), command);
      else shown.forEach((text, i) => assert.ok(Math.abs(Number(text) - told[i]) <= 1e-12, `${command}: ${text}, ${told[i]}`));
      await done(page);
    }
  },

  async "a link holds everything, and survives another browser"({ browser, address }) {
    const page = await visit(browser, address, "#data=and");
    const box = await page.locator(".middle .plot").boundingBox();
    await page.mouse.click(box.x + box.width * 0.75, box.y + box.height * 0.7);
    await page.getByLabel("order", { exact: true }).fill("4 1 2 3 5");
    await page.getByLabel("order", { exact: true }).press("Tab");
    await settled(page);
    for (let i = 0; i < 7; i++) await page.getByRole("button", { name: "Step", exact: true }).click();
    await saved(page);
    const [said, url] = [await sentence(page), page.url()];
    await done(page);
    const other = await visit(browser, address, new URL(url).hash);
    assert.equal(await sentence(other), said);
    assert.equal(await marks(other), 5);
    await again(other);
    assert.equal(await sentence(other), said);
    // Without a link the lab opens where it was left.
    await again(other, address);
    assert.equal(await sentence(other), said);
    await done(other);
    const slide = await visit(browser, address, `${new URL(url).hash}&embed`);
    assert.equal(await slide.locator(".left").isVisible(), false);
    await accessible(slide, "embed");
    await shot(slide, "embed");
    await done(slide);
  },

  async "pasted tables: CSV with many columns, LIBSVM, TSV, JSON Lines, VW, broken text"({ browser, address }) {
    const page = await visit(browser, address, "#data=and");
    await page.getByText("Paste or drop a file").click();
    const paste = async (text) => {
      await page.locator("#paste").fill(text);
      await page.getByRole("button", { name: "Use this" }).click();
      await settled(page);
      return page.textContent(".data > .problem");
    };
    assert.match(await paste("a,b,c,y\n1,2,3,yes\n2,1,0,no\n0,1,5,yes\n3,3,1,no\n"), /csv: 4 examples, 3 features/);
    assert.equal(await page.getByLabel("Vertical feature").count(), 1);
    await accessible(page, "three columns");
    assert.match(await paste("+1 1:0.5 2:1\n-1 1:-1\n+1 2:3\n"), /libsvm: 3 examples, 2 features/);
    assert.match(await paste("x1\tx2\tlabel\n1\t2\t+1\n2\t-1\t-1\n-3\t0.5\t+1\n"), /tsv: 3 examples, 2 features/);
    assert.match(await paste('{"x1": 1, "x2": 2, "label": "yes"}\n{"x1": -2, "x2": 0.5, "label": "no"}\n'), /jsonl: 2 examples, 2 features/);
    assert.match(await paste("1 | x1:1 x2:2\n-1 | x1:-2 x2:0.5\n1 | x1:3\n"), /vw: 3 examples, 2 features/);
    // Large numbers are written as people write them.
    assert.match(await paste("x1,x2,label\n1e12,2e12,+1\n-3e12,1e11,-1\n5e11,-1e12,+1\n"), /3 examples/);
    assert.ok((await page.locator(".tick").allTextContents()).includes("1e12"));
    assert.match(await paste("x1,x2,label\n1e300,1e300,+1\n-1e300,1e300,-1\n1,2,+1\n"), /3 examples/);
    assert.match(await verdict(page), /their squares overflow/);
    assert.match(await paste("x,y,label\n1,two three,+1\n1,oops\n"), /2 fields|fields/);
    assert.equal(await marks(page), 3, "what was there stays");
    await done(page);
  },

  async "a lesson from start to end"({ browser, address }) {
    const page = await visit(browser, address, "#data=or");
    await lesson(page, 1);
    await page.waitForSelector(".lesson fieldset");
    await settled(page);
    await accessible(page, "lesson");
    await shot(page, "lesson");
    // The table and the marks told the answer before the question was answered.
    const told = () => page.locator(".steps tbody tr, .marks .mistakes, .ink .cross").evaluateAll((all) => all.filter((one) => getComputedStyle(one).visibility !== "hidden").length);
    assert.equal(await told(), 0);
    await page.getByRole("button", { name: "Yes, a mistake" }).click();
    await settled(page);
    assert.ok((await told()) > 12);
    assert.match(await page.textContent(".answer"), /^Yes\./);
    assert.match(await sentence(page), /Step 1: .*mistake/);
    for (let scene = 2; scene <= 4; scene++) {
      await page.getByRole("button", { name: "Next", exact: true }).click();
      await page.waitForFunction((n) => document.querySelector(".lesson .over").textContent.includes(`, ${n} of`), scene);
      await settled(page);
    }
    // Opened anew after the answer, the question was judged by the step after the next.
    await page.getByRole("button", { name: "Back", exact: true }).and(page.locator(".lesson button")).click();
    await settled(page);
    for (let round = 0; round < 2; round++) {
      await page.getByRole("button", { name: "Yes, a mistake" }).click();
      await settled(page);
      assert.match(await page.textContent(".answer"), /^Yes\. w·x = 1·1/);
      assert.match(await place(page), /^step 3 /);
      await saved(page);
      await again(page);
    }
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await settled(page);
    await page.getByRole("button", { name: /Next lesson: Ties and bias/ }).click();
    await page.waitForFunction(() => document.querySelector(".lesson h2").textContent === "Ties and bias");
    await done(page);
    const linked = await visit(browser, address, "#lesson=5");
    assert.equal(await linked.textContent(".lesson h2"), "Not separable");
    for (const part of [".verdict", ".ink .weight"]) assert.equal(await linked.locator(part).first().isVisible(), false, `${part}: not before the answer`);
    await accessible(linked, "a question");
    await linked.getByRole("button", { name: "No", exact: true }).click();
    assert.equal(await linked.locator(".verdict").isVisible(), true);
    assert.match(await verdict(linked), /^Not separable/);
    await done(linked);
  },

  async "every scene of every lesson opens without a problem"({ browser, address }) {
    const page = await visit(browser, address, "#data=and");
    const all = await page.locator(".lessons button").count();
    assert.equal(all, 7);
    for (let n = 1; n <= all; n++) {
      await lesson(page, n);
      await page.waitForFunction((n) => document.querySelector(".lesson .over")?.textContent.startsWith(`Lesson ${n} of 7, 1 of`), n);
      for (;;) {
        await settled(page);
        assert.equal(await page.locator(".middle > .problem").isVisible(), false, `${n}: ${await page.textContent(".middle > .problem")}`);
        const next = page.getByRole("button", { name: "Next", exact: true });
        if ((await next.count()) === 0) break;
        const here = await page.textContent(".lesson .over");
        await next.click();
        await page.waitForFunction((was) => document.querySelector(".lesson .over").textContent !== was, here);
      }
    }
    await done(page);
  },

  async "phone, projector, dark"({ browser, address }) {
    for (const [width, height] of [[360, 740], [1920, 1080]]) {
      for (const dark of [false, true]) {
        const page = await visit(browser, address, "#data=cmu&bias=0&tie=positive&step=3", { width, height, dark });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${wide} px wide at ${width}`);
        await accessible(page, `${width} ${dark}`);
        await shot(page, `${width}${dark ? "-dark" : ""}`);
        await done(page);
      }
    }
    const page = await visit(browser, address, "#data=xor&view=separable", { dark: true });
    await accessible(page, "dark xor");
    await shot(page, "xor-dark");
    await done(page);
    const each = await visit(browser, address, "#data=street&bias=0&step=30", { dark: true });
    for (const name of ["Steps", "Proof", "Separable?", "Weights", "Keeps", "Race", "Over-fitting", "Take along"]) {
      await view(each, name);
      await settled(each);
      await accessible(each, `dark ${name}`);
    }
    await done(each);
  },

  async "the trace is that of the program, byte for byte"({ browser, address, program }) {
    if (!program) return;
    for (const hash of ["#data=cmu", "#data=ucla", "#data=xor", "#data=and&init=0.1 -2 0.3", "#data=petals&epochs=3", "#data=clouds&learner=arow&epochs=4", "#data=moons&degree=3&epochs=5&order=shuffled&seed=7", "#data=or&learner=pa1&set=c=0.3&tie=negative&order=4 3 2 1"]) {
      const page = await visit(browser, address, hash);
      const { trace, printed, command } = await both(page, program);
      assert.ok(trace.length > 100 && trace === printed, `${hash}: ${command}\n${trace.slice(0, 400)}\n---\n${printed.slice(0, 400)}`);
      await done(page);
    }
  },

  async "pictures to take along"({ browser, address }) {
    const page = await visit(browser, address, "#data=cmu&bias=0&tie=positive&step=3&view=take");
    const svg = await downloaded(page, () => page.getByRole("button", { name: "Picture (SVG)" }).click());
    assert.match(svg.bytes.toString(), /^<svg[^>]*>.*<\/svg>$/s);
    const png = await downloaded(page, () => page.getByRole("button", { name: "Picture (PNG)" }).click());
    assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
    const csv = await downloaded(page, () => page.getByRole("button", { name: "Trace (CSV)" }).click());
    assert.equal(csv.bytes.toString().split("\n")[1], "1,1,1,-1,0,true,1,-2,0");
    await accessible(page, "take along");
    await shot(page, "take");
    await done(page);
  },

  async "5,000 points: measured, not asserted"({ browser, address }) {
    const page = await visit(browser, address, "#data=many&epochs=3", { still: false });
    const box = await page.locator(".middle .plot").boundingBox();
    await page.evaluate(() => {
      globalThis.frames = [];
      const tick = (now) => (globalThis.frames.push(now), requestAnimationFrame(tick));
      requestAnimationFrame(tick);
    });
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.3);
    await page.mouse.down();
    for (let i = 0; i < 60; i++) await page.mouse.move(box.x + box.width * 0.5 + i * 2, box.y + box.height * 0.3 + i);
    await page.mouse.up();
    const frames = await page.evaluate(() => globalThis.frames);
    const gaps = frames.slice(1).map((t, i) => t - frames[i]).sort((a, b) => a - b);
    await settled(page);
    const step = await page.evaluate(async () => {
      const times = [];
      for (let i = 0; i < 20; i++) {
        const began = performance.now();
        document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
        times.push(performance.now() - began);
      }
      return times.sort((a, b) => a - b)[10];
    });
    console.log(`      5,000 points: frames while dragging, median ${gaps[gaps.length >> 1].toFixed(1)} ms, 95% ${gaps[Math.floor(gaps.length * 0.95)].toFixed(1)} ms; a step ${step.toFixed(1)} ms`);
    const kernel = await page.evaluate(async () => {
      if (document.documentElement.dataset.engine !== "http") return null;
      const ask = async (request) => (await fetch("lab", { method: "POST", body: JSON.stringify(request) })).json();
      const { csv } = await ask({ op: "data", name: "clouds", points: 1200, noise: 1.8 });
      const request = { op: "regions", data: { csv }, settings: { kernel: "rbf:2", epochs: 1 }, step: 1200, box: [-5, -5, 5, 5], grid: [90, 66] };
      const times = [];
      let answer;
      for (let i = 0; i < 5; i++) {
        const began = performance.now();
        answer = await ask(request);
        times.push(performance.now() - began);
      }
      return [answer.support_vectors, times.sort((a, b) => a - b)[2]];
    });
    if (kernel) console.log(`      regions of a kernel model with ${kernel[0]} support vectors: ${kernel[1].toFixed(0)} ms`);
    await shot(page, "many");
    await done(page);
  },
};

/** What is tested on the static site as well: the page is the same, the engine and the way to it are others. */
export const withAnotherEngine = new Set([
  "the six points of the lecture, step by step", "many classes, kernels and degrees have regions", "the proof, live", "XOR: the proof that no line exists, and its certificate",
  "keeps side by side, a race, over-fitting", "over-fitting: the curve's numbers are the program's", "a link holds everything, and survives another browser", "each lecture is one link, which survives a reload", "pasted tables: CSV with many columns, LIBSVM, TSV, JSON Lines, VW, broken text",
  "a lesson from start to end", "built-in data: each is one choice, and one link", "hostile links and files: refused clearly, and the page stays alive", "the trace is that of the program, byte for byte", "200 random data sets, settings and seeds: the program's numbers",
]);
