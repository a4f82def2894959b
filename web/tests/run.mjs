// The lab in a real browser: node web/tests/run.mjs ADDRESS [PROGRAM]. ADDRESS serves the lab, natively or as a static
// site; PROGRAM is rosenblatt, whose output must be that of the page. LAB_ONLY: those whose names have these words; LAB_SITE: those
// that another engine could break; LAB_HANDS: how many are tested at a time.

import { cases, withAnotherEngine } from "./cases.mjs";
import { open } from "./browser.mjs";

const [address, program] = process.argv.slice(2);
const only = process.env.LAB_ONLY;
const browser = await open();
let [passed, failed] = [0, 0];
const wanted = Object.entries(cases).filter(([name]) => (only ? name.includes(only) : !process.env.LAB_SITE || withAnotherEngine.has(name)));

/** Takes one case after another. Each has pages of its own, and most of its time it waits: several hands are done sooner. */
async function hand() {
  for (let next = wanted.shift(); next; next = wanted.shift()) {
    const [name, test] = next;
    const began = performance.now();
    try {
      await test({ browser, address, program });
      passed += 1;
      console.log(`ok    ${name} (${Math.round(performance.now() - began)} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL  ${name}: ${error.stack}`);
    }
  }
}

const began = performance.now();
await Promise.all(Array.from({ length: Number(process.env.LAB_HANDS ?? 3) }, hand));
await browser.close();
console.log(`${passed} passed, ${failed} failed, in ${Math.round((performance.now() - began) / 1000)} s`);
process.exit(failed ? 1 : 0);
