/** How the person calls this program: started by npm, as in a fresh clone, it is on no PATH. */
export function ownName(env: NodeJS.ProcessEnv): string {
  return env.npm_command === undefined ? "toolkeep" : "npx toolkeep";
}
