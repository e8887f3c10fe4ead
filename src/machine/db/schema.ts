/**
 * The tables as they are now. `migrations/` leads to this; `row.ts` and `dump.ts` read it to know what a column
 * holds. Column names are camel case here and snake case in the database.
 */

import type { Column, Kind } from "./query/column.ts";
import { MEMORY_TABLES } from "./tables/knowledge/memory-tables.ts";
import type { KnowledgeSchema } from "./tables/knowledge-index/schema.ts";

export type { Column, Kind };

/** Ordered so that each table comes after those it refers to. */
export const TABLES = {
  agents: {
    id: "text",
    name: "text",
    description: "text",
    parentId: "text?",
    scout: "flag",
    toolboxes: "json",
    grants: "json",
    folders: "json",
    createdAt: "number",
    updatedAt: "number",
    pins: "json",
    model: "text?",
    headless: "flag",
    localModel: "flag",
    coordinator: "flag",
  },
  consents: {
    id: "text",
    agentId: "text",
    clientId: "text",
    clientName: "text",
    scopes: "json",
    resource: "text",
    createdAt: "number",
    expiresAt: "number",
  },
  consentKeys: {
    hash: "text",
    consentId: "text",
    kind: "text",
    salt: "text",
    challenge: "text?",
    redirectUri: "text?",
    createdAt: "number",
    expiresAt: "number",
    usedAt: "number?",
  },
  tokens: {
    id: "text",
    kind: "text",
    agentId: "text?",
    label: "text",
    hash: "text",
    hint: "text",
    scopes: "json?",
    createdAt: "number",
    expiresAt: "number?",
    lastUsedAt: "number?",
    consentId: "text?",
    resource: "text?",
    requestsPerMinute: "number?",
    role: "text?",
    interactive: "flag",
  },
  people: {
    id: "text",
    name: "text",
    role: "text",
    createdAt: "number",
    lastSeenAt: "number?",
    disabled: "flag",
  },
  sessions: {
    id: "text",
    personId: "text",
    hash: "text",
    label: "text",
    createdAt: "number",
    expiresAt: "number",
    lastUsedAt: "number",
  },
  loginCodes: { hash: "text", personId: "text", createdAt: "number", expiresAt: "number" },
  toolboxes: {
    name: "text",
    description: "text",
    tools: "json",
    builtin: "flag",
    createdAt: "number",
    updatedAt: "number",
  },
  servers: {
    id: "text",
    name: "text",
    prefix: "text",
    origin: "text",
    config: "json?",
    sealed: "bytes?",
    envKeys: "json",
    headerKeys: "json",
    enabled: "flag",
    status: "text",
    approvedFingerprint: "text?",
    addedBy: "text?",
    era: "json?",
    instructions: "text?",
    asksBack: "flag",
    auth: "bytes?",
    listedAt: "number?",
    lastError: "text?",
    failedAt: "number?",
    createdAt: "number",
    updatedAt: "number",
  },
  serverTools: {
    serverId: "text",
    position: "number",
    originalName: "text",
    definition: "json",
    fingerprint: "text?",
  },
  serverOffers: { serverId: "text", kind: "text", position: "number", definition: "json" },
  pins: {
    serverId: "text",
    kind: "text",
    key: "text",
    accepted: "text?",
    acceptedAs: "json?",
    held: "text?",
    heldAs: "json?",
    rejected: "text?",
    changedAt: "number",
  },
  toolCapabilities: {
    serverId: "text",
    originalName: "text",
    capabilities: "json",
    setAt: "number",
  },
  toolNames: { serverId: "text", originalName: "text", name: "text" },
  notifications: {
    id: "text",
    agentId: "text?",
    level: "text",
    title: "text",
    body: "text",
    createdAt: "number",
    dismissedAt: "number?",
  },
  todos: { agentId: "text", conversation: "text", items: "json", updatedAt: "number" },
  activations: {
    id: "text",
    agentId: "text",
    conversation: "text",
    tool: "text",
    tokenId: "text?",
    usedAt: "number",
  },
  ...MEMORY_TABLES,
  attachments: {
    id: "text",
    agentId: "text",
    conversation: "text",
    name: "text",
    mimeType: "text",
    bytes: "number",
    path: "text",
    note: "text",
    createdAt: "number",
  },
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
  sources: {
    id: "text",
    name: "text",
    kind: "text",
    config: "json",
    label: "text?",
    enabled: "flag",
    lastSync: "json?",
    createdAt: "number",
    updatedAt: "number",
  },
  outputs: {
    id: "text",
    agentId: "text",
    conversation: "text",
    chars: "number",
    bytes: "number",
    createdAt: "number",
    labels: "json",
  },
  outputPieces: { outputId: "text", position: "number", text: "text" },
  toolUses: {
    id: "text",
    agentId: "text",
    term: "text",
    tool: "text",
    count: "number",
    usedAt: "number",
  },
  embeddings: { id: "text", model: "text", vector: "bytes", usedAt: "number" },
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

/** What Kysely sees: the tables of a dump, the two the store keeps for itself, and those of the index, which on SQLite has a file of its own. */
export type Schema = { [T in TableName]: Row<T> } & KnowledgeSchema & {
    migrations: { version: number; name: string; appliedAt: number };
    featureMigrations: { feature: string; number: number; name: string; appliedAt: number };
    /** One row; see `Store.revision`. */
    revision: { id: number; value: number };
  };
