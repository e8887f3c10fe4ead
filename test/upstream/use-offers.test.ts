import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { complete, getPrompt, readResource } from "../../src/upstream/use-offers.ts";
import { type Era, listClient } from "../support/list-client.ts";

const use = (client: Client, signal = new AbortController().signal) => ({
  client,
  options: { signal },
  redact: (text: string) => text.replaceAll("canary-secret", "***"),
});

describe.each<Era>(["legacy", "modern"])("with a %s server", (era) => {
  test("a resource is read, a prompt is filled in and a value completed", async () => {
    await using server = await listClient(era, "offers everything");
    const on = use(server.client);
    expect(await readResource(on, "file:///a.txt")).toMatchObject({
      ok: true,
      value: { contents: [{ uri: "file:///a.txt", text: "content of file:///a.txt" }] },
    });
    expect(await getPrompt(on, "review", { path: "a.ts" })).toMatchObject({
      ok: true,
      value: { messages: [{ role: "user", content: { type: "text", text: "Review a.ts" } }] },
    });
    const asked = {
      ref: { type: "ref/prompt", name: "review" },
      argument: { name: "path", value: "a" },
    } as const;
    expect(await complete(on, asked)).toEqual({
      ok: true,
      value: { values: ["a!"], total: 1, hasMore: false },
    });
  });

  test("a secret is in neither what is read nor a refusal", async () => {
    await using server = await listClient(era, "tells a secret", "canary-secret");
    const on = use(server.client);
    expect(await readResource(on, "file:///fine")).toMatchObject({
      ok: true,
      value: { contents: [{ text: "***" }] },
    });
    expect(await getPrompt(on, "told", {})).toEqual({ ok: false, error: "the server refused: no: ***" });
  });

  test("a request given up and a lost connection are errors, not exceptions", async () => {
    await using server = await listClient(era, "lists tools badly");
    const given = AbortSignal.abort();
    expect(await readResource(use(server.client, given), "file:///a")).toEqual({
      ok: false,
      error: "the request was given up",
    });
    await server.client.close();
    expect(await readResource(use(server.client), "file:///a")).toEqual({
      ok: false,
      error: expect.stringContaining("the connection was lost"),
    });
  });
});
