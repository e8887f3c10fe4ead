// The Inspector's `mcpdo` keeps its connection between its commands, so it can be asked something during a call.
import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { lacks, output } from "./command.mjs";
import { freshHome } from "./connected.mjs";
import { ASKING_TOOLS, QUESTION } from "./conversation.mjs";
import { mannersOf, startWire } from "./wire.mjs";

export function mcpdoChecks(stage, program) {
  return Object.fromEntries(
    ["legacy", "modern"].map((era) => [
      `answers what servers of both eras ask during a call, ${era} era`,
      () => answerQuestions(stage, era, program),
    ]),
  );
}

async function answerQuestions({ daemon, home: parent }, era, { node, entry }) {
  const home = await freshHome(parent, `mcpdo-${era}`);
  const env = { PATH: `${dirname(node)}:${process.env.PATH}`, HOME: home };
  const options = ["--format", "json", "--connection", "toolkeep"];
  const mcpdo = (...args) => output(node, [entry, ...options, ...args], { env, cwd: home });
  const wire = await startWire(daemon.url);
  try {
    const header = ["--header", `Authorization: Bearer ${daemon.token}`];
    const connected = await mcpdo("connect", wire.url, "--transport", "http", "--era", era, ...header);
    const problems = [];
    for (const tool of ASKING_TOOLS) problems.push(await answerQuestion(mcpdo, tool));
    const problem = problems.find((one) => one !== undefined);
    return problem && `${problem}\n  when connecting it printed: ${connected.slice(0, 300)}`;
  } finally {
    await mcpdo("daemon", "stop");
    console.log(`· ${mannersOf(wire.exchanges)}`);
    await wire.close();
  }
}

async function answerQuestion(mcpdo, tool) {
  const answer = `answer-${randomUUID()}`;
  const asked = await mcpdo("tools/call", tool, JSON.stringify(QUESTION));
  const id = /"elicitationId":\s*"([^"]+)"/.exec(asked)?.[1];
  if (!id) return `expected a question of ${tool}; got: ${asked.slice(0, 900)}`;
  return lacks(await mcpdo("elicitation/respond", id, `answer:=${JSON.stringify(answer)}`), answer);
}
