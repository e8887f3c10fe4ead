/** How the person starts this program. Started by npm, as in a fresh clone, it is not on the PATH. */
export function getOwnName(env: NodeJS.ProcessEnv): string {
  return env.npm_command === undefined ? "toolkeep" : "npx toolkeep";
}
