/** Some lines of a file that mean something together: a declaration with its comment, or a member of a class. */
export interface Piece {
  file: string
  /** First and last line, from 1, both included. */
  from: number
  to: number
  /** Its first line that is no comment: what it is known by when lines move. */
  head: string
  /** Those that hold code. */
  lines: number
}

const COMMENT = /^\s*(\/\/|\/\*|\*)/
const CLASS = /^(export )?(abstract )?class /

/** Goes by the indentation that the formatter gives: a piece begins in the first column, in a class two further in. */
export function splitIntoPieces(file: string, text: string): Piece[] {
  const lines = text.split('\n')
  const starts: number[] = []
  let isInClass = false
  for (const [at, line] of lines.entries()) {
    const isTop = /^[^\s})\]]/.test(line)
    if (isTop && !COMMENT.test(line)) isInClass = CLASS.test(line)
    const isStart = isTop || (isInClass && /^ {2}[^\s})\]]/.test(line))
    const isBehindComment = at > 0 && COMMENT.test(lines[at - 1] ?? '')
    if (isStart && !isBehindComment) starts.push(at)
  }
  return starts.map((start, index) => toPiece(file, lines, start, starts[index + 1] ?? lines.length)).filter((piece) => piece.lines > 0)
}

function toPiece(file: string, lines: readonly string[], start: number, end: number): Piece {
  const own = lines.slice(start, end)
  const code = own.filter((line) => line.trim() !== '' && !COMMENT.test(line))
  return { file, from: start + 1, to: end, head: code[0] ?? '', lines: code[0]?.startsWith('import ') ? 0 : code.length }
}
