import { join } from "node:path";
import { expect, test } from "vitest";
import { memoryStore, VERSIONS_OF_OWNER } from "../../../src/features/knowledge/memory/memory-store.ts";
import { openDatabaseSync } from "../../../src/machine/db/sqlite/database-sync.ts";
import { tempStore } from "../../support/temp-store.ts";
import { memory } from "./contract/memories.ts";
import { NOW } from "./records.ts";

test("what an owner's memories said before is bounded, also where nothing is ever taken back", async () => {
  await using t = await tempStore();
  const memories = memoryStore(t.store.database);
  await memories.create(memory("m1"), 10);
  await memories.update("m1", { text: "two" }, { at: NOW + 10, by: null });
  const database = await openDatabaseSync(join(t.home, "toolkeep.db"));
  database.exec(`
    with recursive older(at) as (select 1 union all select at + 1 from older where at < ${VERSIONS_OF_OWNER})
    insert into memory_versions
      (id, memory_id, agent_id, revision, type, text, tags, metadata, updated_at, ended_at, reason)
    select 'old:' || at, 'old', 'agt_ada', at, 'note', 'older', '[]', '{}', 0, at, 'superseded' from older`);
  await memories.update("m1", { text: "three" }, { at: NOW + 20, by: null });
  const [row] = database.prepare("select count(*) as count from memory_versions").all();
  database.close();
  expect((row as { count: number }).count).toBe(VERSIONS_OF_OWNER);
  expect(await memories.history("m1", NOW)).toHaveLength(2);
});
