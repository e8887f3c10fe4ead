import { stringify } from "smol-toml";
import { describe, expect, it } from "vitest";
import { withoutSettings, withSetting } from "../../../../src/machine/config/edit/edit-settings.ts";
import { parseSettings } from "../../../../src/machine/config/edit/settings-document.ts";

const ENTRY = { url: "http://127.0.0.1:1/mcp", headers: { Authorization: "Bearer x" } };
const ROUNDS = 400;

describe("settings", () => {
  it("written in any way keep their meaning when a key is set and removed", () => {
    const random = mulberry32(7);
    for (let round = 0; round < ROUNDS; round++) {
      const text = randomJson(random);
      const set = withSetting("x.json", text, ["servers", "toolkeep"], ENTRY);
      expect(set, text).toMatchObject({ ok: true });
      const removed = withoutSettings("x.json", set.ok ? set.value : "", [["servers", "toolkeep"]]);
      expect(removed, set.ok ? set.value : "").toMatchObject({ ok: true });
      const [before, after] = [
        parseSettings("x.json", text),
        parseSettings("x.json", removed.ok ? removed.value : ""),
      ];
      const value = before.ok ? before.value : {};
      expect(after.ok && after.value).toEqual({ servers: {}, ...value });
    }
  });

  it("in TOML keep their meaning, too", () => {
    const random = mulberry32(11);
    for (let round = 0; round < ROUNDS; round++) {
      const text = randomToml(random);
      const set = withSetting("x.toml", text, ["servers", "toolkeep"], ENTRY);
      expect(set, text).toMatchObject({ ok: true });
      const removed = withoutSettings("x.toml", set.ok ? set.value : "", [["servers", "toolkeep"]]);
      expect(removed).toEqual({ ok: true, value: text });
    }
  });

  it("that are not understood are not touched", () => {
    expect(withSetting("x.json", "{", ["a"], {})).toMatchObject({ ok: false });
    expect(withoutSettings("x.toml", "a = = 1", [["a"]])).toMatchObject({ ok: false });
    expect(withSetting("x.toml", "servers = 1\n", ["servers", "a"], {})).toEqual({
      ok: false,
      error: "it is written in a way that cannot be changed safely",
    });
  });
});

type Random = () => number;

/** JSON with remarks, trailing commas and blanks wherever they may stand. */
function randomJson(random: Random): string {
  const blank = () => {
    const roll = random();
    if (roll < 0.35) return "";
    if (roll < 0.6) return " ";
    if (roll < 0.8) return "\n  ";
    return roll < 0.9 ? ' // a "remark" {\n' : " /* } , */ ";
  };
  const value = (depth: number): string => {
    const roll = random();
    if (depth > 2 || roll < 0.3)
      return ["1", "true", '"a\\"}{"', '"// no"', "null"][Math.floor(random() * 5)]!;
    return roll < 0.75 ? object(depth + 1, []) : `[${blank()}${value(depth + 1)}${blank()},${blank()}2]`;
  };
  const object = (depth: number, fixed: readonly string[]): string => {
    const names = ["a", "b b", "c{", "d"].filter(() => random() < 0.4);
    const members = [
      ...names.map((name) => `${JSON.stringify(name)}${blank()}:${blank()}${value(depth)}`),
      ...fixed,
    ];
    members.sort(() => random() - 0.5);
    const comma = members.length > 0 && random() < 0.3 ? `,${blank()}` : "";
    return `{${blank()}${members.join(`${blank()},${blank()}`)}${blank()}${comma}}`;
  };
  const servers = random() < 0.7 ? [`"servers":${blank()}${object(1, [])}`] : [];
  return `${blank()}${object(0, servers)}${blank()}\n`;
}

function randomToml(random: Random): string {
  const some = <T>(items: readonly T[]) => items.filter(() => random() < 0.5);
  const lines = some([
    "a = 1 # one",
    'text = """\n[servers.toolkeep]\n"""',
    "list = [\n  1, # x\n  2,\n]",
    "# alone",
    "",
  ]);
  const servers = some(["x", "y z"]).map((name) =>
    stringify({ servers: { [name]: { command: "c", env: { A: "]" } } } }),
  );
  const end = random() < 0.5 ? "" : "\n[other] # last\nb = '''\n\"\n'''\n";
  return `# mine\n${lines.join("\n")}\n${servers.join("\n")}${end}`;
}

/** A small seeded generator: a failure can be repeated. */
function mulberry32(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
