// A folder as any web server serves it.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

const KINDS = { html: "text/html", js: "text/javascript", css: "text/css", wasm: "application/wasm", svg: "image/svg+xml", png: "image/png", json: "application/json" };

/** Serves a folder to this machine; the address ends with a slash. */
export function serve(folder) {
  const server = createServer(async (request, answer) => {
    const name = new URL(request.url, "http://x").pathname.slice(1) || "index.html";
    try {
      if (!/^[\w./-]+$/.test(name) || name.includes("..")) throw new Error("no such file");
      const bytes = await readFile(join(folder, name));
      answer.setHeader("content-type", KINDS[name.split(".").pop()] ?? "text/plain");
      answer.end(bytes);
    } catch {
      answer.statusCode = 404;
      answer.end();
    }
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve({ server, address: `http://127.0.0.1:${server.address().port}/` })));
}
