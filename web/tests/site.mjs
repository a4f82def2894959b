// Serves a static site as any web server does, and runs the tests on it: node web/tests/site.mjs FOLDER [PROGRAM].

import { spawn } from "node:child_process";
import { serve } from "./serve.mjs";

const [folder, program] = process.argv.slice(2);
const { address } = await serve(folder);
const tests = spawn(process.execPath, [new URL("./run.mjs", import.meta.url).pathname, address, ...(program ? [program] : [])], { stdio: "inherit", env: { ...process.env, LAB_SITE: "yes" } });
tests.on("exit", (code) => process.exit(code ?? 1));
