import type { ServerResponse } from "node:http";
import { type Exchange, type LegacyHttp, legacyHttp, said } from "./legacy-http.ts";

/** The tools of `asking.mjs` over streamable HTTP: it asks in the stream of the call, or in the stream that is open anyway. */
export function askingHttp(): LegacyHttp {
  const waiting = new Map<string, (reply: unknown) => void>();
  const late: unknown[] = [];
  let streams: ServerResponse[] = [];
  let asked = 0;

  const ask = (stream: ServerResponse, { kind, about }: Record<string, unknown>): Promise<unknown> => {
    const id = `question-${++asked}`;
    const question =
      kind === "elicitation"
        ? {
            method: "elicitation/create",
            params: { message: about, requestedSchema: { type: "object", properties: {} } },
          }
        : {
            method: "sampling/createMessage",
            params: { messages: [{ role: "user", content: { type: "text", text: about } }], maxTokens: 10 },
          };
    stream.write(event({ id, ...question }));
    return new Promise((resolve) => waiting.set(id, resolve));
  };

  const tools: Record<string, (exchange: Exchange) => unknown> = {
    async ask({ id, params, response }) {
      const { ms = 0, ...question } = params.arguments;
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      await new Promise((resolve) => setTimeout(resolve, Number(ms)));
      const reply = await ask(response, question);
      response.end(event({ id, result: said(JSON.stringify(reply)) }));
      return undefined;
    },
    later({ params }) {
      setTimeout(async () => {
        for (const stream of streams) late.push(await ask(stream, params.arguments));
      }, 50);
      return said("later");
    },
    replies: () => said(JSON.stringify(late)),
    echo: ({ params }) => said(JSON.stringify(params.arguments)),
  };

  return legacyHttp(
    Object.keys(tools).map((name) => ({ name })),
    {
      "tools/call": (exchange) => tools[String(exchange.params.name)]!(exchange),
      GET: ({ response }) => {
        streams.push(response.writeHead(200, { "content-type": "text/event-stream" }));
        response.flushHeaders();
        response.on("close", () => {
          streams = streams.filter((stream) => stream !== response);
        });
      },
      response: ({ params: { id, result, error } }) =>
        waiting.get(String(id))?.({ result, error: (error as { message?: string } | undefined)?.message }),
    },
  );
}

function event(message: Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
}
