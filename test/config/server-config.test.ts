import { describe, expect, test } from "vitest";
import { completeServerConfig, type ServerFields } from "../../src/config/server-config.ts";

const complete = (input: unknown, name = "fs") => completeServerConfig(name, input as ServerFields, "stored");

describe("completeServerConfig", () => {
  test("a command alone makes a local server with every default", () => {
    expect(complete({ command: "npx", args: ["-y", "pkg"] })).toEqual({
      name: "fs",
      transport: "stdio",
      command: "npx",
      args: ["-y", "pkg"],
      env: {},
      cwd: null,
      url: null,
      headers: {},
      oauth: null,
      enabled: true,
      connect: "lazy",
      timeoutMs: null,
      connectTimeoutMs: 60_000,
      retry: "safe",
      trusted: false,
      maxConcurrency: 64,
      source: "stored",
    });
  });

  test("a url alone makes an http server", () => {
    expect(complete({ url: "https://example.com/mcp" })).toMatchObject({ transport: "http", command: null });
  });

  test("what belongs to the other transport is left out", () => {
    const server = complete({
      transport: "sse",
      url: "https://example.com/sse",
      command: "npx",
      env: { A: "1" },
    });
    expect(server).toMatchObject({ command: null, env: {}, url: "https://example.com/sse" });
  });

  test.each([
    [{}, "server.command: expected a program to run (or the url of a remote server), got nothing"],
    [
      { transport: "http" },
      "server.url: expected the http:// or https:// address of the http server, got nothing",
    ],
    [
      { command: "x", url: "https://example.com" },
      'server.transport: expected "stdio", "http" or "sse", because both command and url are given, got nothing',
    ],
    [
      { command: "x", timeoutMs: 0 },
      "server.timeoutMs: expected a whole number from 1 to 600000 milliseconds (600 s at most), got 0",
    ],
    [
      { command: "x", connectTimeoutMs: 600_001 },
      "server.connectTimeoutMs: expected a whole number from 1 to 600000 milliseconds (600 s at most), got 600001",
    ],
    [
      { command: "x", retry: "always" },
      'server.retry: expected one of "safe", "never", "once", got "always"',
    ],
    [{ command: "x", args: ["a", 5] }, "server.args.1: expected a string, got a number (not shown)"],
  ])("%j is refused, naming the field", (input, message) => {
    expect(() => complete(input)).toThrow(expect.objectContaining({ code: "BAD_REQUEST", message }));
  });

  test.each(["file:///etc/passwd", "example.com", "https://user:hunter2@example.com", "https://"])(
    "the url %s is refused without being quoted",
    (url) => {
      expect(() => complete({ url })).toThrow(
        /^server\.url: expected an http:\/\/ or https:\/\/ URL .*, got a string \(not shown\)$/,
      );
    },
  );

  test.each([
    [{ command: "a\0b" }],
    [{ command: "x", args: ["\0"] }],
    [{ command: "x", env: { "A=B": "1" } }],
    [{ command: "x", env: { A: "\0" } }],
    [{ url: "https://example.com", headers: { "bad name": "1" } }],
    [{ url: "https://example.com", headers: { A: "1\r\nB: 2" } }],
  ])("%j is refused before it reaches a process or a request", (input) => {
    expect(() => complete(input)).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
  });

  test("all problems come at once", () => {
    expect(() => complete({ command: 5, trusted: "yes" }, "no/slash")).toThrow(
      /server\.name: .*; server\.command: .*; server\.trusted: /,
    );
  });

  test.each(["github", "My Server 2", "a.b-c_d", "x".repeat(64)])("the name %j is accepted", (name) => {
    expect(complete({ command: "x" }, name).name).toBe(name);
  });

  test.each(["", " ", "a ", " a", "...", "a/b", "ä", "x".repeat(65), "a\nb"])(
    "the name %j is refused",
    (name) => {
      expect(() => complete({ command: "x" }, name)).toThrow(/server\.name: expected 1 to 64 letters/);
    },
  );
});
