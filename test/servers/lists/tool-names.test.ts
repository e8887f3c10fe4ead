import { expect, test } from "vitest";
import type { Store } from "../../../src/machine/db/store.ts";
import { ToolNames } from "../../../src/servers/lists/tool-names.ts";
import { openServerTables } from "../../../src/servers/tables/server-tables.ts";
import { tempStore } from "../../support/temp-store.ts";

const NAMING = { template: "mcp_{server}_{tool}", maxLength: 50 };
const tool = (serverId: string, originalName = "read") => ({
  serverId,
  serverName: serverId,
  prefix: "fs",
  originalName,
});

test("a name that another process took in the meantime is not taken from it, and another is found", async () => {
  await using temp = await tempStore();
  const [mine, theirs] = [open(temp.store), open(temp.store)];
  await Promise.all([mine.reload(), theirs.reload()]);
  await theirs.claim([tool("srv_theirs")], NAMING);
  await mine.claim([tool("srv_mine"), tool("srv_mine", "write")], NAMING);

  expect(theirs.get("srv_theirs", "read")).toBe("mcp_fs_read");
  expect(mine.get("srv_mine", "write")).toBe("mcp_fs_write");
  expect(mine.get("srv_mine", "read")).toMatch(/^mcp_fs_read_[0-9a-f]{6}$/);
  expect(mine.get("srv_theirs", "read")).toBe("mcp_fs_read");

  await theirs.reload();
  expect(theirs.get("srv_mine", "read")).toBe(mine.get("srv_mine", "read"));
});

test("two processes that name the tools of one server agree", async () => {
  await using temp = await tempStore();
  const [mine, theirs] = [open(temp.store), open(temp.store)];
  const tools = Array.from({ length: 30 }, (_, index) => tool("srv_a", `Tool ${index % 10}.${index}`));
  await Promise.all([mine.claim(tools, NAMING), theirs.claim([...tools].reverse(), NAMING)]);
  const names = (of: ToolNames) => tools.map(({ originalName }) => of.get("srv_a", originalName));
  expect(names(mine)).toEqual(names(theirs));
  expect(new Set(names(mine)).size).toBe(30);
});

test("claiming names that are known changes nothing for others", async () => {
  await using temp = await tempStore();
  const names = open(temp.store);
  await names.claim([tool("srv_a")], NAMING);
  const revision = await temp.store.revision();
  await names.claim([tool("srv_a")], { ...NAMING, template: "other_{tool}" });
  expect(names.get("srv_a", "read")).toBe("mcp_fs_read");
  expect(await temp.store.revision()).toBe(revision);
});

function open({ database }: Pick<Store, "database">): ToolNames {
  return new ToolNames(openServerTables(database).toolNames, () => new Set());
}
