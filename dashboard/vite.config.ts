import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the dashboard also works behind a proxy that mounts it under a path.
  base: "./",
  plugins: [react(), tailwind()],
  build: {
    outDir: "../dist/dashboard",
    emptyOutDir: true,
    target: "es2023",
    // Inlined assets become data: URLs, which the content security policy does not allow.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
