/** Bytes from `start` to before `end`. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Range of a request for a representation of `length` bytes; `unsatisfiable` if it begins after the end. Null: the
 * whole representation, also for several ranges and other units, which may be ignored.
 * Source: https://www.rfc-editor.org/rfc/rfc9110#section-14.2
 */
export function readByteRange(header: string | undefined, length: number): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return null
  if (first === '') {
    const suffix = Math.min(Number(last), length)
    return suffix === 0 ? 'unsatisfiable' : { start: length - suffix, end: length }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return null
  if (start >= length) return 'unsatisfiable'
  return { start, end: last === '' ? length : Math.min(length, Number(last) + 1) }
}
