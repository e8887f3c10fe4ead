import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { checkCases, readRuleFile } from "../../../../call/rules/review/rule-cases.ts";
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
import { formatExplanation, formatPattern, formatRuleOrigin } from "../../print/rule-text.ts";
import { collect, type Run, type Shell } from "../../shell.ts";

export function ruleCommand(shell: Shell): Command {
  const rule = shell.group("rule", "Manage rules that allow, ask about or deny calls");

  rule
    .leaf("list", "List rules, both stored and from settings files", listRules, "--agent coder")
    .option("--agent <name>", "Only rules for this agent");
  rule
    .leaf(
      "add <permission> <action>",
      "Add a rule; the action is allow, ask or deny",
      addRule,
      "mcp:github:* ask",
      "run_shell allow --pattern 'git *' --agent coder",
      'fs.write deny --pattern \'{"path": "**/.env"}\' --final',
    )
    .option("--pattern <pattern>", "Calls it matches: a glob, or JSON with path, host, command or arg.NAME")
    .option("--agent <name>", "Only for this agent")
    .option("--conversation <id>", "Only in this conversation of the agent")
    .option("--after <label>", "Only after the conversation got this label")
    .option("--final", "With deny: no other rule can override it")
    .option("--for <duration>", "How long the rule lasts, such as 8h")
    .option("--note <text>", "Why the rule exists");
  destructive(rule, "remove <id>", "Remove a stored rule", (id) => `Remove rule ${id}?`, removeRule, "rul_…");
  rule
    .leaf(
      "explain",
      "Explain which rule decides a call, and how to change that",
      explainCall,
      '--agent coder --tool run_shell --args \'{"command": "git push"}\'',
    )
    .requiredOption("--tool <name>", "Tool to call")
    .option("--agent <name>", "Agent that calls (default: the operator)")
    .option("--args <json>", "Arguments of the call")
    .option("--conversation <id>", "Conversation of the call, with its labels")
    .option("--after <label>", "Label to assume for the conversation (repeatable)", collect, []);
  rule.leaf(
    "test <file>",
    "Test a rules file against the cases in it; needs no daemon",
    testRules,
    "rules.test.json",
  );
  rule
    .leaf(
      "simulate",
      "Show which audited calls other rules would decide differently",
      simulateRules,
      "--rules new-rules.json --since 7d",
    )
    .requiredOption("--rules <file>", "File with rules to use instead of those in your settings")
    .option("--since <duration>", "Only calls within this time, such as 7d")
    .option("--limit <count>", "Maximum number of calls, newest first (default: 1000, with --since 10000)");
  addLabelCommands(rule);
  return rule;
}

async function listRules(run: Run, options: { agent?: string }): Promise<undefined> {
  const { rules } = await run.get<RuleList>("/api/rules");
  const visible = options.agent === undefined ? rules : rules.filter(({ agent }) => agent === options.agent);
  const rows = visible.map((rule) => [
    rule.permission,
    rule.pattern === null ? "*" : oneLine(formatPattern(rule.pattern)),
    `${rule.final ? "final " : ""}${rule.action}`,
    rule.after ?? "",
    formatRuleOrigin(rule),
    oneLine(rule.note),
  ]);
  const emptyText =
    "No rules yet, so agents may run all their tools.\nAdd one: toolkeep rule add mcp:NAME:* ask\n";
  const head = ["PERMISSION", "PATTERN", "ACTION", "AFTER", "FROM", "NOTE"];
  run.print({ rules: visible }, rows.length === 0 ? emptyText : table(head, rows, run.terminal.columns));
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
    ...(pattern !== undefined && { pattern: parsePattern(pattern) }),
    ...(duration !== undefined && { expiresInMs: parseDuration(duration) }),
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => key !== "json")),
  };
  const answer = await run.send<RuleAnswer>("POST", "/api/rules", body);
  const { id, agent } = answer.rule;
  const target = agent === null ? "every agent" : agent;
  const unmatched = answer.unmatched
    ? `It matches no current tool. A permission is a tool's name, mcp:SERVER:TOOL, destructive, or one of ${CAPABILITIES.join(", ")}; * matches anything.\n`
    : "";
  run.print(
    answer,
    `Added ${id}, for ${target}.\n${unmatched}See what it does: toolkeep rule explain --tool TOOL --agent AGENT\n`,
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
  const explanation = await run.send<RuleExplanation>("POST", "/api/rules/explain", {
    tool,
    ...(agent !== undefined && { agent }),
    ...(args !== undefined && { arguments: parseObject("--args", args) }),
    ...(conversation !== undefined && { conversation }),
    ...(after.length > 0 && { after }),
  });
  run.print(explanation, formatExplanation(explanation));
}

