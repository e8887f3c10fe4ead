import { expect, test } from "vitest";
import type { Store } from "../../../../src/machine/db/store.ts";
import { accessTables } from "../../../support/access-tables.ts";
import { agent, consent, consentKey, NOW, token } from "../records.ts";
import type { FreshStore } from "../stores.ts";

const code = consentKey("code", {
  kind: "code",
  challenge: "challenge",
  redirectUri: "https://client.example/back",
});

const issuedToken = (id: string, at = NOW) =>
  token(id, { kind: "agent", agentId: "agt_ada", consentId: "con_1", createdAt: at, expiresAt: at + 100 });

async function withConsent(store: Store): Promise<void> {
  await accessTables(store).agents.create(agent("ada"));
  await accessTables(store).consents.create(consent("con_1"), code);
}

export function consentsContract(fresh: FreshStore): void {
  test("a consent and its code come back as they were created", async () => {
    await using t = await fresh();
    await withConsent(t.store);
    expect(await accessTables(t.store).consents.key("code")).toEqual({
      key: code,
      consent: consent("con_1"),
    });
    expect(await accessTables(t.store).consents.key("other")).toBeUndefined();
    expect(await accessTables(t.store).consents.get("con_1")).toEqual(consent("con_1"));
    expect(await accessTables(t.store).consents.get("con_2")).toBeUndefined();
    expect(await accessTables(t.store).consents.list()).toEqual([consent("con_1")]);
  });

  test("a consent for an agent that does not exist is refused", async () => {
    await using t = await fresh();
    await expect(accessTables(t.store).consents.create(consent("con_1"), code)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    expect(await accessTables(t.store).consents.list()).toEqual([]);
  });

  test("a key is used once, with everything that follows, and never again", async () => {
    await using t = await fresh();
    await withConsent(t.store);
    const refresh = consentKey("refresh");
    const issued = { token: issuedToken("tok_1"), refresh, expiresAt: NOW + 500 };
    expect(await accessTables(t.store).consents.use("code", NOW + 1, issued)).toBe(true);
    expect(await accessTables(t.store).consents.key("code")).toMatchObject({
      key: { usedAt: NOW + 1 },
      consent: { expiresAt: NOW + 500 },
    });
    expect(await accessTables(t.store).consents.key("refresh")).toMatchObject({ key: refresh });
    expect(await accessTables(t.store).tokens.list()).toEqual([issued.token]);
    expect(await accessTables(t.store).tokens.has(issued.token.hash)).toBe(true);
    expect(await accessTables(t.store).tokens.has("other")).toBe(false);

    const again = { token: issuedToken("tok_2"), refresh: consentKey("more"), expiresAt: NOW + 900 };
    expect(await accessTables(t.store).consents.use("code", NOW + 2, again)).toBe(false);
    expect(await accessTables(t.store).tokens.list()).toEqual([issued.token]);
    expect(await accessTables(t.store).consents.key("more")).toBeUndefined();
  });

  test("of several processes that use a key at once, one succeeds", async () => {
    await using t = await fresh();
    await withConsent(t.store);
    const stores = [t.store, await t.another()];
    const attempts = Array.from({ length: 6 }, (_, index) =>
      accessTables(stores[index % 2]!).consents.use("code", NOW, {
        token: issuedToken(`tok_${index}`),
        refresh: consentKey(`refresh_${index}`),
        expiresAt: NOW + 500,
      }),
    );
    expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1);
    expect(await accessTables(t.store).tokens.list()).toHaveLength(1);
  });

  test("using a key raises the revision, so that other processes learn of the token", async () => {
    await using t = await fresh();
    await withConsent(t.store);
    const before = await t.store.revision();
    await accessTables(t.store).consents.use("code", NOW, {
      token: issuedToken("tok_1"),
      refresh: null,
      expiresAt: NOW + 500,
    });
    expect(await t.store.revision()).toBe(before + 1);
  });

  test("a renewed token takes the place of the one before", async () => {
    await using t = await fresh();
    await withConsent(t.store);
    const first = { token: issuedToken("tok_1"), refresh: consentKey("refresh"), expiresAt: NOW + 500 };
    await accessTables(t.store).consents.use("code", NOW, first);
    await accessTables(t.store).tokens.touch("tok_1", NOW + 7);
    const renewed = { ...issuedToken("tok_1", NOW + 50), hash: "another", hint: "abcd", scopes: [] };
    await accessTables(t.store).consents.use("refresh", NOW + 50, {
      token: renewed,
      refresh: null,
      expiresAt: NOW + 900,
    });
    expect(await accessTables(t.store).tokens.list()).toEqual([
      { ...renewed, createdAt: NOW, lastUsedAt: NOW + 7 },
    ]);
    expect(await accessTables(t.store).tokens.has(first.token.hash)).toBe(false);
  });

  test("of a consent that renews without end only the newest keys are kept", async () => {
    await using t = await fresh();
    await withConsent(t.store);
    let last = "code";
    for (let round = 0; round < 36; round++) {
      const refresh = consentKey(`refresh_${round}`, { createdAt: NOW + round });
      const issued = { token: issuedToken("tok_1"), refresh, expiresAt: NOW + 500 };
      await accessTables(t.store).consents.use(last, NOW + round, issued);
      last = refresh.hash;
    }
    expect(await accessTables(t.store).consents.key("code")).toBeUndefined();
    expect(await accessTables(t.store).consents.key("refresh_5")).toBeUndefined();
    expect(await accessTables(t.store).consents.key("refresh_6")).toMatchObject({ key: { usedAt: NOW + 7 } });
    expect(await accessTables(t.store).consents.key("refresh_35")).toMatchObject({ key: { usedAt: null } });
  });

  test("the newest key of a consent stays, though all have the same time or the clock was set back", async () => {
    await using t = await fresh();
    await withConsent(t.store);
    let last = "code";
    for (let round = 0; round < 34; round++) {
      const at = NOW - (round >> 4);
      const refresh = consentKey(`refresh_${99 - round}`, { createdAt: at });
      const issued = { token: issuedToken("tok_1"), refresh, expiresAt: NOW + 500 };
      expect(await accessTables(t.store).consents.use(last, at, issued)).toBe(true);
      last = refresh.hash;
    }
    expect(await accessTables(t.store).consents.key(last)).toMatchObject({ key: { usedAt: null } });
  });

  test("keys and tokens end with their consent, and all of it with the agent", async () => {
    await using t = await fresh();
    await withConsent(t.store);
    const issued = { token: issuedToken("tok_1"), refresh: consentKey("refresh"), expiresAt: NOW + 500 };
    await accessTables(t.store).consents.use("code", NOW, issued);
    await accessTables(t.store).consents.delete("con_1");
    expect(await accessTables(t.store).tokens.list()).toEqual([]);
    expect(await accessTables(t.store).consents.key("refresh")).toBeUndefined();
    await expect(accessTables(t.store).consents.delete("con_1")).rejects.toMatchObject({ code: "NOT_FOUND" });

    await accessTables(t.store).consents.create(consent("con_1"), code);
    await accessTables(t.store).agents.delete("agt_ada");
    expect(await accessTables(t.store).consents.list()).toEqual([]);
    expect(await accessTables(t.store).consents.key("code")).toBeUndefined();
  });

  test("a token that is deleted takes its consent along", async () => {
    await using t = await fresh();
    await withConsent(t.store);
    const issued = { token: issuedToken("tok_1"), refresh: consentKey("refresh"), expiresAt: NOW + 500 };
    await accessTables(t.store).consents.use("code", NOW, issued);
    await accessTables(t.store).tokens.delete("tok_1");
    expect(await accessTables(t.store).consents.list()).toEqual([]);
    expect(await accessTables(t.store).consents.key("refresh")).toBeUndefined();
    expect(await accessTables(t.store).tokens.list()).toEqual([]);
  });

  test("a new consent takes those with it that have ended", async () => {
    await using t = await fresh();
    await withConsent(t.store);
    const later = consent("con_2", { createdAt: NOW + 60_000, expiresAt: NOW + 120_000 });
    await accessTables(t.store).consents.create(later, consentKey("code_2", { consentId: "con_2" }));
    expect(await accessTables(t.store).consents.list()).toEqual([later]);
  });
}
