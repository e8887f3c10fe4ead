// How long it takes until a client can list every tool of 1, 10 or 30 servers, and what all processes together hold then.
import { setTimeout as delay } from "node:timers/promises";
import { mcpHub, mcpProxy, SDK_UPSTREAM, serversOf, supergateway } from "./contenders.mjs";
import { tree } from "./process-figures.mjs";
import { startToolkeep, toolkeepHome, untilConnected } from "./toolkeep.mjs";
import { connect } from "./wire.mjs";

const TOOLS_PER_SERVER = 2;
const READY_MS = 120_000;
const POLL_MS = 20;
/** A program that is starting may take a request and never answer it. */
const ATTEMPT_MS = 20_000;
/** Memory is read once what came with the start is over. */
const REST_MS = 1_000;

/** What is started. Those that take one server each are started once for every server. */
export const START_LABELS = {
  "toolkeep-lazy": "Toolkeep",
  "toolkeep-eager": 'Toolkeep, `connect: "eager"`',
  "mcp-hub": "mcp-hub",
  "mcp-proxy": "mcp-proxy, one for each server",
  supergateway: "supergateway, one for each server",
};

const STARTERS = {
  "toolkeep-lazy": (home) => startedToolkeep(home, "lazy"),
  "toolkeep-eager": (home) => startedToolkeep(home, "eager"),
  "mcp-hub": async (_home, count) => [await mcpHub(serversOf(count, SDK_UPSTREAM))],
  "mcp-proxy": (_home, count) => times(count, () => mcpProxy(SDK_UPSTREAM)),
  supergateway: (_home, count) => times(count, () => supergateway(SDK_UPSTREAM)),
};

/** By starter and count of servers, for each round `{readyMs, rssMb, processes}`. */
export async function measureStarts({ names, counts, roundsOf, absences, say }) {
  const figures = Object.fromEntries(names.map((name) => [name, {}]));
  for (const count of counts) {
    // Whole lists, as the others give: by what is in them it is seen that a way is ready.
    const settings = { deferred_loading: false };
    const home = await toolkeepHome(serversOf(count, SDK_UPSTREAM), { settings });
    try {
      for (let round = 0; names.some((name) => round < roundsOf(name, count)); round++) {
        for (const name of names.filter((one) => round < roundsOf(one, count))) {
          const seen = await absences.unless(name, () => measureOne(name, home, count));
          if (!seen) continue;
          figures[name][count] = [...(figures[name][count] ?? []), seen];
          const { readyMs, rssMb, processes } = seen;
          say(
            `${name} with ${count}: ready in ${readyMs.toFixed(0)} ms, ${processes} processes, ${rssMb.toFixed(0)} MB`,
          );
        }
      }
    } finally {
      await home.remove();
    }
  }
  return Object.fromEntries(Object.entries(figures).filter(([name]) => !absences.has(name)));
}

async function measureOne(name, home, count) {
  const started = await STARTERS[name](home, count);
  const from = Math.min(...started.map(({ startedAt }) => startedAt));
  const clients = [];
  try {
    const perWay = (TOOLS_PER_SERVER * count) / started.length;
    const pollMs = POLL_MS * Math.sqrt(started.length);
    await Promise.all(
      started.map(async (contender) => void clients.push(await untilListed(contender, perWay, pollMs))),
    );
    for (const { connected } of started) await connected?.(count);
    const readyMs = performance.now() - from;
    await delay(REST_MS);
    // The clients are still there: some keep a server only as long as somebody is connected.
    return { readyMs, ...tree(started.map(({ pid }) => pid)) };
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(started.map((contender) => contender.stop()));
  }
}

/** A client, once it has been given the names of `expected` tools of servers. */
async function untilListed(contender, expected, pollMs) {
  const deadline = performance.now() + READY_MS;
  const [way] = contender.ways;
  let client;
  let last = "nothing yet";
  for (;;) {
    try {
      client ??= await withinLimit(connect(way));
      const { tools } = await withinLimit(client.request("tools/list", "{}"));
      const listed = tools.filter(({ name }) => /(echo|large)$/.test(name)).length;
      if (listed === expected) return client;
      last = `${listed} of ${expected} tools`;
    } catch (error) {
      last = error.message;
      await client?.close();
      client = undefined;
    }
    if (contender.hasEnded() || performance.now() > deadline) {
      await client?.close();
      throw new Error(`${way.name} was not ready (${last}): ${contender.lastWords()}`);
    }
    await delay(pollMs);
  }
}

function withinLimit(attempt) {
  const late = delay(ATTEMPT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`no answer within ${ATTEMPT_MS} ms`);
  });
  return Promise.race([attempt, late]);
}

async function startedToolkeep(home, connectWhen) {
  await home.write(connectWhen);
  const daemon = await startToolkeep(home.path);
  const [token] = home.tokens;
  const ways = [{ name: "toolkeep", dialect: "legacy", url: daemon.url, token }];
  // It lists from memory what it once learnt; eager counts as ready only when every server is connected to.
  const connected = connectWhen === "eager" ? (count) => untilConnected(daemon, count) : undefined;
  return [{ ...daemon, ways, connected }];
}

function times(count, start) {
  return Promise.all(Array.from({ length: count }, start));
}
