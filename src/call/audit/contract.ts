/** The shapes of the audit: records of calls, entries about everything else, what people ask for, what they get. */

import { z } from "zod";
import { bytes, count, type Infer, optional, text, time } from "../../contract/shape.ts";
import { OUTCOMES } from "../../contract/tool.ts";

// Records. Together they are a chain: every record has a place in it, and a code made with a key over the record and the
// one before it. Whoever changes the database without the key is found out.

/** One call. Its place in a chain is in the same row. */
export const callRecord = z.object({
  id: z.string(),
  agentId: z.string(),
  tokenId: z.string().nullable(),
  conversation: z.string(),
  via: z.string(),
  requested: z.string().describe("The name that the caller used."),
  tool: z.string().nullable().describe("The tool that was found by that name; null: none."),
  arguments: z.string().describe("JSON, without secrets, cut at 4 kB."),
  decision: z.string().nullable().describe("allow, deny or ask; null: the call ended before."),
  rule: z.string().nullable(),
  outcome: z.enum(OUTCOMES).nullable().describe("Null: a destructive call is under way."),
  error: z.string().nullable(),
  startedAt: time,
  durationMs: count.nullable(),
  person: z
    .string()
    .nullable()
    .describe("The name of the person who called, or had the agent call; null: the agent itself."),
  labels: z
    .string()
    .nullable()
    .describe("The labels that its conversation had when the call was decided, with commas between."),
  approvalId: z.string().nullable().describe("The question by which a person was asked."),
  approvedBy: z.string().nullable(),
  /** When its steps were over, in microseconds since it began, with commas between (`stepsOf`). Null: not known. */
  steps: z.string().nullable(),
  chain: z.string().nullable().describe("Null: from before there were chains."),
  seq: count.nullable(),
  mac: z.string().nullable(),
});
export type CallRecord = Infer<typeof callRecord>;

/** Anything but a call: an intent, an act of a person, a loss … */
export const auditEntry = z.object({
  chain: z.string(),
  seq: count.describe("From 1, without gaps, over calls and entries of the chain together."),
  mac: z.string(),
  kind: z.string().describe("intent, opened, lost, or an act such as agent.created."),
  at: time,
  actor: z.string().nullable().describe("Who did it; null: Toolkeep itself."),
  subject: z.string().nullable().describe("What it was done to: an id or a name."),
  /** JSON. */
  details: z.string(),
});
export type AuditEntry = Infer<typeof auditEntry>;

/** There is one chain for each home that has written to the store. `mac` is over everything else. */
export const auditChain = z.object({
  id: z.string(),
  /** Which key its codes are made with; not the key. */
  keyId: z.string(),
  /** The machine and home that write it, for people. */
  label: z.string(),
  createdAt: time,
  prunedSeq: count.describe("Up to here its beginning was removed because it was old; 0: nothing was."),
  /** The code of the last record that was removed, which the next one was made with. */
  prunedMac: z.string(),
  mac: z.string(),
});
export type AuditChain = Infer<typeof auditChain>;

/** A key of the codes, for each key of the vault that the store was opened with. */
export const auditKey = z.object({ id: z.int(), sealed: bytes, createdAt: time });

// Requests

const name = text(200);
/** A time that is compared in the database, which takes no greater number. */
const moment = z.int().min(0).meta({ keepsBounds: true });
const times = { since: moment, until: moment };
const page = {
  limit: z.int().min(1).max(1_000),
  order: z.enum(["newest", "oldest"]),
  cursor: text(1_000).describe("The `next` of the page before."),
};
const callConditions = {
  agent: name,
  tool: name.describe("The tool that was found."),
  outcome: z.enum(OUTCOMES),
  decision: z.enum(["allow", "ask", "deny"]),
  conversation: name,
  text: name.describe("Part of the name of a tool."),
  ...times,
};
const actionConditions = {
  kind: name.describe("It may end with `*`."),
  actor: name,
  subject: name,
  ...times,
};

/** Conditions on calls; a call has to meet all that are given. */
export const callQuery = z.object(optional(callConditions));
/** Conditions on everything else. */
export const actionQuery = z.object(optional(actionConditions));
export const callPageQuery = callQuery.extend(optional(page));
export const actionPageQuery = actionQuery.extend(optional(page));
export const tailQuery = callQuery.extend(optional({ cursor: page.cursor }));
export const exportQuery = z.object({
  ...optional({ what: z.enum(["calls", "actions"]), ...callConditions, ...actionConditions }),
});
export const callListQuery = z.object(optional({ limit: page.limit, agent: name, tool: name }));
/** With a reason, what the check finds is acknowledged. */
export const verifyRequest = z.object({ acknowledge: z.string().max(200).exactOptional() });

export type CallQuery = Infer<typeof callQuery>;
export type ActionQuery = Infer<typeof actionQuery>;
export type CallPageQuery = Infer<typeof callPageQuery>;
export type ActionPageQuery = Infer<typeof actionPageQuery>;
export type CallListQuery = Infer<typeof callListQuery>;
export type VerifyRequest = Infer<typeof verifyRequest>;

