import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGuardedFetch, type GuardedFetch } from "../../../src/machine/net/guarded-fetch.ts";
import { ClientDocuments } from "../../../src/surfaces/oauth-server/client-documents.ts";
import { withoutOpenssl } from "../../machine/net/certificates.ts";
import { type DocumentHost, documentHost } from "../../support/document-host.ts";

const reason = await withoutOpenssl();
if (reason) console.log(`documents of clients are not tested: ${reason}`);

const BACK = "https://client.example/back";
const SIGNAL = new AbortController().signal;

describe.skipIf(reason)("the document at a client's id", () => {
  let host: DocumentHost;
  let fetcher: GuardedFetch;
  const time = { now: 0 };
  const fresh = () => new ClientDocuments({ fetch: fetcher.fetch, clock: () => time.now });
  beforeAll(async () => {
    host = await documentHost();
    fetcher = host.fetch();
  });
  afterAll(async () => {
    await fetcher.close();
    await host[Symbol.asyncDispose]();
  });

  it("says who the client is", async () => {
    const id = host.client("/id.json", [BACK]);
    expect(await fresh().get(id, SIGNAL)).toEqual({
      ok: true,
      value: { id, name: "A <b>client</b>", redirectUris: [BACK], host: new URL(id).host },
    });
  });

  it("is asked for again when its time is over, as its host says", async () => {
    const documents = fresh();
    const asked = () => host.asked.filter((path) => path === "/kept.json").length;
    const id = host.client("/kept.json", [BACK]);
    const { body } = host.served.get("/kept.json")!;
    host.served.set("/kept.json", { body, headers: { "cache-control": "max-age=120" } });
    await documents.get(id, SIGNAL);
    time.now += 119_999;
    await documents.get(id, SIGNAL);
    expect(asked()).toBe(1);
    time.now += 1;
    host.served.set("/kept.json", { body, headers: { "cache-control": "no-store" } });
    await documents.get(id, SIGNAL);
    await documents.get(id, SIGNAL);
    expect(asked()).toBe(3);
  });

  it("that cannot be used is not kept", async () => {
    const documents = fresh();
    const id = host.client("/later.json", [BACK]);
    const served = host.served.get("/later.json")!;
    host.served.set("/later.json", { status: 500, body: "" });
    expect(await documents.get(id, SIGNAL)).toMatchObject({ ok: false });
    host.served.set("/later.json", served);
    expect(await documents.get(id, SIGNAL)).toMatchObject({ ok: true });
  });

  it.each([
    ["speaks of another client", { client_id: "https://client.test/other.json" }, "another client"],
    ["has a secret", { client_secret: "x" }, "client_secret"],
    [
      "wants to prove itself by a secret",
      { token_endpoint_auth_method: "client_secret_post" },
      "has to be none",
    ],
    ["has no redirect URI", { redirect_uris: [] }, "redirect_uris"],
    ["has an unsafe redirect URI", { redirect_uris: [BACK, "javascript:alert(1)"] }, "javascript:"],
    [
      "has redirect URIs without end",
      { redirect_uris: Array.from({ length: 21 }, () => BACK) },
      "redirect_uris",
    ],
    ["has no string for a name", { client_name: { toString: "x" } }, "client_name"],
    ["does not want codes", { grant_types: ["client_credentials"] }, "authorization_code"],
    ["does not want codes as an answer", { response_types: ["token"] }, "code"],
  ])("that %s is refused", async (_, change, said) => {
    const id = host.client("/wrong.json", [BACK], change);
    const answer = await fresh().get(id, SIGNAL);
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining(said) });
  });

  it.each([
    ["no JSON", { body: "<html>" }, "not a JSON object"],
    ["a list", { body: "[]" }, "not a JSON object"],
    ["not found", { status: 404, body: "{}" }, "404"],
    ["huge", { body: `{"client_name":"${"x".repeat(20_000)}"}` }, "16384 bytes"],
    ["a redirect", { status: 302, headers: { location: "/id.json" }, body: "" }, "redirects"],
  ])("that is %s is refused", async (_, served, said) => {
    host.client("/id.json", [BACK]);
    host.served.set("/odd.json", served);
    const answer = await fresh().get(`${host.origin}/odd.json`, SIGNAL);
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining(said) });
  });

  it("shows no sign that hides or turns what is said", async () => {
    const id = host.client("/name.json", [BACK], { client_name: "Good\u202e\u0000\u200b\nclient" });
    expect(await fresh().get(id, SIGNAL)).toMatchObject({ value: { name: "Good client" } });
    const long = host.client("/name.json", [BACK], { client_name: "x".repeat(400) });
    expect(await fresh().get(long, SIGNAL)).toMatchObject({ value: { name: `${"x".repeat(100)}…` } });
  });

  it("is not waited for when the person has gone", async () => {
    const gone = new AbortController();
    gone.abort();
    const id = host.client("/gone.json", [BACK]);
    expect(await fresh().get(id, gone.signal)).toMatchObject({ ok: false });
  });

  it.each([
    "http://client.test/id.json",
    "https://client.test/",
    "https://client.test",
    "https://client.test/a/../id.json",
    "https://client.test/id.json#x",
    "https://user@client.test/id.json",
    "https://CLIENT.test/id.json",
    "https://client.test:443/id.json",
    `https://client.test/${"x".repeat(500)}`,
  ])("is not looked for at %s", async (id) => {
    const before = host.asked.length;
    expect(await fresh().get(id, SIGNAL)).toMatchObject({
      ok: false,
      error: expect.stringContaining("the client's id"),
    });
    expect(host.asked.length).toBe(before);
  });
});

describe("addresses inside", () => {
  it.each([
    "https://127.0.0.1/id.json",
    "https://localhost/id.json",
    "https://[::1]/id.json",
    "https://10.0.0.5/id.json",
    "https://169.254.169.254/latest/meta-data",
    "https://192.168.1.1/id.json",
    "https://[::ffff:127.0.0.1]/id.json",
  ])("%s are not reached, whoever's id they are", async (url) => {
    const guarded = createGuardedFetch({ trustedHosts: () => new Set(), maxBytes: 16_384 });
    const documents = new ClientDocuments({ fetch: guarded.fetch, clock: () => 0 });
    const answer = await documents.get(new URL(url).href, SIGNAL);
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining("may not be reached") });
    await guarded.close();
  });
});

describe("clients without end", () => {
  it("are forgotten, first come first", async () => {
    let fetched = 0;
    const fetchAny = (async (url: string) => {
      fetched += 1;
      return Response.json({ client_id: url, redirect_uris: [BACK] });
    }) as unknown as typeof fetch;
    const documents = new ClientDocuments({ fetch: fetchAny, clock: () => 0 });
    for (let index = 0; index < 250; index++) await documents.get(`https://c.test/${index}`, SIGNAL);
    await documents.get("https://c.test/249", SIGNAL);
    expect(fetched).toBe(250);
    await documents.get("https://c.test/0", SIGNAL);
    expect(fetched).toBe(251);
  });
});
