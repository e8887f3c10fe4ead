// What a batch saves: ten calls of one step, that may run together or may not, against one.
import { fileURLToPath } from "node:url";
import { scratchHome, startDaemon } from "./support/catalogue.mjs";
import { machine, median } from "./support/measure.mjs";

/** A trusted server whose `look` says that it only reads; `work` says nothing. Both take as long as they are told. */
const SERVER = fileURLToPath(new URL("../test/support/servers/working.mjs", import.meta.url));

const ROUNDS = 15;
const CALLS = 10;
/** How long a tool takes by itself. */
const TOOL_MS = [5, 50];
const BARS = { safeRatio: 2 };

export async function bench() {
  const home = await scratchHome();
  const daemon = await startDaemon(home.path);
  try {
    await daemon.api("POST", "/servers", {
      name: "busy",
      command: process.execPath,
      args: [SERVER],
      trusted: true,
    });
    await daemon.api("POST", "/servers/busy/test");
    const { agent, token } = daemon.firstStart;
    await daemon.api("PATCH", `/agents/${agent}`, { grants: ["mcp:busy:*"] });
    const client = await connected(`${daemon.url}/mcp`, token);
    const tools = [];
    for (const ms of TOOL_MS) tools.push(await measured(ms, client));
    return { machine: machine(), tools };
  } finally {
    await daemon.stop();
    await home.remove();
  }
}

/** The bars of the acceptance list that a result misses, in words. */
export function missed({ tools }) {
  return tools.flatMap(({ ms, safeRatio, inOrder }) => [
    ...(safeRatio >= BARS.safeRatio
      ? [
          `${CALLS} safe calls of ${ms} ms took ${safeRatio.toFixed(2)}x of one, not less than ${BARS.safeRatio}x`,
        ]
      : []),
    ...(inOrder ? [] : [`${CALLS} unsafe calls of ${ms} ms did not run one by one in their order`]),
  ]);
}

export function toMarkdown({ machine, tools }) {
  const row = ({ ms, one, safe, unsafe, safeRatio, unsafeRatio, inOrder }) =>
    `| ${ms} ms | ${one.toFixed(1)} ms | ${safe.toFixed(1)} ms | ${safeRatio.toFixed(2)}x | ${unsafe.toFixed(1)} ms | ${unsafeRatio.toFixed(2)}x | ${inOrder ? "yes" : "no"} |`;
  return `## Batches: ${CALLS} calls of one step

${machine}. Medians of ${ROUNDS} interleaved rounds. Safe calls in less than ${BARS.safeRatio}x the time of one.

| the tool takes | one call | ${CALLS} safe | of one | ${CALLS} unsafe | of one | in order, one by one |
|---|---|---|---|---|---|---|
${tools.map(row).join("\n")}
`;
}

async function measured(ms, client) {
  const rounds = [];
  let inOrder = true;
  for (let round = -1; round < ROUNDS; round++) {
    const one = await client.batch(1, "look", ms);
    const safe = await client.batch(CALLS, "look", ms);
    const before = await client.log();
    const unsafe = await client.batch(CALLS, "work", ms);
    const after = await client.log();
    const came = after.ended.slice(before.ended.length);
    inOrder &&= came.length === CALLS && came.every((step, at) => step === `${at}`);
    // The first round is for warming up.
    if (round >= 0) rounds.push({ one, safe, unsafe, safeRatio: safe / one, unsafeRatio: unsafe / one });
  }
  const middle = (key) => median(rounds.map((each) => each[key]));
  return {
    ms,
    inOrder,
    ...{ one: middle("one"), safe: middle("safe"), unsafe: middle("unsafe") },
    ...{ safeRatio: middle("safeRatio"), unsafeRatio: middle("unsafeRatio") },
  };
}

/** A client of 2025-03-26, whose era has batches. */
async function connected(url, token) {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${token}`,
  };
  const post = async (body) => {
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`HTTP ${response.status} ${text}`);
    headers["mcp-session-id"] ??= response.headers.get("mcp-session-id");
    return JSON.parse(text);
  };
  const clientInfo = { name: "bench", version: "1" };
  const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo };
  await post({ jsonrpc: "2.0", id: 0, method: "initialize", params });

  let id = 0;
  const call = (name, args) => ({
    jsonrpc: "2.0",
    id: ++id,
    method: "tools/call",
    params: { name: `mcp_busy_${name}`, arguments: args },
  });
  return {
    /** How long a batch takes; every answer is checked. */
    async batch(count, name, ms) {
      const calls = Array.from({ length: count }, (_, at) => call(name, { who: `${at}`, ms }));
      const from = performance.now();
      const answers = await post(calls);
      const took = performance.now() - from;
      const said = answers.map(({ result }) => result.content[0].text);
      if (said.length !== count || said.some((text, at) => text !== `${at}`)) {
        throw new Error(`a batch of ${count} was answered with ${JSON.stringify(answers)}`);
      }
      return took;
    },
    log: async () => JSON.parse((await post(call("log", {}))).result.content[0].text),
  };
}
