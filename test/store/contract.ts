import { describe } from "vitest";
import { accessContract } from "./contract/access.ts";
import { activationsContract } from "./contract/activations.ts";
import { auditContract } from "./contract/audit.ts";
import { consentsContract } from "./contract/consents.ts";
import { dumpContract } from "./contract/dump.ts";
import { embeddingsContract } from "./contract/embeddings.ts";
import { humanContract } from "./contract/human.ts";
import { memoriesContract } from "./contract/memories.ts";
import { outputsContract } from "./contract/outputs.ts";
import { projectsContract } from "./contract/projects.ts";
import { pruneContract } from "./contract/prune.ts";
import { serversContract } from "./contract/servers.ts";
import { toolUsesContract } from "./contract/tool-uses.ts";
import { valuesContract } from "./contract/values.ts";
import { workContract } from "./contract/work.ts";
import type { FreshStore } from "./stores.ts";

/** What every dialect must do; each test gets an empty store of its own. */
export function storeContract(fresh: FreshStore): void {
  describe("agents, tokens and toolboxes", () => accessContract(fresh));
  describe("consents", () => consentsContract(fresh));
  describe("servers and tool names", () => serversContract(fresh));
  describe("secrets, questions and notifications", () => humanContract(fresh));
  describe("tasks, to-dos, messages and attachments", () => workContract(fresh));
  describe("projects, tickets and notes", () => projectsContract(fresh));
  describe("memories", () => memoriesContract(fresh));
  describe("activated tools", () => activationsContract(fresh));
  describe("kept outputs", () => outputsContract(fresh));
  describe("embeddings", () => embeddingsContract(fresh));
  describe("uses of tools", () => toolUsesContract(fresh));
  describe("calls and trust", () => auditContract(fresh));
  describe("what has become old", () => pruneContract(fresh));
  describe("values", () => valuesContract(fresh));
  describe("dump and load", () => dumpContract(fresh));
}
