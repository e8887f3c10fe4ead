// `npm run bench -- rules`: what a decision costs with 10, 100 and 1,000 rules, beside what a call costs in process.
import { createHub, loadSettings } from "../dist/index.js";
import { Rules } from "../dist/watchdog/rules.js";
import { serversOf, UPSTREAM } from "../scripts/bench/contenders.mjs";
import { toolkeepHome } from "../scripts/bench/toolkeep.mjs";

const SIZES = [10, 100, 1_000];
const ROUNDS = 20;
const DECISIONS = 10_000;
const CALLS = 2_000;
const CALL_ROUNDS = 5;
/** A decision with 1,000 rules, times one with 10; and of the CPU of a call. */
const MOST_TIMES = 3;
const MOST_SHARE = 0.03;

const TOOL = {
  name: "mcp_files_write_file",
  origin: "mcp:files",
  ownName: "write_file",
  capabilities: ["fs.write"],
  flags: { readOnly: false, concurrencySafe: false, destructive: true },
  inputSchema: { type: "object", properties: { path: { type: "string" }, content: { type: "string" } } },
};
const CALL = {
  args: { path: "notes/2026/november.md", content: "what was said" },
  ground: () => ({ workspace: "/srv/agent", userHome: "/home/user" }),
};

const SHELL = {
  name: "run_shell",
  origin: "native",
  ownName: "run_shell",
  capabilities: ["shell"],
  flags: { readOnly: false, concurrencySafe: false, destructive: true },
  inputSchema: { type: "object", properties: { command: { type: "string" } } },
};
const COMMAND = { ...CALL, args: { command: "cargo test --workspace -- --nocapture" } };

export async function bench() {
  const costs = async (rulesOf, call, tool) => {
    const found = [];
    for (const size of SIZES) found.push({ size, us: await decisionCost(rulesOf(size), call, tool) });
    return found;
  };
  const about = (shape, tool, call) => costs((size) => rulesOn(size, shape, tool), call, tool);
  return {
    plain: await costs((size) => rulesAbout(size, false), {}),
    patterns: await costs((size) => rulesAbout(size, true), CALL),
    paths: await about(PATHS, TOOL, CALL),
    commands: await about(COMMANDS, SHELL, COMMAND),
    mixed: await about(MIXED, TOOL, CALL),
    callUs: await callCost(),
  };
}

export function toMarkdown({ plain, patterns, paths, commands, mixed, callUs }) {
  const shapes = [plain, patterns, paths, commands, mixed];
  const rows = SIZES.map((size, index) => {
    const costs = shapes.map((shape) => shape[index].us);
    const share = ((Math.max(...costs) / callUs) * 100).toFixed(1);
    return `| ${size} | ${costs.map((us) => `${us.toFixed(2)} µs`).join(" | ")} | ${share} % |`;
  });
  return [
    "| rules | of other tools | two with patterns about the path | all about its paths | all about its commands | all about it, of every kind | the dearest, of a call's CPU |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    "",
    `A call of a server that answers at once takes ${callUs.toFixed(0)} µs of CPU in process.`,
  ].join("\n");
}

export function missed({ plain, patterns, paths, commands, mixed, callUs }) {
  const shapes = Object.entries({ plain, patterns, paths, commands, mixed });
  return shapes.flatMap(([shape, costs]) => {
    const times = costs.at(-1).us / costs[0].us;
    const share = costs.at(-1).us / callUs;
    return [
      ...(times > MOST_TIMES
        ? [`a decision with 1,000 rules (${shape}) costs ${times.toFixed(1)} times one with 10`]
        : []),
      ...(share > MOST_SHARE ? [`a decision (${shape}) is ${(share * 100).toFixed(1)} % of a call`] : []),
    ];
  });
}

