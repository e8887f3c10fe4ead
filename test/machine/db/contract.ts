import { describe } from "vitest";
import { accessContract } from "./contract/access.ts";
import { activationsContract } from "./contract/activations.ts";
import { auditContract } from "./contract/audit.ts";
import { chainContract } from "./contract/audit-chain.ts";
import { consentsContract } from "./contract/consents.ts";
import { dumpContract } from "./contract/dump.ts";
import { embeddingsContract } from "./contract/embeddings.ts";
import { humanContract } from "./contract/human.ts";
import { labelsContract } from "./contract/labels.ts";
import { memoriesContract } from "./contract/memories.ts";
import { outputsContract } from "./contract/outputs.ts";
import { peopleContract } from "./contract/people.ts";
import { pinsContract } from "./contract/pins.ts";
import { projectsContract } from "./contract/projects.ts";
import { pruneContract } from "./contract/prune.ts";
import { rulesContract } from "./contract/rules.ts";
import { serversContract } from "./contract/servers.ts";
import { sourcesContract } from "./contract/sources.ts";
import { toolUsesContract } from "./contract/tool-uses.ts";
import { valuesContract } from "./contract/values.ts";
import { workContract } from "./contract/work.ts";
import type { FreshStore } from "./stores.ts";

/** What every dialect must do; each test gets an empty store of its own. */
export function storeContract(fresh: FreshStore): void {
  describe("agents, tokens and toolboxes", () => accessContract(fresh));
  describe("people, their sessions and links", () => peopleContract(fresh));
  describe("consents", () => consentsContract(fresh));
  describe("servers and tool names", () => serversContract(fresh));
  describe("secrets, questions and notifications", () => humanContract(fresh));
  describe("tasks, to-dos, messages and attachments", () => workContract(fresh));
  describe("projects, tickets and notes", () => projectsContract(fresh));
  describe("memories", () => memoriesContract(fresh));
  describe("activated tools", () => activationsContract(fresh));
  describe("kept outputs", () => outputsContract(fresh));
  describe("embeddings", () => embeddingsContract(fresh));
  describe("pins", () => pinsContract(fresh));
  describe("uses of tools", () => toolUsesContract(fresh));
  describe("labels of conversations", () => labelsContract(fresh));
  describe("sources", () => sourcesContract(fresh));
  describe("rules", () => rulesContract(fresh));
  describe("calls and trust", () => auditContract(fresh));
  describe("the chain of the audit", () => chainContract(fresh));
  describe("what has become old", () => pruneContract(fresh));
  describe("values", () => valuesContract(fresh));
  describe("dump and load", () => dumpContract(fresh));
}
