import type { CallRecord } from "../../../src/call/audit/contract.ts";
import type { ToolboxRecord } from "../../../src/call/catalog/toolboxes/contract.ts";
import type { ActivationRecord } from "../../../src/call/conversation/tables.ts";
import type {
  AgentRecord,
  ConsentKeyRecord,
  ConsentRecord,
  LoginCodeRecord,
  PersonRecord,
  SessionRecord,
  TokenRecord,
} from "../../../src/call/identity/contract.ts";
import type { QuestionRecord } from "../../../src/call/questions/contract.ts";
import type { SecretRecord } from "../../../src/call/vault/contract.ts";
import type { SourceRecord } from "../../../src/features/knowledge/contract.ts";
import type { ServerRecord } from "../../../src/servers/records.ts";

/** Far beyond 32 bits, as every real time is. */
export const NOW = 1_784_849_483_838;

export const agent = (name: string, change: Partial<AgentRecord> = {}): AgentRecord => ({
  id: `agt_${name}`,
  name,
  description: "",
  parentId: null,
  scout: false,
  toolboxes: [],
  grants: [],
  folders: [],
  pins: [],
  model: null,
  headless: false,
  localModel: false,
  coordinator: false,
  createdAt: NOW,
  updatedAt: NOW,
  ...change,
});

export const secretRecord = (name: string, change: Partial<SecretRecord> = {}): SecretRecord => ({
  name,
  sealed: Uint8Array.of(9),
  source: "value",
  bindings: null,
  earlier: null,
  setBy: null,
  createdAt: NOW,
  updatedAt: NOW,
  ...change,
});

export const activation = (tool: string, change: Partial<ActivationRecord> = {}): ActivationRecord => ({
  agentId: "agt_ada",
  conversation: "c1",
  tool,
  tokenId: null,
  usedAt: NOW,
  ...change,
});

export const token = (id: string, change: Partial<TokenRecord> = {}): TokenRecord => ({
  id,
  kind: "admin",
  agentId: null,
  label: "laptop",
  hash: `hash of ${id}`,
  hint: "wxyz",
  scopes: null,
  createdAt: NOW,
  expiresAt: null,
  lastUsedAt: null,
  consentId: null,
  resource: null,
  requestsPerMinute: null,
  role: null,
  interactive: false,
  ...change,
});

export const person = (name: string, change: Partial<PersonRecord> = {}): PersonRecord => ({
  id: `per_${name}`,
  name,
  role: "viewer",
  createdAt: NOW,
  lastSeenAt: null,
  disabled: false,
  ...change,
});

export const loginCode = (hash: string, change: Partial<LoginCodeRecord> = {}): LoginCodeRecord => ({
  hash,
  personId: "per_eve",
  createdAt: NOW,
  expiresAt: NOW + 600_000,
  ...change,
});

export const session = (id: string, change: Partial<SessionRecord> = {}): SessionRecord => ({
  id,
  personId: "per_eve",
  hash: `hash of ${id}`,
  label: "a browser",
  createdAt: NOW,
  expiresAt: NOW + 60_000,
  lastUsedAt: NOW,
  ...change,
});

export const consent = (id: string, change: Partial<ConsentRecord> = {}): ConsentRecord => ({
  id,
  agentId: "agt_ada",
  clientId: "https://client.example/id.json",
  clientName: "A client",
  scopes: ["files", "mcp"],
  resource: "/mcp",
  createdAt: NOW,
  expiresAt: NOW + 60_000,
  ...change,
});

export const consentKey = (hash: string, change: Partial<ConsentKeyRecord> = {}): ConsentKeyRecord => ({
  hash,
  consentId: "con_1",
  kind: "refresh",
  salt: "salt",
  challenge: null,
  redirectUri: null,
  createdAt: NOW,
  expiresAt: NOW + 60_000,
  usedAt: null,
  ...change,
});

export const toolbox = (name: string, change: Partial<ToolboxRecord> = {}): ToolboxRecord => ({
  name,
  description: "",
  tools: ["read_file"],
  builtin: false,
  createdAt: NOW,
  updatedAt: NOW,
  ...change,
});

export const server = (name: string, change: Partial<ServerRecord> = {}): ServerRecord => ({
  id: `srv_${name}`,
  name,
  prefix: name,
  origin: "stored",
  config: { transport: "stdio", command: "npx", args: ["-y", "x"] },
  sealed: null,
  envKeys: [],
  headerKeys: [],
  enabled: true,
  status: "active",
  approvedFingerprint: null,
  addedBy: null,
  era: null,
  instructions: null,
  asksBack: false,
  auth: null,
  listedAt: null,
  lastError: null,
  failedAt: null,
  createdAt: NOW,
  updatedAt: NOW,
  ...change,
});

export const question = (id: string, change: Partial<QuestionRecord> = {}): QuestionRecord => ({
  id,
  kind: "human",
  agentId: "agt_a",
  digest: `digest of ${id}`,
  prompt: "Which colour?",
  details: { choices: ["red", "blue"] },
  state: "pending",
  answer: null,
  createdAt: NOW,
  expiresAt: NOW + 60_000,
  answeredAt: null,
  settlement: null,
  batchId: null,
  ...change,
});

export const call = (id: string, change: Partial<CallRecord> = {}): CallRecord => ({
  id,
  agentId: "agt_a",
  tokenId: null,
  conversation: "c1",
  via: "mcp",
  requested: "read_file",
  tool: "read_file",
  arguments: "{}",
  decision: "allow",
  rule: null,
  outcome: "ok",
  error: null,
  startedAt: NOW,
  durationMs: 12,
  person: null,
  labels: null,
  approvalId: null,
  approvedBy: null,
  steps: null,
  chain: null,
  seq: null,
  mac: null,
  ...change,
});

export const source = (name: string, change: Partial<SourceRecord> = {}): SourceRecord => ({
  id: `src_${name}`,
  name,
  kind: "folder",
  config: { path: "/documents" },
  label: null,
  enabled: true,
  lastSync: null,
  createdAt: NOW,
  updatedAt: NOW,
  ...change,
});
