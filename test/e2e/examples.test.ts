import { execFile } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { sampleOf } from "../support/length.ts";
import { homeWithStore } from "../support/store-template.ts";

const run = promisify(execFile);

interface Asked {
  readonly tools: readonly { readonly name?: string; readonly function?: { readonly name: string } }[];
}

/** What each API answers, first with a call of `list_directory`, then with the end of the conversation. */
const MODELS = {
  "anthropic.mjs": [
    { content: [{ type: "tool_use", id: "t1", name: "list_directory", input: {} }] },
    { content: [{ type: "text", text: "That is all." }] },
  ],
  "openai.mjs": [
    { output: [{ type: "function_call", call_id: "t1", name: "list_directory", arguments: "{}" }] },
    {
      output: [
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "That is all." }] },
      ],
    },
  ],
  "openai-chat.mjs": [
    {
      choices: [
        {
          message: {
            role: "assistant",
            tool_calls: [
              { id: "t1", type: "function", function: { name: "list_directory", arguments: "{}" } },
            ],
          },
        },
      ],
    },
    { choices: [{ message: { role: "assistant", content: "That is all." } }] },
  ],
};

describe("an example", () => {
  it.each(sampleOf(Object.entries(MODELS), 1))("runs: %s", async (file, answers) => {
    await using home = await homeWithStore();
    const asked: Asked[] = [];
    const server = http.createServer(async (req, res) => {
      asked.push((await json(req)) as Asked);
      res.setHeader("content-type", "application/json");
      res.end(JSON.stringify(answers[asked.length - 1]));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const { stdout, stderr } = await run(
        process.execPath,
        [join(import.meta.dirname, "../../examples", file)],
        {
          env: {
            PATH: process.env.PATH,
            TOOLKEEP_HOME: home.path,
            ANTHROPIC_BASE_URL: url,
            OPENAI_BASE_URL: url,
          },
        },
      );
      expect(stderr).toBe("");
      expect(stdout.trim()).toBe("That is all.");
    } finally {
      server.close();
    }
    expect(asked[0]?.tools.map((tool) => tool.name ?? tool.function?.name)).toContain("list_directory");
    expect(JSON.stringify(asked[1])).toContain("t1");
  });
});
