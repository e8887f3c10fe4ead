import { expect, test } from "vitest";
import { createServerTool, type ToolHost } from "../../../src/servers/lists/server-tool.ts";
import { testCaller } from "../../support/tools.ts";

/** A host that notes how it was called. */
function host(change: Partial<ToolHost> = {}) {
  const calls: Parameters<ToolHost["request"]>[] = [];
  const made: ToolHost = {
    origin: "mcp:fs",
    trusted: true,
    capabilities: new Map(),
    timeoutMs: 1000,
    progressExtendsTimeout: false,
    url: () => null,
    cwd: () => null,
    status: () => ({ kind: "active" }),
    async request(...call) {
      calls.push(call);
      return { kind: "output", content: [] };
    },
    ...change,
  };
  return { made, calls };
}

const published = (definition: Record<string, unknown>) => ({ originalName: "t", definition });

const context = {
  callId: "call_1",
  caller: testCaller(),
  signal: new AbortController().signal,
  progress: () => {},
};

test.each([
  ["a tool of a trusted server that says nothing", true, {}, false],
  ["a read-only tool of a trusted server", true, { readOnlyHint: true }, true],
  ["an idempotent tool of a trusted server", true, { idempotentHint: true }, true],
  [
    "an idempotent destructive tool of a trusted server",
    true,
    { idempotentHint: true, destructiveHint: true },
    true,
  ],
  [
    "a tool that says it is read-only and destructive",
    true,
    { readOnlyHint: true, destructiveHint: true },
    false,
  ],
  ["a read-only tool of a server that is not trusted", false, { readOnlyHint: true }, false],
  ["an idempotent tool of a server that is not trusted", false, { idempotentHint: true }, false],
  ["a tool whose hint is no boolean", true, { idempotentHint: "yes" }, false],
])("%s may be sent again: %#", async (_, trusted, annotations, repeatable) => {
  const { made, calls } = host({ trusted });
  await createServerTool(published({ annotations }), "mcp_fs_t", made).run({ a: 1 }, context);
  const request = expect.objectContaining({
    method: "tools/call",
    params: { name: "t", arguments: { a: 1 } },
  });
  expect(calls).toEqual([[request, context, repeatable]]);
});

test("progress extends the time of a call only where the server is configured so", () => {
  const extending = createServerTool(published({}), "mcp_fs_t", host({ progressExtendsTimeout: true }).made);
  expect(extending.progressExtendsTimeout).toBe(true);
  const plain = createServerTool(published({}), "mcp_fs_t", host().made);
  expect(plain.progressExtendsTimeout ?? false).toBe(false);
});

test("a definition is not looked at before somebody asks what it says", () => {
  let looks = 0;
  const definition = { name: "t", title: "T", description: "d", inputSchema: { type: "object" } };
  const stored = {
    originalName: "t",
    get definition() {
      looks++;
      return definition;
    },
  };
  const tool = createServerTool(stored, "mcp_fs_t", host().made);
  expect([tool.name, tool.ownName, tool.origin, tool.status().kind, looks]).toEqual([
    "mcp_fs_t",
    "t",
    "mcp:fs",
    "active",
    0,
  ]);
  expect([tool.title, tool.description, tool.inputSchema, looks]).toEqual([
    "T",
    "d",
    definition.inputSchema,
    1,
  ]);
});

test("a server's tool starts elsewhere and goes away with the others, also in a copy of it", () => {
  const tool = createServerTool(
    published({ name: "t", inputSchema: { type: "object" } }),
    "mcp_fs_t",
    host().made,
  );
  expect({ ...tool }).toMatchObject({ startsElsewhere: true, unavailableTogether: true });
});
