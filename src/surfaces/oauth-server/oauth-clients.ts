import { err, ok, type Result } from "../../lib/result.ts";
import type { OAuthClient } from "./client.ts";
import { type ClientDocuments, isDocumentId } from "./client-documents.ts";
import type { RegisteredClients } from "./registered-client.ts";

/** Every client that can be told apart: by the document at its id, or by what it said when it registered. */
export class OAuthClients {
  readonly #documents: ClientDocuments;
  readonly #registered: RegisteredClients;
  readonly #mayRegister: () => boolean;

  constructor(documents: ClientDocuments, registered: RegisteredClients, mayRegister: () => boolean) {
    this.#documents = documents;
    this.#registered = registered;
    this.#mayRegister = mayRegister;
  }

  /** The error is a sentence for a person. */
  async get(id: string, signal: AbortSignal): Promise<Result<OAuthClient, string>> {
    if (isDocumentId(id)) return this.#documents.get(id, signal);
    if (!this.#mayRegister()) return err("its id is no https address of a document that describes it");
    const client = this.#registered.get(id);
    return client ? ok(client) : err("its id is not one that was given out here");
  }

  register(document: unknown): ReturnType<RegisteredClients["register"]> {
    return this.#registered.register(document);
  }
}
