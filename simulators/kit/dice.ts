import { createHash } from 'node:crypto'

/** Numbers from 0 to 2^32 - 1, the same for the same parts. */
export function numberOf(...parts: (string | number)[]): number {
  return digest(parts).readUInt32LE(0)
}

/** Letters and digits, the same for the same parts. */
export function idOf(length: number, ...parts: (string | number)[]): string {
  return digest(parts).toString('hex').slice(0, length)
}

export function pickOf<T>(list: readonly T[], ...parts: (string | number)[]): T {
  const chosen = list[numberOf(...parts) % list.length]
  if (chosen === undefined) throw new Error('nothing to pick from')
  return chosen
}

function digest(parts: (string | number)[]): Buffer {
  return createHash('sha256').update(parts.join('\u0000')).digest()
}
