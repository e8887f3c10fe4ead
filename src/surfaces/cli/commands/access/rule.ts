import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { checkCases, readRuleFile } from "../../../../call/rules/rule-cases.ts";
import { messageOf, ToolkeepError } from "../../../../contract/errors.ts";
import { CAPABILITIES } from "../../../../contract/tool.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { isRecord } from "../../../../lib/json.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { oneLine } from "../../../../lib/terminal/printable.ts";
import { table } from "../../../../lib/terminal/table.ts";
import { DocumentError } from "../../../../machine/config/document/document.ts";
import { parseDocument } from "../../../../machine/config/document/parse-document.ts";
import type { Done, RuleAnswer, RuleExplanation, RuleList, RuleSimulation } from "../../../api/contract.ts";
import { destructive } from "../../input/destructive.ts";
import { addLabelCommands } from "../../label-commands.ts";
import { parseDuration } from "../../print/duration.ts";
import { explanationText, patternText, placeText } from "../../print/rule-text.ts";
import { collect, type Run, type Shell } from "../../shell.ts";

export function ruleCommand(shell: Shell): Command {
  const rule = shell.group("rule", "what may run, what asks a person, and what never runs");

  rule
    .leaf("list", "list the rules, of files and stored", listRules, "--agent coder")
    .option("--agent <name>", "only those that are for this agent alone");
  rule
    .leaf(
      "add <permission> <action>",
      "add a rule; the action is allow, ask or deny",
      addRule,
      "mcp:github:* ask",
      "run_shell allow --pattern 'git *' --agent coder",
      'fs.write deny --pattern \'{"path": "**/.env"}\' --final',
    )
    .option("--pattern <pattern>", "which calls: a glob, or JSON with path, host, command or arg.NAME")
    .option("--agent <name>", "only for this agent")
    .option("--conversation <id>", "only in this conversation of the agent")
    .option("--after <label>", "only once the conversation has this label")
    .option("--final", "nothing loosens it; for deny")
    .option("--for <duration>", "how long it counts, such as 8h")
    .option("--note <text>", "why it is there");
  destructive(rule, "remove <id>", "remove a stored rule", (id) => `Remove rule ${id}?`, removeRule, "rul_…");
  rule
    .leaf(
      "explain",
      "say what would become of a call, by which rule, and what would change that",
      explainCall,
      '--agent coder --tool run_shell --args \'{"command": "git push"}\'',
    )
    .requiredOption("--tool <name>", "the tool")
    .option("--agent <name>", "who calls; without it the operator")
    .option("--args <json>", "the arguments")
    .option("--conversation <id>", "in this conversation, with its labels")
    .option("--after <label>", "as if the conversation had this label (repeatable)", collect, []);
  rule.leaf(
    "test <file>",
    "check a file of rules against the cases in it; needs no daemon",
    testRules,
    "rules.test.json",
  );
  rule
    .leaf(
      "simulate",
      "show which calls of the audit other rules would have decided differently",
      simulateRules,
      "--rules new-rules.json --since 7d",
    )
    .requiredOption("--rules <file>", "a file with rules, in the place of those in your settings")
    .option("--since <duration>", "calls of this time, such as 7d")
    .option("--limit <count>", "at most so many of the newest calls; 1000, with --since 10000");
  addLabelCommands(rule);
  return rule;
}

async function listRules(run: Run, options: { agent?: string }): Promise<undefined> {
  const { rules } = await run.get<RuleList>("/api/rules");
  const shown = options.agent === undefined ? rules : rules.filter(({ agent }) => agent === options.agent);
  const rows = shown.map((rule) => [
    rule.permission,
    rule.pattern === null ? "*" : oneLine(patternText(rule.pattern)),
    `${rule.final ? "final " : ""}${rule.action}`,
    rule.after ?? "",
    placeText(rule),
    oneLine(rule.note),
  ]);
  const none = "No rules: everything that an agent has may run.\nAdd one: toolkeep rule add mcp:NAME:* ask\n";
  const head = ["PERMISSION", "PATTERN", "ACTION", "AFTER", "FROM", "NOTE"];
  run.print({ rules: shown }, rows.length === 0 ? none : table(head, rows, run.terminal.columns));
}

interface AddOptions {
  readonly pattern?: string;
  readonly agent?: string;
  readonly conversation?: string;
  readonly after?: string;
  readonly final?: boolean;
  readonly for?: string;
  readonly note?: string;
}

async function addRule(
  run: Run,
  permission: string,
  action: string,
  options: AddOptions,
): Promise<undefined> {
  const { pattern, for: duration, ...rest } = options;
  const body = {
    permission,
    action,
    ...(pattern !== undefined && { pattern: patternOf(pattern) }),
    ...(duration !== undefined && { expiresInMs: parseDuration(duration) }),
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => key !== "json")),
  };
  const answer = await run.send<RuleAnswer>("POST", "/api/rules", body);
  const { id, agent } = answer.rule;
  const whom = agent === null ? "every agent" : agent;
  const unmatched = answer.unmatched
    ? `Nothing that is here now is what it is about. A permission is a tool's name, mcp:SERVER:TOOL, destructive, or one of ${CAPABILITIES.join(", ")}; * stands for anything.\n`
    : "";
  run.print(
    answer,
    `Added ${id}, for ${whom}.\n${unmatched}See what it does: toolkeep rule explain --tool TOOL --agent AGENT\n`,
  );
}

