import { firstTables } from "./0001-first-tables.ts";
import { serverOffers } from "./0002-server-offers.ts";
import { consents } from "./0003-consents.ts";
import { replicas } from "./0004-replicas.ts";
import { scouts } from "./0005-scouts.ts";
import { projects } from "./0006-projects.ts";
import { memories } from "./0007-memories.ts";
import { customTools } from "./0008-custom-tools.ts";
import { plugins } from "./0009-plugins.ts";
import { outputs } from "./0010-outputs.ts";
import { embeddings } from "./0011-embeddings.ts";
import { activations } from "./0012-activations.ts";
import { toolUses } from "./0013-tool-uses.ts";
import { people } from "./0014-people.ts";
import { auditChain } from "./0015-audit-chain.ts";
import { approvals } from "./0016-approvals.ts";
import { secretBindings } from "./0017-secret-bindings.ts";
import { rules } from "./0018-rules.ts";
import { labels } from "./0019-labels.ts";
import { pins } from "./0020-pins.ts";
import { answerRules } from "./0021-answer-rules.ts";
import { toolFingerprints } from "./0022-tool-fingerprints.ts";
import { callSteps } from "./0023-call-steps.ts";
import { sources } from "./0024-sources.ts";
import { memoryHistory } from "./0025-memory-history.ts";
import { contentLabels } from "./0026-content-labels.ts";
import { agentSeats } from "./0027-agent-seats.ts";
import { failedServers } from "./0028-failed-servers.ts";
import type { Migration } from "./migration.ts";

/** In order; the schema version is the count of them. Append only. */
export const MIGRATIONS: readonly Migration[] = [
  firstTables,
  serverOffers,
  consents,
  replicas,
  scouts,
  projects,
  memories,
  customTools,
  plugins,
  outputs,
  embeddings,
  activations,
  toolUses,
  people,
  auditChain,
  approvals,
  secretBindings,
  rules,
  labels,
  pins,
  answerRules,
  toolFingerprints,
  callSteps,
  sources,
  memoryHistory,
  contentLabels,
  agentSeats,
  failedServers,
];

export const SCHEMA_VERSION = MIGRATIONS.length;
