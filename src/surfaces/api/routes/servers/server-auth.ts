import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { ServerSignIn, ServerSignInAnswer, SignInReturn, SignInStart } from "../../contract.ts";
import { byName, exactly } from "../../schema.ts";
import { OAUTH_CALLBACK } from "../identity/oauth-callback.ts";

const address = { type: "string", maxLength: 16_384 };

interface ByName {
  Params: { name: string };
}

/** Signing in to servers, and out again. No answer holds a token; the link of a sign-in is its own only secret. */
export function serverAuthRoutes(app: FastifyInstance, { hub: { upstream }, options }: ApiContext): void {
  const path = "/servers/:name/auth";
  const answer = async (name: string): Promise<ServerSignInAnswer> => ({
    server: upstream.server(name),
    signIn: await upstream.signInStatus(name),
  });

  app.get<ByName>(
    path,
    {
      schema: {
        summary: "Says whether somebody has signed in to a server",
        params: byName,
        response: gives("ServerSignInAnswer"),
      },
    },
    ({ params }) => answer(params.name),
  );

  app.post<ByName>(
    path,
    {
      schema: { summary: "Begins to sign in to a server", params: byName, response: gives("SignInStart") },
    },
    async ({ params }, reply): Promise<SignInStart> => {
      reply.header("cache-control", "no-store");
      return await upstream.beginSignIn(params.name, { redirectUri: `${options.url()}${OAUTH_CALLBACK}` });
    },
  );

  app.post<ByName & { Body: SignInReturn }>(
    `${path}/complete`,
    {
      schema: {
        summary: "Ends a sign-in with the address that the browser ended at",
        params: byName,
        body: exactly({ url: address, wait: { type: "boolean" } }, ["url"]),
        response: gives("ServerSignInAnswer"),
      },
    },
    async ({ body: { url, wait } }) => {
      const { name } = await upstream.completeSignIn(parametersOf(url));
      if (wait) await upstream.settled(name);
      return await answer(name);
    },
  );

  app.delete<ByName>(
    path,
    {
      schema: {
        summary: "Signs out: forgets and revokes what signing in left behind",
        params: byName,
        response: gives("ServerSignIn"),
      },
    },
    async ({ params }): Promise<ServerSignIn> => ({ server: await upstream.signOut(params.name) }),
  );
}

/** Of an address as a browser shows it, or only of what follows its question mark. */
function parametersOf(pasted: string): URLSearchParams {
  const text = pasted.trim();
  const query = URL.canParse(text) ? new URL(text).search : text.slice(text.indexOf("?") + 1);
  const parameters = new URLSearchParams(query);
  if (parameters.has("state")) return parameters;
  throw new ToolkeepError(
    "BAD_REQUEST",
    `expected the whole address that the browser ended at, such as http://127.0.0.1:19850${OAUTH_CALLBACK}?code=…&state=…, but it has no state`,
  );
}
