import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempHome } from "./temp-home.ts";

const SCRIPT = join(import.meta.dirname, "servers/publishing.mjs");

export const ADD = {
  name: "add",
  description: "Adds two numbers.",
  inputSchema: { type: "object", properties: { a: {} } },
};
/** A call of it says that the tools changed. */
export const ANNOUNCE = { name: "announce", description: "Announces.", inputSchema: { type: "object" } };

/** A server that publishes what `publish` wrote last: at first `add` and `announce`. */
export async function publishedServer() {
  const folder = await tempHome();
  const file = join(folder.path, "published.json");
  const publish = (tools: readonly object[], more = {}) =>
    writeFile(file, JSON.stringify({ tools, ...more }));
  await publish([ADD, ANNOUNCE]);
  return {
    publish,
    input: { command: process.execPath, args: [SCRIPT, file] },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
