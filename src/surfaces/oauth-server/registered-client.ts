import type { Vault } from "../../call/vault/vault.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { type ClientMetadata, type OAuthClient, readClientMetadata } from "./client.ts";

const PREFIX = "tkc_";
const PURPOSE = "oauth client";
const MAX_REDIRECT_LENGTH = 2_000;

/**
 * Clients that registered themselves (RFC 7591). Nothing about them is stored: a client's id contains its sealed
 * metadata, so that strangers cannot fill the store and every process with the key knows every client.
 */
export class RegisteredClients {
  readonly #vault: Pick<Vault, "seal" | "unseal">;

  constructor(vault: Pick<Vault, "seal" | "unseal">) {
    this.#vault = vault;
  }

  /** The error has the form of RFC 7591. */
  register(document: unknown): Result<OAuthClient, { error: string; message: string }> {
    const metadata = readClientMetadata(document, "a client without a name");
    if (!metadata.ok) return metadata;
    const { name, redirectUris } = metadata.value;
    if (redirectUris.join("").length > MAX_REDIRECT_LENGTH)
      return err({
        error: "invalid_redirect_uri",
        message: `redirect_uris may have at most ${MAX_REDIRECT_LENGTH} characters together`,
      });
    const sealed = this.#vault.seal(JSON.stringify({ name, redirectUris }), PURPOSE);
    return ok({ id: PREFIX + Buffer.from(sealed).toString("base64url"), name, redirectUris, host: null });
  }

  /** Undefined for an id that was not sealed with this key. */
  get(id: string): OAuthClient | undefined {
    if (!id.startsWith(PREFIX)) return undefined;
    try {
      const sealed = Buffer.from(id.slice(PREFIX.length), "base64url");
      const metadata = JSON.parse(this.#vault.unseal(sealed, PURPOSE)) as ClientMetadata;
      return { id, host: null, ...metadata };
    } catch (error) {
      if (error instanceof ToolkeepError && error.code === "SECRET_UNREADABLE") return undefined;
      throw error;
    }
  }
}
