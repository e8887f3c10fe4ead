import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type ConsentInput, Consents } from "../../../src/call/identity/consents.ts";
import { Identity } from "../../../src/call/identity/identity.ts";
import { Events } from "../../../src/contract/events.ts";
import { randomId } from "../../../src/lib/id.ts";
import { accessTables } from "../../support/access-tables.ts";
import { tempStore } from "../../support/temp-store.ts";

const VERIFIER = "a-verifier-of-forty-three-characters-or-more-";
const CLIENT = { id: "https://client.example/id.json", name: "A client" };
const REDIRECT = "https://client.example/back";
const HOUR = 3_600_000;
const INPUT: ConsentInput = {
  client: CLIENT,
  agent: "scout",
  scopes: ["files", "mcp"],
  resource: "/mcp/research",
  redirectUri: REDIRECT,
  challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
};
const PROOF = { clientId: CLIENT.id, redirectUri: REDIRECT, verifier: VERIFIER, resource: "/mcp/research" };
const RENEWAL = { clientId: CLIENT.id };

async function open() {
  const temp = await tempStore();
  const { store } = temp;
  const time = { now: 1_000_000 };
  const events = new Events(() => {});
  const deps = { store, events, clock: () => time.now, newId: randomId };
  const identity = await Identity.open(deps);
  await identity.createAgent("scout");
  const consents = new Consents({
    ...deps,
    identity,
    lifetimes: () => ({ accessMs: HOUR, refreshMs: 24 * HOUR }),
  });
  /** The tokens that a person's consent leads to. */
  const issueTokens = async (change: Partial<ConsentInput> = {}) => {
    const answer = await consents.redeem(await consents.create({ ...INPUT, ...change }), PROOF);
    if (!answer.ok) throw new Error(answer.error.message);
    return answer.value;
  };
  return { ...temp, store, events, time, identity, consents, issued: issueTokens };
}

