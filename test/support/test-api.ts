import Fastify, { type FastifyInstance, type InjectOptions } from "fastify";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { silentLog } from "../../src/lib/log.ts";
import type { ApiOptions } from "../../src/surfaces/api/api-options.ts";
import { ref } from "../../src/surfaces/api/components.ts";
import { ownCompilers } from "../../src/surfaces/api/schema.ts";
import { mountApi } from "../../src/surfaces/mount-api.ts";
import { AnswerSchemas } from "./answer-schemas.ts";
import { type TestHub, type TestHubSetup, testHub } from "./test-hub.ts";

export const ADMIN_TOKEN = "the-token-of-this-process";

export interface TestApi extends TestHub {
  readonly app: FastifyInstance;
  /** As an admin. `body` is the parsed answer. */
  request(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    url: string,
    payload?: object,
  ): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  // Tests look at what they expect; the contract's types are checked where the routes are compiled.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
}

/** The API over a real hub, not listening. An answer that its route's schema does not describe becomes a 500. */
export async function testApi(
  setup: TestHubSetup & {
    clock?: Clock;
    options?: Partial<ApiOptions>;
    routes?: (app: FastifyInstance) => void;
  } = {},
): Promise<TestApi> {
  const tested = await testHub(setup);
  const app = Fastify({ schemaController: { compilersFactory: ownCompilers } });
  checkAnswers(app);
  setup.routes?.(app);
  await mountApi(app, tested.hub, {
    log: silentLog,
    version: "1.2.3",
    clock: setup.clock ?? systemClock,
    adminToken: ADMIN_TOKEN,
    dashboard: "no such folder",
    url: () => "http://127.0.0.1:19850",
    config: () => ({ settings: {}, files: [], warnings: [] }),
    backup: () => Promise.reject(new Error("no backup in this test")),
    reloadSettings: async () => {},
    ...setup.options,
  });
  return {
    ...tested,
    app,
    async request(method, url, payload) {
      const options: InjectOptions = { method, url, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } };
      const response = await app.inject(payload === undefined ? options : { ...options, payload });
      return { status: response.statusCode, body: response.json() };
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      await tested[Symbol.asyncDispose]();
    },
  };
}

/** Each is compiled once, however many tests ask for such an answer. */
const schemas = new AnswerSchemas();

function checkAnswers(app: FastifyInstance): void {
  app.addHook("preSerialization", async ({ routeOptions }, { statusCode }, answer) => {
    const described = routeOptions.schema?.response as Record<number, object> | undefined;
    const schema = described?.[statusCode] ?? (statusCode >= 400 ? FAILURE : undefined);
    const mismatch = described && (schema ? schemas.mismatch(schema, answer) : `no schema for ${statusCode}`);
    if (mismatch !== undefined) throw new Error(`the answer does not fit its schema: ${mismatch}`);
    return answer;
  });
}

const FAILURE = ref("ApiFailure");
