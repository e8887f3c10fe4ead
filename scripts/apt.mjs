/** Brings programs that the tests need, where that is possible without asking: as root on Debian and its relatives. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Undefined when it worked, else why `title` is still missing, as a clause. Prints what it does. */
export function installWithApt(title, name, variables = {}) {
  const missing = `${title} is not installed, and`;
  if (process.getuid?.() !== 0) return `${missing} only root could install it`;
  if (!onPath("apt-get")) return `${missing} there is no apt-get to install it with`;

  console.log(`${title} is not installed; installing it with apt-get for the tests …`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", ...variables };
  const steps = [["update"], ["install", "-y", "--no-install-recommends", name]];
  for (const step of steps) {
    const { status } = spawnSync("apt-get", ["-qq", ...step], {
      env,
      stdio: ["ignore", "inherit", "inherit"],
    });
    if (status !== 0) return `${missing} "apt-get ${step.join(" ")}" failed`;
  }
  return undefined;
}

/** Where `program` is on the PATH. */
export function onPath(program) {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
}
