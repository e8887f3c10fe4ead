import type { Consents } from "../../call/identity/consents.ts";
import type { OAuthClients } from "./oauth-clients.ts";

/** The parts that the routes of the authorization server share. */
export interface OAuthParts {
  readonly clients: OAuthClients;
  readonly consents: Consents;
}
