/** One row of the result. */
export interface Figure {
  name: string
  /** Formatted value. */
  measured: string
  /** Target of the product; null for information only. */
  target: string | null
  isMet: boolean | null
}

/** A figure with the minimum `least`. */
export function atLeast(name: string, measured: number, least: number, digits = 2): Figure {
  return { name, measured: format(measured, digits), target: `>= ${format(least, digits)}`, isMet: measured >= least }
}

/** A figure with the maximum `most`. */
export function atMost(name: string, measured: number, most: number, digits = 2): Figure {
  return { name, measured: format(measured, digits), target: `<= ${format(most, digits)}`, isMet: measured <= most }
}

/** A figure without a target. */
export function untargeted(name: string, measured: string): Figure {
  return { name, measured, target: null, isMet: null }
}

export function toTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [figure.name, figure.measured, figure.target ?? '', verdictOf(figure)])
  const table = [['figure', 'measured', 'target', 'verdict'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => (row[column] ?? '').length)))
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function verdictOf({ isMet }: Figure): string {
  if (isMet === null) return ''
  return isMet ? 'holds' : 'FALLS SHORT'
}

function format(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
