import { ToolkeepError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { explainRefusal, ownBindings, staysWithin, UNBOUND } from "./bindings.ts";
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
  /** 32 bytes, see `loadKey`; or both keys of a home during a rotation. */
  readonly key: Buffer | Sealing;
  readonly clock: Clock;
  /** How references are read; absent: they cannot be read. */
  readonly references?: Omit<ReferenceDeps, "isSecret">;
  /** Called with the name of every secret that was set, bound or deleted in this process. */
  readonly onChange?: (name: string) => void;
  /** Called for a stored secret that this key does not open. It is left out and stays in the store. */
  readonly onUnreadable?: (name: string, error: unknown) => void;
}

/** How long a value that was read from a file or a program is used. */
const FRESH_MS = 30_000;
/** How many earlier values of a secret are still never shown. */
const MAX_EARLIER = 4;
const MAX_ATTEMPTS = 5;

interface Secret extends SecretInfo {
  /** The value, or where it is read. */
  readonly plain: string;
  /** Earlier values, newest first. */
  readonly earlier: readonly string[];
  /** As it is stored. */
  readonly sealed: Uint8Array;
}

interface ReadValue {
  readonly plain: string;
  readonly at: number;
  readonly value: Promise<Result<string, string>>;
}

/** The secrets. Only sealed values are stored; plain ones are in memory only. */
export class Vault {
  readonly #options: VaultOptions;
  readonly #sealing: Sealing;
  readonly #redaction = new Redaction();
  /** Does not know the values that agents set. */
  readonly #redactionAsked = new Redaction();
  readonly #readValues = new Map<string, ReadValue>();
  #secrets = new Map<string, Secret>();

  private constructor(options: VaultOptions) {
    this.#options = options;
    this.#sealing = options.key instanceof Sealing ? options.key : new Sealing(options.key);
  }

  /** Reads every secret into memory, and the variables and files that secrets refer to. */
  static async open(options: VaultOptions): Promise<Vault> {
    const vault = new Vault(options);
    await vault.reload();
    return vault;
  }

  /** Replaces every known secret value with `[redacted]`. Bound, so that it can be passed on as a function: every text of every call goes through it. */
  readonly redact: (text: string) => string = this.#redaction.apply.bind(this.#redaction);

  /** Encrypts with AES-256-GCM and the key of the home, for `purpose`: `unseal` needs the same one. */
  seal = (plain: string, purpose: string) => this.#sealing.seal(plain, purpose);
  /** Throws SECRET_UNREADABLE for another key, another purpose or altered bytes. */
  unseal = (sealed: Uint8Array, purpose: string) => this.#sealing.unseal(sealed, purpose);

