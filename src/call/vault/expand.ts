import { err, ok, type Result } from "../../lib/result.ts";
import type { Arguments, SecretInfo, SecretRefusal, SecretUse, Vault } from "../../vault/vault.ts";
import { staysWithin, withheld } from "./bindings.ts";
import { secretsNamedIn, withSecretValues } from "./placeholder.ts";
import { SHORTEST_REDACTED } from "./redaction/value-forms.ts";

export interface ExpandDeps {
  readonly infoOf: (name: string) => SecretInfo | undefined;
  readonly read: Vault["read"];
}

/** See `Vault.expand`. All that is refused is refused before any value is read, but for where the call goes. */
export async function expand(
  args: Arguments,
  use: SecretUse,
  { infoOf, read }: ExpandDeps,
): Promise<Result<Arguments, SecretRefusal>> {
  const secrets: SecretInfo[] = [];
  for (const name of secretsNamedIn(args)) {
    const info = infoOf(name);
    if (!info) return err(unknown(name));
    const why = withheld(info, use);
    if (why !== undefined) return err(denied(name, why));
    secrets.push(info);
  }
  const values = new Map<string, string>();
  for (const { name } of secrets) {
    const value = await read(name);
    if (!value.ok) return err(notRead(name, value.error));
    if (value.value.length < SHORTEST_REDACTED) return err(denied(name, TOO_SHORT));
    values.set(name, value.value);
  }
  const filled = withSecretValues(args, values);
  const kept = secrets.find(({ bindings }) => !staysWithin(bindings, filled, use));
  return kept ? err(denied(kept.name, "is not bound to every host that this call goes to")) : ok(filled);
}

const TOO_SHORT = `has fewer than ${SHORTEST_REDACTED} characters, which could not be kept out of results`;

function unknown(name: string): SecretRefusal {
  return {
    outcome: "invalid_arguments",
    message: `there is no secret ${name}`,
    remedy: `list_secrets names those there are; prompt_secret asks a person for one. To pass on the text itself, write {{\\secret:${name}}}.`,
  };
}

function denied(name: string, why: string): SecretRefusal {
  return {
    outcome: "denied",
    message: `the secret ${name} ${why}`,
    remedy: `Use it where it is bound; only a person can widen that: toolkeep secret bind ${name}. To pass on the text itself, write {{\\secret:${name}}}.`,
  };
}

function notRead(name: string, problem: string): SecretRefusal {
  return {
    outcome: "unavailable",
    message: `the secret ${name} cannot be read: ${problem}`,
    remedy: `A person has to look at it: toolkeep secret show ${name}.`,
  };
}
