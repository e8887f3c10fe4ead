import type { FastifyRequest } from "fastify";
import type { ActiveSession } from "../../../call/identity/sessions.ts";
import type { ApiContext } from "../api-options.ts";
import { sessionOf } from "./session-cookie.ts";

/** Whose browser asks for a page, with the secret that it brought; undefined for one that is signed out. */
export async function signedIn(
  request: FastifyRequest,
  { hub, options }: Pick<ApiContext, "hub" | "options">,
): Promise<(ActiveSession & { readonly secret: string }) | undefined> {
  const secret = sessionOf(request, options.url());
  const found = secret === undefined ? undefined : await hub.people.sessions.recognise(secret);
  return found && { ...found, secret: secret! };
}
