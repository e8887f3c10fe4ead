import { describe, expect, it } from "vitest";
import { opens } from "../../../src/call/identity/identity.ts";
import {
  isResourcePath,
  metadataAddress,
  OFFERED_SCOPES,
  ownAddress,
} from "../../../src/call/identity/resource.ts";

const LOCAL = { publicUrl: null, host: "127.0.0.1", port: 19_850 };

describe("our address", () => {
  it.each([
    [null, "localhost:19850", "http://localhost:19850"],
    [null, "LOCALHOST:80", "http://localhost"],
    [null, "[::1]:7", "http://[::1]:7"],
    [null, undefined, "http://127.0.0.1:19850"],
    [null, 'evil" x="', "http://127.0.0.1:19850"],
    ["https://tools.example", "127.0.0.1:19850", "https://tools.example"],
    ["https://tools.example/keep", "anything.example", "https://tools.example/keep"],
  ])("with the public address %j and Host %j is %s", (publicUrl, host, address) => {
    expect(ownAddress({ ...LOCAL, publicUrl }, host)).toBe(address);
  });

  it("has the metadata of every path below it", () => {
    const at = "https://tools.example/.well-known/oauth-protected-resource";
    expect(metadataAddress("https://tools.example", "/mcp/research")).toBe(`${at}/mcp/research`);
    expect(metadataAddress("https://tools.example", "/rpc")).toBe(at);
    expect(metadataAddress("https://tools.example", '/mcp/"x')).toBe(at);
  });
});

describe("a path that tokens are issued for", () => {
  it.each(["", "/mcp", "/mcp/research", "/mcp/server/my%20files", "/mcp/server/a.b"])("can be %j", (path) => {
    expect(isResourcePath(path)).toBe(true);
  });

  it.each(["/", "/api", "/mcp/", "/mcpx", "/mcp/a/b", "/mcp/server/a/b", "/mcp/..", "/mcp/a?b", '/mcp/"'])(
    "cannot be %j",
    (path) => {
      expect(isResourcePath(path)).toBe(false);
    },
  );

  it.each([
    [null, "/mcp", true],
    ["", "/mcp/research", true],
    ["/mcp", "/mcp", true],
    ["/mcp", "/mcp/research", true],
    ["/mcp", "/rpc", true],
    ["/mcp/research", "/mcp/research", true],
    ["/mcp/research", "/mcp", false],
    ["/mcp/research", "/rpc", false],
    ["/mcp/research", "/mcp/other", false],
    ["/mcp/server", "/mcp/server/files", false],
    ["/mcp", "/mcpx", false],
  ])("of %j opens %s: %s", (resource, path, isOpen) => {
    expect(opens(resource, path)).toBe(isOpen);
  });
});

it("what changes Toolkeep itself is not offered", () => {
  expect(OFFERED_SCOPES).toContain("mcp");
  expect(OFFERED_SCOPES).not.toContain("admin");
});
