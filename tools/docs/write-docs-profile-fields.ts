import { AccountMap, ruleNameOf, TransactionMap } from '../../src/connectors/bank-api/profile-rules.ts'
import { BANK_ACCOUNT } from '../../src/model/records/bank-account.ts'
import { BANK_TRANSACTION } from '../../src/model/records/bank-transaction.ts'
import type { RecordSchema } from '../../src/model/records/record-schema.ts'
import { toTable } from './write-docs-mapping.ts'

export const PROFILE_GUIDE = 'docs/bank-api-profiles.md'
const BEGIN = '<!-- Fields: written by `npm run docs` from the code. -->'
const END = '<!-- End of fields. -->'

/** Fields whose rule differs from that of their kind. */
const SPECIAL = new Map([
  ['accountNumber', 'number'],
  ['kind', 'words'],
])

/** The guide to profiles with its tables of fields, from the schemas. Throws if a marker is missing. */
export function describeProfileFields(guide: string): string {
  const [begin, end] = [guide.indexOf(BEGIN), guide.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error('the guide lacks the markers of its fields')
  const tables = [
    toTable(['field of an account', 'rule', 'required'], listFields(BANK_ACCOUNT, AccountMap)),
    toTable(['field of a transaction', 'rule', 'required'], listFields(BANK_TRANSACTION, TransactionMap)),
  ]
  return `${guide.slice(0, begin + BEGIN.length)}\n\n${tables.join('\n\n')}\n\n${guide.slice(end)}`
}

function listFields({ properties }: RecordSchema, map: typeof AccountMap | typeof TransactionMap): string[][] {
  const required = new Set<string>(map.required)
  const rules = new Map(properties.map((property) => [property.source ?? '', ruleNameOf(property)]))
  return Object.keys(map.properties).map((field) => {
    return [`\`${field}\``, SPECIAL.get(field) ?? rules.get(field) ?? '', required.has(field) ? 'yes' : '']
  })
}
