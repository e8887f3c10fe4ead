import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { Client } from "./api/client.ts";
import { Problem } from "./api/problem.ts";
import { ClientContext } from "./api/use-api.ts";
import { App } from "./app/app.tsx";
import { Broken } from "./app/broken.tsx";
import { SignedOut } from "./app/signed-out.tsx";
import { applyTheme, storedTheme } from "./app/theme.ts";
import { ToastProvider } from "./ui/toast.tsx";

const RETRY_MS = 1_000;

applyTheme(storedTheme());

const root = createRoot(document.getElementById("root")!);
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Live events say what is no longer true; until then it is.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (_count, error) => error instanceof Problem && error.isLost,
      retryDelay: RETRY_MS,
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});
const client = new Client(() => root.render(<SignedOut />));

root.render(
  <ClientContext value={client}>
    <QueryClientProvider client={queries}>
      <ToastProvider>
        <Broken>
          <App />
        </Broken>
      </ToastProvider>
    </QueryClientProvider>
  </ClientContext>,
);
