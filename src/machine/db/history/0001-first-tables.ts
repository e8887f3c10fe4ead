import type { CreateTableBuilder } from "kysely";
import type { ColumnTypes, Migration } from "./migration.ts";

export const firstTables: Migration = {
  name: "0001-first-tables",
  async up(db, types) {
    for (const [name, columns, constraints] of TABLES) {
      const table = addColumns(db.schema.createTable(name), columns, types);
      await addConstraints(table, name, constraints).execute();
    }
    for (const [table, columns] of INDEXES) {
      await db.schema
        .createIndex(`${table}_by_${columns.join("_")}`)
        .on(table)
        .columns(columns)
        .execute();
    }
    await db.insertInto("revision").values({ id: 1, value: 1 }).execute();
  },
};

type Table = CreateTableBuilder<string, string>;
type Columns = Record<string, keyof ColumnTypes | `${keyof ColumnTypes}?`>;

interface Constraints {
  readonly key: string[];
  readonly unique?: string;
  readonly refers?: { column: string; to: string; onDelete: "cascade" | "set null" };
}

/** A question mark lets a column be null. */
const TABLES: [name: string, columns: Columns, constraints: Constraints][] = [
  ["revision", { id: "number", value: "number" }, { key: ["id"] }],
  [
    "agents",
    {
      id: "text",
      name: "text",
      description: "text",
      parent_id: "text?",
      toolboxes: "text",
      grants: "text",
      folders: "text",
      created_at: "number",
      updated_at: "number",
    },
    { key: ["id"], unique: "name", refers: { column: "parent_id", to: "agents", onDelete: "set null" } },
  ],
  [
    "tokens",
    {
      id: "text",
      kind: "text",
      agent_id: "text?",
      label: "text",
      hash: "text",
      hint: "text",
      scopes: "text?",
      created_at: "number",
      expires_at: "number?",
      last_used_at: "number?",
    },
    { key: ["id"], unique: "hash", refers: { column: "agent_id", to: "agents", onDelete: "cascade" } },
  ],
  [
    "toolboxes",
    {
      name: "text",
      description: "text",
      tools: "text",
      builtin: "flag",
      created_at: "number",
      updated_at: "number",
    },
    { key: ["name"] },
  ],
  [
    "servers",
    {
      id: "text",
      name: "text",
      prefix: "text",
      origin: "text",
      config: "text?",
      sealed: "bytes?",
      env_keys: "text",
      header_keys: "text",
      enabled: "flag",
      status: "text",
      approved_fingerprint: "text?",
      added_by: "text?",
      era: "text?",
      instructions: "text?",
      listed_at: "number?",
      last_error: "text?",
      created_at: "number",
      updated_at: "number",
    },
    { key: ["id"], unique: "name" },
  ],
  [
    "server_tools",
    { server_id: "text", position: "number", original_name: "text", definition: "text" },
    { key: ["server_id", "position"], refers: { column: "server_id", to: "servers", onDelete: "cascade" } },
  ],
  [
    // Refers to no server on purpose: a name stays taken after its server is gone.
    "tool_names",
    { server_id: "text", original_name: "text", name: "text" },
    { key: ["server_id", "original_name"], unique: "name" },
  ],
  [
    "secrets",
    { name: "text", sealed: "bytes", created_at: "number", updated_at: "number" },
    { key: ["name"] },
  ],
  [
    "questions",
    {
      id: "text",
      kind: "text",
      agent_id: "text",
      digest: "text",
      prompt: "text",
      details: "text",
      state: "text",
      answer: "text?",
      created_at: "number",
      expires_at: "number",
      answered_at: "number?",
    },
    { key: ["id"] },
  ],
  [
    "notifications",
    {
      id: "text",
      agent_id: "text?",
      level: "text",
      title: "text",
      body: "text",
      created_at: "number",
      dismissed_at: "number?",
    },
    { key: ["id"] },
  ],
  [
    "tasks",
    {
      id: "text",
      agent_id: "text",
      title: "text",
      status: "text",
      note: "text",
      created_at: "number",
      updated_at: "number",
    },
    { key: ["id"] },
  ],
  [
    "todos",
    { agent_id: "text", conversation: "text", items: "text", updated_at: "number" },
    { key: ["agent_id", "conversation"] },
  ],
  [
    "messages",
    {
      id: "text",
      from_agent_id: "text",
      to_agent_id: "text",
      text: "text",
      created_at: "number",
      read_at: "number?",
    },
    { key: ["id"] },
  ],
  [
    "attachments",
    {
      id: "text",
      agent_id: "text",
      conversation: "text",
      name: "text",
      mime_type: "text",
      bytes: "number",
      path: "text",
      note: "text",
      created_at: "number",
    },
    { key: ["id"] },
  ],
  [
    "calls",
    {
      id: "text",
      agent_id: "text",
      token_id: "text?",
      conversation: "text",
      via: "text",
      requested: "text",
      tool: "text?",
      arguments: "text",
      decision: "text?",
      rule: "text?",
      outcome: "text?",
      error: "text?",
      started_at: "number",
      duration_ms: "number?",
    },
    { key: ["id"] },
  ],
  ["trust", { path: "text", sha256: "text", at: "number" }, { key: ["path"] }],
];

const INDEXES: [table: string, columns: string[]][] = [
  ["agents", ["parent_id"]],
  ["tokens", ["agent_id"]],
  ["questions", ["digest", "state"]],
  ["questions", ["state", "created_at"]],
  ["questions", ["agent_id", "created_at"]],
  ["notifications", ["created_at"]],
  ["tasks", ["agent_id", "created_at"]],
  ["messages", ["to_agent_id", "created_at"]],
  ["attachments", ["created_at"]],
  ["attachments", ["agent_id", "created_at"]],
  ["calls", ["started_at"]],
  ["calls", ["agent_id", "started_at"]],
  ["calls", ["tool", "started_at"]],
];

function addColumns(table: Table, columns: Columns, types: ColumnTypes): Table {
  return Object.entries(columns).reduce((built, [name, column]) => {
    const optional = column.endsWith("?");
    const type = types[column.replace("?", "") as "text" | "bytes" | "number" | "flag"];
    return built.addColumn(name, type, (definition) => (optional ? definition : definition.notNull()));
  }, table);
}

function addConstraints(table: Table, name: string, { key, unique, refers }: Constraints): Table {
  let built = table.addPrimaryKeyConstraint(`${name}_key`, key);
  if (unique) built = built.addUniqueConstraint(`${name}_unique_${unique}`, [unique]);
  if (!refers) return built;
  // Checked when the transaction ends, so that a restore may insert rows in any order.
  return built.addForeignKeyConstraint(
    `${name}_refers_${refers.to}`,
    [refers.column],
    refers.to,
    ["id"],
    (reference) => reference.onDelete(refers.onDelete).deferrable().initiallyDeferred(),
  );
}
