import { describe, expect, test } from "vitest";
import {
  completeServerConfig,
  type ServerFields,
} from "../../../../src/machine/config/sections/server-config.ts";

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
      tls: null,
      enabled: true,
      connect: "lazy",
      keepAlive: false,
      timeoutMs: null,
      progressExtendsTimeout: false,
      connectTimeoutMs: 60_000,
      retry: "safe",
      trusted: false,
      pin: null,
      maxConcurrency: 64,
      sandbox: null,
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

  const https = { url: "https://x.example/mcp" };

  test.each([
    [{ oauth: { grant: "password" } }, 'server.oauth.grant: expected one of "authorization_code"'],
    [{ oauth: { grant: "client_credentials" } }, "server.oauth.clientId: expected the id of a client"],
    [
      { oauth: { grant: "client_credentials", clientId: "me" } },
      "server.oauth.clientSecret: expected a secret or a private key",
    ],
    [
      { oauth: { privateKey: "hunter2" } },
      "server.oauth.privateKey: expected a private key in PEM, got a string",
    ],
    [{ oauth: { privateKeyAlgorithm: "none" } }, 'server.oauth.privateKeyAlgorithm: expected one of "RS256"'],
    [{ oauth: { clientMetadataUrl: "http://x.example/c" } }, "expected an https:// URL with a path"],
    [{ oauth: { scope: "a  b" } }, "server.oauth.scope: expected scopes separated by one space"],
    [{ oauth: true }, "server.oauth: "],
    [{ tls: { cert: "/a.pem" } }, "server.tls.key: expected the file of the key too, because cert is given"],
    [{ tls: { ca: "a.pem" } }, "server.tls.ca: expected the absolute path of a PEM file"],
    [
      { url: "http://x.example/mcp", tls: { ca: "/a.pem" } },
      "server.url: expected an https:// URL, because tls",
    ],
  ])("the sign-in %j is refused, naming the field", (input, message) => {
    expect(() => complete({ ...https, ...input })).toThrow(
      expect.objectContaining({ code: "BAD_REQUEST", message: expect.stringContaining(message) }),
    );
  });

  test("what is not said about signing in is left to be found out", () => {
    expect(complete({ ...https, oauth: { clientId: "me" }, tls: { ca: "/ca.pem" } })).toMatchObject({
      oauth: {
        grant: "authorization_code",
        clientId: "me",
        clientSecret: null,
        privateKey: null,
        privateKeyAlgorithm: null,
        clientMetadataUrl: null,
        scope: null,
      },
      tls: { cert: null, key: null, ca: "/ca.pem" },
    });
  });

  test("a local server has neither sign-in nor certificate", () => {
    const server = complete({ command: "x", oauth: { clientId: "me" }, tls: { ca: "/ca.pem" } });
    expect(server).toMatchObject({ oauth: null, tls: null });
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
    [{ command: "x", env: { "A B": "1" } }],
    [{ command: "x", env: { A: "\0" } }],
    [{ url: "https://example.com", headers: { "bad name": "1" } }],
    [{ url: "https://example.com", headers: { A: "1\r\nB: 2" } }],
  ])("%j is refused before it reaches a process or a request", (input) => {
    expect(() => complete(input)).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
  });

  test("what stands where a header or variable name should is not repeated: it may hold the value", () => {
    const url = "https://example.com";
    expect(() => complete({ url, headers: { "Authorization: Bearer hunter2": "" } })).toThrow(
      /^server\.headers: expected a header name, got (?!.*hunter2)/,
    );
    expect(() => complete({ command: "x", env: { "KEY hunter2": "" } })).toThrow(
      /^server\.env: expected a variable name (?!.*hunter2)/,
    );
    expect(() => complete({ url, headers: { "X-Right": "1\n2" } })).toThrow(/^server\.headers\.X-Right: /);
  });

  test("all problems come at once", () => {
    expect(() => complete({ command: 5, trusted: "yes" }, "no:colon")).toThrow(
      /server\.name: .*; server\.command: .*; server\.trusted: /,
    );
  });

  test.each([
    ...[
      "github",
      "My Server 2",
      "a.b-c_d",
      "x".repeat(64),
      "GitHub (work)",
      "Föö",
      "天気",
      "@scope/pkg",
      "C++ & co.",
    ],
    ...["Почта", "🙂 1", "a/b", "ä", "Bob's [test] {1}", "#1", "ο".repeat(64)],
  ])("the name %j is accepted", (name) => {
    expect(complete({ command: "x" }, name).name).toBe(name);
  });

  test.each([
    ...[
      "",
      " ",
      "a ",
      " a",
      "...",
      "()",
      "x".repeat(65),
      "a\nb",
      "a:b",
      "a*",
      "a\0b",
      "a\u202eb",
      "a\u200bb",
    ],
    // Decomposed, so that it looks like another name.
    "Fo\u0308o",
  ])("the name %j is refused", (name) => {
    expect(() => complete({ command: "x" }, name)).toThrow(/server\.name: expected 1 to 64 characters/);
  });
});
