const HIDDEN = '[secret]'

/** Shorter values would remove ordinary words from the log. */
const MIN_LENGTH = 8
const PREFIX_LENGTH = 4
/** A JSON document in a field of a JSON document in a log line. */
const DEPTH = 3

/**
 * Secret redactor: finds secrets in current use in any text: plain, inside JSON, percent-encoded, and in base64. Keeps
 * the newest `limit` values; those shorter than 8 characters are not kept.
 */
export class SecretRedactor {
  readonly #limit: number
  readonly #spellings = new Map<string, string[]>()
  /** Encoded forms by their first characters, longest first. */
  readonly #byPrefix = new Map<string, string[]>()

  constructor(limit = 5_000) {
    this.#limit = limit
  }

  add(value: string): void {
    if (value.length < MIN_LENGTH) return
    this.#remove(value)
    const spellings = spellingsOf(value)
    this.#spellings.set(value, spellings)
    for (const spelling of spellings) {
      const prefix = spelling.slice(0, PREFIX_LENGTH)
      this.#byPrefix.set(
        prefix,
        [...(this.#byPrefix.get(prefix) ?? []), spelling].sort((a, b) => b.length - a.length),
      )
    }
    const [oldest] = this.#spellings.keys()
    if (this.#spellings.size > this.#limit && oldest !== undefined) this.#remove(oldest)
  }

  /** The text with every known secret replaced by `[secret]`. */
  redact(text: string): string {
    if (this.#byPrefix.size === 0) return text
    let clean = ''
    let from = 0
    for (let at = 0; at <= text.length - MIN_LENGTH; at++) {
      const found = this.#byPrefix.get(text.slice(at, at + PREFIX_LENGTH))?.find((spelling) => text.startsWith(spelling, at))
      if (found === undefined) continue
      clean += text.slice(from, at) + HIDDEN
      from = at + found.length
      at = from - 1
    }
    return from === 0 ? text : clean + text.slice(from)
  }

  #remove(value: string): void {
    for (const spelling of this.#spellings.get(value) ?? []) {
      const prefix = spelling.slice(0, PREFIX_LENGTH)
      const left = (this.#byPrefix.get(prefix) ?? []).filter((other) => other !== spelling)
      if (left.length === 0) this.#byPrefix.delete(prefix)
      else this.#byPrefix.set(prefix, left)
    }
    this.#spellings.delete(value)
  }
}

/** NOTE `encodeURIComponent` throws on half a surrogate pair, which `toWellFormed` replaces. */
function spellingsOf(value: string): string[] {
  const encoded = encodeURIComponent(value.toWellFormed())
  const base64 = Buffer.from(value).toString('base64')
  return [...new Set([...quoted(value, DEPTH), encoded, encoded.replaceAll('%20', '+'), base64, base64.replace(/=+$/, '')])]
}

function quoted(value: string, depth: number): string[] {
  return depth === 0 ? [value] : [value, ...quoted(JSON.stringify(value).slice(1, -1), depth - 1)]
}
