/** Who turns texts into vectors: part of the table in `schema.ts`. */
import { httpUrl, oneOf, text, wholeNumber } from "../document/expectation.ts";
import { setting } from "../setting.ts";

export const EMBEDDING_SETTINGS = {
  "embeddings.provider": setting(oneOf(["local", "openai", "ollama", "off"]), {
    default: "local",
    env: "TOOLKEEP_EMBEDDINGS_PROVIDER",
    project: "never",
    restart: true,
    description:
      "Who works out what texts mean: the model of this machine (`local`), an endpoint that speaks as OpenAI's or Ollama's does, which is sent those texts, or nobody (`off`).",
  }),
  "embeddings.url": setting(httpUrl(), {
    default: null,
    env: "TOOLKEEP_EMBEDDINGS_URL",
    project: "never",
    restart: true,
    description:
      "Where the endpoint is; `/embeddings` (OpenAI) or `/api/embed` (Ollama) is added. Without it `https://api.openai.com/v1` or `http://127.0.0.1:11434`.",
  }),
  "embeddings.model": setting(text("the name of a model", 200), {
    default: null,
    env: "TOOLKEEP_EMBEDDINGS_MODEL",
    project: "never",
    restart: true,
    description: "Its model, such as `text-embedding-3-small` or `nomic-embed-text`. An endpoint needs it.",
  }),
  "embeddings.api_key": setting(text("a key, or {{secret:NAME}} for one in the vault", 1_000), {
    default: null,
    env: "TOOLKEEP_EMBEDDINGS_API_KEY",
    project: "never",
    description:
      "The key for the endpoint, where it wants one; better its name in the vault, as `{{secret:NAME}}`.",
  }),
  "embeddings.dimensions": setting(wholeNumber(8, 4_096), {
    default: null,
    env: "TOOLKEEP_EMBEDDINGS_DIMENSIONS",
    project: "never",
    restart: true,
    description:
      "How many numbers the endpoint is asked for, of models that can give fewer. Without it as many as the model gives.",
  }),
} as const;
