// What a person finds in the lab: every data set, every learner, every way through time; numbers that a hand calculation gives,
// whatever the letters of the machine, with a finger as with a mouse.

import assert from "node:assert/strict";
import { accessible, again, done, saved, settled, shot, visit } from "./browser.mjs";
import { marks, place, sentence, verdict, view } from "./hands.mjs";

/** What the page shows of the present step, with common spaces. */
const numbers = async (page) => (await page.textContent(".numbers")).replaceAll("\u00a0", " ");

/** Types into a field and leaves it. */
async function type(page, name, value) {
  await page.getByLabel(name, { exact: true }).fill(value);
  await page.getByLabel(name, { exact: true }).press("Tab");
  await settled(page);
}

/** The letters of other machines: none of these fonts is as wide as another. */
const LETTERS = ["'Liberation Sans Narrow', 'Arial Narrow', sans-serif", "sans-serif", "'DejaVu Serif', serif", "monospace"];

export const points = {
  async "built-in data: each is one choice, and one link"({ browser, address }) {
    const page = await visit(browser, address, "#data=cmu");
    const expected = { cmu: [6, /^Separable/], ucla: [2, /^Separable/], and: [4, /^Separable/], or: [4, /^Separable/], xor: [4, /^Not separable/], petals: [150, /^Not separable: no weights give every example's own class the highest score/], street: [40, /^Separable/], clouds: [60, /^Not separable/], outlier: [31, /^Separable/], moons: [80, /^Not separable/], circles: [80, /^Separable at degree 2/], three: [60, /^Separable/] };
    for (const [name, [points, told]] of Object.entries(expected)) {
      await page.locator("#data-choice").selectOption(name);
      await settled(page);
      assert.equal(await marks(page), points, name);
      assert.match(await verdict(page), told, name);
      await saved(page);
      assert.match(page.url(), new RegExp(`data=${name}(&|$)`));
      assert.equal(await page.locator(".middle > .problem").isVisible(), false, name);
    }
    // A class is a colour and a shape.
    const looks = await page.locator(".ink .mark path:first-child").evaluateAll((all) => new Set(all.map((one) => `${one.getAttribute("d")} ${one.getAttribute("fill")}`)).size);
    assert.equal(looks, 3);
    await done(page);
  },

  async "time travel: buttons, keys, the scrubber, a row, play"({ browser, address }) {
    const page = await visit(browser, address, "#data=cmu");
    const at = async (step) => assert.match(await place(page), new RegExp(`^step ${step} of 12`));
    const click = async (name) => (await page.getByRole("button", { name, exact: true }).click(), settled(page));
    for (const [name, step] of [["Step", 1], ["Next mistake", 3], ["Back", 2], ["End of pass", 6], ["To the end", 12], ["To the start", 0]]) {
      await click(name);
      await at(step);
    }
    for (const [key, step] of [["ArrowRight", 1], ["m", 3], ["m", 5], ["e", 6], ["ArrowLeft", 5], ["End", 12], ["Home", 0]]) {
      await page.keyboard.press(key);
      await settled(page);
      await at(step);
    }
    await page.getByLabel("Step", { exact: true }).and(page.locator("input")).fill("7");
    await settled(page);
    await at(7);
    await page.locator(".steps tbody tr").nth(4).click();
    await settled(page);
    await at(5);
    assert.equal(await page.locator(".steps tr.here").getAttribute("data-step"), "5");
    // Play ends by itself; a click in between holds it.
    await page.getByLabel("Speed of play").fill("10");
    await click("Play");
    await page.waitForFunction(() => /^step 12/.test(document.querySelector(".place").textContent) && document.querySelector(".play").textContent === "Play");
    await page.getByLabel("Speed of play").fill("0");
    await click("Play");
    await click("Pause");
    const held = await place(page);
    await page.waitForTimeout(700);
    assert.equal(await place(page), held);
    await done(page);
  },

  async "the two lectures: what a hand calculation gives"({ browser, address }) {
    // CMU 10-601: w = (1, −2), (2, −1), (3, 1), each step of the first pass with its score; R² = 5, γ = 1.
    const page = await visit(browser, address, "#data=cmu");
    const byHand = [["= −1 · (0·(−1) + 0·2) = 0, and zero says +1: mistake", "= (0, 0) + (1, −2) = (1, −2)"], ["= +1 · (1·1 + (−2)·0) = 1 > 0: correct", "w = (1, −2)"], ["= +1 · (1·1 + (−2)·1) = −1 < 0: mistake", "= (1, −2) + (1, 1) = (2, −1)"], ["= −1 · (2·(−1) + (−1)·0) = 2 > 0: correct", "w = (2, −1)"], ["= −1 · (2·(−1) + (−1)·(−2)) = 0, and zero says +1: mistake", "= (2, −1) + (1, 2) = (3, 1)"], ["= +1 · (3·1 + 1·(−1)) = 2 > 0: correct", "w = (3, 1)"]];
    for (const parts of byHand) {
      await page.keyboard.press("ArrowRight");
      await settled(page);
      for (const part of parts) assert.ok((await numbers(page)).includes(part), `${part}: ${await numbers(page)}`);
    }
    assert.equal((await verdict(page)).replaceAll("\u2060", ""), "Separable: γ = 1, at most (R/γ)² = 5 mistakes");
    await page.keyboard.press("End");
    await settled(page);
    assert.match(await numbers(page), /separated after 2 passes and 3 mistakes/);
    await done(page);
    // Of x = 0 only the bias moves: the formula was w + Δ, and w was said to move away from x.
    const zero = await visit(browser, address, "#data=and&step=1");
    for (const part of ["w ← w + y·x = (0, 0) + (0, 0) = (0, 0)", "b ← b + y = 0 + (−1) = −1", "So b goes down, and w stays: x is 0."]) assert.ok((await numbers(zero)).includes(part), `${part}: ${await numbers(zero)}`);
    await done(zero);
    // UCLA ECE M146: (b, w) = (−1, −2, −1), then (0, −1, 1), which is right for both.
    const other = await visit(browser, address, "#data=ucla");
    for (const [step, parts] of [[2, ["w ← w + y·x = (0, 0) + (−2, −1) = (−2, −1)", "b ← b + y = 0 + (−1) = −1"]], [3, ["= +1 · ((−2)·1 + (−1)·2 + (−1)) = −5 < 0: mistake", "= (−2, −1) + (1, 2) = (−1, 1)", "b ← b + y = (−1) + 1 = 0"]], [4, ["= −1 · ((−1)·2 + 1·1 + 0) = 1 > 0: correct"]]]) {
      while (!(await place(other)).startsWith(`step ${step} `)) await other.keyboard.press("ArrowRight"), await settled(other);
      for (const part of parts) assert.ok((await numbers(other)).includes(part), `${part}: ${await numbers(other)}`);
    }
    await done(other);
  },

  async "the bound is told where it holds, and its numbers give it"({ browser, address }) {
    // With a bias the half-width of the street is not the margin of the theorem: (R/γ)² of AND was said to be 51 and is 24.
    const page = await visit(browser, address, "#data=and&view=separable");
    assert.match((await verdict(page)).replaceAll("\u2060", ""), /^Separable: γ = 0\.353553, at most \(R\/γ′\)² = 51 mistakes$/);
    const told = async () => (await page.textContent(".view")).replaceAll("−", "-");
    const read = (text, name) => Number(text.match(new RegExp(`${name} = ([\\d.]+)`))[1]);
    const text = await told();
    assert.ok(Math.abs((read(text, "R") / read(text, "γ′")) ** 2 - 51) < 1e-2, text);
    assert.match(text, /1·x1 \+ 1·x2 - 1\.5 = 0/);
    await view(page, "Proof");
    await page.waitForSelector(".chain b");
    await settled(page);
    const proof = await told();
    assert.equal(read(proof, "γ′"), read(text, "γ′"));
    assert.ok(Math.abs(read(proof, "R²") / read(proof, "γ′") ** 2 - 51) < 1e-2 && proof.includes("(R/γ′)² = 51."), proof);
    await accessible(page, "the bound with a bias");
    // From other weights, with another learner or another bias the theorem says something else: nothing is claimed.
    for (const hash of ["#data=and&init=5 5 5", "#data=and&learner=arow", "#data=and&bias=0.5", "#data=street&kernel=rbf:1"]) {
      await again(page, `${address}${hash}`);
      assert.match(await verdict(page), /^Separable: γ = [\d.]+$/, hash);
    }
    await done(page);
  },

  async "what the lessons say is what the engine says"({ browser, address }) {
    // The bound of the narrow street was said to grow 36 times, and grew 11 times.
    for (const [scene, margin, bound, mistakes] of [[0, 0.400885, 47, 3], [1, 0.400885, 47, 3], [2, 0.121632, 516, 7]]) {
      const page = await visit(browser, address, `#lesson=4&scene=${scene}`);
      await page.waitForSelector(".mistakes-bound", { state: "attached" });
      const text = await page.textContent(".view");
      assert.ok(text.includes(`γ = ${margin} `) && text.includes(`(R/γ)² = ${bound}.`) && text.includes(`${mistakes} of at most ${bound} mistakes`) && /u = \(−0\.[\d]+,\u00a00\.[\d]+\):/.test(text), text);
      assert.match((await verdict(page)).replaceAll("\u2060", ""), new RegExp(`^Separable: γ = ${margin}, at most \\(R/γ\\)² = ${bound} mistakes$`));
      await done(page);
    }
    // Two learners meet an outlier first.
    const outlier = await visit(browser, address, "#lesson=6&scene=2");
    const race = async () => (await outlier.textContent(".view")).replaceAll("\u00a0", " ");
    await outlier.waitForSelector(".race .legend", { state: "attached" });
    assert.match(await race(), /perceptron: 5 mistakes.*pa1: 1 mistake in/);
    assert.ok((await numbers(outlier)).includes("= (6, −7)"));
    await outlier.getByLabel("learner", { exact: true }).selectOption("pa1");
    await settled(outlier);
    await outlier.getByRole("button", { name: "Step", exact: true }).click();
    await settled(outlier);
    assert.ok((await numbers(outlier)).includes("= (0.0697674, −0.0813953)"), await numbers(outlier));
    await done(outlier);
    const counted = async (hash) => {
      const page = await visit(browser, address, `${hash}&step=100000`);
      const [, mistakes] = (await numbers(page)).match(/and (\d+) mistakes/);
      await done(page);
      return Number(mistakes);
    };
    assert.notEqual(await counted("#data=and"), await counted("#data=and&order=4 1 2 3"), "another order, another number of mistakes");
  },

  async "every learner of the registry, its parameters as declared"({ browser, address }) {
    const page = await visit(browser, address, "#data=street&points=12&epochs=2");
    const { learners } = await page.evaluate(async () => {
      const { connect } = await import(new URL("engine.js", location.href).href);
      return connect(null)("learners");
    });
    assert.ok(learners.length >= 12, `${learners.length} learners`);
    for (const one of learners) {
      await page.getByLabel("learner", { exact: true }).selectOption(one.name);
      await settled(page);
      for (const parameter of one.parameters) {
        const field = page.locator(`#set-${parameter.name}`);
        assert.equal(await field.inputValue(), parameter.default, `${one.name} ${parameter.name}`);
        const help = await page.textContent(`#help-${parameter.name}`);
        assert.ok(help.includes(parameter.help) && help.includes(parameter.range), help);
      }
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Step", exact: true }).click();
      await settled(page);
      assert.match(await sentence(page), /^Step 1: /, one.name);
    }
    await done(page);
  },

  async "over-fitting: λ and more points calm the curve"({ browser, address }) {
    const page = await visit(browser, address, "#view=fit&fit-degree=9&fit-points=10");
    const errors = async () => (await page.locator(".fit .big b").evaluateAll((all) => all.map((one) => Number(one.title.replaceAll("−", "-")))));
    const move = async (name, value) => {
      await page.locator(`#fit-${name}`).fill(value);
      await settled(page);
      return errors();
    };
    await page.waitForSelector(".fit .big b");
    const [train, wild] = await errors();
    const [held, calm] = await move("ridge", "-3");
    assert.ok(held > train && calm < wild, `λ: ${train} ${wild}, then ${held} ${calm}`);
    await move("ridge", "-13");
    const [, many] = await move("points", "100");
    assert.ok(many < wild, `100 points: ${wild}, then ${many}`);
    await done(page);
  },

  async "all of the stage is on the screen, whatever the letters"({ browser, address }) {
    for (const [width, height, hash] of [[1280, 720, "#data=cmu&step=3"], [1280, 800, "#lesson=1"], [1280, 800, "#lesson=6&scene=2"], [1920, 1080, "#data=clouds&view=keeps&step=600"], [960, 640, "#data=cmu&step=3&embed"], [360, 740, "#data=three&step=9"]]) {
      const page = await visit(browser, address, hash, { width, height });
      for (const letters of LETTERS) {
        await page.evaluate((letters) => document.documentElement.style.setProperty("--serif", letters), letters);
        await page.waitForTimeout(80);
        const told = `${hash} at ${width} × ${height} in ${letters}`;
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${told}: wider than the screen`);
        // The way to the next lesson once reached out of its card and over the plot.
        const out = await page.evaluate(() => [...document.querySelectorAll(".lesson button, .right .row button")].filter((one) => one.offsetParent && one.getBoundingClientRect().right > one.closest(".card").getBoundingClientRect().right).map((one) => one.textContent));
        assert.deepEqual(out, [], `${told}: out of their card`);
        if (width < 860) continue;
        const box = await page.locator(".transport").boundingBox();
        assert.ok(box.y + box.height <= height, `${told}: time travel ends at ${box.y + box.height}`);
        // No word of a tab or a button is cut or broken in two lines.
        const cut = await page.evaluate(() => [...document.querySelectorAll(".tabs button, .transport button, .lessons button")].filter((one) => one.offsetParent && (one.scrollWidth > one.clientWidth + 1 || one.offsetHeight > 60)).map((one) => one.textContent));
        assert.deepEqual(cut, [], told);
      }
      await shot(page, `letters-${width}`);
      await done(page);
    }
  },

  async "a finger: a tap adds, a swipe scrolls, a point is moved"({ browser, address }) {
    const context = await browser.newContext({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    const page = await context.newPage();
    await page.goto(`${address}#data=and`);
    await page.waitForSelector("#lab[data-ready=yes]");
    await settled(page);
    const client = await context.newCDPSession(page);
    const touch = (type, ...touchPoints) => client.send("Input.dispatchTouchEvent", { type, touchPoints });
    const swipe = async ([x, y], [dx, dy]) => {
      await touch("touchStart", { x, y });
      for (let i = 1; i <= 10; i++) await touch("touchMove", { x: x + (dx * i) / 10, y: y + (dy * i) / 10 });
      await touch("touchEnd");
      await page.waitForTimeout(300);
      await settled(page);
    };
    const box = await page.locator(".middle .plot").boundingBox();
    const free = [box.x + box.width * 0.5, box.y + box.height * 0.55];
    // Where nothing is, a swipe once added a point at its end.
    await swipe(free, [0, -180]);
    assert.equal(await marks(page), 4);
    assert.ok((await page.evaluate(() => scrollY)) > 50, "the page scrolls under the finger");
    await page.evaluate(() => scrollTo(0, 0));
    await page.touchscreen.tap(...free);
    await settled(page);
    assert.equal(await marks(page), 5);
    const mark = await page.locator(".ink .mark").nth(0).boundingBox();
    const was = await page.locator(".ink .mark").nth(0).getAttribute("transform");
    await swipe([mark.x + mark.width / 2, mark.y + mark.height / 2], [30, -60]);
    assert.equal(await marks(page), 5);
    assert.notEqual(await page.locator(".ink .mark").nth(0).getAttribute("transform"), was);
    assert.equal(await page.evaluate(() => scrollY), 0, "a point that is moved does not scroll the page");
    await context.close();
  },
};
