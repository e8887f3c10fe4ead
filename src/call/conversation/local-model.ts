import { whyNotPublic } from "../../lib/net/public-address.ts";

/** Programs that run models on the machine they are on, as the names of models begin with them. */
const PRESETS =
  /^(?:ollama|ollama_chat|lmstudio|lm[-_]studio|llama\.?cpp|llamafile|localai|koboldcpp|gpt4all|mlx|jan|local)[/:]/i;
const NEAR_NAMES = /(?:^|\.)(?:localhost|local|lan|internal)$/i;
const NEAR_ADDRESSES = /loopback|private|this machine|link-local/;

/** Whether a model is one of a local preset (`ollama/llama3.2`), or named by an address that is near (`http://127.0.0.1:8080/v1`). */
export function isLocalModel(model: string): boolean {
  if (PRESETS.test(model)) return true;
  if (!/^https?:\/\//i.test(model) || !URL.canParse(model)) return false;
  const host = new URL(model).hostname.replace(/^\[|\]$/g, "");
  return NEAR_NAMES.test(host) || NEAR_ADDRESSES.test(whyNotPublic(host, {}) ?? "");
}