describe("a code", () => {
  it("becomes tokens of the agent that the person chose, narrowed as the person said", async () => {
    await using t = await open();
    const { accessToken, refreshToken, expiresInMs, scopes } = await t.issued();
    expect([expiresInMs, scopes]).toEqual([HOUR, ["files", "mcp"]]);
    expect(accessToken).toMatch(/^tk_sk_[\w-]{43}$/);
    expect(refreshToken).toMatch(/^tk_rt_[\w-]{43}$/);
    expect(t.identity.authenticate(accessToken)).toMatchObject({
      kind: "agent",
      agent: { name: "scout" },
      scopes: ["files", "mcp"],
      resource: "/mcp/research",
    });
    t.time.now += HOUR;
    expect(t.identity.authenticate(accessToken)).toBe("expired");
  });

  it("and a refresh token are stored by their hash only", async () => {
    await using t = await open();
    const code = await t.consents.create(INPUT);
    const { accessToken, refreshToken } = await t.issued();
    const everything = JSON.stringify(await t.store.dump());
    for (const secret of [code, accessToken, refreshToken]) expect(everything).not.toContain(secret);
  });

  it.each([
    ["another verifier", { verifier: `${VERIFIER}x` }, "invalid_grant"],
    ["no verifier worth the name", { verifier: "" }, "invalid_grant"],
    ["another redirect URI", { redirectUri: `${REDIRECT}?x` }, "invalid_grant"],
    ["another client", { clientId: "https://other.example/id.json" }, "invalid_grant"],
    ["another resource", { resource: "/mcp" }, "invalid_target"],
  ])("with %s is worth nothing, and stays worth something with the right one", async (_, change, error) => {
    await using t = await open();
    const code = await t.consents.create(INPUT);
    expect(await t.consents.redeem(code, { ...PROOF, ...change })).toMatchObject({
      ok: false,
      error: { error },
    });
    expect(await accessTables(t.store).tokens.list()).toEqual([]);
    expect(await t.consents.redeem(code, PROOF)).toMatchObject({ ok: true });
  });

  it("counts for a minute", async () => {
    await using t = await open();
    const code = await t.consents.create(INPUT);
    t.time.now += 60_000;
    expect(await t.consents.redeem(code, PROOF)).toMatchObject({ error: { error: "invalid_grant" } });
  });

  it("counts once: the second time ends what the first one brought", async () => {
    await using t = await open();
    const code = await t.consents.create(INPUT);
    const first = await t.consents.redeem(code, PROOF);
    if (!first.ok) throw new Error("the first time works");
    expect(await t.consents.redeem(code, PROOF)).toMatchObject({ error: { error: "invalid_grant" } });
    expect(t.identity.authenticate(first.value.accessToken)).toBe("unknown");
    expect(await t.consents.renew(first.value.refreshToken, RENEWAL)).toMatchObject({ ok: false });
  });

  it("presented without the verifier ends nothing", async () => {
    await using t = await open();
    const code = await t.consents.create(INPUT);
    const first = await t.consents.redeem(code, PROOF);
    await t.consents.redeem(code, { ...PROOF, verifier: "stolen-without-the-verifier-stolen-without-it" });
    expect(first.ok && t.identity.authenticate(first.value.accessToken)).toMatchObject({ kind: "agent" });
  });

  it("is not accepted as a refresh token, nor a refresh token as a code", async () => {
    await using t = await open();
    const code = await t.consents.create(INPUT);
    expect(await t.consents.renew(code, RENEWAL)).toMatchObject({ error: { error: "invalid_grant" } });
    const { refreshToken, accessToken } = await t.issued();
    expect(await t.consents.redeem(refreshToken, PROOF)).toMatchObject({ ok: false });
    expect(await t.consents.renew(accessToken, RENEWAL)).toMatchObject({ ok: false });
  });

  it("is not issued for an agent that does not exist", async () => {
    await using t = await open();
    await expect(t.consents.create({ ...INPUT, agent: "nobody" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("is worth nothing when its agent was deleted meanwhile", async () => {
    await using t = await open();
    const code = await t.consents.create(INPUT);
    await t.identity.deleteAgent("scout");
    expect(await t.consents.redeem(code, PROOF)).toMatchObject({ error: { error: "invalid_grant" } });
  });
});

describe("a refresh token", () => {
  it("becomes the next tokens, for as long as it is renewed in time", async () => {
    await using t = await open();
    let { accessToken, refreshToken } = await t.issued();
    for (let round = 0; round < 3; round++) {
      t.time.now += 23 * HOUR;
      const answer = await t.consents.renew(refreshToken, RENEWAL);
      if (!answer.ok) throw new Error(answer.error.message);
      expect(t.identity.authenticate(accessToken)).toBe("unknown");
      expect(t.identity.tokens()).toHaveLength(1);
      ({ accessToken, refreshToken } = answer.value);
      expect(t.identity.authenticate(accessToken)).toMatchObject({ kind: "agent", scopes: ["files", "mcp"] });
    }
    t.time.now += 24 * HOUR;
    expect(await t.consents.renew(refreshToken, RENEWAL)).toMatchObject({
      error: { error: "invalid_grant" },
    });
  });

  it("used a second time, later, ends everything, whoever of the two was the client", async () => {
    await using t = await open();
    const { refreshToken } = await t.issued();
    const next = await t.consents.renew(refreshToken, RENEWAL);
    if (!next.ok) throw new Error("the first time works");
    t.time.now += 30_000;
    expect(await t.consents.renew(refreshToken, RENEWAL)).toMatchObject({
      error: { error: "invalid_grant" },
    });
    expect(t.identity.authenticate(next.value.accessToken)).toBe("unknown");
    expect(await t.consents.renew(next.value.refreshToken, RENEWAL)).toMatchObject({ ok: false });
    expect(await accessTables(t.store).consents.list()).toEqual([]);
  });

  it("used a second time at once, by a client that asked twice, brings the same answer", async () => {
    await using t = await open();
    const { refreshToken } = await t.issued();
    const answers = await Promise.all([1, 2, 3].map(() => t.consents.renew(refreshToken, RENEWAL)));
    t.time.now += 29_999;
    const [first, ...more] = [...answers, await t.consents.renew(refreshToken, RENEWAL)];
    if (!first?.ok) throw new Error("the first time works");
    for (const answer of more)
      expect(answer).toMatchObject({
        value: { accessToken: first.value.accessToken, refreshToken: first.value.refreshToken },
      });
    expect(t.identity.authenticate(first.value.accessToken)).toMatchObject({ kind: "agent" });
    expect(await t.consents.renew(first.value.refreshToken, RENEWAL)).toMatchObject({ ok: true });
  });

  it("used a second time at once, but after the one that followed it, ends everything", async () => {
    await using t = await open();
    const { refreshToken } = await t.issued();
    const second = await t.consents.renew(refreshToken, RENEWAL);
    if (!second.ok) throw new Error("the first time works");
    const third = await t.consents.renew(second.value.refreshToken, RENEWAL);
    if (!third.ok) throw new Error("and so does the next");
    expect(await t.consents.renew(refreshToken, RENEWAL)).toMatchObject({ ok: false });
    expect(t.identity.authenticate(third.value.accessToken)).toBe("unknown");
  });

  it("used a second time at once, but after the access token that followed it was used, ends everything", async () => {
    await using t = await open();
    const first = await t.issued();
    t.identity.authenticate(first.accessToken);
    const second = await t.consents.renew(first.refreshToken, RENEWAL);
    if (!second.ok) throw new Error("the first time works");
    // Its answer may have been lost: nobody has used it, though the token before it was used at the same moment.
    expect(await t.consents.renew(first.refreshToken, RENEWAL)).toMatchObject({ ok: true });
    expect(t.identity.authenticate(second.value.accessToken)).toMatchObject({ kind: "agent" });
    expect(await t.consents.renew(first.refreshToken, RENEWAL)).toMatchObject({ ok: false });
    expect(t.identity.authenticate(second.value.accessToken)).toBe("unknown");
    expect(await t.consents.renew(second.value.refreshToken, RENEWAL)).toMatchObject({ ok: false });
  });

  it("ends everything also where the access token was used at another process", async () => {
    await using t = await open();
    const { refreshToken } = await t.issued();
    const second = await t.consents.renew(refreshToken, RENEWAL);
    if (!second.ok) throw new Error("the first time works");
    t.time.now += 1;
    const [token] = await accessTables(t.store).tokens.list();
    await accessTables(t.store).tokens.touch(token!.id, t.time.now);
    expect(await t.consents.renew(refreshToken, RENEWAL)).toMatchObject({ ok: false });
    expect(await accessTables(t.store).consents.list()).toEqual([]);
  });

  it("of another client, or for another resource, is worth nothing and ends nothing", async () => {
    await using t = await open();
    const { refreshToken } = await t.issued();
    expect(await t.consents.renew(refreshToken, { clientId: "https://other.example/id.json" })).toMatchObject(
      {
        error: { error: "invalid_grant" },
      },
    );
    expect(await t.consents.renew(refreshToken, { ...RENEWAL, resource: "/mcp" })).toMatchObject({
      error: { error: "invalid_target" },
    });
    expect(await t.consents.renew(refreshToken, RENEWAL)).toMatchObject({ ok: true });
  });

  it("may be renewed for fewer scopes, never for more, and the full scopes can be had again", async () => {
    await using t = await open();
    const { refreshToken } = await t.issued();
    expect(await t.consents.renew(refreshToken, { ...RENEWAL, scopes: ["files", "shell"] })).toMatchObject({
      error: { error: "invalid_scope" },
    });
    const less = await t.consents.renew(refreshToken, { ...RENEWAL, scopes: ["files"] });
    if (!less.ok) throw new Error(less.error.message);
    expect(t.identity.authenticate(less.value.accessToken)).toMatchObject({ scopes: ["files"] });
    const again = await t.consents.renew(less.value.refreshToken, RENEWAL);
    expect(again).toMatchObject({ value: { scopes: ["files", "mcp"] } });
  });
});

it("the beginning and the end of a consent are events, renewals are not", async () => {
  await using t = await open();
  const told: unknown[] = [];
  t.events.on("token.changed", (event) => void told.push(event));
  const tokens = await t.issued();
  const [{ id } = { id: "" }] = t.identity.tokens();
  const next = await t.consents.renew(tokens.refreshToken, RENEWAL);
  if (!next.ok) throw new Error(next.error.message);
  await t.consents.revoke(next.value.refreshToken, CLIENT.id);
  expect(told).toEqual([
    { token: id, change: "created" },
    { token: id, change: "revoked" },
  ]);
});

describe("revoking a consent", () => {
  it.each(["accessToken", "refreshToken"] as const)("by its %s ends both", async (which) => {
    await using t = await open();
    const tokens = await t.issued();
    await t.consents.revoke(tokens[which], "https://other.example/id.json");
    expect(t.identity.authenticate(tokens.accessToken)).toMatchObject({ kind: "agent" });
    await t.consents.revoke(tokens[which], CLIENT.id);
    expect(t.identity.authenticate(tokens.accessToken)).toBe("unknown");
    expect(await t.consents.renew(tokens.refreshToken, RENEWAL)).toMatchObject({ ok: false });
  });

  it("of a token that nobody knows, or that a person made, does nothing", async () => {
    await using t = await open();
    const { token } = await t.identity.createToken({ agent: "scout" });
    await t.consents.revoke(token, CLIENT.id);
    await t.consents.revoke("tk_sk_unknown", CLIENT.id);
    expect(t.identity.authenticate(token)).toMatchObject({ kind: "agent" });
  });

  it("by a person who revokes the token ends renewing, and no other consent", async () => {
    await using t = await open();
    const tokens = await t.issued();
    const kept = await t.issued();
    const next = await t.consents.renew(tokens.refreshToken, RENEWAL);
    if (!next.ok) throw new Error(next.error.message);
    const now = t.identity.tokens().find(({ hint }) => next.value.accessToken.endsWith(hint));
    await t.identity.deleteToken(now!.id);
    for (const token of [tokens.accessToken, next.value.accessToken])
      expect(t.identity.authenticate(token)).toBe("unknown");
    expect(await t.consents.renew(next.value.refreshToken, RENEWAL)).toMatchObject({ ok: false });
    expect(t.identity.authenticate(kept.accessToken)).toMatchObject({ kind: "agent" });
  });
});
