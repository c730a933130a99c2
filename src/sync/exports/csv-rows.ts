import { toCsvCell } from '../../model/texts/csv.ts'
import { type Printed, readValue } from './documents.ts'

const COMMA = 0x2c
const LINE_ENDS = Buffer.from('\r\n')
/** Bytes that `toCsvCell` treats specially at the beginning of a text: `=`, `+`, `-`, `@`. Control characters are escaped in JSON. */
const FORMULA: ReadonlySet<number | undefined> = new Set([0x3d, 0x2b, 0x2d, 0x40])
const FIRST_BYTES = 4 * 1024 * 1024

/** Rows of a CSV file: texts that need no quotes are copied, all others are cells of `toCsvCell`. */
export class CsvRows {
  readonly #from: Int32Array
  readonly #to: Int32Array
  readonly #printed: Printed[]
  #source: Buffer = Buffer.alloc(0)
  #out: Buffer
  #length = 0

  /** `firstBytes`: what is allocated at first; it grows with the rows. */
  constructor(columns: number, head: string, firstBytes = FIRST_BYTES) {
    this.#out = Buffer.allocUnsafe(firstBytes)
    this.#from = new Int32Array(columns)
    this.#to = new Int32Array(columns)
    this.#printed = Array.from<Printed>({ length: columns }).fill('literal')
    this.#write(head)
  }

  /** Value of a column in this row; a column without one stays empty. `bytes` are the same for the whole row. */
  put(column: number, bytes: Buffer, from: number, to: number, printed: Printed): void {
    this.#source = bytes
    this.#from[column] = from
    this.#to[column] = to
    this.#printed[column] = printed
  }

  endRow(companyId: string): void {
    this.#write(companyId)
    for (let column = 0; column < this.#printed.length; column++) {
      const [from, to] = [this.#from[column] ?? 0, this.#to[column] ?? 0]
      this.#grow(to - from + 1)
      this.#out[this.#length++] = COMMA
      if (from < to) this.#writeCell(from, to, this.#printed[column] ?? 'literal')
    }
    this.#grow(LINE_ENDS.length)
    this.#length += LINE_ENDS.copy(this.#out, this.#length)
    this.#from.fill(0)
    this.#to.fill(0)
  }

  toBytes(): Uint8Array {
    return this.#out.subarray(0, this.#length)
  }

  #writeCell(from: number, to: number, printed: Printed): void {
    const [out, source] = [this.#out, this.#source]
    let isPlain = printed === 'literal' || (printed === 'text' && !FORMULA.has(source[from]))
    let at = this.#length
    for (let index = from; isPlain && index < to; index++) {
      const byte = source[index] ?? 0
      isPlain = byte !== COMMA
      out[at++] = byte
    }
    if (isPlain) this.#length = at
    else this.#write(toCsvCell(readValue(source, from, to, printed)))
  }

  #write(text: string): void {
    // No character takes more than three bytes.
    this.#grow(text.length * 3)
    this.#length += this.#out.write(text, this.#length)
  }

  #grow(by: number): void {
    if (this.#length + by <= this.#out.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#out.length, this.#length + by))
    this.#out.copy(larger, 0, 0, this.#length)
    this.#out = larger
  }
}
