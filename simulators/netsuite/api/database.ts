import type { Row } from '../data/chart.ts'
import type { Role } from '../data/companies.ts'
import type { Books } from '../data/ledger.ts'
import type { Database, Table } from './selection.ts'

const ACCOUNT_FIELDS = [
  'id',
  'acctnumber',
  'accountsearchdisplayname',
  'accountsearchdisplaynamecopy',
  'fullname',
  'accttype',
  'sspecacct',
  'parent',
  'description',
  'isinactive',
  'issummary',
  'lastmodifieddate',
]

const TYPE_NAMES: Readonly<Record<string, string>> = {
  CustInvc: 'Invoice',
  CustPymt: 'Payment',
  VendBill: 'Bill',
  Journal: 'Journal',
  SalesOrd: 'Sales Order',
  Transfer: 'Transfer',
}

/** Records visible to a role: disabled features and missing permissions hide them completely. */
export function toDatabase(books: Books, role: Role): Database {
  return { tables: toTables(books, role), display: (field, value) => display(books, field, value) }
}

function toTables(books: Books, role: Role): Record<string, Table> {
  if (role.sees === 'nothing') return {}
  const { company } = books
  const hasCurrencies = company.currencies.length > 0
  const hasSubsidiaries = company.subsidiaries.length > 0
  const lists: Record<string, Table> = {
    account: { fields: [...ACCOUNT_FIELDS, ...(hasCurrencies ? ['currency'] : [])], rows: books.accounts },
    ...(hasCurrencies ? { currency: toCurrencies(books) } : {}),
    ...(hasSubsidiaries ? { subsidiary: toSubsidiaries(books) } : {}),
  }
  if (role.sees === 'lists') return lists
  return {
    ...lists,
    transaction: {
      fields: ['id', 'trandate', 'tranid', 'type', 'entity', 'memo', 'posting', 'lastmodifieddate'],
      rows: books.transactions,
    },
    transactionline: { fields: ['transaction', 'id', 'memo', ...(hasSubsidiaries ? ['subsidiary'] : [])], rows: books.lines },
    transactionaccountingline: {
      fields: ['transaction', 'transactionline', 'accountingbook', 'account', 'debit', 'credit', 'amount', 'posting'],
      rows: books.accountingLines,
    },
  }
}

function toCurrencies({ company }: Books): Table {
  const rows = company.currencies.map(({ id, symbol, name }, index): Row => ({ id, symbol, name, isbasecurrency: index === 0 ? 'T' : 'F' }))
  return { fields: ['id', 'symbol', 'name', 'isbasecurrency'], rows }
}

function toSubsidiaries({ company }: Books): Table {
  const root = company.subsidiaries[0]?.id ?? null
  const rows = company.subsidiaries.map(({ id, name, currency }, index): Row => ({ id, name, currency, parent: index === 0 ? null : root }))
  return { fields: ['id', 'name', 'currency', 'parent'], rows }
}

function display({ company, accounts }: Books, field: string, value: string | null): string | null {
  if (value === null) return null
  if (field === 'entity') return company.entities[value] ?? value
  if (field === 'type') return TYPE_NAMES[value] ?? value
  if (field === 'currency') return company.currencies.find(({ id }) => id === value)?.name ?? value
  if (field === 'account') return accounts.find(({ id }) => id === value)?.accountsearchdisplayname ?? value
  return value
}
