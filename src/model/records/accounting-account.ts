import { ACCOUNT_CLASSES, ACCOUNT_STATUSES, ACCOUNT_TYPES, ACCOUNTING_TAXONOMY_VERSION } from './accounting.ts'
import { oneOf, openEnum, recordId, text } from './fields.ts'
import { type NormalizedOf, recordSchema } from './record-schema.ts'

const taxonomy = { description: `Taxonomy version ${ACCOUNTING_TAXONOMY_VERSION}` }

/**
 * Account in a chart of accounts. `…App` is the source's own value, unchanged; `…System` is ours. Absent text is empty.
 */
export const ACCOUNTING_ACCOUNT = recordSchema(
  'AccountingAccount',
  {
    id: recordId(),
    origId: text(),
    number: text(),
    name: text(),
    currency: text({ description: 'ISO 4217, upper case; empty where the source does not say' }),
    description: text(),
    classApp: text(),
    classSystem: oneOf(ACCOUNT_CLASSES, taxonomy),
    typeApp: text(),
    typeSystem: oneOf(ACCOUNT_TYPES, taxonomy),
    subTypeApp: text(),
    subTypeSystem: openEnum({ description: 'Open list, upper case with underscores; empty when nothing finer than the type is known' }),
    statusApp: text(),
    statusSystem: oneOf(ACCOUNT_STATUSES),
  },
  (account) => `${account.number}\u0001${account.name}`,
)

export type AccountingAccount = NormalizedOf<(typeof ACCOUNTING_ACCOUNT)['fields']>
