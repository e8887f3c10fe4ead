import { type CallStep, STEP_NAMES } from "../../../call/audit/call-steps.ts";
import { FINDING_KINDS, type Finding } from "../../../call/audit/findings.ts";
import type { Verification, VerifiedChain } from "../../../call/audit/verify.ts";
import type * as contract from "../contract.ts";
import {
  anyOfTexts,
  count,
  listOf,
  oneOf,
  optional,
  orNull,
  ref,
  shape,
  text,
  time,
  yesNo,
} from "./shape.ts";

type Check = Exclude<contract.AuditCheck, { state: "none" }>;

const finding = shape<Finding>({
  kind: anyOfTexts(FINDING_KINDS),
  place: { type: "string", description: "`chain:seq`, or the chain." },
  message: text,
  callId: optional(text),
});
const micros = { ...count, description: "Microseconds since the call began." };
const next = { ...orNull(text), description: "The cursor of the next page; null: there is no more." };

/** What happened, and whether it is as it was written. */
export const auditAnswers = {
  AuditPage: shape<contract.AuditPage>({ calls: listOf(ref("CallView")), next }),
  ActionView: shape<contract.ActionView>(
    {
      chain: text,
      seq: count,
      mac: text,
      kind: text,
      at: time,
      actor: { ...orNull(text), description: "Who did it; null: Toolkeep itself." },
      subject: { ...orNull(text), description: "What it was done to." },
      details: {},
    },
    "What was done beside calls.",
  ),
  ActionPage: shape<contract.ActionPage>({ actions: listOf(ref("ActionView")), next }),
  AuditedCall: shape<contract.AuditedCall>({
    call: ref("CallView"),
    intent: orNull(ref("ActionView")),
    timeline: listOf(
      shape<CallStep>({ name: anyOfTexts(STEP_NAMES), from: micros, to: micros }, "Where the time went."),
    ),
  }),
  AuditTail: shape<contract.AuditTail>({ calls: listOf(ref("CallView")), cursor: text }),
  AuditCheck: oneOf(
    shape<Check>(
      {
        state: anyOfTexts(["running", "done", "failed"]),
        startedAt: time,
        endedAt: orNull(time),
        checked: count,
        total: count,
        result: optional(
          shape<Verification>({
            checked: count,
            chains: listOf(
              shape<VerifiedChain>({
                id: text,
                label: text,
                createdAt: time,
                prunedSeq: count,
                lastSeq: count,
                own: yesNo,
              }),
            ),
            findings: listOf(finding),
            found: count,
            acknowledged: listOf(finding),
            acknowledgedCount: count,
            unreadable: count,
            unchained: count,
            lost: count,
          }),
        ),
        error: optional(text),
      },
      "A check of the whole audit: the one that runs, or the last one.",
    ),
    shape<{ state: "none" }>({ state: { const: "none" } }, "Nobody has asked for one yet."),
  ),
};
