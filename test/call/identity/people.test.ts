import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { OWNER, People } from "../../../src/call/identity/people.ts";
import { csrfToken, IDLE_MS, isCsrfToken, SESSION_MS } from "../../../src/call/identity/sessions.ts";
import { type EventMap, Events } from "../../../src/contract/events.ts";
import { randomId } from "../../../src/lib/id.ts";
import { accessTables } from "../../support/access-tables.ts";
import { tempStore } from "../../support/temp-store.ts";

type ChangeEvent = EventMap["person.changed"] | EventMap["session.changed"];

let temp: Awaited<ReturnType<typeof tempStore>>;
let people: People;
let now = 1_000_000;
let told: ChangeEvent[] = [];

const events = new Events(() => {});
events.on("person.changed", (payload) => told.push(payload));
events.on("session.changed", (payload) => told.push(payload));
const open = () => People.open({ store: temp.store, events, clock: () => now, newId: randomId });

beforeAll(async () => {
  temp = await tempStore();
});
afterAll(() => temp[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const { id } of await accessTables(temp.store).people.list())
    await accessTables(temp.store).people.delete(id);
  people = await open();
  told = [];
});

async function signIn(name: string, before?: string) {
  const { code } = await people.sessions.newCode(people.person(name));
  return (await people.sessions.signIn(code, { label: "a browser", before }))!;
}

describe("people", () => {
  it("are the owner alone at first, who is an admin and stays one", async () => {
    expect(people.list()).toEqual([
      { id: OWNER, name: "owner", role: "admin", createdAt: now, lastSeenAt: null, disabled: false },
    ]);
    for (const change of [{ role: "viewer" }, { role: "operator" }, { disabled: true }] as const)
      await expect(people.edit("owner", change)).rejects.toMatchObject({ code: "READ_ONLY" });
    await expect(people.remove("owner")).rejects.toMatchObject({ code: "READ_ONLY" });
    await people.edit("owner", { name: "ada", role: "admin" });
    expect((await open()).list()).toMatchObject([{ id: OWNER, name: "ada" }]);
  });

  it("are added, changed and removed, and known after a restart", async () => {
    await people.add("eve", "viewer");
    await people.edit("eve", { role: "operator", name: "eva" });
    expect((await open()).person("eva")).toMatchObject({ role: "operator", disabled: false });
    expect(() => people.person("evo")).toThrow(/did you mean eva/);
    await expect(people.add("eva", "viewer")).rejects.toMatchObject({ code: "NAME_TAKEN" });
    await expect(people.add("Eva!", "viewer")).rejects.toMatchObject({ code: "NAME_INVALID" });
    await people.remove("eva");
    expect((await open()).list()).toHaveLength(1);
    expect(told).toEqual([{ person: "eve" }, { person: "eva" }, { person: "eva" }]);
  });

  it("whom another process changed or removed are announced", async () => {
    for (const name of ["eve", "zoe", "same"]) await people.add(name, "viewer");
    const { session } = await signIn("zoe");
    const other = await open();
    told = [];
    await accessTables(temp.store).people.update(people.person("eve").id, { role: "admin" });
    await accessTables(temp.store).people.delete(people.person("zoe").id);
    await other.reload();
    expect(told).toEqual([
      { session: session.id, person: session.personId, change: "ended" },
      { person: "eve" },
      { person: "zoe" },
    ]);
    expect(other.person("eve").role).toBe("admin");
  });
});

describe("a link", () => {
  it("opens one session, once, within ten minutes", async () => {
    await people.add("eve", "viewer");
    const { code, expiresAt } = await people.sessions.newCode(people.person("eve"));
    expect(expiresAt).toBe(now + 600_000);
    const entered = await people.sessions.signIn(code, { label: "x".repeat(1_000) });
    expect(entered).toMatchObject({ person: { name: "eve" }, session: { label: "x".repeat(200) } });
    expect(await people.sessions.signIn(code, { label: "" })).toBeUndefined();
    const late = await people.sessions.newCode(people.person("eve"));
    now += 600_000;
    expect(await people.sessions.signIn(late.code, { label: "" })).toBeUndefined();
  });

  it("is refused to somebody who is disabled, and ends with them", async () => {
    await people.add("eve", "viewer");
    const { code } = await people.sessions.newCode(people.person("eve"));
    await people.edit("eve", { disabled: true });
    await expect(people.sessions.newCode(people.person("eve"))).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
    await people.edit("eve", { disabled: false });
    expect(await people.sessions.signIn(code, { label: "" })).toBeUndefined();
  });
});

