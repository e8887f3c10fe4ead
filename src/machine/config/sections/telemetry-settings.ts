/** The settings of telemetry: part of the table in `schema.ts`. */
import { httpUrl, text } from "../document/expectation.ts";
import { setting } from "../setting.ts";

export const TELEMETRY_SETTINGS = {
  "telemetry.otlp_url": setting(httpUrl(), {
    default: null,
    env: "OTEL_EXPORTER_OTLP_ENDPOINT",
    project: "never",
    description:
      "The OpenTelemetry collector that spans of calls are sent to (OTLP over HTTP, JSON); `/v1/traces` is added. Null: none are made.",
  }),
  "telemetry.otlp_headers": setting(
    text("name=value,name=value; {{secret:NAME}} for one in the vault", 4_000),
    {
      default: null,
      env: "OTEL_EXPORTER_OTLP_HEADERS",
      project: "never",
      description: "Headers for it, as `name=value,name=value`; a value may be `{{secret:NAME}}`.",
    },
  ),
} as const;
