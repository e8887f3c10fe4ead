/**
 * The tables as they are now. `migrations/` leads to this; `row.ts` and `dump.ts` read it to know what a column
 * holds. Column names are camel case here and snake case in the database.
 */

/** `json` is text, `flag` is 0 or 1, `number` is whole; a question mark lets a column be null. */
export type Column = Kind | `${Kind}?`;
export type Kind = "text" | "number" | "flag" | "json" | "bytes";

/** Ordered so that each table comes after those it refers to. */
export const TABLES = {
  agents: {
    id: "text",
    name: "text",
    description: "text",
    parentId: "text?",
    toolboxes: "json",
    grants: "json",
    folders: "json",
    createdAt: "number",
    updatedAt: "number",
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
  },
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
    createdAt: "number",
    updatedAt: "number",
  },
  serverTools: { serverId: "text", position: "number", originalName: "text", definition: "json" },
  serverOffers: { serverId: "text", kind: "text", position: "number", definition: "json" },
  toolNames: { serverId: "text", originalName: "text", name: "text" },
  secrets: { name: "text", sealed: "bytes", createdAt: "number", updatedAt: "number" },
  vaultKey: { id: "number", sealed: "bytes", createdAt: "number" },
  claims: { id: "text", expiresAt: "number" },
  questions: {
    id: "text",
    kind: "text",
    agentId: "text",
    digest: "text",
    prompt: "text",
    details: "json",
    state: "text",
    answer: "text?",
    createdAt: "number",
    expiresAt: "number",
    answeredAt: "number?",
  },
  notifications: {
    id: "text",
    agentId: "text?",
    level: "text",
    title: "text",
    body: "text",
    createdAt: "number",
    dismissedAt: "number?",
  },
  tasks: {
    id: "text",
    agentId: "text",
    title: "text",
    status: "text",
    note: "text",
    createdAt: "number",
    updatedAt: "number",
  },
  todos: { agentId: "text", conversation: "text", items: "json", updatedAt: "number" },
  messages: {
    id: "text",
    fromAgentId: "text",
    toAgentId: "text",
    text: "text",
    createdAt: "number",
    readAt: "number?",
  },
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
  },
  trust: { path: "text", sha256: "text", at: "number" },
} as const satisfies Record<string, Record<string, Column>>;

export type TableName = keyof typeof TABLES;
export type ColumnName<T extends TableName> = keyof (typeof TABLES)[T] & string;

/** The primary keys: a dump is ordered by them. */
export const KEYS = {
  agents: ["id"],
  consents: ["id"],
  consentKeys: ["hash"],
  tokens: ["id"],
  toolboxes: ["name"],
  servers: ["id"],
  serverTools: ["serverId", "position"],
  serverOffers: ["serverId", "kind", "position"],
  toolNames: ["serverId", "originalName"],
  secrets: ["name"],
  vaultKey: ["id"],
  claims: ["id"],
  questions: ["id"],
  notifications: ["id"],
  tasks: ["id"],
  todos: ["agentId", "conversation"],
  messages: ["id"],
  attachments: ["id"],
  calls: ["id"],
  trust: ["path"],
} as const satisfies { [T in TableName]: readonly ColumnName<T>[] };

type Stored<C extends Column> = C extends `${infer K extends Kind}?`
  ? Stored<K> | null
  : C extends "text" | "json"
    ? string
    : C extends "bytes"
      ? Uint8Array
      : number;

export type Row<T extends TableName> = { [C in ColumnName<T>]: Stored<(typeof TABLES)[T][C] & Column> };

/** What Kysely sees: the tables of a dump, and the two the store keeps for itself. */
export type Schema = { [T in TableName]: Row<T> } & {
  migrations: { version: number; name: string; appliedAt: number };
  /** One row; see `Store.revision`. */
  revision: { id: number; value: number };
};
