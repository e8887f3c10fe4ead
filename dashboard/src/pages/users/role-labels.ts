import type { PersonView } from "../../api/contract.ts";

type Role = PersonView["role"];

/** The roles with their labels and what they allow. */
export const ROLES: Readonly<Record<Role, { readonly label: string; readonly description: string }>> = {
  viewer: { label: "Viewer", description: "Can view everything except secrets. Cannot change anything." },
  operator: {
    label: "Operator",
    description: "Can also approve calls, answer questions, try tools and test servers.",
  },
  admin: {
    label: "Admin",
    description: "Can do everything: manage servers, rules, agents, secrets and people.",
  },
};

export const ROLE_OPTIONS: readonly (readonly [Role, string])[] = (
  ["viewer", "operator", "admin"] as const
).map((role) => [role, ROLES[role].label]);
