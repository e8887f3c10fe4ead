/** The validated contents of one settings file, before it is merged with others. */
import { isRecord } from "../../lib/json.ts";
import { type Document, DocumentError, type KeyPath } from "./document/document.ts";
import { parseDocument } from "./document/parse-document.ts";
import { FileReport } from "./problem.ts";
import { ALIASES, groupsOf, SETTINGS, type SettingTable, type Values } from "./schema.ts";
import { type DeclaredRule, readRules } from "./sections/declared-rules.ts";
import { type DeclaredServer, isServerInMcp, readServers } from "./sections/declared-servers.ts";
import type { SettingsFile } from "./settings-file.ts";

export interface Layer {
  readonly values: Partial<Values>;
  /** The path of each value in the file. */
  readonly paths: ReadonlyMap<string, KeyPath>;
  readonly servers: readonly DeclaredServer[];
  readonly rules: readonly DeclaredRule[];
  /** The layer counts only when this has no problems. */
  readonly report: FileReport;
}

/** Never throws for the contents of the file: the layer's report lists every problem. */
export function readLayer(
  file: SettingsFile,
  scope: "user" | "project",
  table: SettingTable = SETTINGS,
): Layer {
  const document = parseOrExplain(file);
  if ("report" in document) return document;

  const report = new FileReport(file.path, document);
  const root = document.value;
  if (!isRecord(root)) {
    report.expected([], "an object with settings", root);
    return emptyLayer(report);
  }
  const { values, paths } = readValues(root, report, table);
  const servers = readServers(root, scope, report);
  const rules = readRules(root.rules, scope, report);
  return { values, paths, servers, rules, report };
}

function parseOrExplain(file: SettingsFile): Document | Layer {
  try {
    return parseDocument(file.path, file.text);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const report = new FileReport(file.path, { value: undefined, locate: () => error.position });
    report.malformed(error.message);
    return emptyLayer(report);
  }
}

function emptyLayer(report: FileReport): Layer {
  return { values: {}, paths: new Map(), servers: [], rules: [], report };
}

function readValues(
  root: Record<string, unknown>,
  report: FileReport,
  table: SettingTable,
): Pick<Layer, "values" | "paths"> {
  const values: Record<string, unknown> = {};
  const paths = new Map<string, KeyPath>();
  const groups = groupsOf(table);
  for (const { path, value } of leavesOf(root, groups, report)) {
    const key = settingAt(path, table);
    if (key === undefined) {
      report.unknownKey(path, knownBeside(path, table, groups));
      continue;
    }
    // the key in its group counts more than its alias at the top level
    const isShadowed = path.length === 1 && paths.has(key);
    if (value === null || isShadowed) continue;
    const parsed = table[key]!.schema.safeParse(value);
    if (parsed.success) {
      values[key] = parsed.data;
      paths.set(key, path);
    } else {
      report.expected(path, parsed.error.issues[0]!.message, value);
    }
  }
  return { values: values as Partial<Values>, paths };
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Everything that is neither a server nor a rule, groups opened. */
function leavesOf(root: Record<string, unknown>, groups: ReadonlySet<string>, report: FileReport): Leaf[] {
  const others = Object.entries(root).filter(([key]) => !ELSEWHERE.has(key));
  return others.flatMap(([key, value]) => leavesAt([key], value, groups, report));
}

function leavesAt(
  path: readonly string[],
  value: unknown,
  groups: ReadonlySet<string>,
  report: FileReport,
): Leaf[] {
  const group = path.join(".");
  if (!groups.has(group) || path.some((part) => part.includes("."))) return [{ path, value }];
  if (isRecord(value))
    return Object.entries(value)
      .filter(([key, inner]) => !(group === "mcp" && isServerInMcp(key, inner)))
      .flatMap(([key, inner]) => leavesAt([...path, key], inner, groups, report));
  if (value !== null) report.expected(path, "an object", value);
  return [];
}

/** Read by others, or, like `$schema`, by editors only. */
const ELSEWHERE = new Set(["rules", "mcpServers", "$schema"]);

function settingAt(path: readonly string[], table: SettingTable): string | undefined {
  if (path.some((part) => part.includes("."))) return undefined;
  const dotted = path.join(".");
  if (Object.hasOwn(table, dotted)) return dotted;
  return Object.hasOwn(ALIASES, dotted) ? ALIASES[dotted] : undefined;
}

function knownBeside(path: readonly string[], table: SettingTable, groups: ReadonlySet<string>): string[] {
  if (path.length === 1) {
    const topLevel = Object.keys(table).filter((key) => !key.includes("."));
    const outer = [...groups].filter((group) => !group.includes("."));
    const aliases = Object.keys(ALIASES).filter((alias) => !alias.includes("."));
    return [...topLevel, ...outer, ...aliases, "rules", "mcpServers"];
  }
  const group = `${path.slice(0, -1).join(".")}.`;
  const inGroup = [...Object.keys(table), ...groups].filter((key) => key.startsWith(group));
  return [...new Set(inGroup.map((key) => key.slice(group.length).split(".")[0]!))];
}
