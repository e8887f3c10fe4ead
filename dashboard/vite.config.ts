import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the page also works behind a proxy that gives it a path of its own.
  base: "./",
  plugins: [react(), tailwind()],
  build: {
    outDir: "../dist/dashboard",
    emptyOutDir: true,
    target: "es2023",
    // Whatever becomes a data: address would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
