/** For `node -e`, with a folder: keeps replacing the folder `d` in it by what `link` leads to, and back. */
export const SWAPPER = `
const { renameSync, rmSync } = require("node:fs");
const attempt = (work, otherwise = () => {}) => { try { work(); } catch { otherwise(); } };
process.chdir(process.argv[1]);
for (;;) {
  attempt(() => renameSync("d", "parked"));
  attempt(() => renameSync("link", "d"), () => rmSync("d", { recursive: true, force: true }));
  attempt(() => renameSync("d", "link"));
  attempt(() => renameSync("parked", "d"), () => rmSync("d", { recursive: true, force: true }));
}`;
