import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { joinPath } from "../api/client.ts";
import type { AgentList, ServerList, ToolList } from "../api/contract.ts";
import { useGet } from "../api/use-api.ts";
import { classes } from "../ui/classes.ts";
import { keepTabInside, restoreFocus } from "../ui/focus.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { UntrustedText } from "../ui/untrusted-text.tsx";
import { navigate } from "./location.ts";
import { NAV } from "./routes.ts";
import { hasRole, type Role, useSession } from "./session.tsx";

interface Destination {
  readonly to: string;
  readonly name: string;
  readonly kind: string;
  readonly icon: IconName;
  /** Other words that match it. */
  readonly keywords?: string;
}

/** Actions available from every page, with the role they require. */
const ACTIONS: readonly (Destination & { readonly role: Role })[] = [
  createAction("admin", "Add server", "/servers?add=form", "new create register mcp"),
  createAction("admin", "Paste server settings", "/servers?add=paste", "add new json readme"),
  createAction("admin", "Import servers from clients", "/servers?add=import", "add claude cursor code"),
  createAction("admin", "Create agent", "/agents?new=yes", "add new make"),
  createAction("admin", "Create toolbox", "/toolboxes?new=yes", "add new make"),
  createAction("admin", "Add rule", "/rules?edit=new", "new create allow deny ask permission"),
  createAction("admin", "Add secret", "/vault?add=secret", "new create store key password"),
  createAction("admin", "Add person", "/users?add=person", "new create invite user"),
  createAction("admin", "Create admin token", "/users?view=tokens&add=token", "add new make api"),
  createAction("admin", "Add knowledge source", "/knowledge/sources?add=source", "new folder web"),
  createAction("admin", "Create project", "/tasks/projects?new=yes", "add new"),
  createAction("operator", "Create ticket", "/tasks/tickets?new=yes", "add new"),
  createAction("operator", "Create task", "/tasks?new=yes", "add new give assign"),
  createAction("operator", "Check health", "/settings?view=health", "health doctor status"),
  createAction("viewer", "Test a call against the rules", "/rules?view=try", "try explain simulate"),
  createAction("viewer", "Verify audit log", "/audit?view=integrity", "check chain integrity"),
  createAction("admin", "Download backup", "/settings?view=about", "save export create"),
];

function createAction(
  role: Role,
  name: string,
  to: string,
  keywords: string,
): Destination & { readonly role: Role } {
  return { role, name, to, keywords, kind: "action", icon: "play" };
}

const MAX_RESULTS = 50;

/** Ctrl-K: finds a page, action, server, tool or agent by a few letters of its name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();
  const [query, setQuery] = useState("");
  const [activeIndex, setActiveIndex] = useState(0);
  const destinations = useDestinations();
  const matches = useMemo(() => search(destinations, query), [destinations, query]);
  useEffect(() => {
    const previousFocus = document.activeElement;
    dialog.current?.showModal();
    return () => restoreFocus(previousFocus);
  }, []);

  const go = (destination: Destination | undefined) => {
    if (!destination) return;
    onClose();
    navigate(destination.to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const offset = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") go(matches[activeIndex]);
    else if (offset !== undefined)
      setActiveIndex(Math.max(0, Math.min(matches.length - 1, activeIndex + offset)));
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    dialog.current?.querySelector(`[data-at="${activeIndex}"]`)?.scrollIntoView({ block: "nearest" });
  }, [activeIndex]);

  return (
    <dialog
      ref={dialog}
      aria-label="Find"
      onCancel={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      onKeyDown={(event) => {
        keepTabInside(event);
        if (event.key === "Escape") onClose();
      }}
      className="mx-auto mt-[12vh] max-h-[70vh] w-[calc(100%-2rem)] max-w-xl flex-col overflow-hidden rounded-lg border border-line bg-raised p-0 text-text shadow-2xl open:flex"
    >
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Icon name="search" />
        <input
          autoFocus
          type="text"
          role="combobox"
          aria-label="Find a page, action, server, tool or agent"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={matches[activeIndex] ? `${list}-${activeIndex}` : undefined}
          placeholder="Page, action, server, tool or agent"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setActiveIndex(0);
          }}
          onKeyDown={onKeyDown}
          className="h-11 flex-1 bg-transparent text-base outline-none placeholder:text-soft"
        />
      </div>
      <div id={list} role="listbox" aria-label="Results" className="min-h-0 overflow-y-auto p-1">
        {matches.map((place, index) => (
          <div
            key={place.to + place.kind}
            id={`${list}-${index}`}
            data-at={index}
            role="option"
            tabIndex={-1}
            aria-selected={index === activeIndex}
            className={classes(
              "flex h-9 items-center gap-2 rounded px-2",
              index === activeIndex ? "bg-selected text-accent" : "hover:bg-hover",
            )}
            onClick={() => go(place)}
            onKeyDown={(event) => event.key === "Enter" && go(place)}
          >
            <Icon name={place.icon} />
            <span className={classes("min-w-0 flex-1", place.kind === "tool" && "font-mono text-xs")}>
              <UntrustedText text={place.name} line />
            </span>
            <span className="text-xs text-soft">{place.kind}</span>
          </div>
        ))}
        {matches.length === 0 && (
          <p className="px-3 py-6 text-center text-soft">No matches. Try another name.</p>
        )}
      </div>
    </dialog>
  );
}

function useDestinations(): readonly Destination[] {
  const { role } = useSession();
  const servers = useGet<ServerList>("/servers").data;
  const tools = useGet<ToolList>("/tools", { params: { brief: true } }).data;
  const agents = useGet<AgentList>("/agents").data;
  return useMemo(
    () => [
      ...NAV.flat().map(({ to, label, icon }) => ({ to, name: label, kind: "page", icon })),
      ...ACTIONS.filter((one) => hasRole(role, one.role)),
      ...(servers?.servers ?? []).map(({ name }) => createDestination("server", "servers", name)),
      ...(agents?.agents ?? []).map(({ name }) => createDestination("agent", "agents", name)),
      ...(tools?.tools ?? [])
        .filter(({ status }) => status.kind !== "planned")
        .map(({ name }) => createDestination("tool", "tools", name)),
    ],
    [servers, tools, agents, role],
  );
}

function createDestination(kind: "server" | "agent" | "tool", page: string, name: string): Destination {
  return { to: joinPath(page, name), name, kind, icon: kind };
}

/**
 * Finds destinations that contain every word. Ranks names that begin with the first word highest, then names with a word that
 * begins with it, then names that contain it, then matches by keyword.
 */
function search(destinations: readonly Destination[], query: string): readonly Destination[] {
  const text = query.trim().toLowerCase();
  if (text === "") return destinations.slice(0, MAX_RESULTS);
  const words = text.split(/\s+/);
  const ranked = destinations.flatMap((place) => {
    const name = place.name.toLowerCase();
    const all = place.keywords === undefined ? name : `${name} ${place.keywords}`;
    if (!words.every((word) => all.includes(word))) return [];
    const at = name.indexOf(words[0]!);
    const begins = at === -1 ? 3 : at === 0 ? 0 : /[^a-z0-9]/.test(name[at - 1]!) ? 1 : 2;
    // There are many tools, and some share their name with an action: rank them after it.
    const later = place.kind === "tool" ? 1_000 : 0;
    return [{ place, rank: begins * 2_000 + later + Math.min(999, name.length) }];
  });
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MAX_RESULTS)
    .map(({ place }) => place);
}
