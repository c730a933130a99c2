/** Content of field 86 about a movement. */
interface Details {
  text: string | null
  counterparty: string | null
  /** `/NAME/`, or subfields 32 and 33: the input of transaction ids. */
  name: string | null
  /** Counterparty; in slash codes it may be under other codes than `/NAME/`. */
  isStructured: boolean
  /** The bank's text for the kind of movement. */
  kind: string | null
}

/** Codes of the Dutch and international form `/NAME/…/REMI/…`. */
const SLASH_CODES =
  'ACCW|ADDR|BENM|BIC|BO|BUSP|CNTP|CSID|EREF|IBAN|ID|INIT|ISDT|KREF|MARF|NAME|ORDP|OCMT|PREF|PURP|REMI|RTRN|SVCL|TRCD|TRTP|ULTB|ULTD|USTD|VACC'
const SLASH_CODE = new RegExp(`/(${SLASH_CODES})/`)
const SLASH_SPLIT = new RegExp(`/(${SLASH_CODES})/`)

const ZERO = 0x30
const SEPARATORS = '?@/+'
const SUBFIELD_DIGITS: readonly number[] = [0, 1, 2, 4, 5]

/**
 * Reads field 86 in its three forms: German subfields (`166?00GUTSCHRIFT?20…?32Name`), slash codes, or plain text.
 * Source: https://www.kontopruef.de/mt940s.shtml (subfields), https://www.iso20022.org (names of the slash codes)
 */
export function readDetails(field: string): Details {
  const text = field.trimEnd()
  if (hasSubfields(text)) return readSubfields(text.includes('\n') ? text.replaceAll('\n', '') : text, text.charAt(3))
  const joined = text.replaceAll('\n', SLASH_CODE.test(text) ? '' : ' ')
  if (/^\s*\//.test(text) && SLASH_CODE.test(joined)) return readSlashCodes(joined)
  return { text: joined.trim() || null, counterparty: null, name: null, isStructured: false, kind: null }
}

/** `166?00…`: three digits, one of four separators, the two digits of a subfield. */
function hasSubfields(text: string): boolean {
  for (const at of SUBFIELD_DIGITS) if (!(digitAt(text, at) >= 0)) return false
  return SEPARATORS.includes(text.charAt(3))
}

function readSubfields(text: string, separator: string): Details {
  let purpose = ''
  let name = ''
  let kind = ''
  for (let at = text.indexOf(separator); at !== -1; ) {
    const next = text.indexOf(separator, at + 1)
    const code = digitAt(text, at + 1) * 10 + digitAt(text, at + 2)
    const value = text.slice(at + 3, next === -1 ? text.length : next)
    if (code === 0) kind += value
    else if ((code >= 20 && code <= 29) || (code >= 60 && code <= 63)) purpose += value
    else if (code === 32 || code === 33) name += value
    at = next
  }
  const counterparty = name.trim() || null
  return { text: purpose.trim() || null, counterparty, name: counterparty, isStructured: false, kind: kind.trim() || null }
}

/** NaN where no digit stands. */
function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - ZERO
  return digit >= 0 && digit <= 9 ? digit : Number.NaN
}

function readSlashCodes(text: string): Details {
  const parts = text.split(SLASH_SPLIT)
  const values = new Map<string, string>()
  for (let at = 1; at + 1 < parts.length; at += 2) {
    const [code = '', value = ''] = [parts[at], parts[at + 1]]
    if (!values.has(code) && value.trim() !== '') values.set(code, value.trim())
  }
  const text86 = (values.get('REMI') ?? values.get('USTD'))?.replace(/^(USTD\/)?\/?/, '') ?? values.get('EREF') ?? null
  const name = values.get('NAME') ?? null
  const counterparty = name ?? counterpartyName(values.get('CNTP'))
  return { text: text86, counterparty, name, isStructured: true, kind: values.get('TRTP') ?? null }
}

/**
 * `account/BIC/name/town` of a Dutch statement. Source: https://www.betaalvereniging.nl (MT940 structured information to the account owner)
 */
function counterpartyName(counterparty: string | undefined): string | null {
  return counterparty?.split('/')[2]?.trim() || null
}
