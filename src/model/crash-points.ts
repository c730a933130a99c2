/** Places at which a proof may kill the process; docs/proofs.md says what each proves. */
export type CrashPoint =
  | 'after-claim-before-send'
  | 'after-erase-before-event'
  | 'after-feed-commit-before-move'
  | 'after-fetch-before-stage'
  | 'after-mail-send'
  | 'after-mark'
  | 'after-page-commit'
  | 'after-place-before-commit'
  | 'after-provider-token-before-commit'
  | 'after-publish-commit'
  | 'after-revoke-before-done'
  | 'after-run-opened'
  | 'after-send-before-mark'
  | 'after-stage-before-commit'
  | 'after-token-version-before-move'
  | 'before-expiry-commit'
  | 'before-failure-commit'
  | 'before-feed-commit'
  | 'before-grant-commit'
  | 'before-mail-send'
  | 'before-publish-commit'
  | 'before-reminder-commit'
  | 'before-replay-commit'
  | 'before-replayed-page-commit'

/** Handed to the engines (sync, mail, webhooks) by a proof that kills processes; elsewhere it is left out and nothing waits. */
export type CrashHook = (point: CrashPoint) => Promise<void>
