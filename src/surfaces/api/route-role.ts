import type { FastifySchema } from "fastify";
import type { Role } from "../../contract/caller.ts";

declare module "fastify" {
  interface FastifySchema {
    /** Who may use the route. Default: viewers where it only reads, else admins. */
    role?: Role;
  }
}

/** The role that a route wants. What nobody declared and is more than reading is for admins. */
export function roleFor(method: string, schema: FastifySchema | undefined): Role {
  return schema?.role ?? (isReading(method) ? "viewer" : "admin");
}

/** Such a request never changes anything. */
export function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD";
}
