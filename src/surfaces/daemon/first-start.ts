import { ToolkeepError } from "../../contract/errors.ts";
import type { Hub } from "../../hub.ts";

/** The first agent and the token for its client. The token is never shown again. */
export interface FirstStart {
  readonly agent: string;
  readonly token: string;
}

const FIRST_AGENT = "main";

/** Creates the agent `main` with a token if there are no agents; otherwise returns null. */
export async function prepareFirstStart(hub: Hub): Promise<FirstStart | null> {
  if (hub.identity.agents().length > 0) return null;
  try {
    await hub.identity.createAgent(FIRST_AGENT, { description: "created at the first start" });
  } catch (error) {
    // Another daemon on the same database made its first start at the same moment, and shows the token.
    if (error instanceof ToolkeepError && error.code === "NAME_TAKEN") return null;
    throw error;
  }
  const { token } = await hub.identity.createToken({ agent: FIRST_AGENT, label: "first start" });
  return { agent: FIRST_AGENT, token };
}
