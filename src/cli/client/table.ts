/** Rows as columns, two spaces apart; the last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const printed = rows.map((row) => row.map(printable))
  const widths = (printed[0] ?? []).map((_, column) => printed.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0))
  return printed
    .map((row) => row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  '))
    .join('\n')
}

/** Text without control characters, which could control a terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '�')
}
