import { expect, test } from "vitest";
import type { OutputRecord } from "../../../../src/call/executor/tables.ts";
import { callTables } from "../../../support/call-tables.ts";
import { NOW } from "../records.ts";
import type { FreshStore } from "../stores.ts";

const output = (id: string, text: string, more: Partial<OutputRecord> = {}): OutputRecord => ({
  id,
  agentId: "agt_ada",
  conversation: "c",
  chars: text.length,
  bytes: Buffer.byteLength(text),
  createdAt: NOW,
  labels: ["untrusted_content"],
  ...more,
});
/** More than one piece, with characters that a piece must not part. */
const LONG = `a${"😀é".repeat(40_000)}`;

export function outputsContract(fresh: FreshStore): void {
  test("a long output comes back as it was, whole and in any part", async () => {
    await using t = await fresh();
    const { outputs } = callTables(t.store);
    await outputs.create(output("out_1", LONG), LONG);
    expect(await outputs.get("out_1")).toEqual(output("out_1", LONG));
    expect((await outputs.read("out_1", 0, LONG.length)) === LONG).toBe(true);
    for (const [from, to] of [
      [0, 1],
      [32_767, 32_770],
      [65_530, 65_540],
      [LONG.length - 3, LONG.length + 100],
      [LONG.length, LONG.length + 1],
      [5, 5],
    ] as const)
      expect(await outputs.read("out_1", from, to), `${from} to ${to}`).toBe(LONG.slice(from, to));
    expect(await outputs.read("out_none", 0, 10)).toBe("");
  });

  test("outputs are listed by agent, newest first", async () => {
    await using t = await fresh();
    const { outputs } = callTables(t.store);
    await outputs.create(output("out_1", "x"), "x");
    await outputs.create(output("out_2", "x", { createdAt: NOW + 1 }), "x");
    await outputs.create(output("out_3", "x", { agentId: "agt_bob" }), "x");
    expect((await outputs.list({ agentId: "agt_ada" })).map(({ id }) => id)).toEqual(["out_2", "out_1"]);
  });

  test("what is deleted, or pruned, leaves nothing to read", async () => {
    await using t = await fresh();
    const { outputs } = callTables(t.store);
    for (const [id, createdAt] of [
      ["out_1", NOW - 2],
      ["out_2", NOW - 2],
      ["out_3", NOW],
    ] as const)
      await outputs.create(output(id, LONG, { createdAt }), LONG);
    await outputs.delete(["out_1", "out_gone"]);
    expect(await outputs.prune(NOW - 1, 10)).toBe(1);
    expect((await outputs.list({ agentId: "agt_ada" })).map(({ id }) => id)).toEqual(["out_3"]);
    for (const id of ["out_1", "out_2"]) expect(await outputs.read(id, 0, 10)).toBe("");
    expect(await outputs.read("out_3", 0, 3)).toBe(LONG.slice(0, 3));
  });
}
