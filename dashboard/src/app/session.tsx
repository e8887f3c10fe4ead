import { createContext, type ReactNode, useContext } from "react";
import type { SessionAnswer } from "../api/contract.ts";

export type Role = SessionAnswer["role"];

const ORDER: readonly Role[] = ["viewer", "operator", "admin"];

export const SessionContext = createContext<SessionAnswer | null>(null);

/** Who is signed in. */
export function useSession(): SessionAnswer {
  return useContext(SessionContext)!;
}

/** Whether whoever is signed in may do what this role may. The API asks again; this only keeps useless buttons away. */
export function useMay(role: Role): boolean {
  return mayAs(useSession().role, role);
}

/** Whether somebody of this role may do what `wanted` may. */
export function mayAs(role: Role, wanted: Role): boolean {
  return ORDER.indexOf(role) >= ORDER.indexOf(wanted);
}

/** Shown only to those who may: `<For role="admin"><Button …/></For>`. */
export function For({ role, children }: { role: Role; children: ReactNode }) {
  return useMay(role) ? children : null;
}
