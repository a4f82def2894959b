// The lab in a real browser: node web/tests/run.mjs ADDRESS [PROGRAM]. ADDRESS serves the lab, natively or as a static
// site; PROGRAM is rosenblatt, whose output must be that of the page. LAB_ONLY: those whose names have these words; LAB_SITE: those
// that another engine could break.

import { cases, withAnotherEngine } from "./cases.mjs";
import { open } from "./browser.mjs";

const [address, program] = process.argv.slice(2);
const only = process.env.LAB_ONLY;
const browser = await open();
let [passed, failed] = [0, 0];
for (const [name, test] of Object.entries(cases)) {
  if (only ? !name.includes(only) : process.env.LAB_SITE && !withAnotherEngine.has(name)) continue;
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
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
