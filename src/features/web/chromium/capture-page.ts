import { isRecord } from "../../../lib/json.ts";
import { buildContextOptions } from "./chromium-arguments.ts";
import type { Devtools } from "./devtools.ts";
import type { Chromium } from "./run-chromium.ts";

export interface ScreenshotOptions {
  readonly width: number;
  readonly height: number;
  /** Captures the whole page, not only what fits into the window. */
  readonly isFullPage: boolean;
  /** How long to wait after the page has loaded. */
  readonly waitMs: number;
  /** A larger image is captured again as JPEG, which may still be larger. */
  readonly maxBytes: number;
}

export interface ScreenshotImage {
  readonly bytes: Buffer;
  readonly mimeType: "image/png" | "image/jpeg";
}

export interface CapturedPage {
  readonly picture: ScreenshotImage;
  readonly title: string;
  readonly url: string;
  /** The status of the page itself; undefined if there was no HTTP response. */
  readonly status: number | undefined;
  /** Whether the page was still loading when its time was up. */
  readonly isUnfinished: boolean;
}

/** The page could not be loaded. `code` is Chromium's error, such as `net::ERR_NAME_NOT_RESOLVED`. */
export class PageLoadError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`the page could not be loaded: ${code}`);
    this.code = code;
  }
}

/** The page did not respond in time. */
export const NO_ANSWER = "net::ERR_TIMED_OUT";
/** Longer pages are cut, because a larger image would be unreadable. */
const MAX_HEIGHT = 8_000;
/** Wait after the load event for late drawing. */
const SETTLE_MS = 500;

/** Opens `url` in a new tab and captures it, at the latest `loadMs` after loading started. */
export async function capturePage(
  { devtools, proxy }: Pick<Chromium, "devtools" | "proxy">,
  url: string,
  options: ScreenshotOptions,
  loadMs: number,
): Promise<CapturedPage> {
  const page = await openTab(devtools, options, proxy.address);
  const document = trackDocument(devtools);
  const isUnfinished = !(await loadPage(devtools, page, url, loadMs));
  if (document.url() === undefined) throw new PageLoadError(NO_ANSWER);
  await sleep(SETTLE_MS + options.waitMs);
  const picture = await captureImage(page, options);
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

/** Opens a tab in a new context, the only one with network access. */
async function openTab(
  devtools: Devtools,
  { width, height }: ScreenshotOptions,
  proxy: string,
): Promise<Tab> {
  const { browserContextId } = await devtools.send("Target.createBrowserContext", buildContextOptions(proxy));
  const { targetId } = await devtools.send("Target.createTarget", { url: "about:blank", browserContextId });
  const { sessionId } = await devtools.send("Target.attachToTarget", { targetId, flatten: true });
  const tab: Tab = {
    targetId: String(targetId),
    send: (method, params) => devtools.send(method, params, String(sessionId)),
  };
  await devtools.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId });
  // A page that opens a dialog would wait forever.
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

/** Tracks which document the tab finally shows, since pages can redirect by themselves. */
function trackDocument(devtools: Devtools) {
  let last: { readonly url: string; readonly status: number } | undefined;
  let frame: string | undefined;
  devtools.on("Network.responseReceived", ({ type, frameId, response }) => {
    if (type !== "Document" || !isRecord(response)) return;
    frame ??= String(frameId); // the first document belongs to the tab, later ones may belong to its frames
    if (frameId !== frame) return;
    last = { url: String(response.url).slice(0, 4_096), status: Number(response.status) };
  });
  return { url: () => last?.url, status: () => last?.status };
}

/** False if the page did not load in time. */
async function loadPage(devtools: Devtools, page: Tab, url: string, loadMs: number): Promise<boolean> {
  const loaded = new Promise<boolean>((resolve) => devtools.on("Page.loadEventFired", () => resolve(true)));
  const navigated = page.send("Page.navigate", { url }).then(async ({ errorText }) => {
    if (typeof errorText === "string" && errorText !== "") throw new PageLoadError(errorText);
    return loaded;
  });
  const timer = new AbortController();
  try {
    return await Promise.race([navigated, sleep(loadMs, timer.signal).then(() => false)]);
  } finally {
    timer.abort();
    navigated.catch(() => undefined); // it may fail later, when the browser has ended
  }
}

async function captureImage(page: Tab, options: ScreenshotOptions): Promise<ScreenshotImage> {
  const { width, height, isFullPage } = options;
  const { cssContentSize } = isFullPage ? await page.send("Page.getLayoutMetrics") : {};
  const fullHeight = isRecord(cssContentSize) ? Math.ceil(Number(cssContentSize.height)) || height : height;
  const clip = { x: 0, y: 0, width, height: Math.min(Math.max(fullHeight, height), MAX_HEIGHT), scale: 1 };
  const capture = async (format: Readonly<Record<string, unknown>>) => {
    const options = { ...format, clip, captureBeyondViewport: isFullPage };
    const { data } = await page.send("Page.captureScreenshot", options);
    return Buffer.from(String(data), "base64");
  };
  const png = await capture({ format: "png" });
  if (png.length <= options.maxBytes) return { bytes: png, mimeType: "image/png" };
  return { bytes: await capture({ format: "jpeg", quality: 70 }), mimeType: "image/jpeg" };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}