// Answers: explicit picks, so that nothing of a record slips out.

export const callView = callRecord
  .pick({
    ...{ id: true, tokenId: true, conversation: true, via: true, requested: true, tool: true },
    ...{ arguments: true, decision: true, rule: true, outcome: true, error: true, startedAt: true },
    ...{ durationMs: true, person: true, labels: true, approvalId: true, approvedBy: true },
    ...{ chain: true, seq: true, mac: true },
  })
  .extend({ agent: z.string() })
  .meta({ id: "CallView" });
export type CallView = Infer<typeof callView>;

export const callList = z
  .object({ calls: z.array(callView) })
  .meta({ id: "CallList", description: "The audit, newest first." });
export type CallList = Infer<typeof callList>;

const next = z
  .string()
  .nullable()
  .describe(
    "The cursor of the next page; null: there is no more. A page may have fewer calls than asked for.",
  );

export const auditPage = z.object({ calls: z.array(callView), next }).meta({ id: "AuditPage" });
export type AuditPage = Infer<typeof auditPage>;

export const actionView = auditEntry
  .pick({ chain: true, seq: true, mac: true, kind: true, at: true, actor: true, subject: true })
  .extend({ details: z.unknown() })
  .meta({ id: "ActionView", description: "What was done beside calls." });
export type ActionView = Infer<typeof actionView>;

export const actionPage = z.object({ actions: z.array(actionView), next }).meta({ id: "ActionPage" });
export type ActionPage = Infer<typeof actionPage>;

const micros = count.describe("Microseconds since the call began.");
/** A call goes through these in this order; between `decide` and `run` it has either `ask` or `prepare`. */
const callStep = z
  .object({
    name: z.enum(["resolve", "repair", "decide", "ask", "prepare", "run", "record"]),
    from: micros,
    to: micros,
  })
  .describe("Where the time went.");
export type CallStep = Infer<typeof callStep>;

export const auditedCall = z
  .object({
    call: callView,
    intent: actionView.nullable().describe("What was written before it ran, where it was destructive."),
    timeline: z.array(callStep).describe("Empty where it is not known."),
  })
  .meta({ id: "AuditedCall" });
export type AuditedCall = Infer<typeof auditedCall>;

export const auditTail = z
  .object({
    calls: z.array(callView).describe("Recorded since the cursor, in that order."),
    cursor: z.string(),
  })
  .meta({ id: "AuditTail" });
export type AuditTail = Infer<typeof auditTail>;

/** Something that is not as it was written, or cannot be told. */
const auditFinding = z.object({
  kind: z
    .enum(["altered", "missing", "truncated", "foreign", "head", "break", "unreadable"])
    .describe(
      "altered: a record, a checkpoint or the head is not what was written. missing: records between others are gone. truncated: the newest records are gone, or a whole chain. foreign: somebody without the key wrote records. head: the file audit-head is gone or unreadable. break: a process found something like that when it began, and went on in a new chain. unreadable: written with a key that cannot be opened.",
    ),
  place: z.string().describe("`chain:seq`, or the chain where it is about all of it."),
  message: z.string(),
  callId: z.string().describe("The call, where it is about one.").exactOptional(),
});
export type AuditFinding = Infer<typeof auditFinding>;

const verifiedChain = auditChain.pick({ id: true, label: true, createdAt: true, prunedSeq: true }).extend({
  lastSeq: count,
  own: z
    .boolean()
    .describe(
      "This home writes it. Only its own home knows whether the newest records of a chain are there.",
    ),
});
export type VerifiedChain = Infer<typeof verifiedChain>;

const verification = z.object({
  checked: count,
  chains: z.array(verifiedChain),
  findings: z.array(auditFinding).describe("Not acknowledged, at most 200 of them."),
  found: count.describe("How many there are."),
  acknowledged: z
    .array(auditFinding)
    .describe("Looked at and acknowledged by a person, at most 200 of them."),
  acknowledgedCount: count,
  unreadable: count.describe("Records written with a key that cannot be opened: they cannot be checked."),
  unchained: count.describe("Calls from before there were chains: they cannot be checked."),
  lost: count.describe("Records that were lost while the store was down, as the chain says."),
});
export type Verification = Infer<typeof verification>;

const checkState = z
  .object({
    state: z.enum(["running", "done", "failed"]),
    startedAt: time,
    endedAt: time.nullable(),
    checked: count,
    total: count,
    ...optional({ result: verification, error: z.string() }),
  })
  .describe("A check of the whole audit: the one that runs, or the last one.");
export type CheckState = Infer<typeof checkState>;

export const auditCheck = z
  .union([checkState, z.object({ state: z.literal("none") }).describe("Nobody has asked for one yet.")])
  .meta({ id: "AuditCheck" });
export type AuditCheck = Infer<typeof auditCheck>;