async function removeRule(run: Run, id: string): Promise<undefined> {
  run.print(await run.send<Done>("DELETE", path`/api/rules/${id}`), `Removed ${id}.\n`);
}

interface ExplainOptions {
  readonly tool: string;
  readonly agent?: string;
  readonly args?: string;
  readonly conversation?: string;
  readonly after: readonly string[];
}

async function explainCall(run: Run, options: ExplainOptions): Promise<undefined> {
  const { tool, agent, args, conversation, after } = options;
  const said = await run.send<RuleExplanation>("POST", "/api/rules/explain", {
    tool,
    ...(agent !== undefined && { agent }),
    ...(args !== undefined && { arguments: objectOf("--args", args) }),
    ...(conversation !== undefined && { conversation }),
    ...(after.length > 0 && { after }),
  });
  run.print(said, explanationText(said));
}

async function testRules(run: Run, file: string): Promise<number> {
  const read = readRuleFile(await documentIn(file));
  if (!read.ok) throw new ToolkeepError("BAD_REQUEST", `${file}: ${read.error}`);
  const cases = checkCases(read.value);
  const wrong = cases.filter((each) => !each.ok);
  const lines = wrong.map(
    ({ tool, expected, got, rule }) =>
      `  ${oneLine(tool)}: expected ${expected}, got ${got} (${oneLine(rule)})\n`,
  );
  const nothing = cases.length === 0 ? "There are no cases in it: add some under cases.\n" : "";
  const sum = `${counted(cases.length, "case")}, ${wrong.length} wrong.\n`;
  run.print({ cases, wrong: wrong.length }, `${lines.join("")}${nothing || sum}`);
  return wrong.length === 0 ? 0 : 1;
}

interface SimulateOptions {
  readonly rules: string;
  readonly since?: string;
  readonly limit?: string;
}

async function simulateRules(run: Run, options: SimulateOptions): Promise<undefined> {
  const { rules: file, since, limit = since === undefined ? "1000" : "10000" } = options;
  const document = await documentIn(file);
  const rules = Array.isArray(document) ? document : isRecord(document) ? document.rules : undefined;
  if (!Array.isArray(rules))
    throw new ToolkeepError("BAD_REQUEST", `${file}: expected a list of rules under rules`);
  if (!/^\d{1,5}$/.test(limit))
    throw new ToolkeepError("BAD_USAGE", `--limit is a number, not ${JSON.stringify(limit)}`);
  const said = await run.progress(
    "replaying the audit",
    run.send<RuleSimulation>("POST", "/api/rules/simulate", {
      rules,
      limit: Number(limit),
      ...(since !== undefined && { since: Date.now() - parseDuration(since) }),
    }),
  );
  run.print(said, simulationText(said, run.terminal.columns));
}

function simulationText(
  { looked, decided, skipped, incomplete, more, different, differing }: RuleSimulation,
  columns: number,
): string {
  const rows = differing.map(({ at, agent, tool, before, after, rule, unsure }) => [
    new Date(at).toISOString().slice(0, 19).replace("T", " "),
    oneLine(agent),
    oneLine(tool),
    `${before} → ${after}${unsure === null ? "" : " ?"}`,
    oneLine(rule),
  ]);
  const shown = rows.length === 0 ? "" : table(["TIME", "AGENT", "TOOL", "DECISION", "RULE"], rows, columns);
  const cut =
    incomplete === 0
      ? ""
      : `Of ${counted(incomplete, "call")} the audit has cut or redacted arguments; what their patterns would say is not sure (?).\n`;
  const left =
    skipped === 0
      ? ""
      : `${counted(skipped, "call")} left out: never decided, or the tool or agent is gone.\n`;
  const unshown = different > differing.length ? `Shown are the newest ${differing.length} of these.\n` : "";
  const older = more ? `There are older calls that were not looked at: --limit takes up to 10000.\n` : "";
  return `${shown}${counted(looked, "call")} looked at, ${decided} decided again, ${different} differently.\n${unshown}${older}${cut}${left}`;
}

async function documentIn(file: string): Promise<unknown> {
  try {
    const text = await readFile(file, "utf8");
    return parseDocument(file, text).value;
  } catch (error) {
    if (error instanceof DocumentError || error instanceof ToolkeepError)
      throw new ToolkeepError("BAD_REQUEST", `${file}: ${messageOf(error)}`, { cause: error });
    throw new ToolkeepError("NOT_FOUND", `${file} cannot be read: ${messageOf(error)}`, {
      cause: error,
      remedy: "Name a JSON or TOML file that this user may read.",
    });
  }
}

/** JSON where it is an object, else a glob. */
function patternOf(text: string): unknown {
  return text.trimStart().startsWith("{") ? objectOf("--pattern", text) : text;
}

function objectOf(option: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // said below
  }
  throw new ToolkeepError(
    "BAD_USAGE",
    `${option} takes a JSON object such as '{"path": "src/a.ts"}'; got ${JSON.stringify(text.slice(0, 200))}`,
  );
}
