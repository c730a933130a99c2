/** Position in the write-ahead log of the primary: bytes from its beginning. */
export type Position = bigint

/** Beginning of the log, which every server has. */
export const LOG_START: Position = 0n

const LSN = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i

/**
 * Position from `16/B374D848`.
 * Source: https://www.postgresql.org/docs/current/datatype-pg-lsn.html
 */
export function toPosition(lsn: string): Position {
  const [, high = '', low = ''] = LSN.exec(lsn) ?? []
  if (high === '') throw new RangeError('not a position of the write-ahead log')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

export function toLsn(position: Position): string {
  return `${(position >> 32n).toString(16)}/${(position & 0xffff_ffffn).toString(16)}`.toUpperCase()
}

export function latest(one: Position, other: Position): Position {
  return one > other ? one : other
}
