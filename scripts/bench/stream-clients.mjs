// The clients of the streams benchmark, a process of its own. Two groups: one daemon has clients that each hold a stream open, the other a few without.
// Orders over IPC: {op: "open", group, url, tokens, clients, streams} · {op: "call", seconds, perSecond} · {op: "told", group, ms} · {op: "close"}
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "./wire.mjs";

/** As many clients begin their sessions at the same time. */
const OPENING = 20;
const MESSAGE = "hello, this is one ordinary call";
const KEPT_ERRORS = 5;

const groups = new Map();
const OPS = { open, call, told, close };

process.on("message", async (order) => {
  try {
    process.send({ ok: true, ...(await OPS[order.op](order)) });
  } catch (error) {
    process.send({ ok: false, error: `${order.op}: ${error.message}` });
  }
});
process.on("disconnect", () => process.exit(0));

async function open({ group, url, tokens, clients: count, streams }) {
  const members = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const token = tokens[next++ % tokens.length];
      members.push(await openClient(url, token, streams));
    }
  };
  await Promise.all(Array.from({ length: OPENING }, worker));
  groups.set(group, { members, turn: 0 });
  return { open: members.length };
}

async function openClient(url, token, withStream) {
  const client = await connect({ dialect: "legacy", url, token });
  const { tools } = await client.request("tools/list", "{}");
  const member = {
    client,
    tool: tools.find(({ name }) => name.endsWith("echo")).name,
    told: 0,
    ended: false,
  };
  if (withStream) {
    member.stream = await client.stream((data) => {
      if (JSON.parse(data).method === "notifications/tools/list_changed") member.told += 1;
    });
    void member.stream.ended.then(() => {
      member.ended = true;
    });
  }
  return member;
}

/**
 * `perSecond` calls a second to each group at the same time, half a period apart, whether earlier ones were answered or not: what weighs on one group
 * weighs on the other.
 */
async function call({ seconds, perSecond }) {
  const seen = Object.fromEntries(
    [...groups.keys()].map((group) => [group, { times: [], errors: [], failed: 0 }]),
  );
  const period = 1_000 / perSecond;
  const offset = period / groups.size;
  const from = performance.now();
  const under = [];
  for (let n = 0; n < seconds * perSecond; n++) {
    for (const [index, group] of [...groups.keys()].entries()) {
      const due = from + n * period + index * offset;
      await delay(Math.max(0, due - performance.now()));
      under.push(oneCall(groups.get(group), seen[group]));
    }
  }
  await Promise.all(under);
  return {
    groups: Object.fromEntries(Object.entries(seen).map(([group, one]) => [group, figuresOf(group, one)])),
  };
}

async function oneCall(group, seen) {
  const { client, tool } = group.members[group.turn++ % group.members.length];
  const from = performance.now();
  try {
    const params = JSON.stringify({ name: tool, arguments: { message: MESSAGE } });
    const { content } = await client.request("tools/call", params, tool);
    if (content?.[0]?.text !== MESSAGE)
      throw new Error(`wrong answer: ${JSON.stringify(content).slice(0, 200)}`);
    seen.times.push(performance.now() - from);
  } catch (error) {
    seen.failed += 1;
    if (seen.errors.length < KEPT_ERRORS) seen.errors.push(error.message);
  }
}

function figuresOf(group, { times, errors, failed }) {
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  const ended = groups.get(group).members.filter((member) => member.ended).length;
  return { calls: times.length, p50: at(0.5), p95: at(0.95), failed, errors, ended };
}

/** How many clients of a group heard of a changed list since they were last asked, at most `ms` from now. */
async function told({ group, ms }) {
  const { members } = groups.get(group);
  const deadline = performance.now() + ms;
  const count = () => members.filter((member) => member.told > 0).length;
  while (count() < members.length && performance.now() < deadline) await delay(50);
  const heard = count();
  for (const member of members) member.told = 0;
  return { told: heard };
}

async function close() {
  for (const { members } of groups.values()) {
    for (const { client, stream } of members) {
      stream?.close();
      await client.close();
    }
  }
  groups.clear();
}
