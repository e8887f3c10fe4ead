export interface ChromiumSetup {
  /** An empty folder, so that nothing of another page or person is visible. */
  readonly profile: string;
  readonly hasSandbox: boolean;
  readonly width: number;
  readonly height: number;
}

/** Starts Chromium without network access, without access to the rest of the machine, and without keeping anything. */
export function buildChromiumArguments({ profile, hasSandbox, width, height }: ChromiumSetup): string[] {
  return [
    "--headless=new",
    ...(hasSandbox ? [] : ["--no-sandbox"]),
    `--user-data-dir=${profile}`,
    "--remote-debugging-pipe",
    `--window-size=${width},${height}`,
    ...NETWORK_FLAGS,
    ...ISOLATION_FLAGS,
  ];
}

/** Options for `Target.createBrowserContext`: its pages reach the network only through this proxy (`127.0.0.1:<port>`). */
export function buildContextOptions(proxy: string): Readonly<Record<string, unknown>> {
  return { disposeOnDetach: true, proxyServer: `http://${proxy}`, proxyBypassList: PROXY_LOOPBACK };
}

/** By default, loopback addresses, where the daemon itself listens, would bypass the proxy. */
const PROXY_LOOPBACK = "<-loopback>";

/** Content of `Default/Preferences` in the profile. Chromium connects only to what pages name, not to its search engine. */
export const PREFERENCES = {
  net: { network_prediction_options: 2 },
  search: { suggest_enabled: false },
  signin: { allowed: false },
  safebrowsing: { enabled: false },
};

/** Features that look for devices and services nearby, or contact Google's servers. */
const DISABLED_FEATURES = [
  ...["MediaRouter", "DialMediaRouteProvider", "GlobalMediaControls"],
  ...["OptimizationHints", "Translate", "AutofillServerCommunication", "PreconnectToSearch"],
  ...["CertificateTransparencyComponentUpdater", "NetworkTimeServiceQuerying", "AsyncDns", "DnsOverHttps"],
];

/** Blocks Chromium's own requests too: only pages get a working proxy. */
const NETWORK_FLAGS = [
  "--proxy-server=http://127.0.0.1:9",
  `--proxy-bypass-list=${PROXY_LOOPBACK}`,
  // The proxy resolves names. Anything that tries to bypass it by name finds no address.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--dns-prefetch-disable",
  // Chromium preconnects to its search engine although nobody searches here.
  "--google-base-url=http://search.invalid/",
  "--disable-quic",
  // WebRTC would send UDP to addresses that a page chooses.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-blink-features=WebTransport",
  `--disable-features=${DISABLED_FEATURES.join(",")}`,
];

const ISOLATION_FLAGS = [
  ...["--no-first-run", "--no-default-browser-check", "--no-pings", "--no-service-autorun"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
  ...["--disable-default-apps", "--disable-extensions", "--disable-domain-reliability"],
  ...["--disable-client-side-phishing-detection", "--disable-breakpad", "--disable-crash-reporter"],
  ...["--disable-gpu", "--disable-dev-shm-usage", "--disable-notifications", "--disable-file-system"],
  ...["--deny-permission-prompts", "--mute-audio", "--hide-scrollbars", "--metrics-recording-only"],
  ...["--password-store=basic", "--use-mock-keychain", "--force-color-profile=srgb"],
  // The page gets its own window; a second one took a third of the time.
  "--no-startup-window",
  "--js-flags=--max-old-space-size=512",
];
