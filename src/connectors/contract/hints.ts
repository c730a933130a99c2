export interface WebhookRequest {
  /** Names in lower case. */
  headers: Record<string, string>
  /** The very bytes that came. */
  body: Uint8Array
}

/** What a provider's webhook says; always checked by asking the source. */
export type Hint =
  | { kind: 'changed'; reference: string }
  | { kind: 'reconnect'; reference: string }
  /** An authorization that we started has been finished; `memoMatch` is the `match` of its start. */
  | { kind: 'linked'; memoMatch: string }
