import { expect, test } from "vitest";
import { childEnvironment } from "../../../src/machine/process/environment.ts";

test("a child sees neither the daemon's settings nor the database address nor concealed values", () => {
  const base = {
    PATH: "/bin",
    TOOLKEEP_KEY: "k",
    TOOLKEEP_HOME: "/h",
    DATABASE_URL: "postgres://u:p@h/d",
    API_KEY: "hunter22",
    EMPTY: undefined,
  };
  const env = childEnvironment(base, { TOKEN: "own" }, (value) => value === "hunter22");
  expect(env).toEqual({ PATH: "/bin", TOKEN: "own" });
});

test("what a server declares wins, even under a name that is withheld otherwise", () => {
  const env = childEnvironment({ A: "1", DATABASE_URL: "ours" }, { A: "2", DATABASE_URL: "theirs" });
  expect(env).toEqual({ A: "2", DATABASE_URL: "theirs" });
});
