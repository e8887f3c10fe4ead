import type { Dice } from "./dice.ts";

/** What a path may be made to look like so that a rule reads another one; `root`: the folder that it starts from. */
export function spelledPath(dice: Dice, root: string, files: readonly string[]): string {
  const target = dice.one(files);
  const detour = dice.one(["", "", "ok/../", "nope/../", "./", "ok/./..//", "private/../"]);
  const relative = `${detour}${target}`;
  const path = dice.one([relative, relative, `${root}/${relative}`, `${root}//${relative}`]);
  const prefixed = dice.weighted<() => string>([
    [6, () => path],
    [3, () => `${dice.one(["file:/../", "FILE:/x/../../", "file://R/../../", "file:///../../"])}${relative}`],
    [2, () => `${dice.one(["file://", "file:", "file://localhost", " file://", "FILE:///"])}${path}`],
    [2, () => `file://${root}/ok/${dice.one(["#", "?", "#x", "?x=1"])}/../../${relative}`],
    [2, () => `${dice.one(["~/../", "C:/../", "xx://../../", "http:/../", "c:x/../"])}${relative}`],
    [2, () => `/proc/${dice.one(["self", "thread-self", String(process.pid)])}/root${root}/${relative}`],
    [1, () => `/proc/self/cwd/${relative}`],
    [1, () => `/dev/fd/../../${root}/${relative}`],
    [1, () => `private/${dice.one(["..\\q.txt", "..\\..\\q.txt", ".\\p.txt"])}`],
  ])();
  const escaped = dice.weighted<(text: string) => string>([
    [6, (text) => text],
    [1, (text) => text.replaceAll("..", "%2e%2e")],
    [1, (text) => text.replaceAll(".", "%2E")],
    [1, (text) => text.replace("/", "%2f")],
    [1, (text) => text.replaceAll("/", "\\")],
    [1, (text) => text.replace("../", "..\\")],
    [1, (text) => text.replace("private", "%70rivate")],
    [1, (text) => text.replace("private", "%2570rivate")],
    [1, (text) => text.replace("private", dice.one(["Private", "PRIVATE", "ｐrivate", "private."]))],
  ])(prefixed);
  return `${escaped}${dice.weighted([
    [8, ""],
    [1, dice.one(["/", "/.", " ", ".", "?x", "#x", "\0", "\t", "/../p.txt", "%"])],
  ])}`;
}
