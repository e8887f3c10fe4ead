/** The settings of approvals: part of the table in `schema.ts`. */
import { httpUrl, text, wholeNumber } from "../document/expectation.ts";
import { SECONDS, setting } from "../setting.ts";

export const APPROVAL_SETTINGS = {
  "approvals.wait_secs": setting(wholeNumber(0, 300, "seconds"), {
    at: "approvals.waitMs",
    form: SECONDS,
    default: 30,
    project: "never",
    description:
      "How long a call that a person must approve waits for the answer, where its client follows progress; then it ends as `needs_approval`. 0: not at all.",
  }),
  "approvals.rejected_secs": setting(wholeNumber(0, 86_400, "seconds (a day at most)"), {
    at: "approvals.rejectedMs",
    form: SECONDS,
    default: 600,
    project: "never",
    description:
      "How long the same call after a rejection gets the same answer, without a person being asked again.",
  }),
  "approvals.webhook_url": setting(httpUrl(), {
    default: null,
    env: "TOOLKEEP_APPROVALS_WEBHOOK_URL",
    project: "never",
    description: "Where approvals are announced as they are asked for, with a link that answers one.",
  }),
  "approvals.webhook_secret": setting(text("a secret, or {{secret:NAME}} for one in the vault", 1_000), {
    default: null,
    env: "TOOLKEEP_APPROVALS_WEBHOOK_SECRET",
    project: "never",
    description:
      "What signs those announcements (HMAC-SHA256); better its name in the vault, as `{{secret:NAME}}`.",
  }),
} as const;
