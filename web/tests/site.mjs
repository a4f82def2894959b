// Serves a static site as any web server does, and runs the tests on it: node web/tests/site.mjs FOLDER [PROGRAM].

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

const [folder, program] = process.argv.slice(2);
const kinds = { html: "text/html", js: "text/javascript", css: "text/css", wasm: "application/wasm" };
const server = createServer(async (request, answer) => {
  const name = new URL(request.url, "http://x").pathname.slice(1) || "index.html";
  try {
    if (!/^[\w.-]+$/.test(name)) throw new Error("no such file");
    const bytes = await readFile(join(folder, name));
    answer.setHeader("content-type", kinds[name.split(".").pop()] ?? "text/plain");
    answer.end(bytes);
  } catch {
    answer.statusCode = 404;
    answer.end();
  }
});
server.listen(0, "127.0.0.1", () => {
  const address = `http://127.0.0.1:${server.address().port}/`;
  const tests = spawn(process.execPath, [new URL("./run.mjs", import.meta.url).pathname, address, ...(program ? [program] : [])], { stdio: "inherit", env: { ...process.env, LAB_SITE: "yes" } });
  tests.on("exit", (code) => process.exit(code ?? 1));
});
