import { defineRoute, type Route } from "../../contract/define-route.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Upstream } from "../upstream.ts";
import type { ServerSignInAnswer } from "./contract.ts";
import * as shapes from "./contract.ts";

/** The path to which authorization servers send people back. */
export const OAUTH_CALLBACK = "/oauth/callback";

const path = "/servers/:name/auth";

/** Signing in to servers, and out again. */
export function serverAuthRoutes({ upstream }: { readonly upstream: () => Upstream }): readonly Route[] {
  const answer = async (name: string): Promise<ServerSignInAnswer> => ({
    server: upstream().server(name),
    signIn: await upstream().signInStatus(name),
  });
  return [
    defineRoute({
      method: "GET",
      path,
      summary: "Says whether somebody has signed in to a server",
      answer: shapes.serverSignInAnswer,
      handle: ({ params }) => answer(params.name),
    }),
    defineRoute({
      method: "POST",
      path,
      summary: "Begins to sign in to a server",
      answer: shapes.signInStart,
      noStore: true,
      handle: ({ params, baseUrl }) =>
        upstream().beginSignIn(params.name, { redirectUri: `${baseUrl}${OAUTH_CALLBACK}` }),
    }),
    defineRoute({
      method: "POST",
      path: `${path}/complete`,
      summary: "Ends a sign-in with the address that the browser ended at",
      body: shapes.signInReturn,
      answer: shapes.serverSignInAnswer,
      async handle({ body: { url, wait } }) {
        const { name } = await upstream().completeSignIn(readParameters(url));
        if (wait) await upstream().settled(name);
        return answer(name);
      },
    }),
    defineRoute({
      method: "DELETE",
      path,
      summary: "Signs out: forgets and revokes what signing in left behind",
      answer: shapes.serverSignIn,
      handle: async ({ params }) => ({ server: await upstream().signOut(params.name) }),
    }),
  ];
}

/** Takes an address as a browser shows it, or only the part after its question mark. */
function readParameters(pasted: string): URLSearchParams {
  const text = pasted.trim();
  const query = URL.canParse(text) ? new URL(text).search : text.slice(text.indexOf("?") + 1);
  const parameters = new URLSearchParams(query);
  if (parameters.has("state")) return parameters;
  throw new ToolkeepError(
    "BAD_REQUEST",
    `expected the whole address that the browser ended at, such as http://127.0.0.1:19850${OAUTH_CALLBACK}?code=…&state=…, but it has no state`,
  );
}
