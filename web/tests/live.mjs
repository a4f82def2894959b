// The live page of `rosenblatt serve`, as a person sees it: node live.mjs http://127.0.0.1:8080/

import { open, accessible, shot } from "./browser.mjs";

const address = process.argv[2];

function check(good, what) {
  if (!good) throw new Error(what);
}

async function learn(rows) {
  const body = rows.map((row) => JSON.stringify(row)).join("\n");
  const answer = await fetch(`${address}v1/models/mail/learn`, { method: "POST", headers: { "Content-Type": "application/x-ndjson" }, body });
  const lines = (await answer.text()).trim().split("\n");
  check(answer.ok && lines.length === rows.length, lines.at(-1));
}

const hostile = `<img src=x onerror="document.title='owned'">`;
const row = (n, honest) => {
  const spam = n % 3 === 0;
  return { features: { [spam ? "free" : "hello"]: 1 }, label: spam === honest ? "spam" : hostile };
};

const browser = await open();
try {
  const page = await (await browser.newContext({ viewport: { width: 1100, height: 900 } })).newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && problems.push(`console: ${message.text()}`));
  await page.goto(address);
  await page.waitForFunction(() => /No models yet/.test(document.getElementById("status").textContent));
  await accessible(page, "no models");

  await learn(Array.from({ length: 3000 }, (_, n) => row(n, true)));
  await page.waitForSelector("section h2");
  await page.waitForFunction(() => /3,000 examples/.test(document.querySelector(".facts").textContent));
  check((await page.textContent("section h2")) === "mail", "the name of the model");
  check(/last 1,000/.test(await page.textContent(".key.recent")), "the recent error");
  check(/last 10,000/.test(await page.textContent(".key.longer")), "the error of the last 10,000");
  check((await page.textContent(".alarm")) === "", "an alarm without a reason");
  const labels = await page.$$eval("tbody tr", (rows) => rows.map((one) => one.cells[0].textContent));
  check(labels.includes("spam") && labels.includes(hostile), `labels: ${labels}`);
  check((await page.$$("td img")).length === 0, "a label became markup");
  await accessible(page, "one model");
  await shot(page, "live");

  // What was spam is none from now on: the last 1,000 go worse than chance allows.
  await learn(Array.from({ length: 500 }, (_, n) => row(n, n % 2 === 0)));
  await page.waitForFunction(() => /Drift/.test(document.querySelector(".alarm").textContent));
  await accessible(page, "an alarm");
  await shot(page, "live-drift");
  const paths = await page.$$eval("svg path.curve", (all) => all.map((path) => path.getAttribute("d")));
  check(paths.length === 3 && paths.every((path) => /^M/.test(path)), `lines: ${paths}`);
  const ticks = await page.$$eval("svg .tick", (all) => all.map((tick) => tick.textContent));
  check(ticks.includes("3000") && ticks.includes("0"), `ticks: ${ticks}`);

  const metrics = await (await fetch(`${address}metrics`)).text();
  for (const line of ['rosenblatt_drift{model="mail"} 1', 'rosenblatt_seq{model="mail"} 3500', 'rosenblatt_examples{model="mail",label="spam"}', 'rosenblatt_progressive_error{model="mail",window="10000"}']) {
    check(metrics.includes(line), `metrics lack ${line}\n${metrics}`);
  }
  await fetch(`${address}v1/models/mail`, { method: "DELETE" });
  await page.waitForFunction(() => !document.querySelector("section"));
  check((await page.title()) === "rosenblatt serve", "a label ran as a script");
  check(problems.length === 0, problems.join("\n"));
} finally {
  await browser.close();
}
