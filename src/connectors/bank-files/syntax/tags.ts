import { cutAt, refusedAt } from '../refusal.ts'
import { decodeEntities } from './entities.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const LESS_THAN = 0x3c
const GREATER_THAN = 0x3e
const SLASH = 0x2f
const COLON = 0x3a
const BANG = 0x21
const QUESTION = 0x3f

/** Statements use a few dozen names. */
const NAME_SLOTS = 256

interface Name {
  /** With its namespace prefix. */
  written: string
  local: string
}

/**
 * Tag scanner for XML and OFX's SGML, one tag per call, in linear time and without building a tree. Throws for a DTD
 * and for entities of a document's own. With `sgml` a `<` that opens no tag is text, as banks write it in memos.
 */
export class TagReader {
  /** Name of the current tag, without a namespace prefix. */
  name = ''
  kind: 'open' | 'close' | 'empty' = 'open'
  /** Text between the name and `>`. */
  attributes = ''
  /** Text that follows the tag, trimmed and decoded, without comments. */
  text = ''
  /** Offset of the current tag. */
  offset = 0
  readonly #source: string
  readonly #isSgml: boolean
  readonly #lineAt: (offset: number) => number
  readonly #hasEntities: boolean
  readonly #names: (Name | undefined)[] = new Array(NAME_SLOTS).fill(undefined)
  #position: number
  /** Of the name that was looked at last. */
  #nameStart = -1
  #nameEnd = 0
  #name = ''
  /** First `>` after it. */
  #closeAt = -1

  constructor(source: string, dialect: 'xml' | 'sgml', lineAt: (offset: number) => number) {
    this.#source = source
    this.#isSgml = dialect === 'sgml'
    this.#lineAt = lineAt
    this.#hasEntities = source.includes('&')
    this.#position = 0
    this.#readText()
  }

