export interface WebhookRequest {
  /** Lower-case names. */
  headers: Record<string, string>
  /** Bytes as received. */
  body: Uint8Array
}

/** Hint of a provider's webhook; always verified by calling the source. */
export type Hint =
  | { kind: 'changed'; reference: string }
  | { kind: 'reconnect'; reference: string }
  /** An authorization of ours is complete; `memoMatch` is the `match` of its start. */
  | { kind: 'linked'; memoMatch: string }
