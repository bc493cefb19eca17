/**
 * Content-Security-Policy of the pages: they load everything from their own server, and run no script or style that is written in their HTML.
 * The pages state it themselves, because a bundle's server does not.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
] as const;
