/** Where a person signs in. `url` is null where nobody has to: Toolkeep has signed in by itself. */
export interface SignInStart {
  readonly url: string | null;
  readonly expiresAt: number | null;
}

/** How far signing in to a server has come; nothing secret. */
export interface SignInStatus {
  /** Whether there is a token, or something to get one with. */
  readonly signedIn: boolean;
  /** When a person signed in last. */
  readonly signedInAt: number | null;
  /** While a person is on their way through a browser: until when that counts. */
  readonly pendingUntil: number | null;
  /** The authorization server that let Toolkeep in, and what it granted. */
  readonly issuer: string | null;
  readonly scope: string | null;
  /** Why the last attempt failed; null when it did not. */
  readonly failure: string | null;
}
