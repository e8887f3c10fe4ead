import { lstat, readlink, realpath } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { isInside } from "../../lib/files/inside.ts";

/** One path that a confined program sees. */
export type Mount =
  | { readonly kind: "read" | "write"; readonly at: string; readonly from: string }
  | { readonly kind: "empty" | "proc" | "dev" | "devices"; readonly at: string }
  | { readonly kind: "link"; readonly at: string; readonly to: string };

/** A folder or file that is shown, with what may be done to it. */
export interface ShownPath {
  readonly path: string;
  readonly access: "read" | "write";
}

export interface View {
  /** `own`: system folders to read, an own home, an empty /tmp. `machine`: everything as it is. */
  readonly of: "own" | "machine";
  /** Nothing in it is seen but what `kept` names; without symbolic links. */
  readonly hidden: string;
  readonly shown: readonly ShownPath[];
  /** Visible and writable although they lie in a hidden folder. Without symbolic links. */
  readonly kept: readonly string[];
  /** The program's home folder; null: an empty one that is removed when it ends. */
  readonly privateHome: string | null;
  readonly env: Readonly<Record<string, string>>;
}

/** Programs and libraries; none of them holds what belongs to a person. */
const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/opt",
  "/nix/store",
  "/gnu/store",
  "/run/current-system",
];
/**
 * The parts of `/etc` that programs need for names, certificates, the time and their defaults. No password, no key:
 * `gitconfig` and `npmrc` may hold tokens.
 */
const ETC = [
  ..."passwd group hosts host.conf hostname resolv.conf nsswitch.conf gai.conf services protocols".split(" "),
  ..."localtime timezone locale.conf locale.alias default/locale os-release debian_version".split(" "),
  ..."ld.so.cache ld.so.conf ld.so.conf.d alternatives mime.types magic terminfo fonts inputrc".split(" "),
  ..."ssl/certs ssl/openssl.cnf ssl/cert.pem ca-certificates ca-certificates.conf".split(" "),
  ..."pki/tls/certs pki/tls/cert.pem pki/ca-trust crypto-policies".split(" "),
  ..."profile profile.d bash.bashrc bashrc shells python3 perl java php".split(" "),
].map((name) => `/etc/${name}`);
/** Variables that name certificates. */
const CERTIFICATES = [
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "PIP_CERT",
];
const MAX_PATH_FOLDERS = 60;

/** Returns the existing paths that programs with this environment read besides the system's folders. Pure. */
export function neededPaths(env: Readonly<Record<string, string>>): readonly string[] {
  const certificates = CERTIFICATES.map((name) => env[name] ?? "").filter((path) => isAbsolute(path));
  return [...certificates, ...programFolders(env.PATH)];
}

/**
 * Returns the system's folders and other needed paths. A needed folder that contains one of the `personal` ones shows
 * nothing, because `PATH` may name the home itself. Reads the disk.
 */
export async function systemMounts(
  needed: readonly string[],
  personal: readonly string[] = [],
): Promise<readonly Mount[]> {
  const apart = await Promise.all(personal.map((path) => realpath(path).catch(() => path)));
  const read = (path: string) => located({ path, access: "read" });
  const asked = await Promise.all(needed.map(read));
  const isApart = (mount: Mount) => "from" in mount && apart.some((path) => isInside(mount.from, path));
  const shown = asked.filter((mounts) => !mounts.some(isApart));
  const system = await Promise.all([...SYSTEM.map(systemMount), ...ETC.map(read)]);
  return [...system, ...shown].flat();
}

/**
 * Returns every mount of a view in order: deeper ones come later and win. Nothing of a hidden folder is mounted except
 * the kept paths.
 */
