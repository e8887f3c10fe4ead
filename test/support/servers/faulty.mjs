// One process for many faults: each call says how it is to be answered. node faulty.mjs
import { spawn } from "node:child_process";
import { serve, text, tool } from "./rpc.mjs";

const tools = {
  echo: (args) => text(JSON.stringify(args)),

  /** `raw`: what is printed in place of an answer, in base64; every ID in it becomes the id of the call. */
  say({ raw }, id) {
    const told = Buffer.from(raw, "base64").toString("latin1").replaceAll("ID", String(id));
    process.stdout.write(Buffer.from(`${told}\n`, "latin1"));
  },

  /** `times` messages of a `kind`, then an answer. */
  async flood({ kind, times }, _, token) {
    for (let sent = 0; sent < times; sent += BATCH) {
      const lines = Array.from({ length: Math.min(BATCH, times - sent) }, (_, index) =>
        floods[kind](sent + index, token),
      );
      const stream = kind === "lines on stderr" ? process.stderr : process.stdout;
      await written(lines.map((line) => `${line}\n`).join(""), stream);
    }
    return text(`flooded ${times} times`);
  },

  /** One line of `bytes` bytes that is no message, then an answer. */
  async line({ bytes }) {
    const piece = "y".repeat(1024 * 1024);
    for (let left = bytes; left > 0; left -= piece.length) await written(piece.slice(0, left));
    await written("\n");
    return text("after the line");
  },

  /** Ends at the chosen moment. */
  die({ moment }, id) {
    const answer = JSON.stringify({ jsonrpc: "2.0", id, result: text("the last words") });
    switch (moment) {
      case "before the answer":
        return process.exit(7);
      case "in the middle of the answer":
        return void process.stdout.write(answer.slice(0, -10), () => process.exit(7));
      case "after the answer":
        return void process.stdout.write(`${answer}\n`, () => process.exit(7));
      default:
        return void process.kill(process.pid, moment);
    }
  },

  /** From here on SIGTERM and the end of stdin do nothing, and a child holds stdout open; answers with both pids. */
  cling() {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
    const child = spawn("sh", ["-c", 'trap "" TERM; while true; do sleep 1; done'], {
      stdio: ["ignore", "inherit", "inherit"],
      detached: true,
    });
    return text(JSON.stringify([process.pid, child.pid]));
  },

  hang: () => undefined,

  /** Reads no further input. */
  deafen() {
    process.stdin.pause();
    setInterval(() => {}, 1000);
    return text("deaf");
  },
};

const BATCH = 1000;
const padding = "p".repeat(5_000);
const notification = (method, params) => JSON.stringify({ jsonrpc: "2.0", method, params });
const request = (id, method, params) => JSON.stringify({ jsonrpc: "2.0", id: `back-${id}`, method, params });

const floods = {
  "lines on stderr": () => padding,
  junk: () => padding,
  "almost messages": () => `{"jsonrpc":"1.0","id":1,"result":"${padding}"}`,
  "unknown notifications": () => notification("notifications/hello", { padding }),
  "progress of the call": (n, progressToken) =>
    notification("notifications/progress", { progressToken, progress: n, message: padding }),
  "progress of nothing": (n) =>
    notification("notifications/progress", { progressToken: 10_000_000 + n, progress: n, message: padding }),
  "log messages": () => notification("notifications/message", { level: "info", data: padding }),
  "list changes": () => notification("notifications/tools/list_changed", {}),
  "answers to nothing": (n) => JSON.stringify({ jsonrpc: "2.0", id: 10_000_000 + n, result: { padding } }),
  pings: (n) => request(n, "ping", { _meta: { padding } }),
  "unknown requests": (n) => request(n, "hello", { padding }),
  "questions to a person": (n) =>
    request(n, "elicitation/create", {
      message: padding,
      requestedSchema: { type: "object", properties: {} },
    }),
  "questions to a model": (n) =>
    request(n, "sampling/createMessage", {
      messages: [{ role: "user", content: { type: "text", text: padding } }],
      maxTokens: 1,
    }),
};

serve(
  Object.keys(tools).map((name) => tool(name)),
  {
    "tools/call": ({ id, params }) => tools[params.name](params.arguments, id, params._meta?.progressToken),
  },
);

function written(chunk, stream = process.stdout) {
  return new Promise((resolve) => stream.write(chunk, resolve));
}
