import {
  type Client,
  ProtocolError,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { messageOf } from "../errors.ts";
import { extentOf, mapTexts } from "../lib/json.ts";
import { err, ok, type Result } from "../lib/result.ts";

/** How to use what a server offers beside tools, over a live connection. Never reject: an error says what went wrong. */
export interface OfferUse {
  readonly client: Client;
  readonly options: RequestOptions & { readonly signal: AbortSignal };
  /** Hides what may not be shown. */
  readonly redact: (text: string) => string;
}

type JsonObject = Readonly<Record<string, unknown>>;

export interface ResourceRead extends JsonObject {
  readonly contents: readonly unknown[];
}

export interface PromptRead extends JsonObject {
  readonly messages: readonly unknown[];
}

export interface Completion extends JsonObject {
  /** At most 100, as the protocol says. */
  readonly values: readonly string[];
}

/** What a value is completed for: an argument of a prompt, or a variable of a resource template. */
export type CompletionTarget =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

export interface CompletionAsked {
  readonly ref: CompletionTarget;
  readonly argument: { readonly name: string; readonly value: string };
  /** Values already chosen for other arguments. */
  readonly context?: { readonly arguments: Readonly<Record<string, string>> };
}

const MAX_DEPTH = 100;
const MAX_COMPLETIONS = 100;

const resourceRead = z.looseObject({ contents: z.array(z.unknown()) });
const promptRead = z.looseObject({ messages: z.array(z.unknown()) });
const completed = z.looseObject({ completion: z.looseObject({ values: z.array(z.string()) }) });

export function readResource(use: OfferUse, uri: string): Promise<Result<ResourceRead, string>> {
  return answerOf(use, (options) =>
    use.client.request({ method: "resources/read", params: { uri } }, resourceRead, options),
  );
}

export function getPrompt(
  use: OfferUse,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<Result<PromptRead, string>> {
  const params = { name, arguments: { ...args } };
  return answerOf(use, (options) =>
    use.client.request({ method: "prompts/get", params }, promptRead, options),
  );
}

/** Nothing is completed by a server that does not declare that it can. */
export async function complete(
  use: OfferUse,
  { ref, argument, context }: CompletionAsked,
): Promise<Result<Completion, string>> {
  if (use.client.getServerCapabilities()?.completions === undefined) return ok({ values: [] });
  const params = { ref, argument, ...(context ? { context } : {}) };
  const answer = await answerOf(use, (options) =>
    use.client.request({ method: "completion/complete", params }, completed, options),
  );
  if (!answer.ok) return answer;
  const { completion } = answer.value;
  return ok({ ...completion, values: completion.values.slice(0, MAX_COMPLETIONS) });
}

async function answerOf<T>(
  { options, redact }: OfferUse,
  request: (options: RequestOptions) => Promise<T>,
): Promise<Result<T, string>> {
  try {
    const answer = await request(options);
    if (extentOf(answer, MAX_DEPTH).tooDeep) {
      return err(`the server sent an answer that is nested more than ${MAX_DEPTH} levels deep`);
    }
    return ok(mapTexts(answer, redact));
  } catch (error) {
    return err(redact(failureOf(error, options.signal)));
  }
}

function failureOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "the request was given up";
  if (error instanceof ProtocolError) return `the server refused: ${error.message}`;
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return "the server did not answer in time";
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    return `the server sent an answer of another shape: ${error.message}`;
  }
  return `the connection was lost: ${messageOf(error)}`;
}
