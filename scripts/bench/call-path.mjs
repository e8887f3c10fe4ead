// `node [--cpu-prof] scripts/bench/call-path.mjs [--calls N] [--concurrency N] [--tool echo|typed|large]`: the life of a call without HTTP. The hub is in this
// process, with an agent, a toolbox, rules and the audit; CPU is that of this process, which does nothing else. Needs a built tree.
import { parseArgs } from "node:util";
import { createHub, loadSettings } from "../../dist/index.js";
import { serversOf, UPSTREAM } from "./contenders.mjs";
import { toolkeepHome } from "./toolkeep.mjs";

const WARM_UP = 0.25;
const ARGUMENTS = {
  echo: { message: "hello, this is one ordinary call" },
  typed: { repo: "acme/tools", since: "2026-01-01T00:00:00Z", labels: ["bug", "urgent"], limit: 20 },
  large: {},
};

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "20000" },
    concurrency: { type: "string", default: "32" },
    tool: { type: "string", default: "echo" },
  },
});
const calls = Number(values.calls);
const concurrency = Number(values.concurrency);

const home = await toolkeepHome(serversOf(1, UPSTREAM));
try {
  const env = {
    PATH: process.env.PATH,
    HOME: home.path,
    TOOLKEEP_HOME: home.path,
    TOOLKEEP_DEFAULT_RULES: "false",
  };
  const loaded = await loadSettings({ cwd: home.path, env, isTrusted: async () => false });
  const hub = await createHub({ loaded, version: "0.0.0-bench", env });
  try {
    const caller = callerOf(hub, home.tokens[0]);
    await load(hub, caller, calls * WARM_UP);
    const before = process.cpuUsage();
    const from = performance.now();
    await load(hub, caller, calls);
    const { user, system } = process.cpuUsage(before);
    const perSecond = calls / ((performance.now() - from) / 1_000);
    console.log(
      `hub.callTool(${values.tool}), ${concurrency} at a time: ${((user + system) / calls).toFixed(0)} µs CPU a call, ${perSecond.toFixed(0)} calls/s`,
    );
  } finally {
    await hub.close();
  }
} finally {
  await home.remove();
}

async function load(hub, caller, count) {
  let left = count;
  const name = `mcp_bench_${values.tool}`;
  const worker = async () => {
    while (left-- > 0) {
      const { outcome, text } = await hub.callTool({
        name,
        arguments: ARGUMENTS[values.tool],
        caller,
        via: "library",
      });
      if (outcome !== "ok") throw new Error(`${outcome}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

function callerOf(hub, token) {
  const { agent, tokenId, scopes } = hub.identity.authenticate(token);
  return hub.identity.callerFor(agent, { tokenId, scopes, conversation: "bench" });
}
