import { z } from "zod";
import type { RouteBody } from "../../contract/define-route.ts";
import { inputSchema } from "../../contract/shape.ts";
import type { JsonSchema } from "../../lib/json.ts";

/**
 * The JSON Schema of what a route takes, derived on first use. Deriving the schemas of all routes would make every start of
 * the daemon slower.
 */
export class DerivedSchema {
  readonly type: "object" | readonly ["object", "null"];
  readonly #shape: RouteBody;
  #schema: JsonSchema | undefined;

  constructor(shape: RouteBody) {
    this.#shape = shape;
    this.type = shape instanceof z.ZodNullable ? ["object", "null"] : "object";
  }

  get properties(): unknown {
    return this.toJSON().properties;
  }

  get required(): unknown {
    return this.toJSON().required;
  }

  toJSON(): JsonSchema {
    this.#schema ??= inputSchema(this.#shape);
    return this.#schema;
  }
}
