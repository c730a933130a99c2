type Pairs = Readonly<Record<string, string>>

const LINE = /^\s*([A-Za-z0-9_.-]{1,40})\s*=\s*(.{0,500}?)\s*$/u
const MAX_PAIRS = 20
const BREAKS = /\r\n?|[\n\u2028\u2029]/g

/** Pairs of name and value as lines `name = value`; breaks within a value are shown as spaces. */
export function printPairs(pairs: Pairs): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name} = ${printValue(value)}`)
    .join('\n')
}

/**
 * The reverse of `printPairs`; null where a line is no pair, a name is given twice, or there are too many. A value that
 * reads as `known` shows it stays what it is there, with its breaks and outer spaces.
 */
export function readPairs(text: string, known: Pairs = {}): Record<string, string> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const pairs = lines.flatMap((line) => {
    const [, name, value] = LINE.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, toValue(value, Object.hasOwn(known, name) ? known[name] : undefined)]]
  })
  const read: Record<string, string> = Object.fromEntries(pairs)
  const isWhole = pairs.length === lines.length && Object.keys(read).length === lines.length && lines.length <= MAX_PAIRS
  return isWhole ? read : null
}

function printValue(value: string): string {
  return value.replaceAll(BREAKS, ' ')
}

function toValue(written: string, known: string | undefined): string {
  return known !== undefined && printValue(known).trim() === written ? known : written
}
