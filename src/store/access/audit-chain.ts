import { createHmac } from 'node:crypto'

/** Chain id of entries that belong to no instance. */
export const DEPLOYMENT_CHAIN = '00000000-0000-0000-0000-000000000000'

/** Version of an entry's format. Entries of release 1.0.0 have none, and their writer seals no head. */
export const ENTRY_VERSION = 2

interface ChainedEntry {
  /** Hash of the entry before. */
  previous: Uint8Array
  chain: string
  position: number
  at: Date
  text: string
}

/** Hash of an entry: keyed, and over the entry before. */
export function entryHash(key: Uint8Array, { previous, chain, position, at, text }: ChainedEntry): Buffer {
  return createHmac('sha256', key).update(previous).update(`${chain}\n${position}\n${at.toISOString()}\n${text}`).digest()
}

/**
 * Seal of a chain's head. The hash of an entry is stored in the entry itself, so anyone with write access to the
 * database could make an earlier entry the head; to forge its seal they would have to have kept it from that time.
 */
export function headSeal(key: Uint8Array, head: { chain: string; position: number; hash: Uint8Array }): Buffer {
  return createHmac('sha256', key).update(`head\n${head.chain}\n${head.position}\n`).update(head.hash).digest()
}
