import { isRecord } from "../../../lib/json.ts";
import { byProxy } from "./chromium-arguments.ts";
import type { Devtools } from "./devtools.ts";
import type { Chromium } from "./run-chromium.ts";

export interface Photo {
  readonly width: number;
  readonly height: number;
  /** The whole page and not only what fits into the window. */
  readonly isFullPage: boolean;
  /** How long to wait after the page has loaded. */
  readonly waitMs: number;
  /** A larger picture is taken again as JPEG, which may still be larger. */
  readonly maxBytes: number;
}

export interface Picture {
  readonly bytes: Buffer;
  readonly mimeType: "image/png" | "image/jpeg";
}

export interface PhotographedPage {
  readonly picture: Picture;
  readonly title: string;
  readonly url: string;
  /** Of the page itself; undefined where there was no answer over HTTP. */
  readonly status: number | undefined;
  /** It was still loading when the time for it was over. */
  readonly isUnfinished: boolean;
}

/** The page did not come; `code` is what Chromium says, such as `net::ERR_NAME_NOT_RESOLVED`. */
export class NoPage extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`the page could not be loaded: ${code}`);
    this.code = code;
  }
}

/** Nothing came in the time that it had. */
export const NO_ANSWER = "net::ERR_TIMED_OUT";
/** Longer pages are cut: a picture of more would be too small to read. */
const MAX_HEIGHT = 8_000;
/** After the load event, for what the page draws then. */
const SETTLE_MS = 500;

/** Opens `url` in a tab of its own and takes a picture. `loadMs`: how long loading may take before it is taken anyway. */
export async function photographPage(
  { devtools, proxy }: Pick<Chromium, "devtools" | "proxy">,
  url: string,
  photo: Photo,
  loadMs: number,
): Promise<PhotographedPage> {
  const page = await openTab(devtools, photo, proxy.address);
  const document = followDocument(devtools);
  const isUnfinished = !(await load(devtools, page, url, loadMs));
  if (document.url() === undefined) throw new NoPage(NO_ANSWER);
  await sleep(SETTLE_MS + photo.waitMs);
  const picture = await take(page, photo);
  const { targetInfo } = await devtools.send("Target.getTargetInfo", { targetId: page.targetId });
  const info = isRecord(targetInfo) ? targetInfo : {};
  return {
    picture,
    title: String(info.title ?? "").slice(0, 300),
    url: document.url() ?? String(info.url ?? url).slice(0, 4_096),
    status: document.status(),
    isUnfinished,
  };
}

interface Tab {
  readonly targetId: string;
  send(method: string, params?: Readonly<Record<string, unknown>>): ReturnType<Devtools["send"]>;
}

/** In a context of its own, the only one that has a way outside. */
async function openTab(devtools: Devtools, { width, height }: Photo, proxy: string): Promise<Tab> {
  const { browserContextId } = await devtools.send("Target.createBrowserContext", byProxy(proxy));
  const { targetId } = await devtools.send("Target.createTarget", { url: "about:blank", browserContextId });
  const { sessionId } = await devtools.send("Target.attachToTarget", { targetId, flatten: true });
  const tab: Tab = {
    targetId: String(targetId),
    send: (method, params) => devtools.send(method, params, String(sessionId)),
  };
  await devtools.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId });
  // A page that asks its reader something would wait for ever.
  devtools.on("Page.javascriptDialogOpening", () => {
    tab.send("Page.handleJavaScriptDialog", { accept: false }).catch(() => undefined);
  });
  await tab.send("Page.enable");
  await tab.send("Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });
  await tab.send("Emulation.setDeviceMetricsOverride", {
    width,
    height,
    deviceScaleFactor: 1,
    mobile: false,
  });
  return tab;
}

/** What the tab shows in the end: pages lead on to others by themselves. */
function followDocument(devtools: Devtools) {
  let last: { readonly url: string; readonly status: number } | undefined;
  let frame: string | undefined;
  devtools.on("Network.responseReceived", ({ type, frameId, response }) => {
    if (type !== "Document" || !isRecord(response)) return;
    frame ??= String(frameId); // the first document is that of the tab, later ones may be of frames in it
    if (frameId !== frame) return;
    last = { url: String(response.url).slice(0, 4_096), status: Number(response.status) };
  });
  return { url: () => last?.url, status: () => last?.status };
}

/** False where it was not loaded in time. */
async function load(devtools: Devtools, page: Tab, url: string, loadMs: number): Promise<boolean> {
  const loaded = new Promise<boolean>((resolve) => devtools.on("Page.loadEventFired", () => resolve(true)));
  const navigated = page.send("Page.navigate", { url }).then(async ({ errorText }) => {
    if (typeof errorText === "string" && errorText !== "") throw new NoPage(errorText);
    return loaded;
  });
  const timer = new AbortController();
  try {
    return await Promise.race([navigated, sleep(loadMs, timer.signal).then(() => false)]);
  } finally {
    timer.abort();
    navigated.catch(() => undefined); // it may fail only when the browser has ended
  }
}

async function take(page: Tab, photo: Photo): Promise<Picture> {
  const { width, height, isFullPage } = photo;
  const { cssContentSize } = isFullPage ? await page.send("Page.getLayoutMetrics") : {};
  const whole = isRecord(cssContentSize) ? Math.ceil(Number(cssContentSize.height)) || height : height;
  const clip = { x: 0, y: 0, width, height: Math.min(Math.max(whole, height), MAX_HEIGHT), scale: 1 };
  const capture = async (format: Readonly<Record<string, unknown>>) => {
    const options = { ...format, clip, captureBeyondViewport: isFullPage };
    const { data } = await page.send("Page.captureScreenshot", options);
    return Buffer.from(String(data), "base64");
  };
  const png = await capture({ format: "png" });
  if (png.length <= photo.maxBytes) return { bytes: png, mimeType: "image/png" };
  return { bytes: await capture({ format: "jpeg", quality: 70 }), mimeType: "image/jpeg" };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}