const ACTIONS = ["ask", "deny", "allow"];
const PATHS = [
  (index) => ({ path: `projects/p${index}/**` }),
  (index) => ({ path: `/srv/shared/team-${index}/*.md` }),
  (index) => ({ path: `**/secret-${index}.pem` }),
  (index) => ({ path: `**/vault-${index}/**` }),
  (index) => ({ path: `~/projects/*/key-${index}` }),
];
const COMMANDS = [
  (index) => ({ command: `make target-${index}*` }),
  (index) => ({ command: `git push origin release-${index}` }),
  (index) => `npm run task-${index} *`,
  (index) => ({ command: `* --project=p${index}` }),
];
const MIXED = [
  ...PATHS,
  (index) => ({ host: `*.host-${index}.example` }),
  (index) => ({ path: [`a${index}/**`, `b${index}/**`, "!**/public"] }),
  (index) => ({ "arg.content": `draft ${index}:*` }),
  (index) => `notes-${index}/*`,
];

/** Every one about the tool that is called, by its name or by what it can do, and none fits the call but the defaults. */
function rulesOn(size, shape, tool) {
  const about = [{ permission: "destructive", action: "ask", from: "default" }];
  const permissions = [tool.name, `${tool.origin}:*`, ...tool.capabilities, "*"];
  const rules = Array.from({ length: size - about.length }, (_, index) => ({
    permission: permissions[(index >> 2) % permissions.length],
    pattern: shape[index % shape.length](index),
    action: ACTIONS[index % ACTIONS.length],
    from: "user",
  }));
  return new Rules([...about, ...rules]);
}

/** Rules as a team has them: names, servers and capabilities; the tool is met by its capability, and by patterns where there are. */
function rulesAbout(size, withPatterns) {
  const about = [
    { permission: "destructive", action: "ask", from: "default" },
    { permission: "mcp:files:*", action: "ask", from: "user" },
    ...(withPatterns
      ? [
          { permission: "mcp:files:write_*", pattern: { path: "notes/**" }, action: "allow", from: "user" },
          { permission: "fs.write", pattern: { path: "**/.env" }, action: "deny", final: true, from: "user" },
        ]
      : []),
  ];
  const others = Array.from({ length: size - about.length }, (_, index) => {
    const server = `server${index % 50}`;
    if (index % 3 === 0) return { permission: `mcp:${server}:get_${index}_*`, action: "allow", from: "user" };
    if (index % 3 === 1) return { permission: `mcp_${server}_tool_${index}`, action: "ask", from: "user" };
    return { permission: `mcp:${server}:run_${index}`, pattern: "git *", action: "allow", from: "user" };
  });
  return new Rules([...about, ...others]);
}

function decisionCost(rules, call, tool = TOOL) {
  return leastCpu(ROUNDS, DECISIONS, () => {
    for (let count = 0; count < DECISIONS; count++) rules.decide(tool, call);
  });
}

/** Of one of `count`, in µs, in the best of several rounds: whatever else the machine does only adds. */
async function leastCpu(rounds, count, work) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / count);
  }
  return least;
}

/** As `scripts/bench/call-path.mjs`: of a tool of a server that answers at once. */
async function callCost() {
  const home = await toolkeepHome(serversOf(1, UPSTREAM));
  const env = { PATH: process.env.PATH, TOOLKEEP_HOME: home.path, TOOLKEEP_DEFAULT_RULES: "false" };
  const loaded = await loadSettings({ cwd: home.path, env, isTrusted: async () => false });
  const hub = await createHub({ loaded, version: "0.0.0-bench", env });
  try {
    const { agent, tokenId, scopes } = hub.identity.authenticate(home.tokens[0]);
    const caller = hub.identity.callerFor(agent, { tokenId, scopes, conversation: "bench" });
    const load = async () => {
      for (let count = 0; count < CALLS; count++) {
        const call = { name: "mcp_bench_echo", arguments: { message: "so" }, caller, via: "library" };
        const { outcome, text } = await hub.callTool(call);
        if (outcome !== "ok") throw new Error(`${outcome}: ${text}`);
      }
    };
    await load();
    return await leastCpu(CALL_ROUNDS, CALLS, load);
  } finally {
    await hub.close();
    await home.remove();
  }
}