export async function mountsOf(view: View, system: readonly Mount[]): Promise<readonly Mount[]> {
  const shown = (await Promise.all(view.shown.map(located))).flat();
  const around: readonly Mount[] =
    view.of === "machine"
      ? [
          { kind: "write", at: "/", from: "/" },
          { kind: "devices", at: "/dev" },
        ]
      : [...system, ...emptyPlaces(view.env), { kind: "dev", at: "/dev" }];
  const isOpen = (mount: Mount) =>
    !("from" in mount) || !(isInside(view.hidden, mount.from) || isInside("/proc", mount.from));
  const mounts: Mount[] = [
    ...[...around, ...shown].filter(isOpen),
    ...(view.of === "own" ? await homeMounts(view, shown) : []),
    { kind: "proc", at: "/proc" },
    { kind: "empty", at: view.hidden },
    ...view.kept.map((path) => ({ kind: "write", at: path, from: path }) as const),
  ];
  return withoutSpare(ordered(mounts));
}

/** The last of several mounts at one path wins, but write access is never narrowed to reading. */
function ordered(mounts: readonly Mount[]): Mount[] {
  const byPlace = new Map<string, Mount>();
  for (const mount of mounts) {
    const isNarrower = mount.kind === "read" && byPlace.get(mount.at)?.kind === "write";
    if (!isNarrower) byPlace.set(mount.at, mount);
  }
  return [...byPlace.values()].sort((a, b) => a.at.length - b.at.length || (a.at < b.at ? -1 : 1));
}

/** Removes mounts that are visible already: links and read-only folders inside a folder that is mounted as it is. */
function withoutSpare(mounts: readonly Mount[]): readonly Mount[] {
  return mounts.filter((mount, index) => {
    if (mount.kind !== "link" && mount.kind !== "read") return true;
    const around = mounts.slice(0, index).findLast(({ at }) => isInside(at, dirname(mount.at)));
    if (around === undefined || !("from" in around)) return true;
    return mount.kind === "read" && around.kind === "write";
  });
}

async function systemMount(path: string): Promise<Mount[]> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return [];
  if (!found.isSymbolicLink()) return [{ kind: "read", at: path, from: path }];
  const to = await readlink(path).catch(() => undefined);
  return to === undefined ? [] : [{ kind: "link", at: path, to }];
}

/**
 * Returns the folders of `PATH`, and the `lib` next to each `bin`: programs installed for one person, such as a Node.js
 * under their home, keep parts there.
 */
function programFolders(path: string | undefined): string[] {
  const folders = (path ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return folders
    .slice(0, MAX_PATH_FOLDERS)
    .map(withoutSlash)
    .flatMap((folder) => (folder.endsWith("/bin") ? [folder, join(dirname(folder), "lib")] : [folder]))
    .filter((folder) => folder !== "" && !SYSTEM.includes(folder));
}

function emptyPlaces({ TMPDIR = "" }: Readonly<Record<string, string>>): Mount[] {
  const own = isAbsolute(TMPDIR) && withoutSlash(TMPDIR) !== "" ? [withoutSlash(TMPDIR)] : [];
  return ["/tmp", "/var/tmp", ...own].map((at) => ({ kind: "empty", at }));
}

/** None where the person's own home is shown, by itself or with more around it. */
async function homeMounts({ env, privateHome }: View, shown: readonly Mount[]): Promise<Mount[]> {
  const home = withoutSlash(env.HOME ?? "");
  if (!isAbsolute(home)) return [];
  const at = await realpath(home).catch(() => home);
  if (shown.some((mount) => isInside(mount.at, at))) return [];
  const mount: Mount =
    privateHome === null ? { kind: "empty", at } : { kind: "write", at, from: privateHome };
  return at === home ? [mount] : [mount, { kind: "link", at: home, to: at }];
}

/** Shown where it really is, and found by the name that was given. What is not there shows nothing. */
async function located({ path, access }: ShownPath): Promise<Mount[]> {
  const at = withoutSlash(path) || "/";
  const from = await realpath(at).catch(() => undefined);
  if (from === undefined) return [];
  const mount: Mount = { kind: access, at: from, from };
  return from === at ? [mount] : [mount, { kind: "link", at, to: from }];
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, "");
}
