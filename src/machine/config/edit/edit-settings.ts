import { isRecord, stableJson } from "../../../lib/json.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { removeFromJson, setInJson } from "./json-edit.ts";
import { isToml, parseSettings, type Settings } from "./settings-document.ts";
import { removeFromToml, setInToml, setValueInToml } from "./toml-edit.ts";

/**
 * Returns the text of a settings file with one key set and everything else unchanged: comments, order, blanks. Returns
 * an error if that is not possible, never a text that changes the meaning of another key.
 */
export function withSetting(
  path: string,
  text: string,
  key: readonly string[],
  value: unknown,
): Result<string, string> {
  const before = parseSettings(path, text);
  if (!before.ok) return before;
  const edited = isToml(path) ? ok(inToml(text, key, value)) : setInJson(text, key, value);
  return edited.ok ? checked(path, edited.value, changed(before.value, key, value)) : edited;
}

function inToml(text: string, key: readonly string[], value: unknown): string {
  return isRecord(value) ? setInToml(text, key, value) : setValueInToml(text, key, value);
}

/** Does the same with keys removed. Missing keys are not an error. */
export function withoutSettings(
  path: string,
  text: string,
  keys: readonly (readonly string[])[],
): Result<string, string> {
  const before = parseSettings(path, text);
  if (!before.ok) return before;
  const remove = isToml(path) ? removeFromToml : removeFromJson;
  const edited = keys.reduce(remove, text);
  return checked(
    path,
    edited,
    keys.reduce<Settings>((settings, key) => changed(settings, key, undefined), before.value),
  );
}

/** Editing text by hand has to be right for every file that people write: whatever is not is never written. */
function checked(path: string, text: string, expected: Settings): Result<string, string> {
  const after = parseSettings(path, text);
  const isRight = after.ok && stableJson(withoutEmpty(after.value)) === stableJson(withoutEmpty(expected));
  return isRight ? ok(text) : err("it is written in a way that cannot be changed safely");
}

/** The settings with one key set, or gone where `value` is undefined. */
function changed(settings: Settings, [key, ...rest]: readonly string[], value: unknown): Settings {
  if (key === undefined) return settings;
  const inner = Object.hasOwn(settings, key) ? settings[key] : undefined;
  if (rest.length === 0) {
    const { [key]: _, ...others } = settings;
    return value === undefined ? others : { ...settings, [key]: value };
  }
  if (value === undefined && !isRecord(inner)) return settings;
  return { ...settings, [key]: changed(isRecord(inner) ? inner : {}, rest, value) };
}

/** In TOML, a table that only contained the removed one disappears with it. */
function withoutEmpty(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, withoutEmpty(item)] as const);
  return Object.fromEntries(entries.filter(([, item]) => !isRecord(item) || Object.keys(item).length > 0));
}
