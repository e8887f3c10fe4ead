import { expect, test } from "vitest";
import type { CallSourceTool } from "../../../../src/features/knowledge/sources/plugin-source.ts";
import { err, ok } from "../../../../src/lib/result.ts";
import { testSync } from "../../../support/knowledge-sync.ts";

interface Wiki {
  pages: Record<string, { text: string; version: string }>;
  isDown: boolean;
  readonly read: string[];
  readonly call: CallSourceTool;
}

/** What the tools of a plugin in front of a wiki would answer, two pages at a time and in no order. */
function wiki(pages: Wiki["pages"]): Wiki {
  const state: Wiki = {
    ...{ pages, isDown: false, read: [] },
    async call(tool, args) {
      if (state.isDown) return err("the wiki does not answer");
      if (tool === "plugin_my_wiki_read_document") {
        const page = state.pages[String(args.key)];
        state.read.push(String(args.key));
        if (!page) return err("no such page");
        const about = { title: `Page ${args.key}`, uri: `https://wiki.test/${args.key}`, tags: ["Wiki"] };
        return ok({
          ...about,
          text: page.text,
          format: "markdown",
          updated_at: "2024-05-06",
          metadata: { by: "Ann" },
        });
      }
      if (tool !== "plugin_my_wiki_list_documents") return err(`there is no tool ${tool}`);
      const keys = Object.keys(state.pages).reverse();
      const from = Number(args.cursor ?? 0);
      const documents = keys
        .slice(from, from + 2)
        .map((key) => ({ key, version: state.pages[key]!.version }));
      return ok({ documents, ...(from + 2 < keys.length && { next_cursor: String(from + 2) }) });
    },
  };
  return state;
}

const page = (text: string, version = "1") => ({ text, version });

test("a plugin that lists and reads documents is a source as any other", async () => {
  const pages = wiki({ a: page("# A\n\nBadgers."), b: page("Foxes."), c: page("Owls."), d: page("Bats.") });
  await using t = await testSync(null, { callSourceTool: pages.call });
  await t.sync.addSource({ name: "wiki", kind: "plugin:my-wiki", config: {} });
  expect(await t.run()).toMatchObject({ ok: true, seen: 4, added: 4 });
  const entities = await t.entities();
  expect(entities.get("a")).toMatchObject({
    ...{
      title: "Page a",
      type: "markdown",
      tags: ["wiki"],
      uri: "https://wiki.test/a",
      metadata: { by: "Ann" },
    },
    documentAt: Date.parse("2024-05-06"),
  });
  expect(await t.textOf("a")).toEqual(["# A\n\nBadgers."]);

  expect(await t.run()).toMatchObject({ unchanged: 4 });
  expect(pages.read).toHaveLength(4);
  pages.pages = { a: page("# A\n\nBadgers."), b: page("Red foxes.", "2"), e: page("New.") };
  expect(await t.run()).toMatchObject({ unchanged: 1, changed: 1, added: 1, gone: 2 });
  expect([...(await t.entities()).keys()]).toEqual(["a", "b", "e"]);
});

test("a plugin that does not answer, or answers nonsense, loses nothing", async () => {
  const pages = wiki({ a: page("one"), b: page("two") });
  await using t = await testSync(null, { callSourceTool: pages.call });
  await t.sync.addSource({ name: "wiki", kind: "plugin:my-wiki", config: {} });
  await t.run();
  pages.isDown = true;
  expect(await t.run()).toMatchObject({ ok: false, error: "the wiki does not answer", gone: 0 });
  expect((await t.entities()).size).toBe(2);
  expect(await t.sync.test("plugin:my-wiki", {})).toEqual({ ok: false, error: "the wiki does not answer" });
  pages.isDown = false;
  expect(await t.sync.test("plugin:my-wiki", {})).toMatchObject({
    ok: true,
    files: 2,
    sample: [{ key: "a" }, { key: "b" }],
  });
});
