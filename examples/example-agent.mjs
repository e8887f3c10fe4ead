/** The agent of the examples, made when there is none: it has every tool that `*` stands for, and a workspace of its own. */
export async function exampleAgent(hub) {
  const name = "example";
  const known = hub.identity.agents().some((agent) => agent.name === name);
  if (!known) await hub.identity.createAgent(name, { toolboxes: ["all"] });
  return name;
}
