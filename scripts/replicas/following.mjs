// How long after a change through one daemon the other acts on it, for every kind of change that all of them must know.
import { fileURLToPath } from "node:url";
import { median, percentile } from "../../bench/support/measure.mjs";
import { connect } from "../bench/wire.mjs";
import { isKnown, TOOL, until } from "./daemons.mjs";

/** How soon a change must count everywhere. */
const BAR_MS = 1_000;
const SAMPLES = 10;
/** A small folder to be a source. */
const HERE = fileURLToPath(new URL(".", import.meta.url));

/** Prints a line for each kind; true where every single change counted soon enough. */
export async function measureFollowing({ daemons: [first, second], token }) {
  const clients = await Promise.all([first, second].map(({ url }) => connectAs(url, token)));
  const pair = { first, second, token, atFirst: clients[0], atSecond: clients[1] };
  console.log(`what one daemon is told counts on the other after (ms, at most ${BAR_MS})   median   longest`);
  let longest = 0;
  try {
    for (const [what, sample] of Object.entries(KINDS)) {
      const times = [];
      for (let n = 0; n < SAMPLES; n++) times.push(...(await sample(pair, `follow_${n}`)));
      const cell = (ms) => ms.toFixed(1).padStart(8);
      console.log(`  ${what.padEnd(64)}${cell(median(times))}  ${cell(percentile(times, 1))}`);
      longest = Math.max(longest, ...times);
    }
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
  console.log(
    `the longest of all: ${longest.toFixed(1)} ms, ${longest < BAR_MS ? "within" : "beyond"} the bar\n`,
  );
  return longest < BAR_MS;
}

/** Each makes a change at the first daemon, and takes it back, with how long the second needed for either. */
const KINDS = {
  "a token created or revoked": async ({ first, second }) => {
    const created = await first.api("POST", "/tokens", { agent: "worker" });
    const known = () => isKnown(second, created.token);
    const came = await timed(known);
    await first.api("DELETE", `/tokens/${created.record.id}`);
    return [came, await timed(async () => !(await known()))];
  },
  "an agent": (pair, name) => listed(pair, "/agents", { name }, ({ agents }) => agents),
  "a toolbox": (pair, name) => listed(pair, "/toolboxes", { name, tools: ["grep"] }, (all) => all.toolboxes),
  "a stored rule, until a call is denied or let run": async ({ first, atSecond }) => {
    const { rule } = await first.api("POST", "/rules", { permission: "think", action: "deny" });
    const outcome = () => outcomeOf(atSecond.call("think", { thought: "t" }));
    const came = await timed(async () => (await outcome()) === "denied");
    await first.api("DELETE", `/rules/${rule.id}`);
    return [came, await timed(async () => (await outcome()) === "ok")];
  },
  "a label of a conversation, met or cleared": async ({ first, second, atFirst }, nonce) => {
    const labelled = async () => (await second.api("GET", "/labels?agent=worker")).labelled.length > 0;
    await first.api("DELETE", "/labels?agent=worker");
    await until("no label is left", async () => !(await labelled()));
    await atFirst.call(TOOL, { nonce });
    const came = await timed(labelled);
    await first.api("DELETE", "/labels?agent=worker");
    return [came, await timed(async () => !(await labelled()))];
  },
  "a person": (pair, name) => listed(pair, "/people", { name, role: "viewer" }, ({ people }) => people),
  "a secret": async ({ first, second }, sample) => {
    const name = sample.toUpperCase();
    const known = async () =>
      (await second.api("GET", "/secrets")).secrets.some((each) => each.name === name);
    await first.api("PUT", `/secrets/${name}`, { value: "a value that nobody needs" });
    const came = await timed(known);
    await first.api("DELETE", `/secrets/${name}`);
    return [came, await timed(async () => !(await known()))];
  },
  "a source of knowledge": (pair, name) =>
    listed(pair, "/sources", { name, kind: "folder", config: { path: HERE } }, ({ sources }) => sources),
  "a tool that a conversation found": async ({ first, second }) => {
    const { token, record } = await first.api("POST", "/tokens", { agent: "worker" });
    await until("the other knows the token", () => isKnown(second, token));
    const [atFirst, atSecond] = await Promise.all([first, second].map(({ url }) => connectAs(url, token)));
    const isListed = async () =>
      (await atSecond.request("tools/list", "{}")).tools.some(({ name }) => name === TOOL);
    // From here on the second has the list of this conversation in memory.
    if (await isListed()) throw new Error(`${TOOL} was to be found first`);
    await atFirst.call("tool_search", { query: "receipts note" });
    const came = await timed(isListed);
    await Promise.all([atFirst.close(), atSecond.close()]);
    await first.api("DELETE", `/tokens/${record.id}`);
    return [came];
  },
  "an approval, until the call that waits goes on": async ({ first, second, atFirst }, thought) => {
    const { rule } = await first.api("POST", "/rules", { permission: "think", action: "ask" });
    const asked = outcomeOf(atFirst.call("think", { thought }));
    const question = await pending(second);
    await second.api("POST", `/questions/${question.id}/answer`, { answer: "once" });
    const came = await timed(async () => {
      // Where it did not wait for so long, it is made again.
      const outcome = await asked;
      return outcome === "ok" || (await outcomeOf(atFirst.call("think", { thought }))) === "ok";
    });
    await first.api("DELETE", `/rules/${rule.id}`);
    return [came];
  },
  "an answer, until the call that waits goes on": async ({ second, atFirst }, question) => {
    const asked = atFirst.call("prompt_human", { question: `${question}?` });
    const { id } = await pending(second);
    await second.api("POST", `/questions/${id}/answer`, { answer: "yes" });
    return [await timed(async () => (await asked) !== undefined)];
  },
};

/** Something with a name that is created at `path`, listed there and deleted by its name. */
async function listed({ first, second }, path, body, allOf) {
  const known = async () => allOf(await second.api("GET", path)).some(({ name }) => name === body.name);
  await first.api("POST", path, body);
  const came = await timed(known);
  await first.api("DELETE", `${path}/${body.name}`);
  return [came, await timed(async () => !(await known()))];
}

async function pending(daemon) {
  let question;
  await until("the question is there", async () => {
    [question] = (await daemon.api("GET", "/questions?state=pending")).questions;
    return question !== undefined;
  });
  return question;
}

async function connectAs(url, token) {
  const client = await connect({ dialect: "modern", url, token });
  const call = (name, args) => client.request("tools/call", JSON.stringify({ name, arguments: args }), name);
  return { ...client, call };
}

async function outcomeOf(result) {
  return (await result)._meta?.["toolkeep/outcome"];
}

async function timed(condition) {
  const from = performance.now();
  await until("the other acts on it", condition);
  return performance.now() - from;
}
