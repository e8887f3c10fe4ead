import { randomUUID } from "node:crypto";
import { defineRoute, type Route, type RouteActor } from "../../contract/define-route.ts";
import type { ToolCall, ToolOutcome } from "../../contract/tool.ts";
import { toolOutcome } from "../../contract/tool-shapes.ts";
import { operatorOf, scopesOf } from "../identity/callers.ts";
import type { Identity } from "../identity/identity.ts";
import { type CallRequest, callRequest } from "./contract.ts";

export interface CallRouteDeps {
  readonly identity: Pick<Identity, "agent" | "callerFor" | "operatorCaller">;
  readonly callTool: (call: ToolCall) => Promise<ToolOutcome>;
}

export function callRoutes({ identity, callTool }: CallRouteDeps): readonly Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/call",
      role: "operator",
      summary: "Calls a tool as an agent or, where none is named, as the operator",
      body: callRequest,
      answer: toolOutcome,
      handle: ({ body, by, signal }) => callTool({ ...toToolCall(body, by, identity), signal }),
    }),
  ];
}

/** The call that a person or an admin token asks for. An agent that is named calls with no more scopes than they have. */
export function toToolCall(
  { name, arguments: args = {}, agent, conversation = randomUUID() }: CallRequest,
  by: RouteActor,
  identity: CallRouteDeps["identity"],
): ToolCall {
  const operator = operatorOf(by);
  const { person, tokenId = null, role } = operator;
  const caller =
    agent === undefined
      ? identity.operatorCaller(conversation, operator)
      : identity.callerFor(identity.agent(agent), {
          tokenId,
          scopes: scopesOf(role),
          conversation,
          ...(person !== undefined && { person }),
        });
  return { name, arguments: args, caller, via: "api" };
}
