// The engine as WebAssembly, in a thread of its own: the page stays alive while it computes.

/** @type {Promise<WebAssembly.Instance>} */
const engine = (async () => {
  const response = await fetch(new URL("./engine.wasm", import.meta.url));
  const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), {});
  return instance;
})();

/** @param {string} request */
async function answer(request) {
  const { memory, room, reply, done } = /** @type {any} */ ((await engine).exports);
  const bytes = new TextEncoder().encode(request);
  const address = room(bytes.length);
  new Uint8Array(memory.buffer, address, bytes.length).set(bytes);
  const at = reply(address, bytes.length);
  const length = new DataView(memory.buffer).getUint32(at, true);
  const text = new TextDecoder().decode(new Uint8Array(memory.buffer, at + 4, length));
  done(at, length + 4);
  return text;
}

self.onmessage = async ({ data }) => {
  try {
    self.postMessage({ id: data.id, text: await answer(data.request) });
  } catch (error) {
    self.postMessage({ id: data.id, failed: String(error) });
  }
};
