import { createContext, type ReactNode, useContext } from "react";
import type { SessionAnswer } from "../api/contract.ts";

export type Role = SessionAnswer["role"];

const ORDER: readonly Role[] = ["viewer", "operator", "admin"];

export const SessionContext = createContext<SessionAnswer | null>(null);

/** The person who is signed in. */
export function useSession(): SessionAnswer {
  return useContext(SessionContext)!;
}

/** Whether the person who is signed in has at least this role. Only hides useless buttons: the API checks again. */
export function useHasRole(role: Role): boolean {
  return hasRole(useSession().role, role);
}

/** Whether `role` includes everything that `required` may do. */
export function hasRole(role: Role, required: Role): boolean {
  return ORDER.indexOf(role) >= ORDER.indexOf(required);
}

/** Renders its children only for this role or a higher one: `<RequireRole role="admin"><Button …/></RequireRole>`. */
export function RequireRole({ role, children }: { role: Role; children: ReactNode }) {
  return useHasRole(role) ? children : null;
}
