import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import Fastify from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLog } from "../../src/lib/log.ts";
import { createHostGuard } from "../../src/surfaces/gateway/http/host-guard.ts";
import { mountGateway } from "../../src/surfaces/gateway/serve-mcp.ts";
import { mountApi } from "../../src/surfaces/mount-api.ts";
import { withoutOpenssl } from "../machine/net/certificates.ts";
import { type DocumentHost, documentHost } from "../support/document-host.ts";
import { formIn } from "../support/oauth-person.ts";
import { ERAS, type Era } from "../support/test-gateway.ts";
import { type TestHub, type TestHubSetup, testHub } from "../support/test-hub.ts";

const reason = await withoutOpenssl();
if (reason) console.log(`signing in to Toolkeep is not tested: ${reason}`);

const ADMIN_TOKEN = "the-token-of-this-process";
const REDIRECT = "http://127.0.0.1:4711/back";

interface Daemon extends TestHub {
  readonly url: string;
  /** Signs in, opens the page, chooses the agent and says yes: where the browser ends up. */
  consent(url: URL, agent: string): Promise<URL>;
}

describe.skipIf(reason).each(["legacy", "modern"] as const)("a %s client of the SDK", (era: Era) => {
  let host: DocumentHost;
  beforeAll(async () => {
    host = await documentHost();
    host.client("/id.json", ["http://127.0.0.1/back"]);
  });
  afterAll(() => host[Symbol.asyncDispose]());

  it("gets in by a person's consent, is the agent that the person chose, and renews by itself", async () => {
    await using daemon = await serve(host, { settings: { oauth_server: { access_token_secs: 60 } } });
    const provider = new Provider({ clientMetadataUrl: `${host.origin}/id.json` });
    const client = await connected(daemon, provider, era, "worker");
    expect(client.getInstructions()).toContain('"worker"');
    expect(await client.callTool({ name: "think", arguments: { thought: "so" } })).toMatchObject({
      _meta: { "toolkeep/outcome": "ok" },
    });
    const [token] = daemon.hub.identity.tokens();
    expect(token).toMatchObject({ resource: "/mcp", agentId: daemon.hub.identity.agent("worker").id });

    // As if the hour were over: the SDK is told 401, renews, and the call goes through.
    const before = provider.saved!;
    provider.saved = { ...before, access_token: "tk_sk_expired" };
    const thoughts = ["on", "and", "on"].map((thought) =>
      client.callTool({ name: "think", arguments: { thought } }),
    );
    for (const answer of await Promise.all(thoughts))
      expect(answer).toMatchObject({ _meta: { "toolkeep/outcome": "ok" } });
    expect(provider.saved!.access_token).toMatch(/^tk_sk_/);
    expect(provider.saved!.refresh_token).not.toBe(before.refresh_token);
    expect(provider.asked).toBe(1);
    expect(daemon.hub.identity.tokens().map(({ id }) => id)).toEqual([token!.id]);
    await client.close();
  });

  it("that came for one toolbox gets no further with its token", async () => {
    await using daemon = await serve(host, { toolboxes: { thinking: ["think"] } });
    await daemon.hub.identity.updateAgent("worker", { toolboxes: ["thinking"] });
    const provider = new Provider({ clientMetadataUrl: `${host.origin}/id.json` });
    const client = await connected(daemon, provider, era, "worker", "/mcp/thinking");
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["think"]);
    await client.close();
    const refused = await fetch(`${daemon.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${provider.saved!.access_token}`,
        "content-type": "application/json",
      },
      body: "{}",
    });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  it("whose token a person revokes has to ask again", async () => {
    await using daemon = await serve(host, {});
    const provider = new Provider({ clientMetadataUrl: `${host.origin}/id.json` });
    const client = await connected(daemon, provider, era, "worker");
    await daemon.hub.identity.deleteToken(daemon.hub.identity.tokens()[0]!.id);
    await expect(client.listTools({}, { cacheMode: "refresh" })).rejects.toThrow();
    expect(provider.asked).toBeGreaterThan(1);
    await client.close();
  });

  it("without a document gets in where registering is turned on, and only there", async () => {
    await using closed = await serve(host, {});
    const refused = new Provider({});
    await expect(connected(closed, refused, era, "worker")).rejects.toThrow(/registration/);
    await using daemon = await serve(host, { settings: { oauth_server: { dynamic_registration: true } } });
    const client = await connected(daemon, new Provider({}), era, "worker");
    expect(client.getInstructions()).toContain('"worker"');
    await client.close();
  });
});

