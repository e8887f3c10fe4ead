// Writes down every call before anything else, then ends at the moment that the call names, if it does: node counting.mjs FILE
// A call whose `nonce` was written down before is answered, unless it says `always`.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { serve, text, tool } from "./rpc.mjs";

const file = process.argv[2];
const annotated = (name, annotations) => tool(name, { annotations });

serve(
  [
    tool("plain"),
    annotated("reads", { readOnlyHint: true }),
    annotated("idempotent", { idempotentHint: true }),
    // Answers with its pid.
    tool("pid"),
    // The same, and reads nothing from then on.
    tool("deafen"),
  ],
  {
    "tools/call": ({ id, params: { name, arguments: args } }) => {
      if (name === "deafen") deafen();
      if (name === "deafen" || name === "pid") return text(String(process.pid));
      const isRepeated = timesIn(file, args.nonce) > 0;
      appendFileSync(file, `${args.nonce}\n`);
      if (isRepeated && !args.always) return text("answered");
      return die(args.moment, id);
    },
  },
);

function die(moment, id) {
  const answer = JSON.stringify({ jsonrpc: "2.0", id, result: text("answered") });
  switch (moment) {
    case "after reading it":
      return process.exit(7);
    case "in the middle of its answer":
      return void process.stdout.write(answer.slice(0, -10), () => process.exit(7));
    case "after its answer":
      return void process.stdout.write(`${answer}\n`, () => process.exit(7));
    case "never":
      return undefined;
    case "none":
      return text("answered");
    default:
      throw new Error(`no such moment: ${moment}`);
  }
}

function deafen() {
  process.stdin.removeAllListeners("data");
  process.stdin.pause();
  setInterval(() => {}, 1000);
}

function timesIn(path, nonce) {
  if (!existsSync(path)) return 0;
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line === nonce).length;
}
