import { ToolkeepError } from "../../../contract/errors.ts";
import type { Events } from "../../../contract/events.ts";
import { checkName } from "../../../contract/names.ts";
import type { Tool } from "../../../contract/tool.ts";
import type { Clock } from "../../../lib/clock.ts";
import { createSerial } from "../../../lib/flow/serial.ts";
import { nearest } from "../../../lib/nearest.ts";
import type { Store } from "../../../machine/db/store.ts";
import { covers, isPattern } from "../grants.ts";
import type { BuiltinToolbox } from "./builtin-toolboxes.ts";
import type { ToolboxInput, ToolboxRecord, ToolboxView } from "./contract.ts";
import { ToolboxTable } from "./tables.ts";

interface ToolboxesDeps {
  readonly store: Pick<Store, "database">;
  readonly tool: (name: string) => Tool | undefined;
  readonly isMatched: (pattern: string) => boolean;
  readonly agentsWith: (toolbox: string) => readonly string[];
  readonly onChange: () => void;
  readonly events: Events;
  readonly clock: Clock;
}

const MAX_TOOLS = 5_000;
const TOOL_NAME = /^[a-z0-9_]{1,64}$/;
/** `<origin>:<tool>` with `*`; the names of servers and their tools may have many more characters than ours. */
const PATTERN = /^\P{Cc}{1,200}$/u;

/** Named allow-lists of tools and patterns for tools, held in memory. */
export class Toolboxes {
  readonly #deps: ToolboxesDeps;
  readonly #table: ToolboxTable;
  readonly #serial = createSerial();
  #byName: ReadonlyMap<string, ToolboxRecord> = new Map();

  constructor(deps: ToolboxesDeps) {
    this.#deps = deps;
    this.#table = new ToolboxTable(deps.store.database);
  }

  get byName(): ReadonlyMap<string, ToolboxRecord> {
    return this.#byName;
  }

  /** Writes the built-in toolboxes as this version defines them. */
  async writeBuiltin(toolboxes: readonly BuiltinToolbox[]): Promise<void> {
    const now = this.#deps.clock();
    await this.#table.putBuiltin(
      toolboxes.map((toolbox) => ({ ...toolbox, builtin: true, createdAt: now, updatedAt: now })),
    );
    await this.reload();
  }

  /** One at a time, so that the older of two lists cannot be stored last. */
  reload(): Promise<void> {
    return this.#serial("reload", async () => {
      const records = await this.#table.list();
      this.#byName = new Map(records.map((record) => [record.name, record]));
      this.#deps.onChange();
    });
  }

  /** The names of the toolboxes that grant a tool. */
  namesGranting(tool: Tool): readonly string[] {
    return [...this.#byName.values()].filter(({ tools }) => covers(tool, tools)).map(({ name }) => name);
  }

  list(): readonly ToolboxView[] {
    return [...this.#byName.values()].map((record) => this.#view(record));
  }

  /** Throws NOT_FOUND with the nearest name. */
  get(name: string): ToolboxView {
    return this.#view(this.#record(name));
  }

  /** Throws what `create` would throw. */
  checkNew(name: string, { tools = [] }: ToolboxInput): void {
    checkName("toolbox", name);
    if (this.#byName.has(name))
      throw new ToolkeepError("NAME_TAKEN", `a toolbox named ${name} already exists`);
    checkTools(tools);
  }

  /** Throws what `update` and `delete` would throw. */
  checkChange(name: string, { tools = [] }: ToolboxInput): void {
    this.#assertWritable(name);
    checkTools(tools);
  }

  async create(name: string, input: ToolboxInput): Promise<ToolboxView> {
    this.checkNew(name, input);
    const now = this.#deps.clock();
    await this.#table.create({
      name,
      description: input.description ?? "",
      tools: checkTools(input.tools ?? []),
      builtin: false,
      createdAt: now,
      updatedAt: now,
    });
    return this.#afterChange(name);
  }

  /** With `since`: throws CHANGED if the toolbox was changed after that time. */
  async update(name: string, input: ToolboxInput, since?: number): Promise<ToolboxView> {
    this.#assertWritable(name);
    const { updatedAt } = this.#record(name);
    const change = {
      ...(input.description === undefined ? {} : { description: input.description }),
      ...(input.tools === undefined ? {} : { tools: checkTools(input.tools) }),
      // Always later than the previous change, because this time identifies a change.
      updatedAt: Math.max(this.#deps.clock(), updatedAt + 1),
    };
    await this.#table.update(name, change, since);
    return this.#afterChange(name);
  }

  /** Agents keep the name; it grants nothing until a toolbox of that name exists again. */
  async delete(name: string): Promise<void> {
    this.#assertWritable(name);
    await this.#table.delete(name);
    await this.reload();
    this.#deps.events.emit("toolbox.changed", { toolbox: name });
  }

  async #afterChange(name: string): Promise<ToolboxView> {
    await this.reload();
    this.#deps.events.emit("toolbox.changed", { toolbox: name });
    return this.get(name);
  }

  #record(name: string): ToolboxRecord {
    const record = this.#byName.get(name);
    if (record) return record;
    const guess = nearest(name, this.#byName.keys());
    throw new ToolkeepError(
      "NOT_FOUND",
      `no toolbox is named ${name}${guess ? `; did you mean ${guess}?` : ""}`,
      { remedy: "toolkeep toolbox list shows the toolboxes that exist." },
    );
  }

  #assertWritable(name: string): void {
    if (this.#record(name).builtin) {
      throw new ToolkeepError("READ_ONLY", `${name} is a built-in toolbox; it cannot be changed or deleted`);
    }
  }

  #view(record: ToolboxRecord): ToolboxView {
    const { tool, isMatched, agentsWith } = this.#deps;
    const names = record.tools.filter((entry) => entry !== "*" && !isPattern(entry));
    return {
      ...record,
      unknown: names.filter((name) => tool(name) === undefined),
      planned: names.filter((name) => tool(name)?.status().kind === "planned"),
      unmatched: record.tools.filter((entry) => isPattern(entry) && !isMatched(entry)),
      agents: agentsWith(record.name),
    };
  }
}

function checkTools(tools: readonly string[]): string[] {
  if (tools.length > MAX_TOOLS) {
    throw new ToolkeepError("BAD_REQUEST", `a toolbox holds at most ${MAX_TOOLS} tools; got ${tools.length}`);
  }
  const isAllowed = (tool: string) => tool === "*" || (isPattern(tool) ? PATTERN : TOOL_NAME).test(tool);
  const wrong = tools.find((tool) => !isAllowed(tool));
  if (wrong !== undefined) {
    throw new ToolkeepError(
      "BAD_REQUEST",
      `a toolbox lists full tool names (lower-case letters, digits, _), patterns such as mcp:github:*, or *; got ${JSON.stringify(wrong.slice(0, 80))}`,
    );
  }
  return [...new Set(tools)].sort();
}
