import { describe, expect, it } from "vitest";
import { testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";
import { fixture } from "../../../../support/upstream.ts";

const { command, args } = fixture("echoes");
const WORDS = [command, ...args!].join(" ");

describe("toolkeep server add, of what a README shows", () => {
  it.each([
    ["after --paste", ["--paste", `claude mcp add notes -e A=1 -- ${WORDS}`], ""],
    ["as one word in quotes", [`claude mcp add notes -e A=1 -- ${WORDS}`], ""],
    ["on standard input", ["--paste"], JSON.stringify({ notes: { command, args, env: { A: "1" } } })],
    ["on standard input, named so", ["-"], `claude mcp add notes -e A=1 -- ${WORDS}\n`],
    ["with another name", ["notes", "--paste", `A=1 ${WORDS}`], ""],
    ["with a variable beside it", ["--env", "A=1", "--paste", `claude mcp add notes -- ${WORDS}`], ""],
  ])("%s", async (_, words, input) => {
    await using api = await testApi();
    const env = { PATH: process.env.PATH!, TOOLKEEP_URL: "http://127.0.0.1:1", TOOLKEEP_TOKEN: "unused" };
    const { code, out } = await typed(api, ["server", "add", ...words], {
      env,
      read: async () => input,
    });
    expect(code).toBe(0);
    expect(out).toContain("Registered notes with 1 tool:");
    expect(api.hub.upstream.server("notes")).toMatchObject({ command, args, envKeys: ["A"] });
  });

  it("registers what lacks a value as disabled and says how to give it, or takes it from beside", async () => {
    await using api = await testApi();
    const entry = { command, args, env: { KEY: ["$", "{input:key}"].join("") } };
    const text = JSON.stringify({ inputs: [{ id: "key" }], servers: { a: entry } });
    const lacking = await typed(api, ["server", "add", "--paste", text]);
    expect(lacking.code).toBe(0);
    expect(lacking.out).toContain("toolkeep server edit a --env KEY, then toolkeep server enable a");
    expect(api.hub.upstream.server("a").state).toBe("disabled");

    const given = await typed(api, ["server", "add", "b", "--paste", text, "--env", "KEY=canary-key"]);
    expect(given).toMatchObject({ code: 0, out: expect.stringContaining("Registered b with 1 tool") });
    expect(given.out).not.toContain("canary-key");
  });

  it.each([
    [["--paste", "npm install -g x"], "only installs a package"],
    [["--paste", "npx x", "--url", "https://x.example/mcp"], "remove the command or --url"],
    [["a", "--paste", "npx a-mcp\nnpx b-mcp"], "a name fits only one server, but the pasted text contains 2"],
    [["notes"], "give either a command"],
    [[], "needs a name"],
  ])("refuses %j", async (words, said) => {
    await using api = await testApi();
    const { code, err } = await typed(api, ["server", "add", ...words]);
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
    expect(api.hub.upstream.servers()).toEqual([]);
  });
});
