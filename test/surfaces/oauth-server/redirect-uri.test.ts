import { describe, expect, it } from "vitest";
import { findRedirectProblem, isRegistered } from "../../../src/surfaces/oauth-server/redirect-uri.ts";

describe("a redirect URI", () => {
  it.each([
    "https://client.example/back",
    "https://client.example:8443/back?keep=1",
    "http://127.0.0.1/back",
    "http://127.0.0.1:4711/back",
    "http://[::1]:4711/back",
    "http://localhost:4711/back",
    "com.example.app:/back",
    "com.example.app://back",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "vscode://publisher.extension/back",
  ])("may be %s", (uri) => {
    expect(findRedirectProblem(uri)).toBeUndefined();
  });

  it.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)//",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://client.example/x",
    "about:blank",
    "ftp://client.example/",
    "ms-msdt:/id",
    "search-ms:query=x",
    "mailto:a@client.example",
    "ws://127.0.0.1/",
    "http://client.example/back",
    "http://127.0.0.1.client.example/back",
    "http://localhost.client.example/back",
    "http://127.0.0.2/back",
    "https://user@client.example/back",
    "https://user:word@client.example/back",
    "https://client.example/back#part",
    "https://client.example/back#",
    "/back",
    "//client.example/back",
    "",
    "https://client.example/ba ck",
    "https://client.example/back\u0000",
    "https://cliënt.example/back",
    `https://client.example/${"x".repeat(2_000)}`,
  ])("may not be %s", (uri) => {
    expect(findRedirectProblem(uri)).toEqual(expect.any(String));
  });

  it("is the registered one to the letter", () => {
    const registered = ["https://client.example/back", "com.example.app:/back"];
    expect(registered.every((uri) => isRegistered(uri, registered))).toBe(true);
    for (const other of [
      "https://client.example/back/",
      "https://client.example/back?x",
      "https://client.example:8443/back",
      "https://client.example/BACK",
      "https://CLIENT.example/back",
      "https://client.example/back/../back",
      "https://client.example.evil.example/back",
      "http://client.example/back",
      "com.example.app:/other",
    ])
      expect(isRegistered(other, registered)).toBe(false);
  });

  it("on this machine has any port, and nothing else of its own", () => {
    const registered = ["http://localhost/back", "http://127.0.0.1:3000/back?a=1", "http://[::1]/back"];
    for (const same of [
      "http://localhost:4711/back",
      "http://127.0.0.1/back?a=1",
      "http://127.0.0.1:65535/back?a=1",
      "http://[::1]:9/back",
    ])
      expect(isRegistered(same, registered)).toBe(true);
    for (const other of [
      "http://127.0.0.1:4711/back",
      "http://localhost:4711/other",
      "http://localhost:4711/back?b=1",
      "https://localhost:4711/back",
      "http://user@localhost:4711/back",
      "http://localhost:4711/back#x",
      "http://localhost.evil.example/back",
      "http://localhost:4711/ba\nck",
      "http://localhost:4711/x/../back",
      "http://localhost:4711@evil.example/back",
      "HTTP://localhost:4711/back",
    ])
      expect(isRegistered(other, registered)).toBe(false);
  });

  it("that was registered and may not be one counts for nothing", () => {
    expect(isRegistered("javascript:alert(1)", ["javascript:alert(1)"])).toBe(false);
    expect(isRegistered("http://localhost:1/x", ["no url"])).toBe(false);
  });
});
