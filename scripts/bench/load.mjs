// The load generator, a process of its own so that it neither borrows from nor lends to what it measures. It takes orders over IPC, one at a time:
//   {op: "connect", name, dialect, url, token} · {op: "run", name, tools, concurrency, ms | calls} · {op: "close", name}
// and answers each with {ok: true, …figures} or {ok: false, error}.
import { connect } from "./wire.mjs";

const MESSAGE = "hello, this is one ordinary call";
const LARGE_CHARS = 100 * 1024;
const TOOLS_LIMIT_PAGES = 100;

const PARAMS = { echo: { message: MESSAGE }, large: {} };
const IS_RIGHT = {
  echo: (text) => text === MESSAGE,
  large: (text) => text?.length === LARGE_CHARS,
};

const clients = new Map();
const OPS = { connect: open, run, close };

process.on("message", async (order) => {
  try {
    process.send({ ok: true, ...(await OPS[order.op](order)) });
  } catch (error) {
    process.send({ ok: false, error: `${order.op} ${order.name}: ${error.message}` });
  }
});
process.on("disconnect", () => process.exit(0));

async function open({ name, ...where }) {
  const client = await connect(where);
  const names = await toolNames(client).catch(() => []);
  // Some answer before they know the tools of their servers.
  if (!Object.keys(PARAMS).every((tool) => names.some((known) => known.endsWith(tool)))) {
    await client.close();
    throw new Error("its tools are not there yet");
  }
  clients.set(name, { client, names });
  return { tools: names.length };
}

async function close({ name }) {
  await clients.get(name)?.client.close();
  clients.delete(name);
}

/**
 * Calls of `tools` in turn until `ms` have passed or `calls` were made, `concurrency` at a time. Anything but the right answer ends it.
 */
async function run({
  name,
  tools,
  concurrency,
  ms = Number.POSITIVE_INFINITY,
  calls = Number.POSITIVE_INFINITY,
}) {
  const { client, names } = clients.get(name);
  const turns = tools.map((tool) => {
    const toolName = names.find((known) => known.endsWith(tool));
    const params = JSON.stringify({ name: toolName, arguments: PARAMS[tool] });
    return { toolName, params, isRight: IS_RIGHT[tool] };
  });
  const times = [];
  const from = performance.now();
  const cpu = process.cpuUsage();
  let made = 0;
  const worker = async () => {
    for (let at = from; at - from < ms && made < calls; ) {
      const { toolName, params, isRight } = turns[made++ % turns.length];
      const result = await client.request("tools/call", params, toolName);
      if (!isRight(result.content?.[0]?.text))
        throw new Error(`wrong answer: ${JSON.stringify(result).slice(0, 300)}`);
      const now = performance.now();
      times.push(now - at);
      at = now;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return figuresOf(times, performance.now() - from, process.cpuUsage(cpu));
}

function figuresOf(times, tookMs, { user, system }) {
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return {
    calls: times.length,
    tookMs,
    perSecond: (times.length / tookMs) * 1_000,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    clientCpuUs: (user + system) / times.length,
  };
}

async function toolNames(client) {
  const names = [];
  let cursor;
  for (let page = 0; page < TOOLS_LIMIT_PAGES; page++) {
    const list = await client.request("tools/list", cursor === undefined ? "{}" : JSON.stringify({ cursor }));
    names.push(...list.tools.map(({ name }) => name));
    cursor = list.nextCursor;
    if (cursor === undefined) break;
  }
  return names;
}
