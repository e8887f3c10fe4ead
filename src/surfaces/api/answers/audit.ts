import { type CallStep, STEP_NAMES } from "../../../call/audit/call-audit.ts";
import { FINDING_KINDS, type Finding } from "../../../call/audit/findings.ts";
import type { Verification, VerifiedChain } from "../../../call/audit/verify.ts";
import type * as contract from "../contract.ts";
import * as s from "./shape.ts";

type Check = Exclude<contract.AuditCheck, { state: "none" }>;

const finding = s.shape<Finding>({
  kind: s.anyOfTexts(FINDING_KINDS),
  place: { type: "string", description: "`chain:seq`, or the chain." },
  message: s.text,
  callId: s.optional(s.text),
});
const micros = { ...s.count, description: "Microseconds since the call began." };
const next = { ...s.orNull(s.text), description: "The cursor of the next page; null: there is no more." };

/** What happened, and whether it is as it was written. */
export const auditAnswers = {
  AuditPage: s.shape<contract.AuditPage>({ calls: s.listOf(s.ref("CallView")), next }),
  ActionView: s.shape<contract.ActionView>(
    {
      chain: s.text,
      seq: s.count,
      mac: s.text,
      kind: s.text,
      at: s.time,
      actor: { ...s.orNull(s.text), description: "Who did it; null: Toolkeep itself." },
      subject: { ...s.orNull(s.text), description: "What it was done to." },
      details: {},
    },
    "What was done beside calls.",
  ),
  ActionPage: s.shape<contract.ActionPage>({ actions: s.listOf(s.ref("ActionView")), next }),
  AuditedCall: s.shape<contract.AuditedCall>({
    call: s.ref("CallView"),
    intent: s.orNull(s.ref("ActionView")),
    timeline: s.listOf(
      s.shape<CallStep>({ name: s.anyOfTexts(STEP_NAMES), from: micros, to: micros }, "Where the time went."),
    ),
  }),
  AuditTail: s.shape<contract.AuditTail>({ calls: s.listOf(s.ref("CallView")), cursor: s.text }),
  AuditCheck: s.oneOf(
    s.shape<Check>(
      {
        state: s.anyOfTexts(["running", "done", "failed"]),
        startedAt: s.time,
        endedAt: s.orNull(s.time),
        checked: s.count,
        total: s.count,
        result: s.optional(
          s.shape<Verification>({
            checked: s.count,
            chains: s.listOf(
              s.shape<VerifiedChain>({
                id: s.text,
                label: s.text,
                createdAt: s.time,
                prunedSeq: s.count,
                lastSeq: s.count,
                own: s.yesNo,
              }),
            ),
            findings: s.listOf(finding),
            found: s.count,
            acknowledged: s.listOf(finding),
            acknowledgedCount: s.count,
            unreadable: s.count,
            unchained: s.count,
            lost: s.count,
          }),
        ),
        error: s.optional(s.text),
      },
      "A check of the whole audit: the one that runs, or the last one.",
    ),
    s.shape<{ state: "none" }>({ state: { const: "none" } }, "Nobody has asked for one yet."),
  ),
};
