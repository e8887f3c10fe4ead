import { explainNotPublic } from "../../lib/net/public-address.ts";

/** Prefixes of model names that stand for programs running models locally. */
const LOCAL_PREFIXES =
  /^(?:ollama|ollama_chat|lmstudio|lm[-_]studio|llama\.?cpp|llamafile|localai|koboldcpp|gpt4all|mlx|jan|local)[/:]/i;
const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|lan|internal)$/i;
const LOCAL_ADDRESSES = /loopback|private|this machine|link-local/;

/**
 * Whether a model has a local prefix (`ollama/llama3.2`) or is named by a local address (`http://127.0.0.1:8080/v1`).
 */
export function isLocalModel(model: string): boolean {
  if (LOCAL_PREFIXES.test(model)) return true;
  if (!/^https?:\/\//i.test(model) || !URL.canParse(model)) return false;
  const host = new URL(model).hostname.replace(/^\[|\]$/g, "");
  return LOCAL_NAMES.test(host) || LOCAL_ADDRESSES.test(explainNotPublic(host, {}) ?? "");
}
