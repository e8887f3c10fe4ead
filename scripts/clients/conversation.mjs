// One client, one model, a call or two: what every client has to do through Toolkeep, whichever it is.
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { command, lacks } from "./command.mjs";
import { GOODBYE } from "./fake-model.mjs";
import { callsOf, isServed, mannersOf, startWire, streamsOf } from "./wire.mjs";

export const TOOL = "mcp_everything_echo";
/** Tools that ask the person a question in the middle of a call: of a server of before 2026-07-28, and of a newer one. */
export const ASKING_TOOLS = ["mcp_asking_ask", "mcp_newer_ask"];
export const QUESTION = { kind: "elicitation", about: "Which word?" };
/** A tool whose name is as long as Toolkeep makes them. */
export const LONG_ORIGINAL = "gives_back_whatever_message_it_was_handed";
export const LONG_TOOL = `mcp_long_${LONG_ORIGINAL}`;
/** A server that comes and goes, so that tool lists change. */
export const SPARE = "spare";
export const SPARE_TOOL = "mcp_spare_echo";

const LIST_CHANGED = "notifications/tools/list_changed";
const NOTIFIED_MS = 15_000;
const LISTED_AGAIN_MS = 2_000;

/**
 * The checks of a client that talks to a model. `drive({ url, model, home })` runs it once with Toolkeep at `url` and
 * its model at `model`, and gives all that it printed. `stream` says whether the client asks for a stream of its own.
 */
export function callChecks(stage, title, drive, { stream = true, ...wireOptions } = {}) {
  const nonce = `nonce-${randomUUID()}`;
  let exchanges = [];
  return {
    [`completes its tool calls${title}`]: async () => {
      const seen = await converse(stage, drive, wireOptions, (wire) => ({
        calls: [echo(TOOL, nonce), echo(LONG_TOOL, nonce)],
        meanwhile: () => changeTools(stage, wire),
      }));
      exchanges = seen.exchanges;
      console.log(`· ${mannersOf(exchanges)}`);
      return seen.problem;
    },
    [`calls each tool once, by the name Toolkeep gave it, however long${title}`]: async () =>
      nameProblem(exchanges, nonce),
    ...(stream && {
      [`is served its stream, and told there that its tools changed${title}`]: async () =>
        streamProblem(exchanges),
    }),
  };
}

/** The check that a client goes on after Toolkeep was restarted under it; one of the legacy era has a session there. */
export function restartCheck(stage, drive) {
  const again = () => ({ before: stage.daemon.restart });
  // A relay would accept connections that are refused while no daemon runs.
  return twoCallsCheck(stage, "goes on after a restart of Toolkeep", drive, { direct: true }, again);
}

/** The check of a client that begins a new session where Toolkeep says that its own has ended. */
export function sessionCheck(stage, title, drive, wireOptions = {}) {
  const what = `begins a new session where its own has ended${title}`;
  return twoCallsCheck(stage, what, drive, wireOptions, ({ endSessions }) => ({ before: endSessions }));
}

/** The check of a client that can be asked: `drive` is also given the `answer` that its person would type. */
export function questionCheck(stage, title, drive, wireOptions = {}) {
  const answer = `answer-${randomUUID()}`;
  const calls = ASKING_TOOLS.map((tool) => ({ tool, args: QUESTION, expected: answer }));
  return {
    [`answers what servers of both eras ask during a call${title}`]: async () => {
      const asked = (place) => drive({ ...place, answer });
      return (await converse(stage, asked, wireOptions, () => ({ calls }))).problem;
    },
  };
}

function twoCallsCheck(stage, what, drive, wireOptions, between) {
  const nonce = `nonce-${randomUUID()}`;
  return {
    [what]: async () => {
      const { problem } = await converse(stage, drive, wireOptions, (wire) => ({
        calls: [echo(TOOL, nonce), { ...echo(TOOL, `${nonce}-again`), ...between(wire) }],
      }));
      return problem;
    },
  };
}

/** An empty home with the settings that `toolkeep connect` writes, but for the address, which is the wire's. */
export async function connectHome(stage, id, { home, url }) {
  const env = { ...stage.daemon.env, HOME: home };
  const args = [stage.daemon.bin, "connect", id, "--json"];
  const { file } = JSON.parse(await command(process.execPath, args, { env, cwd: home }));
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replaceAll(stage.daemon.url, url));
  return file;
}

export async function editJson(file, change) {
  await writeFile(file, JSON.stringify(change(JSON.parse(await readFile(file, "utf8")))));
}

/** One run of a client in a home of its own, over a wire of its own; `conversation` says what its model asks for. */
async function converse(stage, drive, wireOptions, conversation) {
  const wire = await startWire(stage.daemon.url, wireOptions);
  try {
    const talk = stage.model.converse(conversation(wire));
    const home = await mkdtemp(join(stage.home, "home-"));
    const printed = await drive({ url: wire.url, model: talk.base, home });
    const problem = talk.problem() ?? lacks(printed, GOODBYE);
    return { exchanges: wire.exchanges, problem: problem && explained(problem, printed, wire) };
  } finally {
    await wire.close();
  }
}

function echo(tool, message) {
  return { tool, args: { message }, expected: `Echo: ${message}` };
}

/** Takes a server away and brings it back, and gives a client that listens the time to hear of it. */
async function changeTools(stage, wire) {
  const streams = () => streamsOf(wire.exchanges).filter(isServed);
  const lists = () =>
    wire.exchanges.filter(({ messages }) => messages.some(({ method }) => method === "tools/list")).length;
  if (streams().length === 0) return;
  const before = lists();
  await stage.daemon.toolkeep("server", "disable", SPARE);
  try {
    await until(() => streams().some(({ notes }) => notes.includes(LIST_CHANGED)), NOTIFIED_MS);
    await until(() => lists() > before, LISTED_AGAIN_MS);
  } finally {
    await stage.daemon.toolkeep("server", "enable", SPARE);
  }
}

function nameProblem(exchanges, nonce) {
  const wanted = [TOOL, LONG_TOOL].join(", ");
  const called = callsOf(exchanges)
    .filter(({ text }) => text.includes(nonce))
    .map(({ name }) => name)
    .join(", ");
  return called === wanted ? undefined : `expected the calls ${wanted} at /mcp, came ${called || "none"}`;
}

function streamProblem(exchanges) {
  const streams = streamsOf(exchanges);
  const served = streams.filter(isServed);
  if (streams.length === 0) return "it asked for no stream";
  if (served.length === 0)
    return `expected 200 and an event stream, came ${streams.map(({ status, type }) => `${status} ${type}`).join(", ")}`;
  if (!served.some(({ notes }) => notes.includes(LIST_CHANGED)))
    return `no ${LIST_CHANGED} came on it within ${NOTIFIED_MS / 1000} seconds`;
  return undefined;
}

function explained(problem, printed, wire) {
  return `${problem}\n  on the wire: ${mannersOf(wire.exchanges)}\n  it printed: ${printed.trim().slice(-1500)}`;
}

async function until(holds, ms) {
  const end = Date.now() + ms;
  while (!holds() && Date.now() < end) await delay(50);
}