/** What a client keeps, in memory. */
class Provider implements OAuthClientProvider {
  readonly clientMetadataUrl?: string;
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = {
    client_name: "Test",
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none",
  };
  saved: StoredOAuthTokens | undefined;
  authorizationUrl: URL | undefined;
  /** How often a person was asked. */
  asked = 0;
  #client: StoredOAuthClientInformation | undefined;
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;

  constructor({ clientMetadataUrl }: { clientMetadataUrl?: string }) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  state = () => "state-of-the-client";
  clientInformation = () => this.#client;
  saveClientInformation(client: StoredOAuthClientInformation) {
    this.#client = client;
  }
  tokens = () => this.saved;
  saveTokens(tokens: StoredOAuthTokens) {
    this.saved = tokens;
  }
  redirectToAuthorization(url: URL) {
    this.asked += 1;
    this.authorizationUrl = url;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier = () => this.#verifier;
  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.#discovered = state;
  }
  discoveryState = () => this.#discovered;
  invalidateCredentials(what: string) {
    if (what === "all" || what === "tokens") this.saved = undefined;
  }
}

/** The whole dance: turned away, a person decides in the browser, the code is exchanged, connected. */
async function connected(
  daemon: Daemon,
  authProvider: Provider,
  era: Era,
  agent: string,
  path = "/mcp",
): Promise<Client> {
  const transport = () => new StreamableHTTPClientTransport(new URL(daemon.url + path), { authProvider });
  const client = () =>
    new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: ERAS[era] } });
  const first = transport();
  const turnedAway: unknown = await client()
    .connect(first)
    .catch((error: unknown) => error);
  if (!(turnedAway instanceof UnauthorizedError)) throw turnedAway;
  const back = await daemon.consent(authProvider.authorizationUrl!, agent);
  expect(back.searchParams.get("state")).toBe("state-of-the-client");
  expect(back.searchParams.get("iss")).toBe(daemon.url);
  await first.finishAuth(back.searchParams);
  const second = client();
  await second.connect(transport());
  return second;
}

async function serve(host: DocumentHost, setup: TestHubSetup): Promise<Daemon> {
  const test = await testHub({ agents: { worker: [], other: [] }, ...setup });
  const app = Fastify({ forceCloseConnections: true });
  const refuse = createHostGuard(test.hub.settings);
  app.addHook("onRequest", async (request) => {
    const refused = refuse(request);
    if (refused) throw Object.assign(refused, { statusCode: refused.status });
  });
  let url = "";
  await mountApi(app, test.hub, {
    log: silentLog,
    version: "0.0.0-test",
    clock: systemClock,
    adminToken: ADMIN_TOKEN,
    dashboard: "no such folder",
    url: () => url,
    config: () => ({ settings: {}, files: [], warnings: [] }),
    backup: () => Promise.reject(new Error("no backup in this test")),
    reloadSettings: async () => {},
    documentFetch: host.fetch(),
  });
  mountGateway(app, test.hub, { log: silentLog, version: "0.0.0-test" });
  url = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    ...test,
    url,
    consent: (link, agent) => consent(url, link, agent),
    async [Symbol.asyncDispose]() {
      await app.close();
      await test[Symbol.asyncDispose]();
    },
  };
}

async function consent(url: string, link: URL, agent: string): Promise<URL> {
  const waiting = await fetch(link);
  expect(waiting.status).toBe(401);
  expect(await waiting.text()).toContain("toolkeep open");
  const login = await fetch(`${url}/api/login-links`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  const { searchParams } = new URL(((await login.json()) as { url: string }).url);
  const entered = await fetch(`${url}/login`, {
    method: "POST",
    headers: { origin: url },
    body: searchParams,
    redirect: "manual",
  });
  const cookie = entered.headers.get("set-cookie")!.split(";")[0]!;
  const page = await fetch(link, { headers: { cookie } });
  const form = formIn(await page.text());
  form.set("agent", agent);
  form.set("decision", "allow");
  const answer = await fetch(new URL("authorize", link), {
    method: "POST",
    headers: { cookie, origin: url },
    body: form,
    redirect: "manual",
  });
  return new URL(answer.headers.get("location")!);
}