  /** Reads what other processes changed. */
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
    // Before it is stored, because an error of the store must not show it either.
    this.#conceal(value, setBy === null ? undefined : seriesOf(name), setBy);
    await this.#store(name, value, "value", setBy, bindings);
  }

  /** Sets where the value is read: `env:NAME`, `file:/path` or `cmd:program args`. Only for people. Throws BAD_REQUEST. */
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
      // Another process was faster, or the key was rotated.
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

  /** The value, read from where it refers to if necessary. The error says what is missing. Never rejects. */
  async read(name: string): Promise<Result<string, string>> {
    const secret = this.#secrets.get(name);
    if (!secret) return err(`there is no secret ${name}`);
    return secret.source === "value" ? ok(secret.plain) : this.#readReference(secret);
  }

  /** Replaces `{{secret:NAME}}` with the value of the secret. Only for texts that people wrote. */
  async fill(text: string): Promise<Result<string, string>> {
    const values = new Map<string, string>();
    for (const name of secretsNamedIn(text)) {
      const value = await this.read(name);
      if (!value.ok) return this.has(name) ? err(`the secret ${name} cannot be read: ${value.error}`) : value;
      values.set(name, value.value);
    }
    return ok(withSecretValues(text, values));
  }

  /** The secrets in arguments that agents set, each with who set it last and when. Secrets that people set are left out: an approval stays valid when a person sets a new value. */
  revisionsIn(args: Arguments): readonly string[] {
    if (!mayNameSecrets(args)) return [];
    return secretsNamedIn(args).flatMap((name) => {
      const secret = this.#secrets.get(name);
      return secret && secret.setBy !== null ? [`${name} ${secret.setBy} ${secret.updatedAt}`] : [];
    });
  }

  /**
   * The arguments with the values of the secrets that they name, or why the call may not get one of them. Undefined: they
   * name none. The result is only for the tool: it must never be stored, shown or compared.
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
    // Its value stays redacted, because it may still be valid elsewhere. Only the last few that an agent deleted are kept.
    const setBy = this.#secrets.get(name)?.setBy;
    if (typeof setBy === "string") this.#redaction.move(seriesOf(name), `deleted-by:${setBy}`);
    this.#secrets.delete(name);
    this.#readValues.delete(name);
    this.#options.onChange?.(name);
  }

  /**
   * Remembers a value that must never be shown, such as a server's env value. Values with fewer than 6 characters are
   * ignored. A `series` is for values that replace each other, such as the tokens of one server: only the last 16 are
   * remembered, or the last 5 if they are long.
   */
  conceal(value: string, series?: string): void {
    this.#conceal(value, series, null);
  }

  /**
   * Like `redact`, but keeps values that agents set. For people who are asked to approve a call: otherwise an agent could
   * hide a part of the call from them by making it a secret.
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
    this.#readValues.delete(name);
    const secret = { ...info, plain, earlier, sealed };
    this.#secrets.set(name, secret);
    this.#learn(secret);
    this.#options.onChange?.(name);
  }

  /** Reseals a secret from before there were bindings together with its bindings. */
  async #open(record: SecretRecord): Promise<Secret> {
    const { name, sealed, earlier: before, createdAt, updatedAt } = record;
    const { isOld, ...terms } = openSecret(record, this);
    const earlier = before ? JSON.parse(this.unseal(before, sealedFor.earlierSecrets(name))) : [];
    const secret = { name, createdAt, updatedAt, ...terms, earlier, sealed };
    // If another process has replaced it meanwhile, a reload follows.
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

  /** Redacts the value from now on, as far as it is known without starting a program. */
  #learn(secret: Secret): void {
    const { source, plain, name, earlier, setBy } = secret;
    // An agent that sets a secret again and again must not fill the memory.
    const series = setBy === null ? undefined : seriesOf(name);
    for (const value of earlier.toReversed()) this.#conceal(value, series, setBy);
    if (source === "value") this.#conceal(plain, series, setBy);
    if (source === "file") void this.#readReference(secret);
    // At once, because a child process that starts next would inherit the variable otherwise.
    const reference = source === "env" ? parseReference(plain) : undefined;
    if (!reference?.ok || reference.value.source !== "env" || !this.#options.references) return;
    const value = readVariable(reference.value.variable, this.#options.references.env);
    if (value.ok) this.#conceal(value.value, seriesOf(name), null);
  }

  /** Calls within a short time share one reading. */
  #readReference({ name, plain }: Secret): Promise<Result<string, string>> {
    const { clock } = this.#options;
    const known = this.#readValues.get(name);
    if (known?.plain === plain && clock() - known.at < FRESH_MS) return known.value;
    const value = this.#lookUp(name, plain);
    this.#readValues.set(name, { plain, at: clock(), value });
    // A failure is not remembered: the next attempt may work.
    void value.then((read) => {
      if (!read.ok && this.#readValues.get(name)?.value === value) this.#readValues.delete(name);
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

/** The series of the values that a secret has had. */
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

/** Newest first. Values that were read from a reference are not kept. */
function earlierOf(before: Secret | undefined, plain: string): readonly string[] {
  if (!before) return [];
  const values = before.source === "value" ? [before.plain, ...before.earlier] : before.earlier;
  return [...new Set(values)].filter((value) => value !== plain).slice(0, MAX_EARLIER);
}

interface ExpandDeps {
  readonly infoOf: (name: string) => SecretInfo | undefined;
  readonly read: Vault["read"];
}

/** See `Vault.expand`. Every refusal comes before any value is read, except the one about hosts. */
async function expandSecrets(
  args: Arguments,
  use: SecretUse,
  { infoOf, read }: ExpandDeps,
): Promise<Result<Arguments, SecretRefusal>> {
  const secrets: SecretInfo[] = [];
  for (const name of secretsNamedIn(args)) {
    const info = infoOf(name);
    if (!info) return err(unknownSecret(name));
    const why = explainRefusal(info, use);
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
