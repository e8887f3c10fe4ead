import { expect, it } from "vitest";
import { openAuditKey } from "../../../../src/call/audit/chain/audit-key.ts";
import { seal, unseal } from "../../../../src/call/vault/seal.ts";
import type { Store } from "../../../../src/machine/db/store.ts";
import { auditHome, call, checked } from "../../../support/audit-home.ts";
import { callTables } from "../../../support/call-tables.ts";
import { tempStore } from "../../../support/temp-store.ts";

const RIGHT = Buffer.alloc(32, 1);
const WRONG = Buffer.alloc(32, 2);

/** As a process whose vault has these keys, of which the first seals. */
function openedWith(store: Store, ...vaultKeys: readonly Buffer[]) {
  return openAuditKey({
    store: callTables(store).audit,
    seal: (plain, purpose) => seal(plain, purpose, vaultKeys[0]!),
    unseal: (sealed, purpose) => {
      for (const key of vaultKeys.slice(1)) {
        try {
          return unseal(sealed, purpose, key);
        } catch {}
      }
      return unseal(sealed, purpose, vaultKeys[0]!);
    },
    clock: () => 5,
  });
}

it("the key of the audit outlives starts with another key of the vault, each of which has its own", async () => {
  await using temp = await tempStore();
  const { id } = await openedWith(temp.store, RIGHT);
  const other = await openedWith(temp.store, WRONG);
  expect(other.id).not.toBe(id);
  expect((await openedWith(temp.store, RIGHT)).id).toBe(id);
  expect((await openedWith(temp.store, WRONG)).id).toBe(other.id);
  expect((await openedWith(temp.store, Buffer.alloc(32, 3))).id).not.toBe(other.id);
  expect(await callTables(temp.store).audit.keys()).toHaveLength(3);
  const both = await openedWith(temp.store, WRONG, RIGHT);
  expect(both.id).toBe(id);
  expect([both.named(id)?.id, both.named(other.id)?.id, both.named("none")]).toEqual([
    id,
    other.id,
    undefined,
  ]);
});

it("two processes that begin at once have the same key", async () => {
  await using temp = await tempStore();
  const [one, two] = await Promise.all([openedWith(temp.store, RIGHT), openedWith(temp.store, RIGHT)]);
  expect(one.id).toBe(two.id);
});

it("after a start with a wrong key the old chain verifies again, and what cannot be checked is counted", async () => {
  await using home = await auditHome(0);
  const wrote = async (vaultKey: Buffer, calls: readonly string[]) => {
    const audit = await home.open({ key: await openedWith(home.store, vaultKey) });
    for (const id of calls) audit.begin(id, call).end("ok", 1, null);
    await audit.flush();
    return audit;
  };
  await (await wrote(RIGHT, ["a", "b"])).close();
  await (await wrote(WRONG, ["c"])).close();
  const back = await wrote(RIGHT, ["d"]);
  const result = await checked(back);
  expect(result.findings.map(({ kind }) => kind).sort()).toEqual(["break", "unreadable"]);
  expect(result).toMatchObject({ checked: 5, unreadable: 2 });
  const acknowledged = await checked(back, { actor: "ada", reason: "the wrong key" });
  expect(acknowledged).toMatchObject({ findings: [], unreadable: 2 });
  await back.close();

  await home.tamper(({ calls }) => Object.assign(calls.find(({ id }) => id === "b")!, { outcome: "denied" }));
  const next = await wrote(RIGHT, []);
  expect((await checked(next)).findings).toMatchObject([{ kind: "altered", callId: "b" }]);
  await next.close();
  const both = await home.open({ key: await openedWith(home.store, WRONG, RIGHT) });
  const all = await checked(both);
  // The break is that of the process with the wrong key, whose chain can be read now.
  expect(all.findings.map(({ kind }) => kind).sort()).toEqual(["altered", "break"]);
  expect(all.unreadable).toBe(0);
  await both.close();
});
