import { z } from "zod";
import type { Role } from "./caller.ts";
import type { Infer } from "./shape.ts";

export type RouteMethod = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** One route under `/api`. Requests are checked by the derived JSON Schemas before `handle` sees them. */
export interface Route {
  readonly method: RouteMethod;
  /** `/projects/:name`. Each parameter is a text of 1 to 200 characters. */
  readonly path: string;
  /** What it does, in one line. */
  readonly summary: string;
  /** Who may use it. Default: viewers where it only reads, else admins. */
  readonly role?: Role;
  /** It is left out in a later version. */
  readonly deprecated?: true;
  /** Parameters of the path that not every text fits. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Has an id (`.meta({ id })`), by which the OpenAPI document names it. */
  readonly answer: z.ZodType;
  /** 201 where it creates something; default 200. */
  readonly status?: 200 | 201;
  handle(request: RouteRequest<string, z.ZodObject, z.ZodObject>): Promise<object>;
}

interface RouteRequest<Path extends string, Query extends z.ZodObject, Body extends z.ZodObject> {
  readonly params: Readonly<Record<ParamOf<Path>, string>>;
  readonly query: Infer<Query>;
  readonly body: Infer<Body>;
  readonly by: RouteActor;
  /** Aborts when the client goes away before it has its answer. */
  readonly signal: AbortSignal;
}

/** Who sent a request: a person, or a program with an admin token. */
export interface RouteActor {
  readonly kind: "person" | "token";
  readonly id: string;
  /** The label of a token; its id if it has none. */
  readonly name: string;
  readonly role: Role;
}

type ParamOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Nothing = z.ZodObject<Record<never, never>>;

export function defineRoute<
  const Path extends string,
  Answer extends z.ZodType,
  Query extends z.ZodObject = Nothing,
  Body extends z.ZodObject = Nothing,
>(
  route: Omit<Route, "path" | "query" | "body" | "answer" | "handle"> & {
    readonly path: Path;
    readonly query?: Query;
    readonly body?: Body;
    readonly answer: Answer;
    handle(request: RouteRequest<Path, Query, Body>): Promise<Infer<Answer>>;
  },
): Route {
  return route as unknown as Route;
}

/** For the query of a list that can be long. */
export const pageQuery = {
  limit: z.int().min(1).max(500).exactOptional(),
  offset: z.int().min(0).max(1_000_000).exactOptional(),
};

export function pageOf({
  limit = 100,
  offset = 0,
}: {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}) {
  return { limit, offset };
}

/** The answer of every deletion and dismissal. */
export const done = z.object({ done: z.literal(true) }).meta({ id: "Done" });
export const DONE: Infer<typeof done> = { done: true };
