/** Lines of a file that belong together: a declaration with its comment, or a member of a class. */
export interface Piece {
  file: string
  /** First and last line, counted from 1, inclusive. */
  from: number
  to: number
  /** Its first line that is not a comment, which identifies it when lines move. */
  head: string
  /** Lines with code. */
  lines: number
}

const COMMENT = /^\s*(\/\/|\/\*|\*)/
const CLASS = /^(export )?(abstract )?class /

/** Uses the formatter's indentation: a piece begins in the first column, in a class two columns further. */
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
