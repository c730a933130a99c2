/** Headers of responses, with their lines as one text: written once, where each response would put it together again. */
export class HeaderList {
  /** Names and values in turn. */
  readonly pairs: readonly string[]
  readonly lines: string

  constructor(pairs: readonly string[]) {
    this.pairs = pairs
    // NOTE `join` writes the characters in one place; a sum of texts would be copied piece by piece for each response.
    this.lines = pairs.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('')
  }
}

/** Header lines; names and values in turn. */
export function toHeadLines(pairs: readonly string[]): string {
  let lines = ''
  for (let at = 0; at < pairs.length; at += 2) lines += `${pairs[at]}: ${pairs[at + 1]}\r\n`
  return lines
}
