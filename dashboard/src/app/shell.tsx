import { type ReactNode, useEffect, useRef, useState } from "react";
import type { NotificationList, QuestionList } from "../api/contract.ts";
import { useAction, useGet } from "../api/use-api.ts";
import { IconButton } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { keepTabInside } from "../ui/focus.ts";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { Menu } from "../ui/menu.tsx";
import { ToastTray } from "../ui/toast.tsx";
import { BASE } from "./base.ts";
import { usePath } from "./location.ts";
import { Palette } from "./palette.tsx";
import { NAV } from "./routes.ts";
import { useSession } from "./session.tsx";
import { type Theme, useTheme } from "./theme.ts";

/** The frame around every page: the navigation (a drawer on a phone), the page, and the Ctrl-K palette. */
export function Shell({ children }: { children: ReactNode }) {
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  useEffect(() => {
    const togglePalette = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setIsPaletteOpen((before) => !before);
    };
    window.addEventListener("keydown", togglePalette);
    return () => window.removeEventListener("keydown", togglePalette);
  }, []);
  const openPalette = () => setIsPaletteOpen(true);
  return (
    <div className="flex h-full max-md:flex-col">
      <a
        href="#page"
        className="absolute -top-20 left-2 z-50 rounded bg-accent-fill px-3 py-1.5 text-on-accent focus:top-2"
      >
        Skip to content
      </a>
      <div className="flex w-52 shrink-0 flex-col border-r border-line bg-page max-md:hidden">
        <Navigation find={openPalette} />
      </div>
      <Drawer find={openPalette} />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <main id="page" tabIndex={-1} className="min-h-0 flex-1 outline-none">
          {children}
        </main>
        <ToastTray />
      </div>
      {isPaletteOpen && <Palette onClose={() => setIsPaletteOpen(false)} />}
    </div>
  );
}

function Navigation({ find }: { find: () => void }) {
  const path = usePath();
  const { approvals, notifications } = usePendingCounts();
  const counts: Readonly<Record<string, number>> = {
    "/approvals": approvals,
    "/notifications": notifications,
  };
  return (
    <>
      <div className="flex h-14 items-center gap-2 px-4">
        <Logo />
        <span className="text-base font-semibold">Toolkeep</span>
      </div>
      <button
        type="button"
        onClick={find}
        className="mx-3 mb-2 flex h-8 items-center gap-2 rounded-md border border-line-strong bg-surface px-2 text-soft hover:text-text"
      >
        <Icon name="search" />
        <span className="flex-1 text-left">Find</span>
        <kbd className="font-sans text-2xs">Ctrl K</kbd>
      </button>
      <nav aria-label="Pages" className="min-h-0 flex-1 overflow-y-auto px-3 pb-3">
        {NAV.map((group) => (
          <ul key={group[0]!.to} className="mt-3 first:mt-0">
            {group.map(({ to, label, icon }) => {
              const isCurrent = to === "/" ? path === "/" : path === to || path.startsWith(`${to}/`);
              return (
                <li key={to}>
                  <Link
                    to={to}
                    aria-current={isCurrent ? "page" : undefined}
                    className={classes(
                      "flex h-8 items-center gap-2 rounded-md px-2 max-md:h-10",
                      isCurrent
                        ? "bg-selected font-medium text-accent"
                        : "text-soft hover:bg-hover hover:text-text",
                    )}
                  >
                    <Icon name={icon} />
                    <span className="flex-1">{label}</span>
                    <Count of={counts[to] ?? 0} />
                  </Link>
                </li>
              );
            })}
          </ul>
        ))}
      </nav>
      <PersonMenu />
    </>
  );
}

function Count({ of }: { of: number }) {
  if (of === 0) return null;
  return (
    <span className="rounded bg-accent-fill px-1.5 text-2xs font-semibold text-on-accent">
      {of > 99 ? "99+" : of}
    </span>
  );
}

/** The counts beside Approvals and Notifications. */
function usePendingCounts(): { approvals: number; notifications: number } {
  const questions = useGet<QuestionList>("/questions", { params: { state: "pending" } }).data?.questions;
  const notifications = useGet<NotificationList>("/notifications").data?.notifications;
  return {
    approvals: questions?.length ?? 0,
    notifications: notifications?.length ?? 0,
  };
}

function PersonMenu() {
  const { name, role } = useSession();
  const [theme, setTheme] = useTheme();
  const signOut = useAction({ run: (client) => client.delete("/session") });
  const themes: readonly (readonly [Theme, string, "system" | "sun" | "moon"])[] = [
    ["system", "Match system", "system"],
    ["light", "Light", "sun"],
    ["dark", "Dark", "moon"],
  ];
  return (
    <div className="flex items-center gap-2 border-t border-line py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1 leading-tight">
        <div className="truncate font-medium">{name}</div>
        <div className="text-2xs text-soft">{role}</div>
      </div>
      <Menu
        label="Theme and sign-out"
        items={[
          ...themes.map(([id, label, icon]) => ({
            label: id === theme ? `${label} ✓` : label,
            icon,
            onSelect: () => setTheme(id),
          })),
          {
            label: "Sign out",
            icon: "exit",
            onSelect: async () => {
              if (await signOut.run()) window.location.assign(`${BASE}/`);
            },
          },
        ]}
      />
    </div>
  );
}

/** The navigation on narrow windows. */
function Drawer({ find }: { find: () => void }) {
  const drawer = useRef<HTMLDialogElement>(null);
  const path = usePath();
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigating closes the drawer
  useEffect(() => drawer.current?.close(), [path]);
  return (
    <div className="flex h-12 shrink-0 items-center gap-2 border-b border-line bg-page px-2 md:hidden">
      <IconButton icon="menu" label="Open navigation" onClick={() => drawer.current?.showModal()} />
      <Logo />
      <span className="flex-1 text-base font-semibold">Toolkeep</span>
      <IconButton icon="search" label="Find" onClick={find} />
      <dialog
        ref={drawer}
        aria-label="Navigation"
        className="m-0 h-dvh max-h-none w-64 flex-col border-r border-line bg-page p-0 text-text open:flex"
        onClick={(event) => event.target === drawer.current && drawer.current?.close()}
        onKeyDown={(event) => {
          keepTabInside(event);
          if (event.key === "Escape") drawer.current?.close();
        }}
      >
        <Navigation
          find={() => {
            drawer.current?.close();
            find();
          }}
        />
      </dialog>
    </div>
  );
}

function Logo() {
  return (
    <svg aria-hidden="true" width="20" height="20" viewBox="0 0 16 16">
      <rect width="16" height="16" rx="4" className="fill-accent-fill" />
      <path d="M4 5h8M8 5v7" className="stroke-on-accent" strokeWidth="2" strokeLinecap="round" fill="none" />
    </svg>
  );
}
