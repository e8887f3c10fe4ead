/** The shapes of signing in to servers. No answer holds a token; the link of a sign-in is its own only secret. */

import { z } from "zod";
import { type Infer, time } from "../../contract/shape.ts";
import { serverView } from "../contract.ts";

export const signInReturn = z.object({
  url: z.string().max(16_384).describe("The address that the browser ended at."),
  wait: z.boolean().describe("The answer comes after the server was connected to anew.").exactOptional(),
});
export type SignInReturn = Infer<typeof signInReturn>;

export const signInStart = z
  .object({
    url: z.string().nullable().describe("Where a person signs in; null if Toolkeep has signed in by itself."),
    expiresAt: time.nullable(),
  })
  .meta({ id: "SignInStart" });
export type SignInStart = Infer<typeof signInStart>;

const signInStatus = z.object({
  signedIn: z.boolean().describe("There is a token, or something to obtain one with."),
  signedInAt: z.int().nullable().describe("When a person last signed in."),
  pendingUntil: z.int().nullable().describe("The deadline of a browser sign-in under way."),
  issuer: z.string().nullable().describe("The authorization server that issued the grant."),
  scope: z.string().nullable(),
  failure: z.string().nullable().describe("Why the last attempt failed; null if it did not."),
});
export type SignInStatus = Infer<typeof signInStatus>;

export const serverSignIn = z.object({ server: serverView }).meta({ id: "ServerSignIn" });
export const serverSignInAnswer = z
  .object({ server: serverView, signIn: signInStatus })
  .meta({ id: "ServerSignInAnswer" });
export type ServerSignIn = Infer<typeof serverSignIn>;
export type ServerSignInAnswer = Infer<typeof serverSignInAnswer>;
