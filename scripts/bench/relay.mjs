// The least that can stand between HTTP and a stdio server: messages in, messages out, ids exchanged so that clients cannot collide.
// No sessions, no grants, no audit, no protocol knowledge. What a gateway costs is what it costs above this.
//
// node relay.mjs COMMAND ARGS…; prints its address.
import { spawn } from "node:child_process";
import { createServer } from "node:http";

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
child.on("exit", () => process.exit(1));

const waiting = new Map();
let lastId = 0;

let rest = "";
child.stdout.setEncoding("utf8");
child.stdout.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) answer(JSON.parse(line));
});

const server = createServer((req, res) => {
  if (req.method !== "POST") {
    res.writeHead(405).end();
    return;
  }
  let body = "";
  req.setEncoding("utf8");
  req.on("data", (chunk) => {
    body += chunk;
  });
  req.on("end", () => relay(JSON.parse(body), res));
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));

process.on("SIGTERM", () => {
  child.kill();
  process.exit(0);
});

function relay(message, res) {
  if (message.id === undefined) {
    res.writeHead(202).end();
  } else {
    lastId += 1;
    waiting.set(lastId, { id: message.id, res });
    message.id = lastId;
  }
  child.stdin.write(`${JSON.stringify(message)}\n`);
}

function answer(message) {
  const asked = waiting.get(message.id);
  if (asked === undefined) return;
  waiting.delete(message.id);
  message.id = asked.id;
  asked.res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
}
