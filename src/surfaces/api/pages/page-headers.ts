import type { FastifyInstance } from "fastify";

/** A form holds a few short fields. */
const MAX_FORM_BYTES = 32_768;

/** Pages may use their own stylesheet and send forms to `form`, and nothing else. */
export function pagePolicy(form: string): string {
  return `default-src 'none'; style-src 'self'; form-action ${form}; frame-ancestors 'none'; base-uri 'none'`;
}

/**
 * The dashboard may use its own files and send requests to this daemon. No script or style in the page itself, and no text
 * that becomes markup or code on the way (trusted types, of which there are none).
 */
export const DASHBOARD_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** `same-origin` and not `no-referrer`, with which a browser would not say where a form was sent from. */
export const PAGE_HEADERS = {
  "content-security-policy": pagePolicy("'self'"),
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
};

/** Reads the bodies of forms, as URLSearchParams. */
export function takeForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );
  app.addHook("onRoute", (route) => {
    route.bodyLimit = MAX_FORM_BYTES;
  });
}
