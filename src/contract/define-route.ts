import { z } from "zod";
import { isRecord } from "../lib/json.ts";
import type { Role } from "./caller.ts";
import { ToolkeepError } from "./errors.ts";
import { type Infer, text } from "./shape.ts";

export type RouteMethod = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** One route under `/api`. Requests are checked by the derived JSON Schemas before `handle` sees them. */
export interface Route {
  readonly method: RouteMethod;
  /** `/projects/:name`. Each parameter is a text of 1 to 200 characters. */
  readonly path: string;
  /** Its effect, in one line. */
  readonly summary: string;
  /** Who may use it. Default: viewers where it only reads, else admins. */
  readonly role?: Role;
  /** A later version will not have it. */
  readonly deprecated?: Deprecation;
  /** Parameters of the path that not every text fits. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Nullable where a request may come without one. */
  readonly body?: RouteBody;
  /** Has an id (`.meta({ id })`), by which the OpenAPI document names it. */
  readonly answer: z.ZodType;
  /** 201 where it creates something; default 200. */
  readonly status?: 200 | 201;
  /** Nothing between here and the client may keep the answer, because it holds a secret. */
  readonly noStore?: true;
  handle(request: RouteRequest): Promise<object>;
}

/** The headers of a deprecated route's answers (RFC 9745). */
export interface Deprecation {
  /** In seconds since the epoch. */
  readonly since: number;
  /** The path of the route to use instead, such as `/questions`. */
  readonly successor: string;
}

export type RouteBody = z.ZodObject | z.ZodNullable<z.ZodObject>;

export interface RouteRequest<
  Path extends string = string,
  Query extends z.ZodObject = z.ZodObject,
  Body extends RouteBody = RouteBody,
> {
  readonly params: Readonly<Record<ParamOf<Path>, string>>;
  readonly query: Infer<Query>;
  readonly body: Infer<Body>;
  readonly by: RouteActor;
  /** The surface that the request came from. */
  readonly from: "dashboard" | "cli" | "api";
  /** Where people and clients reach this process, without a slash at the end. */
  readonly baseUrl: string;
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
  /** The session of the person's browser, if the request came with one. */
  readonly sessionId?: string;
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
  Body extends RouteBody = Nothing,
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
export type Done = Infer<typeof done>;
export const DONE: Done = { done: true };

/** A place in a list as a text that clients only hand back. */
export function cursorText(place: object): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/** Reads a text of `cursorText`; `fields` says which there are and of what type. Throws BAD_REQUEST for any other text. */
export function readCursor<T extends object>(cursor: string, fields: Readonly<Record<keyof T, string>>): T {
  try {
    const value = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    const isPlace =
      isRecord(value) && Object.entries<string>(fields).every(([name, type]) => typeof value[name] === type);
    if (isPlace) return value as T;
  } catch {
    // Reported below.
  }
  throw new ToolkeepError("BAD_REQUEST", "cursor should be the `next` of an earlier page, as it came");
}

/** For the query of a list whose newest entries come first: the older ones are asked for by cursor. */
export const newestQuery = {
  limit: z.int().min(1).max(500).exactOptional(),
  cursor: text(1_000).exactOptional(),
};

interface DatedPlace {
  readonly createdAt: number;
  readonly id: string;
}

/** Throws BAD_REQUEST for a cursor that `nextBefore` did not make. */
export function newestBefore({
  limit = 500,
  cursor,
}: {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}): { readonly limit: number; readonly before?: DatedPlace } {
  if (cursor === undefined) return { limit };
  return { limit, before: readCursor<DatedPlace>(cursor, { createdAt: "number", id: "string" }) };
}

/** The cursor of the next older page; null where this page is not full. `found` has the oldest first. */
export function nextBefore(found: readonly DatedPlace[], limit: number): string | null {
  const oldest = found[0];
  if (found.length < limit || oldest === undefined) return null;
  return cursorText({ createdAt: oldest.createdAt, id: oldest.id });
}
