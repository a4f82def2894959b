// Asks the engine: the native one by HTTP, or the same code as WebAssembly, or a notebook's.

/** @typedef {(op: string, request?: Record<string, any>) => Promise<any>} Ask */

/** A request that the engine refused. */
export class Refused extends Error {}

/** @param {string} text */
function opened(text) {
  const answer = JSON.parse(text);
  if (answer.error) throw new Refused(answer.error.message);
  return answer;
}

/** How long to wait before a busy server is asked again, in milliseconds; then it is said. */
const AGAIN = [250, 1000, 2000];
/** How long the engine in the browser may compute, in milliseconds; the server has a limit of its own. */
const MOST_TIME = 20_000;

/** @param {number} time */
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** @returns {(request: string) => Promise<string>} */
function byHttp() {
  const post = async (/** @type {string} */ body) => {
    try {
      return await fetch("lab", { method: "POST", headers: { "content-type": "application/json" }, body });
    } catch {
      throw new Error("The engine does not answer. Is “rosenblatt lab” still running? What you see stays; the link holds it.");
    }
  };
  return async (request) => {
    let answer = await post(request);
    for (const wait of AGAIN) {
      if (answer.status !== 429) break;
      await pause(wait);
      answer = await post(request);
    }
    return answer.text();
  };
}

/** @returns {(request: string) => Promise<string>} */
function byWorker() {
  /** @type {Map<number, {request: string, resolve: (text: string) => void, reject: (error: Error) => void}>} */
  const waiting = new Map();
  let next = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  // The worker answers in order: the oldest request is the one that it computes.
  const watch = () => {
    clearTimeout(timer);
    if (waiting.size) timer = setTimeout(() => restart(`it takes longer than ${MOST_TIME / 1000} seconds here: use fewer points or passes, or the command line`), MOST_TIME);
  };
  const begin = () => {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => {
      if (data.failed) return restart(data.failed);
      waiting.get(data.id)?.resolve(data.text);
      waiting.delete(data.id);
      watch();
    };
    return worker;
  };
  let worker = begin();
  /** A new engine, for all requests but the one at which the old one failed. @param {string} why */
  const restart = (why) => {
    worker.terminate();
    const [first] = waiting;
    if (first) waiting.delete(first[0]), first[1].reject(new Error(`The engine stopped at this request: ${why}`));
    worker = begin();
    waiting.forEach(({ request }, id) => worker.postMessage({ id, request }));
    watch();
  };
  return (request) =>
    new Promise((resolve, reject) => {
      waiting.set(++next, { request, resolve, reject });
      worker.postMessage({ id: next, request });
      if (waiting.size === 1) watch();
    });
}

/**
 * The engine of this page. `send` is that of a notebook, if there is one.
 * @param {((request: string) => Promise<string>) | null} send
 * @returns {Ask}
 */
export function connect(send) {
  const way = send ?? (document.documentElement.dataset.engine === "wasm" ? byWorker() : byHttp());
  return async (op, request = {}) => opened(await way(JSON.stringify({ op, ...request })));
}

/**
 * Only the newest request of a kind matters: while one is under way, those that wait are dropped but for the last.
 * @template T, R
 * @param {(input: T) => Promise<R>} work
 * @param {(result: R, input: T) => void} done
 * @param {(error: Error) => void} failed
 * @param {(more: 1 | -1) => void} [count] is told when work begins and when it ends
 * @param {(input: T) => number} [rest] how long to wait before the one that waits, in milliseconds
 * @returns {(input: T) => void}
 */
export function newest(work, done, failed, count = () => {}, rest = () => 0) {
  let busy = false;
  /** @type {{input: T} | null} */
  let next = null;
  const run = async (/** @type {T} */ input) => {
    busy = true;
    count(1);
    try {
      const result = await work(input);
      done(result, input);
    } catch (error) {
      if (!next) failed(/** @type {Error} */ (error));
    }
    if (next && rest(input)) await pause(rest(input));
    busy = false;
    if (next) {
      const { input } = next;
      next = null;
      run(input);
    }
    count(-1);
  };
  return (input) => {
    if (busy) next = { input };
    else run(input);
  };
}
