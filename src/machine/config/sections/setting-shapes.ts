/** Shapes of settings that need more than one word to describe. */
import { z } from "zod";
import type { SettingForm } from "../../../contract/define-setting.ts";
import { httpUrl, text, wholeNumber } from "../document/expectation.ts";

/** The limits of a model. Absent fields have their usual values. */
export interface ModelLimits {
  /** In tokens. */
  readonly window?: number | undefined;
  readonly maxTools?: number | undefined;
  /** Tools that are never deferred: names, the ends of names, or patterns with `*`. */
  readonly eager?: readonly string[] | undefined;
}

type Models = Readonly<Record<string, ModelLimits>>;

export function hostName() {
  const expected = "a host name or IP address";
  return z
    .string(expected)
    .max(255, expected)
    .regex(/^[A-Za-z0-9._:-]+$/, expected);
}

export function hostList() {
  const expected = "a list of at most 200 host names, addresses or ranges";
  const host = z
    .string("a host name, an address or a range")
    .max(255, "a host name, an address or a range")
    .regex(/^(\*\.)?[A-Za-z0-9._:-]+(\/\d{1,3})?$/, "a host name, an address or a range");
  return z.array(host, expected).max(200, expected).readonly();
}

export function hostGlobs() {
  const expected = "a list of at most 200 host names, with * for anything";
  const host = z
    .string("a host name, with * for anything")
    .max(255, "a host name, with * for anything")
    .regex(/^[A-Za-z0-9._:*-]+$/, "a host name, with * for anything");
  return z.array(host, expected).max(200, expected).readonly();
}

export function portList() {
  const expected = "a list of at most 100 ports";
  return z.array(wholeNumber(1, 65_535), expected).max(100, expected).readonly();
}

export function modelLimits() {
  const expected = "models by name, each with window, max_tools or eager";
  const names = text("the name of a tool, its end, or a pattern with *", 200);
  const limits = z
    .strictObject(
      {
        window: wholeNumber(1_000, 100_000_000, "tokens").optional(),
        max_tools: wholeNumber(1, 10_000).optional(),
        eager: z
          .array(names, "a list of at most 200 tools")
          .max(200, "a list of at most 200 tools")
          .optional(),
      },
      expected,
    )
    .transform(({ window, max_tools, eager }) => ({ window, maxTools: max_tools, eager }));
  return z
    .record(text("the name of a model", 200), limits, expected)
    .refine((models) => Object.keys(models).length <= 100, "at most 100 models")
    .readonly();
}

/** The schema reads `max_tools` already; this writes it. */
export const MODEL_LIMITS: SettingForm<Models, Models> = {
  read: (models) => models,
  write: (models) =>
    Object.fromEntries(
      Object.entries(models).map(([name, { window, maxTools, eager }]) => [
        name,
        { window, max_tools: maxTools, eager },
      ]),
    ),
};

export function publicUrl() {
  const expected = "an http:// or https:// URL without query";
  return httpUrl()
    .refine((url) => !/[?#]/.test(url), expected)
    .transform((url) => url.replace(/\/+$/, ""));
}

export function postgresUrl() {
  const expected = "a postgres:// or postgresql:// URL";
  return z.string(expected).refine((url) => /^postgres(ql)?:\/\//.test(url) && URL.canParse(url), expected);
}

export function namingTemplate() {
  const expected = "a template of at most 64 characters with {server} and {tool}";
  return z
    .string(expected)
    .max(64, expected)
    .refine((template) => template.includes("{server}") && template.includes("{tool}"), expected);
}