  /** Steps to the next tag; false at the end of the text. */
  next(): boolean {
    const source = this.#source
    const start = this.#position
    if (start >= source.length) return false
    const isClose = source.charCodeAt(start + 1) === SLASH
    this.#readName(isClose ? start + 2 : start + 1)
    this.offset = start
    this.name = this.#name
    this.kind = isClose ? 'close' : 'open'
    this.attributes = ''
    if (source.charCodeAt(this.#nameEnd) === GREATER_THAN) this.#position = this.#nameEnd + 1
    else this.#readAttributes(start, this.#nameEnd)
    this.#readText()
    return true
  }

  /** Offset where reading stopped. */
  get position(): number {
    return this.#position
  }

  #readAttributes(start: number, nameEnd: number): void {
    const source = this.#source
    const firstEnd = source.indexOf('>', nameEnd)
    if (firstEnd === -1) throw cutAt(this.#lineAt(start), 'a tag is not ended.', 'une balise n’est pas terminée.')
    const end = this.#endOfTag(start, nameEnd, firstEnd)
    const isEmpty = this.kind === 'open' && source.charCodeAt(end - 1) === SLASH
    if (isEmpty) this.kind = 'empty'
    this.attributes = source.slice(nameEnd, isEmpty ? end - 1 : end).trim()
    this.#position = end + 1
  }

  /** Looks up a known name without scanning its letters; scans an unknown one. */
  #readName(start: number): void {
    if (this.#nameStart === start) return
    this.#nameStart = start
    const source = this.#source
    if (this.#closeAt < start) {
      const found = source.indexOf('>', start)
      this.#closeAt = found === -1 ? source.length : found
    }
    const length = this.#closeAt - start
    const slot = (source.charCodeAt(start) * 31 + source.charCodeAt(this.#closeAt - 1) * 7 + length) & (NAME_SLOTS - 1)
    const known = this.#names[slot]
    if (known !== undefined && known.written.length === length && source.startsWith(known.written, start)) {
      this.#name = known.local
      this.#nameEnd = this.#closeAt
      return
    }
    this.#scanName(start)
    if (this.#nameEnd === this.#closeAt) this.#names[slot] = { written: interned(source.slice(start, this.#nameEnd)), local: this.#name }
  }

  #scanName(start: number): void {
    const source = this.#source
    let at = start
    let localStart = start
    for (let code = source.charCodeAt(at); isNameCode(code); code = source.charCodeAt(at)) {
      at += 1
      if (code === COLON) localStart = at
    }
    this.#nameEnd = at
    this.#name = interned(source.slice(localStart, at))
  }

  /** End of a tag that has attributes: a `>` inside quotes does not end it. */
  #endOfTag(start: number, nameEnd: number, firstEnd: number): number {
    let quote = 0
    for (let at = nameEnd; at < this.#source.length; at += 1) {
      const code = this.#source.charCodeAt(at)
      if (quote !== 0) {
        if (code === quote) quote = 0
      } else if (code === 0x22 || code === 0x27) quote = code
      else if (code === GREATER_THAN) return at
      else if (code === LESS_THAN) break
      if (this.#isSgml && at > firstEnd) return firstEnd
    }
    throw cutAt(this.#lineAt(start), 'a tag is not ended.', 'une balise n’est pas terminée.')
  }

  /** Collects the text up to the next tag; comments, processing instructions and CDATA marks are dropped. */
  #readText(): void {
    const source = this.#source
    let from = this.#position
    let code = source.charCodeAt(from)
    while (code === SPACE || code === NEWLINE || code === RETURN) {
      from += 1
      code = source.charCodeAt(from)
    }
    const at = code === LESS_THAN ? from : source.indexOf('<', from)
    if (at === -1 || !this.#opensTag(at, source.charCodeAt(at + 1))) {
      this.#readBrokenText(from)
      return
    }
    const text = at === from ? '' : source.slice(from, at)
    this.text = (this.#hasEntities ? decodeEntities(text) : text).trim()
    this.#position = at
  }

  /** Text with other characters than letters, or the end of the file. */
  #readBrokenText(start: number): void {
    const source = this.#source
    let text = ''
    let from = start
    // NOTE a stray `<` is skipped, not copied: a file may consist of them.
    let searchFrom = start
    for (;;) {
      const at = source.indexOf('<', searchFrom)
      const end = at === -1 ? source.length : at
      const code = at === -1 ? 0 : source.charCodeAt(at + 1)
      if (at !== -1 && code !== BANG && code !== QUESTION && !this.#opensTag(at, code)) {
        if (!this.#isSgml) throw refusedAt(this.#lineAt(at), 'a “<” stands where it may not.', 'un « < » se trouve à un endroit interdit.')
        searchFrom = at + 1
        continue
      }
      text = text === '' ? decodeEntities(source.slice(from, end).trim()) : text + decodeEntities(source.slice(from, end))
      if (code !== BANG && code !== QUESTION) {
        this.#position = end
        break
      }
      const mark = this.#skipMark(at, code)
      if (mark.text !== '') text += mark.text
      from = mark.end
      searchFrom = from
    }
    this.text = text.trim()
  }

  #opensTag(at: number, code: number): boolean {
    if (isNameStart(code)) return !this.#isSgml || this.#hasTagShape(at + 1)
    return code === SLASH && isNameStart(this.#source.charCodeAt(at + 2))
  }

  /** In SGML a name must run up to `>` for a `<` to count as a tag; only the root may carry attributes. */
  #hasTagShape(nameStart: number): boolean {
    this.#readName(nameStart)
    const at = this.#nameEnd
    const code = this.#source.charCodeAt(at)
    return code === GREATER_THAN || code === SLASH || Number.isNaN(code) || (code === 0x20 && this.#source.startsWith('OFX ', nameStart))
  }

  #skipMark(at: number, code: number): { end: number; text: string } {
    const source = this.#source
    if (code === QUESTION) return { end: this.#after('?>', at), text: '' }
    if (source.startsWith('<!--', at)) return { end: this.#after('-->', at + 4), text: '' }
    if (source.startsWith('<![CDATA[', at)) {
      const end = this.#after(']]>', at)
      return { end, text: source.slice(at + 9, end - 3) }
    }
    throw refusedAt(
      this.#lineAt(at),
      'the file defines entities or a document type (DTD), which a bank statement has no use for.',
      'le fichier définit des entités ou un type de document (DTD), ce dont un relevé bancaire n’a pas besoin.',
    )
  }

  #after(mark: string, at: number): number {
    const found = this.#source.indexOf(mark, at)
    if (found === -1) throw cutAt(this.#lineAt(at), `“${mark}” is missing.`, `« ${mark} » manque.`)
    return found + mark.length
  }
}

/** Interned string: comparing it with a literal compares two pointers. NOTE V8 interns only keys of objects. */
function interned(name: string): string {
  return Object.keys({ [name]: true })[0] ?? name
}

function isNameStart(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f
}

function isNameCode(code: number): boolean {
  return isNameStart(code) || (code >= 0x30 && code <= COLON) || code === 0x2d || code === 0x2e
}
