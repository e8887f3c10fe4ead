export interface ChromiumSetup {
  /** An empty folder: nothing of another page or person is in it. */
  readonly profile: string;
  readonly hasSandbox: boolean;
  readonly width: number;
  readonly height: number;
}

/** How Chromium is started so that it has no way to the network, looks at nothing else on the machine and keeps nothing. */
export function chromiumArguments({ profile, hasSandbox, width, height }: ChromiumSetup): string[] {
  return [
    "--headless=new",
    ...(hasSandbox ? [] : ["--no-sandbox"]),
    `--user-data-dir=${profile}`,
    "--remote-debugging-pipe",
    `--window-size=${width},${height}`,
    ...NO_WAY_OUTSIDE,
    ...NOTHING_OF_ITS_OWN,
  ];
}

/** For `Target.createBrowserContext`: pages of the context reach the network by this proxy (`127.0.0.1:<port>`) alone. */
export function byProxy(proxy: string): Readonly<Record<string, unknown>> {
  return { disposeOnDetach: true, proxyServer: `http://${proxy}`, proxyBypassList: EVEN_LOOPBACK };
}

/** Otherwise the loopback, where the daemon itself listens, goes past a proxy. */
const EVEN_LOOPBACK = "<-loopback>";

/** For the profile, as `Default/Preferences`: it connects to nothing that no page named, its search engine included. */
export const PREFERENCES = {
  net: { network_prediction_options: 2 },
  search: { suggest_enabled: false },
  signin: { allowed: false },
  safebrowsing: { enabled: false },
};

/** What looks for devices and services around it, or asks servers of its own. */
const FEATURES = [
  ...["MediaRouter", "DialMediaRouteProvider", "GlobalMediaControls"],
  ...["OptimizationHints", "Translate", "AutofillServerCommunication", "PreconnectToSearch"],
  ...["CertificateTransparencyComponentUpdater", "NetworkTimeServiceQuerying", "AsyncDns", "DnsOverHttps"],
];

/** Also for what Chromium asks by itself: only pages are given a proxy that works. */
const NO_WAY_OUTSIDE = [
  "--proxy-server=http://127.0.0.1:9",
  `--proxy-bypass-list=${EVEN_LOOPBACK}`,
  // It has to resolve nothing: the proxy does. What would go past the proxy by a name finds no address.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--dns-prefetch-disable",
  // Chromium connects to its search engine ahead of a search that nobody makes here.
  "--google-base-url=http://search.invalid/",
  "--disable-quic",
  // Peer connections are UDP to addresses that a page names.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-blink-features=WebTransport",
  `--disable-features=${FEATURES.join(",")}`,
];

const NOTHING_OF_ITS_OWN = [
  ...["--no-first-run", "--no-default-browser-check", "--no-pings", "--no-service-autorun"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
  ...["--disable-default-apps", "--disable-extensions", "--disable-domain-reliability"],
  ...["--disable-client-side-phishing-detection", "--disable-breakpad", "--disable-crash-reporter"],
  ...["--disable-gpu", "--disable-dev-shm-usage", "--disable-notifications", "--disable-file-system"],
  ...["--deny-permission-prompts", "--mute-audio", "--hide-scrollbars", "--metrics-recording-only"],
  ...["--password-store=basic", "--use-mock-keychain", "--force-color-profile=srgb"],
  // The page gets a window of its own; another beside it took a third of the time.
  "--no-startup-window",
  "--js-flags=--max-old-space-size=512",
];
