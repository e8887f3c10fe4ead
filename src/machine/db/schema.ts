/**
 * The tables as they are now. `migrations/` leads to this; `row.ts` and `dump.ts` read it to know what a column
 * holds. Column names are camel case here and snake case in the database.
 */

import type { Column, Kind } from "./query/column.ts";

export type { Column, Kind };

/** Ordered so that each table comes after those it refers to. */
export const TABLES = {
  calls: {
    id: "text",
    agentId: "text",
    tokenId: "text?",
    conversation: "text",
    via: "text",
    requested: "text",
    tool: "text?",
    arguments: "text",
    decision: "text?",
    rule: "text?",
    outcome: "text?",
    error: "text?",
    startedAt: "number",
    durationMs: "number?",
    person: "text?",
    labels: "text?",
    approvalId: "text?",
    approvedBy: "text?",
    steps: "text?",
    chain: "text?",
    seq: "number?",
    mac: "text?",
  },
  auditChains: {
    id: "text",
    keyId: "text",
    label: "text",
    createdAt: "number",
    prunedSeq: "number",
    prunedMac: "text",
    mac: "text",
  },
  auditEntries: {
    chain: "text",
    seq: "number",
    mac: "text",
    kind: "text",
    at: "number",
    actor: "text?",
    subject: "text?",
    details: "text",
  },
  auditKey: { id: "number", sealed: "bytes", createdAt: "number" },
} as const satisfies Record<string, Record<string, Column>>;

export type TableName = keyof typeof TABLES;
export type ColumnName<T extends TableName> = keyof (typeof TABLES)[T] & string;

type Stored<C extends Column> = C extends `${infer K extends Kind}?`
  ? Stored<K> | null
  : C extends "text" | "json"
    ? string
    : C extends "bytes"
      ? Uint8Array
      : number;

export type Row<T extends TableName> = { [C in ColumnName<T>]: Stored<(typeof TABLES)[T][C] & Column> };

/** What Kysely sees: the tables of a dump, and those that the store keeps for itself. `knowledgeMigrations` belongs to the index of documents. */
export type Schema = { [T in TableName]: Row<T> } & {
  migrations: { version: number; name: string; appliedAt: number };
  knowledgeMigrations: Schema["migrations"];
  featureMigrations: { feature: string; number: number; name: string; appliedAt: number };
  /** One row; see `Store.revision`. */
  revision: { id: number; value: number };
};