describe("signing out everywhere", () => {
  it("also ends the links that were not used yet, and those of nobody else", async () => {
    for (const name of ["eve", "zoe"]) await people.add(name, "viewer");
    const eve = await people.sessions.newCode(people.person("eve"));
    const zoe = await people.sessions.newCode(people.person("zoe"));
    await people.sessions.endAllOf(people.person("eve").id);
    expect(await people.sessions.signIn(eve.code, { label: "a browser" })).toBeUndefined();
    expect(await people.sessions.signIn(zoe.code, { label: "a browser" })).toBeDefined();
  });
});

describe("a session", () => {
  it("is known after a restart, and of it and its link only hashes are kept", async () => {
    const { code } = await people.sessions.newCode(people.person("owner"));
    const { secret } = (await people.sessions.signIn(code, { label: "" }))!;
    expect(await (await open()).sessions.recognise(secret)).toMatchObject({ person: { id: OWNER } });
    const kept = JSON.stringify(await accessTables(temp.store).sessions.list());
    expect(kept).not.toContain(secret);
    expect(kept).not.toContain(code);
    expect(await people.sessions.recognise("made up")).toBeUndefined();
  });

  it("ends twelve hours after its last use", async () => {
    const { secret } = await signIn("owner");
    now += IDLE_MS - 1;
    expect(await people.sessions.recognise(secret)).toBeDefined();
    now += IDLE_MS - 1;
    expect(await (await open()).sessions.recognise(secret)).toBeDefined();
    expect(people.list()[0]!.lastSeenAt).not.toBeNull();
    now += IDLE_MS;
    expect(await (await open()).sessions.recognise(secret)).toBeUndefined();
  });

  it("ends after seven days however much it is used", async () => {
    const { secret } = await signIn("owner");
    const end = now + SESSION_MS;
    while (now + IDLE_MS / 2 < end) {
      now += IDLE_MS / 2;
      expect(await people.sessions.recognise(secret)).toBeDefined();
    }
    now = end;
    expect(await people.sessions.recognise(secret)).toBeUndefined();
  });

  it("is new after each sign-in, and the previous one ends", async () => {
    const first = await signIn("owner");
    const second = await signIn("owner", first.secret);
    expect(second.secret).not.toBe(first.secret);
    expect(await people.sessions.recognise(first.secret)).toBeUndefined();
    expect(people.sessions.list(OWNER).map(({ id }) => id)).toEqual([second.session.id]);
  });

  it("ends by itself, with all of its person, and with the person", async () => {
    await people.add("eve", "viewer");
    const { secret: own, session } = await signIn("owner");
    const one = await signIn("eve");
    const two = await signIn("eve");
    await people.sessions.end(one.session.id);
    expect(people.sessions.current(one.session)).toBeUndefined();
    await expect(people.sessions.end(one.session.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const three = await signIn("eve");
    expect(await people.sessions.endAllOf(two.session.personId, three.session.id)).toBe(1);
    expect(await people.sessions.recognise(two.secret)).toBeUndefined();
    await people.edit("eve", { disabled: true });
    await people.edit("eve", { disabled: false });
    expect(await people.sessions.recognise(three.secret)).toBeUndefined();
    expect(await people.sessions.recognise(own)).toMatchObject({ session: { id: session.id } });
  });

  it("has the role that its person has now", async () => {
    await people.add("eve", "admin");
    const { secret, session } = await signIn("eve");
    await people.edit("eve", { role: "viewer" });
    expect(await people.sessions.recognise(secret)).toMatchObject({ person: { role: "viewer" } });
    expect(people.sessions.current(session)).toMatchObject({ person: { role: "viewer" } });
  });

  it("has a token for its pages that no other session has", async () => {
    const [one, two] = [await signIn("owner"), await signIn("owner")];
    expect(isCsrfToken(csrfToken(one.secret), one.secret)).toBe(true);
    expect(isCsrfToken(csrfToken(two.secret), one.secret)).toBe(false);
    for (const wrong of [undefined, "", "1", one.secret]) expect(isCsrfToken(wrong, one.secret)).toBe(false);
  });
});
