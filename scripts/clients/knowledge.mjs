// A client that is given the snippet of 003, an address and a header, and finds what lies in a folder.
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lacks } from "./command.mjs";
import { GOODBYE } from "./fake-model.mjs";

/**
 * The check that a client searches, reads and remembers. `drive({ model, home, config })` runs it once with the servers of the file
 * `config` and gives all that it printed.
 */
export function knowledgeCheck(stage, drive) {
  return {
    "searches, reads and remembers with the snippet of 003": async () => {
      const { token, found, word } = await gathered(stage);
      const home = await mkdtemp(join(stage.home, "home-"));
      const config = join(home, "servers.json");
      const headers = { Authorization: `Bearer ${token}` };
      await writeFile(
        config,
        JSON.stringify({ mcpServers: { hoard: { type: "http", url: stage.daemon.url, headers } } }),
      );
      const [chunk] = found.chunks;
      const talk = stage.model.converse({
        calls: [
          { tool: "__search", args: { query: `gardening ${word}` }, expected: found.id },
          { tool: "__get", args: { entity_id: found.id }, expected: `The word is ${word}.` },
          { tool: "__get_chunk", args: { chunk_id: chunk.id, context_chunks: 1 }, expected: word },
          { tool: "__memory_put", args: { key: "garden.word", content: word }, expected: "garden.word" },
        ],
      });
      const printed = await drive({ model: talk.base, home, config });
      const problem = talk.problem() ?? lacks(printed, GOODBYE);
      return problem && `${problem}\n  it printed: ${printed.trim().slice(-1500)}`;
    },
  };
}

/** A folder that was read, and an agent that may look into it. */
async function gathered({ daemon, home }) {
  const folder = join(home, "notes");
  const word = `word${randomUUID().slice(0, 8)}`;
  await mkdir(folder);
  await writeFile(join(folder, "garden.md"), `# Gardening\n\nThe word is ${word}.\n`);
  const json = async (...args) => JSON.parse((await daemon.toolkeep(...args, "--json")).stdout);
  await json("source", "add", "folder", folder, "--name", "notes");
  await json("sync", "notes");
  await json("agent", "create", "reader", "--toolbox", "knowledge");
  const { token } = await json("token", "create", "--agent", "reader");
  const { results } = await json("search", word);
  return { token, word, found: results[0] };
}
