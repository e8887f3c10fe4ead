/** The shapes of project files that a person has read and trusts, by their content. */

import { z } from "zod";
import { type Infer, text, time } from "../../contract/shape.ts";

export const trustedFile = z.object({ path: z.string(), sha256: z.string(), at: time });
export type TrustEntry = Infer<typeof trustedFile>;

// Requests

const path = text(4_096);
export const trustQuery = z.object({ path });
export const newTrust = z.object({ path, sha256: z.string().regex(/^[0-9a-f]{64}$/) });
export type NewTrust = Infer<typeof newTrust>;

// Answers

export const trustList = z
  .object({ trusted: z.array(trustedFile.pick({ path: true, sha256: true, at: true })) })
  .meta({ id: "TrustList" });
export type TrustList = Infer<typeof trustList>;
