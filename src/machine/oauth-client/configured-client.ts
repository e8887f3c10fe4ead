import type { OAuthClientInformationMixed } from "@modelcontextprotocol/client";
import type { OAuthConfig } from "../config/settings.ts";
import type { AuthRecordKeeper, RecordOwner } from "./auth-record.ts";

/** The client that the configuration names. */
export function clientOf({ clientId, clientSecret }: OAuthConfig): OAuthClientInformationMixed {
  return { client_id: clientId!, ...(clientSecret === null ? {} : { client_secret: clientSecret }) };
}

/**
 * The configured secret belongs to the first authorization server that it is shown to: a server that later names
 * another does not get it sent there. Resolves with the reason when it must not be sent.
 */
export async function whySecretStays(
  records: AuthRecordKeeper,
  owner: RecordOwner,
  { clientSecret }: OAuthConfig,
  issuer: string,
): Promise<string | undefined> {
  if (clientSecret === null) return undefined;
  const record = await records.change(owner, (now) =>
    now.secretFor === undefined ? { ...now, secretFor: issuer } : now,
  );
  const secretFor = record?.secretFor ?? issuer;
  if (secretFor === issuer) return undefined;
  return `it names the authorization server ${issuer} now, but the client secret was used with ${secretFor}: if that is right, forget the old one with toolkeep server auth ${owner.name} --sign-out`;
}
