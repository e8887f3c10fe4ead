import { err, ok, type Result } from "../../lib/result.ts";
import type { OAuthClient } from "./client.ts";
import { type ClientDocuments, isDocumentId } from "./client-documents.ts";
import type { RegisteredClients } from "./registered-client.ts";

/** All clients: described by the document at their id, or by their registration. */
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
    if (!this.#mayRegister()) return err("its id is not the https URL of a document that describes it");
    const client = this.#registered.get(id);
    return client ? ok(client) : err("its id was not issued here");
  }

  register(document: unknown): ReturnType<RegisteredClients["register"]> {
    return this.#registered.register(document);
  }
}
