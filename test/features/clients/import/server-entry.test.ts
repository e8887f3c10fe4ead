// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables are what it is about
import { describe, expect, it } from "vitest";
import { parseServerEntry } from "../../../../src/features/clients/import/server-entry.ts";

const read = (value: unknown, timeout: "call" | "other" = "call") => {
  const written = parseServerEntry(value, { variables: "braces", timeout });
  return written.ok ? written.value : written.error;
};

describe("an entry of a client", () => {
  it.each([
    [{ command: "x" }, "stdio"],
    [{ type: "local", command: ["x", "y"] }, "stdio"],
    [{ command: "x", url: "https://x.example" }, "stdio"],
    [{ type: "http", command: "x", url: "https://x.example" }, "http"],
    [{ url: "https://x.example/mcp" }, "http"],
    [{ url: "https://x.example/sse" }, "sse"],
    [{ url: "https://x.example/sse?key=1" }, "sse"],
    [{ type: "http", url: "https://x.example/sse" }, "http"],
    [{ httpUrl: "https://x.example/sse" }, "http"],
    [{ type: "remote", url: "https://x.example/sse" }, "sse"],
    [{ type: "streamableHttp", url: "https://x.example" }, "http"],
    [{ type: "SSE", url: "https://x.example" }, "sse"],
    [{ serverUrl: "https://x.example" }, "http"],
  ])("is reached the way it means: %j", (entry, transport) => {
    expect(read(entry)).toMatchObject({ transport });
  });

  it.each([
    [{ command: "", args: ["x"] }],
    [{ command: 3 }],
    [{ url: 3 }],
    [{ type: "sdk", command: "x" }],
    [[]],
    [null],
  ])("that leads nowhere is refused with a reason: %j", (entry) => {
    expect(read(entry)).toEqual(expect.any(String));
  });

  it("keeps only what its kind of server has", () => {
    const entry = { env: { A: "1" }, cwd: "/x", headers: { H: "1" }, args: ["a"] };
    expect(read({ ...entry, command: "x" })).toMatchObject({
      env: { A: "1" },
      cwd: "/x",
      headers: {},
      url: null,
    });
    expect(read({ ...entry, url: "https://x.example" })).toMatchObject({
      env: {},
      cwd: null,
      args: [],
      command: null,
      headers: { H: "1" },
      notes: ["ignored keys: env, cwd, args"],
    });
  });

  it.each([
    [
      { oauth: { clientId: "c", clientSecret: "s", scope: "a b" } },
      { clientId: "c", clientSecret: "s", scope: "a b" },
    ],
    [
      { auth: { CLIENT_ID: "c", CLIENT_SECRET: "s", scopes: ["a", "b"] } },
      { clientId: "c", clientSecret: "s", scope: "a b" },
    ],
    [
      { oauth: { client_id: "c" }, scopes: ["a"] },
      { clientId: "c", scope: "a" },
    ],
    [{ oauth: false }, null],
    [{ oauth: { callbackPort: 1 } }, null],
  ])("says how to sign in, in whichever words: %j", (auth, oauth) => {
    expect(read({ url: "https://x.example", ...auth })).toMatchObject({ oauth });
  });

  it("has limits that Toolkeep can keep", () => {
    expect(read({ command: "x", timeout: 900_000 })).toMatchObject({ timeoutMs: 600_000 });
    expect(read({ command: "x", timeout: -1 })).toMatchObject({ timeoutMs: null });
    expect(read({ command: "x", timeout: 5 }, "other")).toMatchObject({
      timeoutMs: null,
      notes: ["ignored keys: timeout"],
    });
    expect(read({ command: "x", tool_timeout_sec: 0.5, startup_timeout_ms: 20 })).toMatchObject({
      timeoutMs: 500,
      connectTimeoutMs: 20,
    });
  });

  it("is not fooled by names that every object has", () => {
    expect(read(JSON.parse('{"__proto__": {"command": "x"}, "constructor": 1}'))).toEqual(expect.any(String));
  });
});
