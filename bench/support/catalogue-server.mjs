// A stdio server that replays the tools of one line of a catalogue: node catalogue-server.mjs FILE OFFSET LENGTH
// No SDK: what is measured is Toolkeep, not how long a stub takes to load.
import { closeSync, openSync, readSync } from "node:fs";
import { createInterface } from "node:readline";

const [file, offset, length] = process.argv.slice(2);
const { server, version, tools } = JSON.parse(slice(file, Number(offset), Number(length)));

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: server, version },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) => ({ content: [{ type: "text", text: `${name} was called` }] }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = methods[method]
    ? { result: methods[method](params ?? {}) }
    : { error: { code: -32601, message: `no method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
});

function slice(path, position, bytes) {
  const buffer = Buffer.alloc(bytes);
  const descriptor = openSync(path, "r");
  readSync(descriptor, buffer, 0, bytes, position);
  closeSync(descriptor);
  return buffer.toString("utf8");
}
