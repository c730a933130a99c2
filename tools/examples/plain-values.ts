/** The day on which all examples play. */
const DAY = Date.UTC(2026, 10, 20, 14, 30)
const DAY_MS = 86_400_000

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const INSTANT = /(?<!\d)(20\d\d-\d\d-\d\dT\d\d(?::|%3A)\d\d(?::|%3A)\d\d)(\.\d+)?(Z?)/g
/** Tokens, digests and cursors: long, of letters and digits; or of 43 letters in both cases, as one in 2,000 tokens is. */
const RANDOM =
  /(?<![\w+-])(?=[\w+-]*\d)(?=[\w+-]*[A-Za-z])[\w+-]{26,}={0,2}|(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])|\beyJ[\w.-]+|(?<=\bch_(?:test|live)_)\w+/g
/** Properties with secrets, and with measured or drawn values. */
const SECRETS: Readonly<Record<string, string>> = {
  access_token: 'example-access-token',
  refreshToken: 'example-refresh-token',
  token: 'example-token',
  password: 'example-password-of-a-user',
  newPassword: 'another-example-password',
  secretAccessKey: 'example-secret-access-key',
  clientSecret: 'example-client-secret',
  recoveryCode: 'EXAMPLE-RECOVERY-CODE',
}

/** The item of a list that is shown, whatever the order of ids that were drawn. */
export function typicalItem(items: readonly unknown[]): unknown {
  const [first] = items.map((item) => ({ item, text: withoutDrawn(JSON.stringify(item)) })).sort((a, b) => compare(a.text, b.text))
  return first?.item
}

/** Text without what another recording would draw again. */
function withoutDrawn(text: string): string {
  return text.replace(UUID, '').replace(INSTANT, '').replace(RANDOM, '')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Makes recorded values the same in every recording: ids are counted, times and secrets are examples, lists are short. */
export class PlainValues {
  readonly #ids = new Map<string, string>()
  readonly #startedAt: number

  constructor(startedAt: Date) {
    this.#startedAt = startedAt.getTime()
  }

  plain(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return this.#text(value, key)
    if (typeof value === 'number') return MEASURED.test(key) ? MEASURED_AS : value
    if (Array.isArray(value)) return this.#list(value, key)
    if (typeof value !== 'object' || value === null) return value
    const made = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, this.plain(part, name)]))
    // A page says how many items it has.
    if (Array.isArray(made.data)) {
      if (typeof made.count === 'number') made.count = made.data.length
      const { pagination } = made
      if (typeof pagination === 'object' && pagination !== null) made.pagination = { ...pagination, count: made.data.length }
    }
    return made
  }

  /** Comma-separated values and lines of JSON: the first line and a typical one. */
  lines(text: string): string {
    const [head = '', ...rows] = text.split(/(?<=\n)/)
    return this.#text(`${head}${rows.length === 0 ? '' : typicalItem(rows)}`, '')
  }

  #list(items: readonly unknown[], key: string): readonly unknown[] {
    if (items.length === 0) return []
    // Which tables are the largest of an empty deployment is by chance.
    if (key === 'tables') return [{ name: 'audit_entries', bytes: MEASURED_AS }]
    if (items.every((item) => typeof item === 'string')) return SECRET_LISTS[key] ?? items.slice(0, 2).map((item) => this.plain(item, key))
    return [this.plain(typicalItem(items), key)]
  }

  #text(text: string, key: string): string {
    const secret = SECRETS[key]
    if (secret !== undefined) return secret
    if (key === 'code' && /^\d{6}$/.test(text)) return '123456'
    if (key === 'secret') return text.startsWith('whsec_') ? 'whsec_EXAMPLE' : BASE32
    return text
      .replace(UUID, (id) => this.#id(id))
      .replace(INSTANT, (_whole, at: string, fraction = '', zone: string) => this.#instant(at, fraction, zone))
      .replace(RANDOM, 'EXAMPLE')
      .replace(/(?<=[?&]secret=)\w+/, BASE32)
      .replace(/\b\d{4}-\d{2}-\d{2}\b(?!T)/g, (day) => this.#day(day))
  }

  #id(id: string): string {
    const known = this.#ids.get(id)
    if (known) return known
    const made = `00000000-0000-4000-8000-${String(this.#ids.size + 1).padStart(12, '0')}`
    this.#ids.set(id, made)
    return made
  }

  #instant(at: string, fraction: string, zone: string): string {
    const made = `${this.#at(Date.parse(`${at.replaceAll('%3A', ':')}Z`))}${fraction && '.000'}${zone}`
    return at.includes('%3A') ? made.replaceAll(':', '%3A') : made
  }

  /** Times of the recording become the examples' day; those further away keep their distance in days. */
  #at(ms: number): string {
    const away = ms - this.#startedAt
    const days = away > 0 && away < 2 * DAY_MS && away > NEAR_MS ? 1 : Math.round(away / DAY_MS)
    return new Date(Math.abs(days) > FAR_DAYS ? ms : DAY + days * DAY_MS).toISOString().slice(0, 19)
  }

  #day(day: string): string {
    const today = new Date(this.#startedAt).toISOString().slice(0, 10)
    return day === today ? new Date(DAY).toISOString().slice(0, 10) : day
  }
}

const BASE32 = 'EXAMPLESECRET'
const NEAR_MS = 10 * 60_000
/** Dates of the invented books are what they are. */
const FAR_DAYS = 400
const MEASURED_AS = 120
const MEASURED = /Ms$|^(bytes|databaseBytes|size|position|uptimeSeconds|ageSeconds|lagSeconds)$/
const SECRET_LISTS: Readonly<Record<string, readonly string[]>> = { recoveryCodes: ['EXAMPLE-RECOVERY-CODE'] }
