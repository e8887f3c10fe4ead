import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { pathOf } from "../api/client.ts";
import type { AgentList, ServerList, ToolList } from "../api/contract.ts";
import { useGet } from "../api/use-api.ts";
import { classes } from "../ui/classes.ts";
import { giveFocusBack, keepTabInside } from "../ui/focus.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Untrusted } from "../ui/untrusted.tsx";
import { navigate } from "./location.ts";
import { NAV } from "./routes.ts";
import { mayAs, type Role, useSession } from "./session.tsx";

interface Place {
  readonly to: string;
  readonly name: string;
  readonly kind: string;
  readonly icon: IconName;
  /** Other words that find it. */
  readonly also?: string;
}

/** What can be begun from anywhere, and from which role on. */
const ACTIONS: readonly (Place & { readonly role: Role })[] = [
  action("admin", "Add a server", "/servers?add=form", "new create register mcp"),
  action("admin", "Paste the settings of a server", "/servers?add=paste", "add new json readme"),
  action("admin", "Import servers from your clients", "/servers?add=import", "add claude cursor code"),
  action("admin", "Create an agent", "/agents?new=yes", "add new make"),
  action("admin", "Create a toolbox", "/toolboxes?new=yes", "add new make"),
  action("admin", "Add a rule", "/rules?edit=new", "new create allow deny ask permission"),
  action("admin", "Add a secret", "/vault?add=secret", "new create store key password"),
  action("admin", "Add a person", "/users?add=person", "new create invite user"),
  action("admin", "Create an admin token", "/users?view=tokens&add=token", "add new make api"),
  action("admin", "Add a knowledge source", "/knowledge/sources?add=source", "new folder web"),
  action("admin", "Create a project", "/tasks/projects?new=yes", "add new"),
  action("operator", "Create a ticket", "/tasks/tickets?new=yes", "add new"),
  action("operator", "Give an agent a task", "/tasks?new=yes", "add new create"),
  action("operator", "Check this installation", "/settings?view=health", "health doctor status"),
  action("viewer", "Try a call against the rules", "/rules?view=try", "test explain simulate"),
  action("viewer", "Verify the audit", "/audit?view=integrity", "check chain integrity"),
  action("admin", "Save a backup", "/settings?view=about", "export"),
];

function action(role: Role, name: string, to: string, also: string): Place & { readonly role: Role } {
  return { role, name, to, also, kind: "action", icon: "play" };
}

const SHOWN = 50;

/** Ctrl-K: any page, action, server, tool or agent by a few letters of its name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const places = usePlaces();
  const found = useMemo(() => search(places, typed), [places, typed]);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => giveFocusBack(before);
  }, []);

  const go = (place: Place | undefined) => {
    if (!place) return;
    onClose();
    navigate(place.to);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") go(found[at]);
    else if (step !== undefined) setAt(Math.max(0, Math.min(found.length - 1, at + step)));
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    dialog.current?.querySelector(`[data-at="${at}"]`)?.scrollIntoView({ block: "nearest" });
  }, [at]);

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
          aria-activedescendant={found[at] ? `${list}-${at}` : undefined}
          placeholder="Page, action, server, tool or agent"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={press}
          className="h-11 flex-1 bg-transparent text-base outline-none placeholder:text-soft"
        />
      </div>
      <div id={list} role="listbox" aria-label="Found" className="min-h-0 overflow-y-auto p-1">
        {found.map((place, index) => (
          <div
            key={place.to + place.kind}
            id={`${list}-${index}`}
            data-at={index}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className={classes(
              "flex h-9 items-center gap-2 rounded px-2",
              index === at ? "bg-selected text-accent" : "hover:bg-hover",
            )}
            onClick={() => go(place)}
            onKeyDown={(event) => event.key === "Enter" && go(place)}
          >
            <Icon name={place.icon} />
            <span className={classes("min-w-0 flex-1", place.kind === "tool" && "font-mono text-xs")}>
              <Untrusted text={place.name} line />
            </span>
            <span className="text-xs text-soft">{place.kind}</span>
          </div>
        ))}
        {found.length === 0 && <p className="px-3 py-6 text-center text-soft">Nothing is called that.</p>}
      </div>
    </dialog>
  );
}

function usePlaces(): readonly Place[] {
  const { role } = useSession();
  const servers = useGet<ServerList>("/servers").data;
  const tools = useGet<ToolList>("/tools", { params: { brief: true } }).data;
  const agents = useGet<AgentList>("/agents").data;
  return useMemo(
    () => [
      ...NAV.flat().map(({ to, label, icon }) => ({ to, name: label, kind: "page", icon })),
      ...ACTIONS.filter((one) => mayAs(role, one.role)),
      ...(servers?.servers ?? []).map(({ name }) => place("server", "servers", name)),
      ...(agents?.agents ?? []).map(({ name }) => place("agent", "agents", name)),
      ...(tools?.tools ?? [])
        .filter(({ status }) => status.kind !== "planned")
        .map(({ name }) => place("tool", "tools", name)),
    ],
    [servers, tools, agents, role],
  );
}

function place(kind: "server" | "agent" | "tool", page: string, name: string): Place {
  return { to: pathOf(page, name), name, kind, icon: kind };
}

/**
 * What has every word that was typed. Names that begin with it first, then those with a word that does, then those that
 * hold it, then those that other words lead to.
 */
function search(places: readonly Place[], typed: string): readonly Place[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === "") return places.slice(0, SHOWN);
  const words = wanted.split(/\s+/);
  const ranked = places.flatMap((place) => {
    const name = place.name.toLowerCase();
    const all = place.also === undefined ? name : `${name} ${place.also}`;
    if (!words.every((word) => all.includes(word))) return [];
    const at = name.indexOf(words[0]!);
    const begins = at === -1 ? 3 : at === 0 ? 0 : /[^a-z0-9]/.test(name[at - 1]!) ? 1 : 2;
    // Tools are many, and some are called as actions are.
    const later = place.kind === "tool" ? 1_000 : 0;
    return [{ place, rank: begins * 2_000 + later + Math.min(999, name.length) }];
  });
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, SHOWN)
    .map(({ place }) => place);
}
