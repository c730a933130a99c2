const LINE = /^\s*([A-Za-z0-9_.-]{1,40})\s*=\s*(.{0,500}?)\s*$/u
const MAX_PAIRS = 20

/** Pairs of name and value as lines `name = value`. */
export function printPairs(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name} = ${value.replaceAll('\n', ' ')}`)
    .join('\n')
}

/** The reverse of `printPairs`; null where a line is no pair, a name is given twice, or there are too many. */
export function readPairs(text: string): Record<string, string> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const pairs = lines.flatMap((line) => {
    const [, name, value] = LINE.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, value]]
  })
  const read: Record<string, string> = Object.fromEntries(pairs)
  const isWhole = pairs.length === lines.length && Object.keys(read).length === lines.length && lines.length <= MAX_PAIRS
  return isWhole ? read : null
}
