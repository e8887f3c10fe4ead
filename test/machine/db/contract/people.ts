import { expect, test } from "vitest";
import { accessTables } from "../../../support/access-tables.ts";
import { loginCode, NOW, person, session } from "../records.ts";
import type { FreshStore } from "../stores.ts";

export function peopleContract(fresh: FreshStore): void {
  test("people come back as they were created, by name, and a name is given once", async () => {
    await using t = await fresh();
    const { people } = accessTables(t.store);
    await people.create(person("zoe", { role: "admin" }));
    await people.create(person("eve", { disabled: true, lastSeenAt: NOW }));
    expect(await people.list()).toEqual([
      person("eve", { disabled: true, lastSeenAt: NOW }),
      person("zoe", { role: "admin" }),
    ]);
    await expect(people.create(person("eve", { id: "per_2" }))).rejects.toMatchObject({ code: "NAME_TAKEN" });
    await expect(people.update("per_eve", { name: "zoe" })).rejects.toMatchObject({ code: "NAME_TAKEN" });
    await people.update("per_eve", { name: "ada", role: "operator" });
    expect(await people.list()).toMatchObject([{ id: "per_eve", name: "ada", role: "operator" }, {}]);
    await people.delete("per_eve");
    expect(await people.list()).toHaveLength(1);
    await expect(people.delete("per_eve")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(people.update("per_eve", {})).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("somebody who is there already is not put there again, and nobody is told", async () => {
    await using t = await fresh();
    const before = await t.store.revision();
    await accessTables(t.store).people.ensure(person("eve"));
    await accessTables(t.store).people.ensure(person("eve", { name: "other", role: "admin" }));
    expect(await accessTables(t.store).people.list()).toEqual([person("eve")]);
    expect(await t.store.revision()).toBe(before);
  });

  test("a code opens one session of the person it was for, whichever process gets it", async () => {
    await using t = await fresh();
    await accessTables(t.store).people.create(person("eve"));
    await accessTables(t.store).sessions.putCode(loginCode("code"), 5);
    const stores = [t.store, await t.another()];
    const before = await t.store.revision();
    const { personId: _, ...opened } = session("ses_1");
    const attempts = Array.from({ length: 6 }, (_each, index) =>
      accessTables(stores[index % 2]!).sessions.redeem(
        "code",
        { ...opened, id: `ses_${index}`, hash: `h${index}` },
        5,
      ),
    );
    const done = (await Promise.all(attempts)).filter((each) => each !== undefined);
    expect(done).toMatchObject([{ personId: "per_eve" }]);
    expect(await accessTables(t.store).sessions.list()).toEqual(done);
    expect(await accessTables(t.store).sessions.byHash(done[0]!.hash)).toEqual(done[0]);
    expect(await accessTables(t.store).sessions.byHash("other")).toBeUndefined();
    expect(await t.store.revision()).toBeGreaterThan(before);
  });

  test("a code that is unknown, or over, opens nothing and tells nobody", async () => {
    await using t = await fresh();
    await accessTables(t.store).people.create(person("eve"));
    await accessTables(t.store).sessions.putCode(loginCode("code", { expiresAt: NOW }), 5);
    const before = await t.store.revision();
    for (const code of ["code", "other"])
      expect(await accessTables(t.store).sessions.redeem(code, session("ses_1"), 5)).toBeUndefined();
    expect(await accessTables(t.store).sessions.list()).toEqual([]);
    expect(await t.store.revision()).toBe(before);
  });

  test("only the newest codes and sessions of a person stay, and none that is over", async () => {
    await using t = await fresh();
    const { people, sessions } = accessTables(t.store);
    await people.create(person("eve"));
    await people.create(person("zoe"));
    await sessions.putCode(loginCode("of zoe", { personId: "per_zoe" }), 2);
    for (const n of [1, 2, 3]) await sessions.putCode(loginCode(`c${n}`, { createdAt: NOW + n }), 2);
    expect(await sessions.redeem("c1", session("ses_0"), 2)).toBeUndefined();
    await sessions.redeem("of zoe", session("ses_zoe", { expiresAt: NOW + 5 }), 2);
    for (const n of [2, 3, 4, 5]) {
      if (n > 3) await sessions.putCode(loginCode(`c${n}`, { createdAt: NOW + n }), 2);
      await sessions.redeem(`c${n}`, session(`ses_${n}`, { createdAt: NOW + n }), 2);
    }
    expect((await sessions.list()).map(({ id }) => id)).toEqual(["ses_4", "ses_5"]);
  });

  test("a code or session just made stays, though all have the same time or the clock was set back", async () => {
    await using t = await fresh();
    const { people, sessions } = accessTables(t.store);
    await people.create(person("eve"));
    const opened = ["9", "5", "1", "7", "3"].map((digit, index) => ({
      digit,
      createdAt: NOW - (index >> 1),
    }));
    for (const { digit, createdAt } of opened) {
      await sessions.putCode(loginCode(`c${digit}`, { createdAt }), 2);
      await sessions.putCode(loginCode(`d${digit}`, { createdAt }), 2);
      for (const code of [`c${digit}`, `d${digit}`])
        expect(await sessions.redeem(code, session(`ses_${code}`, { createdAt }), 2)).toBeDefined();
      const ids = (await sessions.list()).map(({ id }) => id);
      expect(ids).toContain(`ses_d${digit}`);
      expect(ids).toHaveLength(2);
    }
  });

  test("a use is noted with the person, and time never turns back", async () => {
    await using t = await fresh();
    const { people, sessions } = accessTables(t.store);
    await people.create(person("eve"));
    await sessions.putCode(loginCode("code"), 5);
    await sessions.redeem("code", session("ses_1"), 5);
    const before = await t.store.revision();
    await sessions.touch("ses_1", NOW + 10);
    await sessions.touch("ses_1", NOW + 5);
    await sessions.touch("ses_none", NOW + 5);
    expect(await sessions.list()).toMatchObject([{ lastUsedAt: NOW + 10 }]);
    expect(await people.list()).toMatchObject([{ lastSeenAt: NOW + 10 }]);
    expect(await t.store.revision()).toBe(before);
  });

  test("sessions end one by one, all of a person, and with the person who is disabled or gone", async () => {
    await using t = await fresh();
    const { people, sessions } = accessTables(t.store);
    const open = async (id: string) => {
      await sessions.putCode(loginCode(`code of ${id}`), 5);
      await sessions.redeem(`code of ${id}`, session(id), 5);
    };
    const left = async () => (await sessions.list()).map(({ id }) => id);
    await people.create(person("eve"));
    for (const id of ["ses_1", "ses_2", "ses_3"]) await open(id);
    await sessions.delete("ses_1");
    await expect(sessions.delete("ses_1")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await sessions.putCode(loginCode("kept"), 5);
    expect(await sessions.deleteOf("per_eve", "ses_2")).toBe(1);
    expect(await left()).toEqual(["ses_2"]);
    expect(await sessions.redeem("kept", session("ses_4"), 5)).toMatchObject({ id: "ses_4" });
    await sessions.putCode(loginCode("ended"), 5);
    expect(await sessions.deleteOf("per_eve")).toBe(2);
    expect(await sessions.redeem("ended", session("ses_5"), 5)).toBeUndefined();
    await open("ses_2");

    await sessions.putCode(loginCode("unused"), 5);
    await people.update("per_eve", { disabled: true });
    expect(await left()).toEqual([]);
    expect(await sessions.redeem("unused", session("ses_9"), 5)).toBeUndefined();
    await people.update("per_eve", { disabled: false });
    await open("ses_4");
    await people.delete("per_eve");
    expect(await left()).toEqual([]);
  });
}
