import { parseBai2 } from './bai2/statements.ts'
import { parseCamt053 } from './camt053/statements.ts'
import { parseMt940 } from './mt940/statements.ts'
import { parseOfx } from './ofx/statements.ts'
import type { Parser } from './parts.ts'
import { refused, shownName } from './refusal.ts'
import { decodeText } from './syntax/encoding.ts'

/** Length of the text that format detection reads. */
const HEAD_CHARACTERS = 8192

/** Magic bytes of files that people upload by mistake. */
const SIGNATURES: readonly (readonly [prefix: string, what: string])[] = [
  ['%PDF', 'PDF'],
  ['\u0089PNG', 'PNG'],
  ['\u00ff\u00d8\u00ff', 'JPEG'],
  ['GIF8', 'GIF'],
  ['PK\u0003\u0004', 'ZIP / Excel'],
  ['\u001f\u008b', 'gzip'],
  ['7z\u00bc\u00af', '7-Zip'],
  ['Rar!', 'RAR'],
  ['\u00d0\u00cf\u0011\u00e0', 'Excel'],
  ['{\\rtf', 'RTF'],
]

const RECOMMENDED_EN = 'Choose OFX, QFX, BAI2, camt.053 or MT940 when you download it from the bank.'
const RECOMMENDED_FR = 'Choisissez OFX, QFX, BAI2, camt.053 ou MT940 au moment de le télécharger de votre institution.'

export interface Detected {
  text: string
  parser: Parser
  /** Decoded with a DOS code page. */
  isDos: boolean
}

/** Text and parser of a statement file; throws `InputRefused` with the actual file type. */
export function detectFormat(bytes: Uint8Array): Detected {
  const signature = String.fromCharCode(...bytes.subarray(0, 8))
  const foreign = SIGNATURES.find(([prefix]) => signature.startsWith(prefix))?.[1]
  if (foreign !== undefined) throw isForeign(foreign)
  const decoded = decodeText(bytes)
  if (decoded === null) throw isForeign('binary')
  // Line ends of old Macintosh programs: a carriage return alone.
  const lines = decoded.text.replace(/\r(?!\n)/g, '\n')
  // A NUL that pads a field stands for a blank; it cannot be stored.
  const text = lines.replaceAll('\0', ' ')
  return { text, parser: parserOf(text), isDos: decoded.isDos }
}

function parserOf(text: string): Parser {
  const head = text.slice(0, HEAD_CHARACTERS)
  const start = head.trimStart()
  if (start === '') throw refused('The file is empty.', 'Le fichier est vide.')
  if (start.startsWith('OFXHEADER') || /<OFX[\s>]/.test(head)) return parseOfx
  if (start.startsWith('<')) return xmlParser(start)
  if (/^\d\d,/.test(start)) return parseBai2
  if (start.startsWith('{1:') || /(?:^|\n)\s*:20:/.test(head)) return parseMt940
  throw isForeign(textKind(start))
}

function xmlParser(start: string): Parser {
  const root = /<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)([^<>]*)/.exec(start.replace(/<[?!][^<>]*>/g, ''))
  const name = root?.[1] ?? ''
  const namespace = /urn:iso:std:iso:20022:tech:xsd:([a-z]{4}\.\d{3})/.exec(root?.[2] ?? '')?.[1] ?? ''
  if (namespace === 'camt.053' || (name === 'Document' && namespace === '')) return parseCamt053
  if (namespace === 'camt.052' || namespace === 'camt.054') {
    throw refused(
      `This is a ${namespace} message (movements of the day), not a statement. Download the end-of-day statement, camt.053.`,
      `Ce message ${namespace} donne les mouvements du jour, ce n’est pas un relevé. Téléchargez le relevé de fin de journée, camt.053.`,
    )
  }
  if (/^html$/i.test(name) || /^<!doctype html/i.test(start)) throw isForeign('HTML')
  if (namespace !== '') throw isForeign(`ISO 20022 ${namespace}`)
  if (/<!(DOCTYPE|ENTITY)/i.test(start)) return parseCamt053
  throw isForeign(`XML <${shownName(name)}>`)
}

function textKind(start: string): string {
  if (/^[{[]/.test(start)) return 'JSON'
  if (start.startsWith('!Type') || start.startsWith('!Account')) return 'QIF'
  const line = start.slice(0, start.indexOf('\n') === -1 ? start.length : start.indexOf('\n'))
  return /[,;\t].*[,;\t]/.test(line) ? 'CSV' : 'text'
}

function isForeign(what: string): Error {
  const known = what !== 'text' && what !== 'binary'
  return refused(
    `${known ? `This is a file of another kind (${what}).` : 'This file is in none of the formats that we read.'} ${RECOMMENDED_EN}`,
    `${known ? `Ce fichier est d’un autre type (${what}).` : 'Ce fichier n’est dans aucun des formats que nous lisons.'} ${RECOMMENDED_FR}`,
  )
}
