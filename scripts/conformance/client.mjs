// The client that the conformance suite tests: `node client.mjs SERVER-URL`. It is a hub with that one server, used
// as people and agents use it: a person signs in where that is asked for (this script plays their browser), an agent
// calls every tool, and answers what the tools ask back.
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const SERVER = "conformance";
const REDIRECT_URI = "http://127.0.0.1:19850/oauth/callback";
/** As the suite expects it of a client with a metadata document. */
const CLIENT_METADATA_URL = "https://conformance-test.local/client-metadata.json";
/** How often a person bothers. */
const MAX_SIGN_INS = 4;
const SAMPLES = {
  string: "sample",
  integer: 1,
  number: 1.5,
  boolean: true,
  array: [],
  object: {},
  null: null,
};

const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
let signIns = 0;

const giveBack = await takeTurn(process.env.TOOLKEEP_CONFORMANCE_TURNS);
const { createHub, loadSettings } = await import("../../dist/index.js");
await main(process.argv[2]).finally(giveBack);

/** The suite starts dozens of clients at once; where a folder of turns is named, few of them work at a time. */
async function takeTurn(folder) {
  if (folder === undefined) return async () => {};
  for (;;) {
    for (const free of (await readdir(folder)).filter((name) => /^turn-\d+$/.test(name))) {
      const [from, to] = [join(folder, free), join(folder, `${free}-${process.pid}`)];
      const isMine = await rename(from, to).then(
        () => true,
        () => false,
      );
      if (isMine) return () => rename(to, from);
    }
    await delay(50 + Math.random() * 100);
  }
}

async function main(url) {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-conformance-"));
  const env = { PATH: process.env.PATH, TOOLKEEP_HOME: home, TOOLKEEP_DEFAULT_RULES: "false" };
  const loaded = await loadSettings({ env, cwd: home, isTrusted: () => false });
  const hub = await createHub({ loaded, env, version: "0.0.0-conformance" });
  // A hub alone keeps no process alive: its timers are not meant to.
  const alive = setInterval(() => {}, 1000);
  try {
    await useServer(hub, url);
  } catch (error) {
    console.error(String(error?.message ?? error));
    process.exitCode = 1;
  } finally {
    await hub.close();
    clearInterval(alive);
    await rm(home, { recursive: true, force: true });
  }
}

async function useServer(hub, url) {
  const { upstream } = hub;
  await upstream.add(SERVER, { url, transport: "http", oauth: oauthOf(), timeoutMs: 20_000 });
  await upstream.settled();
  while (upstream.server(SERVER).state === "needs_auth") await signIn(hub);

  const { state, lastError } = upstream.server(SERVER);
  if (state !== "ready") throw new Error(`the server is ${state}: ${lastError}`);
  for (const { name, args } of calls(upstream.tools())) await callTool(hub, name, args);
  await useOffers(upstream);
}

/** Calls a tool; where it is refused for want of rights and a person can help, they do, and it is called again. */
async function callTool(hub, name, args) {
  for (;;) {
    const outcome = await hub.callTool({
      name,
      arguments: args,
      caller: hub.identity.operatorCaller("conformance"),
      via: "library",
      answering: { capabilities: { elicitation: { form: {} } }, answer: async () => answer() },
    });
    const refusal = outcome.error?.message ?? "";
    console.log(`${name}: ${outcome.outcome} ${refusal}`);
    if (!refusal.includes("authentication failed")) return;
    await signIn(hub);
  }
}

/** Accepts and fills in nothing, so that defaults show. */
function answer() {
  return { action: "accept", content: scenario.startsWith("sep-2322") ? { confirmed: true } : {} };
}

/** What a person does who sees the notification. Where there is none, there is nothing they could do. */
async function signIn({ upstream, store }) {
  const asked = await store.notifications.list();
  if (asked.length === 0) throw new Error(`nobody is asked to sign in: ${upstream.server(SERVER).lastError}`);
  if (signIns++ >= MAX_SIGN_INS)
    throw new Error(`signed in ${MAX_SIGN_INS} times, and it is asked for again`);
  const { url } = await upstream.beginSignIn(SERVER, { redirectUri: REDIRECT_URI });
  if (url !== null) await upstream.completeSignIn(await visit(url));
  await upstream.settled();
  console.log(`signed in; the server is ${upstream.server(SERVER).state}`);
}

/** The browser: follows the authorization server until it sends us home, which it does not visit but remembers. */
async function visit(url) {
  for (let address = url, hops = 0; hops < 10; hops++) {
    const response = await fetch(address, { redirect: "manual" });
    const location = response.headers.get("location");
    if (location === null) throw new Error(`the authorization server answered ${response.status}`);
    const next = new URL(location, address);
    if (next.href.startsWith(REDIRECT_URI)) return next.searchParams;
    address = next.href;
  }
  throw new Error("the authorization server redirects without end");
}

/** Reads and gets what else there is, as a client with resources and prompts does. */
async function useOffers(upstream) {
  for (const { kind, definition } of upstream.offers(SERVER)) {
    if (kind === "resource") await upstream.readResource(SERVER, definition.uri);
    if (kind === "prompt") await upstream.getPrompt(SERVER, definition.name, {});
  }
}

/** The calls that the suite prescribes; else every tool once, with arguments that fit its schema. */
function calls(tools) {
  const prescribed = context.toolCalls ?? [];
  const own = (name) => tools.find(({ ownName }) => ownName === name);
  if (prescribed.length > 0)
    return prescribed.map(({ name, arguments: args }) => ({ name: own(name)?.name ?? name, args }));
  return tools.map(({ name, ownName, inputSchema }) => ({
    name,
    args:
      ownName === "json_schema_echo"
        ? { schema: own("json_schema_2020_12_tool").inputSchema }
        : argumentsFor(inputSchema),
  }));
}

function argumentsFor({ properties = {}, required = [] }) {
  return Object.fromEntries(required.map((name) => [name, SAMPLES[properties[name]?.type] ?? "sample"]));
}

function oauthOf() {
  const { client_id, client_secret, private_key_pem, signing_algorithm } = context;
  if (scenario === "auth/basic-cimd") return { clientMetadataUrl: CLIENT_METADATA_URL };
  if (client_id === undefined) return null;
  return {
    grant: scenario.startsWith("auth/client-credentials") ? "client_credentials" : "authorization_code",
    clientId: client_id,
    ...(client_secret === undefined ? {} : { clientSecret: client_secret }),
    ...(private_key_pem === undefined ? {} : { privateKey: private_key_pem }),
    ...(signing_algorithm === undefined ? {} : { privateKeyAlgorithm: signing_algorithm }),
  };
}