async function testRules(run: Run, file: string): Promise<number> {
  const read = readRuleFile(await readDocument(file));
  if (!read.ok) throw new ToolkeepError("BAD_REQUEST", `${file}: ${read.error}`);
  const cases = checkCases(read.value);
  const wrong = cases.filter((each) => !each.ok);
  const lines = wrong.map(
    ({ tool, expected, got, rule }) =>
      `  ${oneLine(tool)}: expected ${expected}, got ${got} (${oneLine(rule)})\n`,
  );
  const emptyNote = cases.length === 0 ? "The file has no cases. Add some under cases.\n" : "";
  const summary = `${counted(cases.length, "case")}, ${wrong.length} wrong.\n`;
  run.print({ cases, wrong: wrong.length }, `${lines.join("")}${emptyNote || summary}`);
  return wrong.length === 0 ? 0 : 1;
}

interface SimulateOptions {
  readonly rules: string;
  readonly since?: string;
  readonly limit?: string;
}

async function simulateRules(run: Run, options: SimulateOptions): Promise<undefined> {
  const { rules: file, since, limit = since === undefined ? "1000" : "10000" } = options;
  const document = await readDocument(file);
  const rules = Array.isArray(document) ? document : isRecord(document) ? document.rules : undefined;
  if (!Array.isArray(rules))
    throw new ToolkeepError("BAD_REQUEST", `${file} must contain a list of rules under rules`);
  if (!/^\d{1,5}$/.test(limit))
    throw new ToolkeepError(
      "BAD_USAGE",
      `--limit must be a whole number below 100000; got ${JSON.stringify(limit)}`,
    );
  const simulation = await run.progress(
    "replaying the audit",
    run.send<RuleSimulation>("POST", "/api/rules/simulate", {
      rules,
      limit: Number(limit),
      ...(since !== undefined && { since: Date.now() - parseDuration(since) }),
    }),
  );
  run.print(simulation, formatSimulation(simulation, run.terminal.columns));
}

function formatSimulation(
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
  const rendered =
    rows.length === 0 ? "" : table(["TIME", "AGENT", "TOOL", "DECISION", "RULE"], rows, columns);
  const incompleteNote =
    incomplete === 0
      ? ""
      : `${counted(incomplete, "call")} had shortened or redacted arguments in the audit, so pattern matches are uncertain (?).\n`;
  const skippedNote =
    skipped === 0
      ? ""
      : `${counted(skipped, "call")} skipped: never decided, or the tool or agent no longer exists.\n`;
  const hiddenNote = different > differing.length ? `Showing the newest ${differing.length}.\n` : "";
  const olderNote = more ? `Older calls were not checked. Raise --limit, up to 10000.\n` : "";
  return `${rendered}${counted(looked, "call")} checked, ${decided} decided again, ${different} with a different result.\n${hiddenNote}${olderNote}${incompleteNote}${skippedNote}`;
}

async function readDocument(file: string): Promise<unknown> {
  try {
    const text = await readFile(file, "utf8");
    return parseDocument(file, text).value;
  } catch (error) {
    if (error instanceof DocumentError || error instanceof ToolkeepError)
      throw new ToolkeepError("BAD_REQUEST", `${file}: ${messageOf(error)}`, { cause: error });
    throw new ToolkeepError("NOT_FOUND", `${file} cannot be read: ${messageOf(error)}`, {
      cause: error,
      remedy: "Give a JSON or TOML file that you can read.",
    });
  }
}

/** JSON if it looks like an object, otherwise a glob. */
function parsePattern(text: string): unknown {
  return text.trimStart().startsWith("{") ? parseObject("--pattern", text) : text;
}

function parseObject(option: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Reported below.
  }
  throw new ToolkeepError(
    "BAD_USAGE",
    `${option} must be a JSON object such as '{"path": "src/a.ts"}'; got ${JSON.stringify(text.slice(0, 200))}`,
  );
}
