import { secretsNamedIn } from "../../call/vault/placeholder.ts";
import type { Hub } from "../../hub.ts";

/** What reads which secrets beside the arguments of calls, by the name of the secret. */
export function secretUsers(hub: Pick<Hub, "features" | "settings">): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  const uses = (user: string, secrets: readonly string[]) => {
    for (const secret of secrets) users.set(secret, [...(users.get(secret) ?? []), user]);
  };
  for (const { user, secrets } of hub.features.flatMap((feature) => feature.usesOfSecrets?.() ?? []))
    uses(user, secrets);
  const { approvals, embeddings, web, telemetry } = hub.settings;
  uses("setting approvals.webhook_secret", secretsNamedIn(approvals.webhookSecret));
  uses("setting web.search.api_key", secretsNamedIn(web.search.apiKey));
  uses("setting embeddings.api_key", secretsNamedIn(embeddings.apiKey));
  uses("setting telemetry.otlp_headers", secretsNamedIn(telemetry.otlpHeaders));
  return users;
}
