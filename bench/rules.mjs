// `npm run bench -- rules`: what a decision costs with 10, 100 and 1,000 rules, beside what a call costs in process.

import { Rules } from "../dist/call/rules/rules.js";
import { createHub, loadSettings } from "../dist/index.js";
import { serversOf, UPSTREAM } from "../scripts/bench/contenders.mjs";
import { toolkeepHome } from "../scripts/bench/toolkeep.mjs";
import { median } from "./support/measure.mjs";

const SIZES = [10, 100, 1_000];
const ROUNDS = 20;
const DECISIONS = 10_000;
const CALLS = 2_000;
/** In each, calls and decisions one after the other: how much a processor does in a µs changes from minute to minute. */
const SHARE_ROUNDS = 9;
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
  pathBase: () => ({ workspace: "/srv/agent", userHome: "/home/user" }),
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

const SHAPES = {
  plain: { rulesOf: (size) => rulesAbout(size, false), tool: TOOL, call: {} },
  patterns: { rulesOf: (size) => rulesAbout(size, true), tool: TOOL, call: CALL },
  paths: { rulesOf: (size) => rulesOn(size, PATHS, TOOL), tool: TOOL, call: CALL },
  commands: { rulesOf: (size) => rulesOn(size, COMMANDS, SHELL), tool: SHELL, call: COMMAND },
  mixed: { rulesOf: (size) => rulesOn(size, MIXED, TOOL), tool: TOOL, call: CALL },
};

export async function bench() {
  const costs = Object.fromEntries(
    Object.entries(SHAPES).map(([shape, { rulesOf, ...asked }]) => [
      shape,
      SIZES.map((size) => leastCost(decisions(rulesOf(size), asked))),
    ]),
  );
  return { costs, ...(await shares()) };
}

export function toMarkdown({ costs, shares, callUs }) {
  const rows = SIZES.map((size, index) => {
    const cells = Object.values(costs).map((ofSizes) => `${ofSizes[index].toFixed(2)} µs`);
    return `| ${size} | ${cells.join(" | ")} |`;
  });
  const ofCall = Object.keys(costs).map((shape) => `${(shares[shape] * 100).toFixed(1)} %`);
  return [
    "| rules | of other tools | two with patterns about the path | all about its paths | all about its commands | all about it, of every kind |",
    "|---|---|---|---|---|---|",
    ...rows,
    `| ${SIZES.at(-1)}, of a call's CPU | ${ofCall.join(" | ")} |`,
    "",
    `A call of a server that answers at once takes ${callUs.toFixed(0)} µs of CPU in process. The share is the median of ${SHARE_ROUNDS} rounds, each of calls and decisions side by side.`,
  ].join("\n");
}

export function missed({ costs, shares }) {
  return Object.entries(costs).flatMap(([shape, ofSizes]) => {
    const times = ofSizes.at(-1) / ofSizes[0];
    return [
      ...(times > MOST_TIMES
        ? [`a decision with 1,000 rules (${shape}) costs ${times.toFixed(1)} times one with 10`]
        : []),
      ...(shares[shape] > MOST_SHARE
        ? [`a decision (${shape}) is ${(shares[shape] * 100).toFixed(1)} % of a call`]
        : []),
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

function decisions(rules, { tool, call }) {
  return () => {
    for (let count = 0; count < DECISIONS; count++) rules.decide(tool, call);
  };
}

/** Of one decision, in µs, in the best of several rounds: whatever else the machine does only adds. */
function leastCost(work) {
  const costs = Array.from({ length: ROUNDS }, () => {
    const spent = cpuSince();
    work();
    return spent() / DECISIONS;
  });
  return Math.min(...costs);
}

function cpuSince() {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
}

/** What a decision with the most rules takes of the CPU of a call, as `scripts/bench/call-path.mjs` makes it. */
async function shares() {
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
    const works = Object.entries(SHAPES).map(([shape, { rulesOf, ...asked }]) => ({
      shape,
      work: decisions(rulesOf(SIZES.at(-1)), asked),
    }));
    await load();
    for (const { work } of works) work();
    const rounds = [];
    for (let round = 0; round < SHARE_ROUNDS; round++) {
      const spent = cpuSince();
      await load();
      const callUs = spent() / CALLS;
      const ofCall = works.map(({ shape, work }) => {
        const decided = cpuSince();
        work();
        return [shape, decided() / DECISIONS / callUs];
      });
      rounds.push({ callUs, ...Object.fromEntries(ofCall) });
    }
    const middle = (key) => median(rounds.map((round) => round[key]));
    return {
      callUs: middle("callUs"),
      shares: Object.fromEntries(works.map(({ shape }) => [shape, middle(shape)])),
    };
  } finally {
    await hub.close();
    await home.remove();
  }
}
