import type { Dice } from "./dice.ts";
import type { FuzzMaterial, FuzzRequest } from "./fuzz-requests.ts";
import { bearer, LEGACY, modernHeaders, modernMessage, type Params } from "./mcp-post.ts";

const ACCEPTED = { action: "accept", content: { answer: "stolen" } };
const ANSWERS = { elicitation_1: ACCEPTED, who: ACCEPTED };

/** Attempts at what belongs to somebody else, right in everything but whose it is. Each knows what must come of it. */
export function thefts(material: FuzzMaterial, dice: Dice): readonly (() => FuzzRequest)[] {
  const { token, own, victim, routes } = material;

  function theft(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: unknown,
    status: readonly number[],
    text?: RegExp,
  ): FuzzRequest {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const expected = { status, ...(text && { text }) };
    return {
      kind: `theft ${method} ${path.split("/", 2).join("/")}`,
      method,
      path,
      headers,
      body: bytes,
      manner: "whole",
      expected,
    };
  }

  const inSession = (session: string) => ({
    ...bearer(token),
    "mcp-session-id": session,
    "mcp-protocol-version": LEGACY,
  });
  const posted = (session: string, path: string, body: unknown, status: number) =>
    theft("POST", path, inSession(session), body, [status]);
  const asked = (method: string, params: Params, path = "/mcp") => {
    const message = modernMessage(method, params);
    const headers = { ...bearer(token), ...modernHeaders(message) };
    return theft("POST", path, headers, message, [200], /"error":\{"code":-32602/);
  };
  const call = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const answer = { jsonrpc: "2.0", id: victim.questionId, result: ACCEPTED };
  const task = () => dice.one(["tasks/get", "tasks/update", "tasks/cancel"]);
  const about = (taskId: string) => ({ taskId, inputResponses: ANSWERS });
  const again = (name: string, args: Params, requestState: string) => ({
    name,
    arguments: args,
    requestState,
    inputResponses: ANSWERS,
  });
  const route = () => {
    const { method, path } = dice.one(routes);
    return {
      method,
      path: path.replace(/\{[^}]*\}/g, "victim"),
      body: method === "GET" ? undefined : { name: "x" },
    };
  };

  return [
    () =>
      theft(
        "GET",
        dice.one(["/mcp", "/mcp/box"]),
        { ...inSession(victim.session), "last-event-id": dice.one([...victim.eventIds, "0-0", "1-0"]) },
        undefined,
        [404],
      ),
    () => posted(victim.session, "/mcp", call, 404),
    () => posted(victim.session, "/mcp", answer, 404),
    () => posted(victim.session, "/mcp/box", [call], 404),
    () => theft("DELETE", "/mcp", inSession(victim.session), undefined, [404]),
    // An answer in a session of one's own is only ever one to what was asked there.
    () => posted(own.session, "/mcp", answer, 202),
    () => posted(own.session, "/mcp/box", call, 404),
    () => posted(own.session, "/mcp/server/everything", call, 404),
    () => asked("tools/call", again("mcp_asking_ask", victim.asked, victim.state)),
    () => asked("tools/call", again("mcp_asking_ask", own.asked, own.state)),
    () => asked("tools/call", again("mcp_curious_ask", own.asked, own.state), "/mcp/box"),
    () => asked(task(), about(victim.task)),
    () => asked(task(), about(own.task), "/mcp/server/jobs"),
    () => asked(task(), about(dice.one([victim.state, victim.session]))),
    () => {
      const { method, path, body } = route();
      return theft(method, path, bearer(token), body, [403]);
    },
    () => {
      const { method, path, body } = route();
      return theft(
        method,
        path,
        { "content-type": "application/json", cookie: "toolkeep_session=forged" },
        body,
        [401],
      );
    },
    () => {
      const { method, path, body } = route();
      const bad = dice.one([victim.session, victim.state, `${token}x`, "tk_sk_"]).slice(0, 500);
      return theft(method, path, bearer(bad), body, [401, 429]);
    },
    () => theft("POST", "/mcp", { ...bearer(token), "x-flood": "x".repeat(17_000) }, call, [431]),
  ];
}
