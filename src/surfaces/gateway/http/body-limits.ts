import type { BodyProblem, ShapeLimits } from "../../../lib/http/json-body.ts";
import { type HttpAnswer, RPC, rpcError } from "../messages.ts";

/** Limits on the length of a batch and the depth of a message. */
export const MESSAGE_SHAPE: ShapeLimits = { maxItems: 100, maxDepth: 256 };

/** The answer to a body that is refused. */
export function toBodyRefusal(problem: BodyProblem): HttpAnswer {
  switch (problem.kind) {
    case "other_type":
      return rpcError(415, RPC.refused, "the Content-Type must be application/json");
    case "too_large":
      return rpcError(
        413,
        RPC.refused,
        `a message may have at most ${problem.maxBytes} bytes (max_message_bytes); this one has more`,
      );
    case "no_json":
      return rpcError(400, RPC.parseError, "the body must be one JSON-RPC message; this is not valid JSON");
    case "too_many":
      return rpcError(
        400,
        RPC.invalidRequest,
        `a batch may have at most ${problem.maxItems} messages; this one has ${problem.items}`,
      );
    case "too_deep":
      return rpcError(
        400,
        RPC.invalidRequest,
        `a message may be nested at most ${problem.maxDepth} levels deep; this one is deeper`,
      );
  }
}
