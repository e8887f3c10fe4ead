const PATHS = {
  home: "M3 8.5 10 3l7 5.5V17h-5v-5H8v5H3z",
  server: "M3 4h14v5H3zM3 11h14v5H3zM6 6.5h.01M6 13.5h.01",
  tool: "M12.5 3.5a4 4 0 0 0-3.8 5.3L3.5 14l2.5 2.5 5.2-5.2a4 4 0 0 0 5.3-3.8L14 10l-2.5-.5L11 7z",
  toolbox: "M3 7h14v9H3zM7 7V4h6v3M3 11h14M10 10v2",
  agent: "M5 8h10v8H5zM10 8V4M8 12h.01M12 12h.01M3 11v3M17 11v3",
  approval: "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM7 10l2 2 4-4",
  task: "M3 5l1.5 1.5L7 4M3 10.5 4.5 12 7 9.5M3.5 16H6M10 5.5h7M10 10.5h7M10 16h7",
  rule: "M4 5h12M4 10h12M4 15h7M14 13v4M12 15h4",
  audit: "M5 3h7l3 3v11H5zM8 9h4M8 12h4M8 6h1",
  knowledge: "M4 4h5a1 1 0 0 1 1 1v12a2 2 0 0 0-2-2H4zM16 4h-5a1 1 0 0 0-1 1v12a2 2 0 0 1 2-2h4z",
  vault: "M4 9h12v8H4zM7 9V6a3 3 0 0 1 6 0v3M10 12v2",
  settings: "M4 6h7M15 6h1M4 14h1M9 14h7M13 4v4M7 12v4",
  bell: "M5 14V9a5 5 0 0 1 10 0v5l1 1H4zM8.5 17h3",
  people:
    "M7.5 9a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 16c0-3 2-4.5 4.5-4.5S12 13 12 16M13 9a2 2 0 1 0 0-4M14 11.7c1.8 .5 3 2 3 4.3",
  search: "M9 4a5 5 0 1 0 0 10A5 5 0 0 0 9 4zM13 13l4 4",
  menu: "M3 5h14M3 10h14M3 15h14",
  close: "M5 5l10 10M15 5 5 15",
  plus: "M10 4v12M4 10h12",
  copy: "M7 7h9v9H7zM13 7V4H4v9h3",
  check: "M4 10.5 8 14.5 16 6",
  chevron: "M7 5l5 5-5 5",
  down: "M5 7.5 10 12.5 15 7.5",
  more: "M5 10h.01M10 10h.01M15 10h.01",
  sun: "M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1 1M14.7 14.7l1 1M4.3 15.7l1-1M14.7 5.3l1-1",
  moon: "M16 11.5A6.5 6.5 0 0 1 8.5 4 6.5 6.5 0 1 0 16 11.5z",
  system: "M3 4h14v9H3zM7 17h6M10 13v4",
  exit: "M8 4H4v12h4M8 10h9M14 7l3 3-3 3",
  out: "M11 4h5v5M16 4l-7 7M13 12v4H4V7h4",
  play: "M6 4l10 6-10 6z",
  trash: "M4 6h12M8 6V4h4v2M6 6l.700 11h6.6L14 6",
  warning: "M10 4 2.5 16.5h15zM10 9v3.5M10 14.5h.01",
  refresh: "M16 10a6 6 0 1 1-1.8-4.3L16 7.5M16 4v3.5h-3.5",
  question: "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM8 8.2c0-2.7 4-2.7 4 0 0 1.6-2 1.8-2 3.3M10 14h.01",
} as const;

export type IconName = keyof typeof PATHS;

/** Decorative and hidden from screen readers: put a text beside it, or an `aria-label` on its parent. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === "more" ? 3 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      className="shrink-0"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
