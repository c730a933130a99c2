/** Crash points: where a test may kill the process; docs/proofs.md lists what each proves. */
export const CRASH_POINTS = [
  'after-claim-before-send',
  'after-erase-before-event',
  'after-export-part',
  'after-export-piece',
  'after-feed-commit-before-move',
  'after-fetch-before-stage',
  'after-mail-send',
  'after-mark',
  'after-object-before-page',
  'after-page-commit',
  'after-place-before-commit',
  'after-provider-token-before-commit',
  'after-publish-commit',
  'after-replicated-commit',
  'after-revoke-before-done',
  'after-run-opened',
  'after-send-before-mark',
  'after-stage-before-commit',
  'after-token-version-before-move',
  'before-expiry-commit',
  'before-failure-commit',
  'before-feed-commit',
  'before-grant-commit',
  'before-mail-send',
  'before-publish-commit',
  'before-reminder-commit',
  'before-replay-commit',
  'before-replayed-page-commit',
  'before-replicated-commit',
] as const

export type CrashPoint = (typeof CRASH_POINTS)[number]

/** Crash hook: passed to the engines (sync, mail, webhooks) by tests that kill processes; otherwise absent. */
export type CrashHook = (point: CrashPoint) => Promise<void>
