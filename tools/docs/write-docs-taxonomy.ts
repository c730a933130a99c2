import {
  ACCOUNT_CLASSES,
  ACCOUNT_STATUSES,
  ACCOUNT_TYPES,
  ACCOUNTING_MEANINGS,
  ACCOUNTING_TAXONOMY_VERSION,
} from '../../src/model/records/accounting.ts'
import { BANK_ACCOUNT_STATUSES, BANK_ACCOUNT_TAXONOMY, BANKING_TAXONOMY_VERSION } from '../../src/model/records/banking.ts'
import { type Documented, GENERATED, meaningOf, toTable } from './write-docs-mapping.ts'

/** docs/taxonomy.md: normalized values of accounts, and which sources use the open ones. */
export function describeTaxonomy(documented: readonly Documented[]): string {
  const { classes, types, statuses } = ACCOUNTING_MEANINGS
  const banks = Object.entries(BANK_ACCOUNT_TAXONOMY).flatMap(([type, codes]) =>
    Object.entries(codes).map(([code, name]) => [type, code, name]),
  )
  return `${GENERATED}
# Taxonomy of accounts

The \`…App\` fields keep the source's own values; the \`…System\` fields have the normalized values listed here. A change of a meaning increases the version.

## Accounting, version ${ACCOUNTING_TAXONOMY_VERSION}

### classSystem

${toTable(
  ['class', 'meaning'],
  ACCOUNT_CLASSES.map((word) => [word, classes[word]]),
)}

### typeSystem

${toTable(
  ['type', 'meaning'],
  ACCOUNT_TYPES.map((word) => [word, types[word]]),
)}

### subTypeSystem

An open list: empty when nothing finer than the type is known; new values may be added at any time. Current values:

${toTable(['sub type', 'from'], subTypes(documented))}

### statusSystem

${toTable(
  ['status', 'meaning'],
  ACCOUNT_STATUSES.map((word) => [word, statuses[word]]),
)}

## Banking, version ${BANKING_TAXONOMY_VERSION}

### typeSystem and subTypeSystem

${toTable(['type', 'sub type', 'display name'], banks)}

### accountStatusSystem

${BANK_ACCOUNT_STATUSES.map((word) => `- ${word}`).join('\n')}
`
}

function subTypes(documented: readonly Documented[]): string[][] {
  const uses = documented
    .filter(({ description }) => description.category === 'Accounting')
    .flatMap((each) => each.table.rows.map((row) => ({ subType: meaningOf(each, row).subType, name: each.description.name })))
  return [...Map.groupBy(uses, ({ subType }) => subType)]
    .filter(([subType]) => subType !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([subType, users]) => [subType, [...new Set(users.map(({ name }) => name))].join(', ')])
}
