import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readArguments, readPairs } from "../../../../src/surfaces/cli/input/arguments.ts";
import { tempHome } from "../../../support/temp-home.ts";

const typed = (...given: string[]) => readArguments(given, { read: async () => '{"from": "stdin"}' });

describe("the arguments of a call", () => {
  it("are nothing, one JSON object, standard input or a file", async () => {
    await using folder = await tempHome();
    const file = join(folder.path, "arguments.json");
    await writeFile(file, '{"from": "file"}');
    expect(await typed()).toEqual({});
    expect(await typed(' {"a": [1, 2]}')).toEqual({ a: [1, 2] });
    expect(await typed("-")).toEqual({ from: "stdin" });
    expect(await typed(`@${file}`)).toEqual({ from: "file" });
  });

  it("are pairs, whose values are JSON where they parse and text where they do not", async () => {
    expect(await typed("path=/a=b", "count=3", "deep=true", 'list=["x"]', "text=3 apples", "none=")).toEqual({
      path: "/a=b",
      count: 3,
      deep: true,
      list: ["x"],
      text: "3 apples",
      none: "",
    });
  });

  it.each([["{broken"], ["novalue"], ["=x"], ["@/no/such/file"]])("%s is bad usage", async (given) => {
    await expect(typed(given)).rejects.toMatchObject({ code: "BAD_USAGE" });
  });
});

describe("pairs of env and headers", () => {
  it("stay text and never appear in the error", () => {
    expect(readPairs(["A=1", "B=x=y"], "--env")).toEqual({ A: "1", B: "x=y" });
    expect(() => readPairs(["sk-this-is-a-very-long-secret-key"], "--env")).toThrow(
      /--env must be KEY=VALUE/,
    );
    expect(() => readPairs(["sk-this-is-a-very-long-secret-key"], "--env")).not.toThrow(/secret-key/);
  });
});
