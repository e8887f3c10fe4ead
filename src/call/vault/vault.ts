import { ToolkeepError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { ownBindings, staysWithin, UNBOUND, withheld } from "./bindings.ts";
import type { SecretBindings, SecretRecord } from "./contract.ts";
import { mayNameSecrets, secretsNamedIn, withSecretValues } from "./placeholder.ts";
import { sealedFor } from "./purpose.ts";
import { type ReferenceDeps, readReference, readVariable } from "./read-reference.ts";
import { Redaction } from "./redaction/redaction.ts";
import { SHORTEST_REDACTED } from "./redaction/value-forms.ts";
import { parseReference, type Reference } from "./reference.ts";
import { openSecret, sealSecret } from "./sealed-secret.ts";
import { Sealing } from "./sealing.ts";
import type { Arguments, PutOptions, SecretInfo, SecretRefusal, SecretUse } from "./secret.ts";
import type { SecretTable } from "./tables.ts";

export interface VaultOptions {
  readonly store: Pick<SecretTable, keyof SecretTable>;
  /** 32 bytes, see `loadKey`; or the two of a home whose values are being sealed anew. */
  readonly key: Buffer | Sealing;
  readonly clock: Clock;
  /** How references are followed; absent: they are not, and cannot be read. */
  readonly references?: Omit<ReferenceDeps, "isSecret">;
  /** Told of every secret that was set, bound or deleted here. */
  readonly onChange?: (name: string) => void;
  /** A stored secret that this key does not open; it is left out and stays in the store. */
  readonly onUnreadable?: (name: string, error: unknown) => void;
}

/** How long what a file or a program said counts. */
const FRESH_MS = 30_000;
/** How many values that a secret had before are still never shown. */
const MAX_EARLIER = 4;
const MAX_ATTEMPTS = 5;

interface Secret extends SecretInfo {
  /** The value, or where it is. */
  readonly plain: string;
  /** Values it had before, newest first. */
  readonly earlier: readonly string[];
  /** As it lies in the store. */
  readonly sealed: Uint8Array;
}

interface Followed {
  readonly plain: string;
  readonly at: number;
  readonly value: Promise<Result<string, string>>;
}

/** Sealed values. Plain ones live in memory only. `seal` and `unseal` are handed on by themselves, too. */
export class Vault {
  readonly #options: VaultOptions;
  readonly #sealing: Sealing;
  readonly #redaction = new Redaction();
  /** Without what agents set. */
  readonly #redactionAsked = new Redaction();
  readonly #followed = new Map<string, Followed>();
  #secrets = new Map<string, Secret>();

  private constructor(options: VaultOptions) {
    this.#options = options;
    this.#sealing = options.key instanceof Sealing ? options.key : new Sealing(options.key);
  }

  /** Reads every secret into memory; of those that refer elsewhere, variables and files are looked at. */
  static async open(options: VaultOptions): Promise<Vault> {
    const vault = new Vault(options);
    await vault.reload();
    return vault;
  }

  /** Every known secret value replaced by `[redacted]`. May be handed on by itself: every text of every call passes there. */
  readonly redact: (text: string) => string = this.#redaction.apply.bind(this.#redaction);

  /** AES-256-GCM under the home's key, bound to `purpose`, which `unseal` must give again. */
  seal = (plain: string, purpose: string) => this.#sealing.seal(plain, purpose);
  /** Throws SECRET_UNREADABLE for another key, another purpose or altered bytes. */
  unseal = (sealed: Uint8Array, purpose: string) => this.#sealing.unseal(sealed, purpose);

  /** Takes over what another process put or deleted. */
  async reload(): Promise<void> {
    const secrets = new Map<string, Secret>();
    for (const record of await this.#options.store.list()) {
      try {
        secrets.set(record.name, await this.#open(record));
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        this.#options.onUnreadable?.(record.name, error);
      }
    }
    this.#secrets = secrets;
    for (const secret of secrets.values()) this.#learn(secret);
  }

  async put(name: string, value: string, { setBy = null, bindings }: PutOptions = {}): Promise<void> {
    // Before it is stored: a failure to store must not print it either.
    this.#conceal(value, setBy === null ? undefined : seriesOf(name), setBy);
    await this.#store(name, value, "value", setBy, bindings);
  }

  /** In the place of a value: `env:NAME`, `file:/path` or `cmd:program args`. For people only; throws BAD_REQUEST. */
  async refer(name: string, reference: string, bindings?: SecretBindings): Promise<void> {
    const parsed = parseReference(reference);
    if (!parsed.ok)
      throw new ToolkeepError("BAD_REQUEST", `The secret ${name} cannot be that: ${parsed.error}.`);
    await this.#store(name, reference, parsed.value.source, null, bindings);
  }

  /** Throws NOT_FOUND. */
  async bind(name: string, bindings: SecretBindings): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const secret = this.#secrets.get(name);
      if (secret && (await this.#replace({ ...secret, bindings }, secret.sealed)))
        return this.#options.onChange?.(name);
      // Another process was faster, or everything has a new key.
      await this.reload();
      if (!this.has(name)) throw new ToolkeepError("NOT_FOUND", `There is no secret named "${name}".`);
    }
    throw new ToolkeepError("CHANGED", `The secret ${name} was changed by somebody else meanwhile.`);
  }

  has(name: string): boolean {
    return this.#secrets.has(name);
  }

  /** Names only, sorted. */
  names(): readonly string[] {
    return [...this.#secrets.keys()].sort();
  }

  /** Everything about the secrets but their values, by name. */
  list(): readonly SecretInfo[] {
    return this.names().map((name) => infoOf(this.#secrets.get(name)!));
  }

  /** The value, read where it refers to if need be; the error is a sentence about what is missing. Never rejects. */
  async read(name: string): Promise<Result<string, string>> {
    const secret = this.#secrets.get(name);
    if (!secret) return err(`there is no secret ${name}`);
    return secret.source === "value" ? ok(secret.plain) : this.#follow(secret);
  }

  /** `text` with the values of the secrets that it names as `{{secret:NAME}}`; for what people wrote. */
  async fill(text: string): Promise<Result<string, string>> {
    const values = new Map<string, string>();
    for (const name of secretsNamedIn(text)) {
      const value = await this.read(name);
      if (!value.ok) return this.has(name) ? err(`the secret ${name} cannot be read: ${value.error}`) : value;
      values.set(name, value.value);
    }
    return ok(withSecretValues(text, values));
  }

  /** The secrets of agents that arguments name, each with who set it last, and when. What people set anew stays what it was. */
  revisionsIn(args: Arguments): readonly string[] {
    if (!mayNameSecrets(args)) return [];
    return secretsNamedIn(args).flatMap((name) => {
      const secret = this.#secrets.get(name);
      return secret && secret.setBy !== null ? [`${name} ${secret.setBy} ${secret.updatedAt}`] : [];
    });
  }

  /**
   * The arguments with the values of the secrets that they name, where the call may have all of them. Undefined where
   * they name none. What it gives is for the tool alone: it is never kept, shown or compared.
   */
  async expand(args: Arguments, use: SecretUse): Promise<Result<Arguments, SecretRefusal> | undefined> {
    if (!mayNameSecrets(args) || use.tool.takesSecretNames) return undefined;
    return expandSecrets(args, use, {
      infoOf: (name) => this.#secrets.get(name),
      read: (name) => this.read(name),
    });
  }

  async delete(name: string): Promise<void> {
    await this.#options.store.delete(name);
    // Its value stays redacted: it may still be valid elsewhere. Of an agent's, as long as it does not delete many more.
    const setBy = this.#secrets.get(name)?.setBy;
    if (typeof setBy === "string") this.#redaction.move(seriesOf(name), `deleted-by:${setBy}`);
    this.#secrets.delete(name);
    this.#followed.delete(name);
    this.#options.onChange?.(name);
  }

  /**
   * Remembers a value that must never be shown, such as a server's env value. Shorter than 6 characters: ignored. Of
   * values that take each other's place, such as the tokens of one server, a `series` remembers the last 16, and of long ones the last 5.
   */
  conceal(value: string, series?: string): void {
    this.#conceal(value, series, null);
  }

  /**
   * As `redact`, but values that agents set stay: for people who are asked about a call, from whom an agent could hide a
   * part of it by making that a secret.
   */
  redactAsked(text: string): string {
    return this.#redactionAsked.apply(text);
  }

  #conceal(value: string, series: string | undefined, setBy: string | null): void {
    this.#redaction.add(value, series);
    if (setBy === null) this.#redactionAsked.add(value, series);
  }

  async #store(
    name: string,
    plain: string,
    source: SecretRecord["source"],
    setBy: string | null,
    given: SecretBindings | undefined,
  ): Promise<void> {
    const now = this.#options.clock();
    const before = this.#secrets.get(name);
    const kept = before?.setBy === setBy ? before.bindings : undefined;
    const bindings = given ?? kept ?? (setBy === null ? UNBOUND : ownBindings(setBy));
    const info = { name, source, bindings, createdAt: before?.createdAt ?? now, updatedAt: now, setBy };
    const earlier = earlierOf(before, plain);
    const sealed = sealSecret(name, { ...info, plain }, this);
    await this.#options.store.put({
      ...info,
      sealed,
      earlier: earlier.length > 0 ? this.seal(JSON.stringify(earlier), sealedFor.earlierSecrets(name)) : null,
    });
    this.#followed.delete(name);
    const secret = { ...info, plain, earlier, sealed };
    this.#secrets.set(name, secret);
    this.#learn(secret);
    this.#options.onChange?.(name);
  }

  /** One that was sealed before it had terms is sealed anew. */
  async #open(record: SecretRecord): Promise<Secret> {
    const { name, sealed, earlier: before, createdAt, updatedAt } = record;
    const { isOld, ...terms } = openSecret(record, this);
    const earlier = before ? JSON.parse(this.unseal(before, sealedFor.earlierSecrets(name))) : [];
    const secret = { name, createdAt, updatedAt, ...terms, earlier, sealed };
    // Where it was put anew in the meantime, that is heard of.
    if (isOld) await this.#replace(secret, sealed);
    return secret;
  }

  async #replace(secret: Secret, was: Uint8Array): Promise<boolean> {
    const { name, source, bindings } = secret;
    const sealed = sealSecret(name, secret, this);
    const isDone = await this.#options.store.replace(name, { sealed, source, bindings }, was);
    if (isDone) this.#secrets.set(name, { ...secret, sealed });
    return isDone;
  }

  /** Makes the value one that is never shown, as far as it can be known without starting anything. */
  #learn(secret: Secret): void {
    const { source, plain, name, earlier, setBy } = secret;
    // What an agent sets again and again must not fill the memory.
    const series = setBy === null ? undefined : seriesOf(name);
    for (const value of earlier.toReversed()) this.#conceal(value, series, setBy);
    if (source === "value") this.#conceal(plain, series, setBy);
    if (source === "file") void this.#follow(secret);
    // At once: a child that starts next would inherit it otherwise.
    const reference = source === "env" ? parseReference(plain) : undefined;
    if (!reference?.ok || reference.value.source !== "env" || !this.#options.references) return;
    const value = readVariable(reference.value.variable, this.#options.references.env);
    if (value.ok) this.#conceal(value.value, seriesOf(name), null);
  }

  /** Calls that come together, or soon after one another, share one look. */
  #follow({ name, plain }: Secret): Promise<Result<string, string>> {
    const { clock } = this.#options;
    const known = this.#followed.get(name);
    if (known?.plain === plain && clock() - known.at < FRESH_MS) return known.value;
    const value = this.#lookUp(name, plain);
    this.#followed.set(name, { plain, at: clock(), value });
    // What failed may work when it is asked for again.
    void value.then((read) => {
      if (!read.ok && this.#followed.get(name)?.value === value) this.#followed.delete(name);
    });
    return value;
  }

  async #lookUp(name: string, plain: string): Promise<Result<string, string>> {
    const { references } = this.#options;
    const reference: Result<Reference, string> = parseReference(plain);
    if (!reference.ok) return reference;
    if (!references) return err("references are not followed here");
    const isSecret = (text: string) => this.redact(text) !== text;
    const read = await readReference(reference.value, { ...references, isSecret });
    if (read.ok) this.#conceal(read.value, seriesOf(name), null);
    return read;
  }
}

