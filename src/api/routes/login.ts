import type { FastifyInstance } from "fastify";
import { gives } from "../answers/components.ts";
import type { ApiContext } from "../api-options.ts";
import type { LoginLink } from "../contract.ts";
import type { Logins } from "../logins.ts";

export function loginRoutes(app: FastifyInstance, { options }: ApiContext, logins: Logins): void {
  app.post(
    "/login-links",
    {
      schema: {
        summary: "Makes a link to the page for people, good once",
        response: gives("LoginLink", 201),
      },
    },
    (_request, reply): LoginLink => {
      const { code, expiresAt } = logins.newCode();
      reply.code(201).header("cache-control", "no-store");
      return { url: `${options.url()}/login?code=${code}`, expiresAt };
    },
  );
}
