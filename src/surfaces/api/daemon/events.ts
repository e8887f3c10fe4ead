import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../../contract/errors.ts";
import { EVENT_NAMES, type EventName } from "../../../contract/events.ts";
import type { Admins } from "../admins.ts";
import type { EventFeed } from "../event-feed.ts";
import { exactly } from "../schema.ts";

const types = { type: "string", maxLength: 1_000, description: "Names of events, with commas between." };
const stream = { content: { "text/event-stream": { schema: { type: "string" } } } };

/** What happens here, as it happens. */
export function eventRoutes(app: FastifyInstance, feed: EventFeed, admins: Pick<Admins, "admitted">): void {
  app.get<{ Querystring: { types?: string } }>(
    "/events",
    {
      exposeHeadRoute: false,
      schema: {
        summary: "Streams events as they happen; Last-Event-ID resumes",
        querystring: exactly({ types }),
        response: { 200: stream },
      },
    },
    (request, reply) => {
      const wanted = typesOf(request.query.types);
      if (feed.isFull) {
        reply.header("retry-after", "10");
        throw new ToolkeepError("TOO_MANY", "as many listen to events as may at once");
      }
      const lastEventId = request.headers["last-event-id"];
      const admission = admins.admitted(request);
      reply.hijack();
      feed.open(reply.raw, {
        types: wanted,
        ...(typeof lastEventId === "string" && lastEventId !== "" ? { lastEventId } : {}),
        isValid: () => admission.isValid(),
      });
    },
  );
}

function typesOf(query: string | undefined): ReadonlySet<EventName> {
  if (query === undefined) return new Set(EVENT_NAMES);
  const names = query.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !(EVENT_NAMES as readonly string[]).includes(name));
  if (wrong === undefined) return new Set(names as EventName[]);
  throw new ToolkeepError(
    "BAD_REQUEST",
    `types: expected names out of ${EVENT_NAMES.join(", ")}; got ${JSON.stringify(wrong)}`,
  );
}
