import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { Client } from "./api/client.ts";
import { Problem } from "./api/problem.ts";
import { ClientContext } from "./api/use-api.ts";
import { App } from "./app/app.tsx";
import { ErrorBoundary } from "./app/error-boundary.tsx";
import { SignedOutPage } from "./app/signed-out-page.tsx";
import { applyTheme, readStoredTheme } from "./app/theme.ts";
import { ToastProvider } from "./ui/toast.tsx";

const RETRY_MS = 1_000;

applyTheme(readStoredTheme());

const root = createRoot(document.getElementById("root")!);
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Live events invalidate answers; until then they stay fresh.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (_count, error) => error instanceof Problem && error.isTransient,
      retryDelay: RETRY_MS,
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});
const client = new Client(() => root.render(<SignedOutPage />));

root.render(
  <ClientContext value={client}>
    <QueryClientProvider client={queries}>
      <ToastProvider>
        <ErrorBoundary>
          <App />
        </ErrorBoundary>
      </ToastProvider>
    </QueryClientProvider>
  </ClientContext>,
);
