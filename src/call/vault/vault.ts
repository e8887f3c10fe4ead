import { ToolkeepError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type {
  SecretBindings,
  SecretRecord,
  SecretStore,
} from "../../machine/db/tables/trust/secret-record.ts";
import type {
  Arguments,
  PutOptions,
  SecretInfo,
  SecretRefusal,
  SecretUse,
  Vault,
} from "../../vault/vault.ts";
import { ownBindings, UNBOUND } from "./bindings.ts";
import { expand } from "./expand.ts";
import { mayNameSecrets, secretsNamedIn, withSecretValues } from "./placeholder.ts";
import { sealedFor } from "./purpose.ts";
import { type ReferenceDeps, readReference, readVariable } from "./read-reference.ts";
import { Redaction } from "./redaction/redaction.ts";
import { parseReference, type Reference } from "./reference.ts";
import { openSecret, sealSecret } from "./sealed-secret.ts";
import { Sealing } from "./sealing.ts";

export interface VaultOptions {
  readonly store: SecretStore;
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

/** Reads every secret into memory; of those that refer elsewhere, variables and files are looked at. */
export async function createVault(options: VaultOptions): Promise<Vault> {
  const vault = new StoredVault(options);
  await vault.reload();
  return vault;
}

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

class StoredVault implements Vault {
  readonly #options: VaultOptions;
  readonly #sealing: Sealing;
  readonly #redaction = new Redaction();
  /** Without what agents set. */
  readonly #redactionAsked = new Redaction();
  readonly #followed = new Map<string, Followed>();
  #secrets = new Map<string, Secret>();

  constructor(options: VaultOptions) {
    this.#options = options;
    this.#sealing = options.key instanceof Sealing ? options.key : new Sealing(options.key);
  }

  // Handed on by themselves, too.
  readonly seal = (plain: string, purpose: string) => this.#sealing.seal(plain, purpose);
  readonly unseal = (sealed: Uint8Array, purpose: string) => this.#sealing.unseal(sealed, purpose);

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

  async refer(name: string, reference: string, bindings?: SecretBindings): Promise<void> {
    const parsed = parseReference(reference);
    if (!parsed.ok)
      throw new ToolkeepError("BAD_REQUEST", `The secret ${name} cannot be that: ${parsed.error}.`);
    await this.#store(name, reference, parsed.value.source, null, bindings);
  }

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

  names(): readonly string[] {
    return [...this.#secrets.keys()].sort();
  }

  list(): readonly SecretInfo[] {
    return this.names().map((name) => infoOf(this.#secrets.get(name)!));
  }

  async read(name: string): Promise<Result<string, string>> {
    const secret = this.#secrets.get(name);
    if (!secret) return err(`there is no secret ${name}`);
    return secret.source === "value" ? ok(secret.plain) : this.#follow(secret);
  }

  async fill(text: string): Promise<Result<string, string>> {
    const values = new Map<string, string>();
    for (const name of secretsNamedIn(text)) {
      const value = await this.read(name);
      if (!value.ok) return this.has(name) ? err(`the secret ${name} cannot be read: ${value.error}`) : value;
      values.set(name, value.value);
    }
    return ok(withSecretValues(text, values));
  }

  revisionsIn(args: Arguments): readonly string[] {
    if (!mayNameSecrets(args)) return [];
    return secretsNamedIn(args).flatMap((name) => {
      const secret = this.#secrets.get(name);
      return secret && secret.setBy !== null ? [`${name} ${secret.setBy} ${secret.updatedAt}`] : [];
    });
  }

  expand(args: Arguments, use: SecretUse): Promise<Result<Arguments, SecretRefusal>> | undefined {
    if (!mayNameSecrets(args) || use.tool.takesSecretNames) return undefined;
    return expand(args, use, {
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

  conceal(value: string, series?: string): void {
    this.#conceal(value, series, null);
  }

  redact(text: string): string {
    return this.#redaction.apply(text);
  }

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