/** Of the values that take each other's place under a name. */
function seriesOf(name: string): string {
  return `secret:${name}`;
}

function isUnreadable(error: unknown): boolean {
  return (
    error instanceof SyntaxError || (error instanceof ToolkeepError && error.code === "SECRET_UNREADABLE")
  );
}

function infoOf({ plain: _, earlier: __, sealed: ___, ...info }: Secret): SecretInfo {
  return info;
}

/** The newest first. Where a value stood elsewhere, it was not ours to keep. */
function earlierOf(before: Secret | undefined, plain: string): readonly string[] {
  if (!before) return [];
  const values = before.source === "value" ? [before.plain, ...before.earlier] : before.earlier;
  return [...new Set(values)].filter((value) => value !== plain).slice(0, MAX_EARLIER);
}

interface ExpandDeps {
  readonly infoOf: (name: string) => SecretInfo | undefined;
  readonly read: Vault["read"];
}

/** See `Vault.expand`. All that is refused is refused before any value is read, but for where the call goes. */
async function expandSecrets(
  args: Arguments,
  use: SecretUse,
  { infoOf, read }: ExpandDeps,
): Promise<Result<Arguments, SecretRefusal>> {
  const secrets: SecretInfo[] = [];
  for (const name of secretsNamedIn(args)) {
    const info = infoOf(name);
    if (!info) return err(unknownSecret(name));
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

function unknownSecret(name: string): SecretRefusal {
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
