/** The first words of the addresses of the dashboard's pages; `dashboard/src/app/routes.ts` has the pages themselves. */
export const DASHBOARD_PAGES = [
  "servers",
  "tools",
  "toolboxes",
  "agents",
  "tasks",
  "approvals",
  "rules",
  "audit",
  "knowledge",
  "vault",
  "settings",
  "notifications",
  "users",
] as const;
