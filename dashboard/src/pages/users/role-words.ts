import type { PersonView } from "../../api/contract.ts";

type Role = PersonView["role"];

/** What each role may, as people say it. */
export const ROLES: Readonly<Record<Role, { readonly label: string; readonly may: string }>> = {
  viewer: { label: "Viewer", may: "May see everything but secrets, and change nothing." },
  operator: {
    label: "Operator",
    may: "May also approve calls, answer questions, try tools and test servers.",
  },
  admin: { label: "Admin", may: "May do everything: servers, rules, agents, secrets, people." },
};

export const ROLE_OPTIONS: readonly (readonly [Role, string])[] = (
  ["viewer", "operator", "admin"] as const
).map((role) => [role, ROLES[role].label]);
