import { readFileSync } from 'node:fs'
import type { Answers } from '../../src/connectors/contract/contract.ts'

/** One page of a pull as its source answers it. */
export interface SourcePage {
  connector: string
  pull: string
  answers: Answers
}

const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

function file(connector: string, name: string): Uint8Array {
  return readFileSync(new URL(`../../src/connectors/${connector}/fixtures/${name}`, import.meta.url))
}

const CENTRAL = { context: text({ currencyCode: 'CAD', after: 0 }) }
const SUITE = {
  context: text({ currencies: { 1: 'USD', 2: 'CAD' }, base: 'USD', hasCurrencies: true, subsidiaries: { 1: '1', 2: '2' } }),
}
const BANK_API_PAGES = JSON.parse(new TextDecoder().decode(file('bank-api', 'pages.json'))) as { connector: string; pull: string }[]
const FDX_BANKS = ['akoya', 'flinks-outbound', 'fdx-caisse-du-confluent', 'fdx-ohio-valley']
const FDX_ACCOUNTS = {
  list: file('fdx', 'accounts-v6.json'),
  about: text({ provider: 'Caisse du Confluent', isFraction: false, currency: 'CAD' }),
}
const FDX_MOVEMENTS = {
  'rows-0': file('fdx', 'transactions.json'),
  about: text({ parts: [{ name: 'rows-0', accountId: 'd-1', currency: 'CAD' }], gone: [] }),
}
const AGENT = { company: file('freeagent', 'company.json') }
const ERPNEXT_ACCOUNTS = {
  data: [
    {
      name: '1110 - Caisse - AB',
      account_name: 'Caisse',
      account_number: '1110',
      root_type: 'Asset',
      account_type: 'Cash',
      is_group: 0,
      disabled: 0,
    },
    { name: '9999 - Divers - AB', account_name: 'Divers', root_type: 'Novelty', account_type: 'Whimsy', is_group: 0, disabled: 1 },
  ],
}
const ODOO_ACCOUNTS = [
  { id: 7, code: '101000', name: 'Caisse', account_type: 'asset_cash', currency_id: [4, 'CAD'], deprecated: false },
  { id: 8, code: '', name: 'Divers', account_type: 'whimsy_novelty', currency_id: false, active: false },
  { id: 9, code: '401', name: 'Ventes', user_type_id: [3, 'Income'], deprecated: false },
]
const AGENT_LINE = {
  url: 'https://api.freeagent.com/v2/accounting/transactions/1',
  dated_on: '2026-01-31',
  description: 'Invoice 7',
  category: 'https://api.freeagent.com/v2/categories/681',
  debit_value: '12.50',
  source_item_url: 'https://api.freeagent.com/v2/invoices/7',
  updated_at: '2026-02-01T10:00:00.000Z',
}
const PLAID_CHANGES = {
  added: [
    {
      transaction_id: 't-1',
      account_id: 'acc-card',
      amount: 72.1,
      iso_currency_code: 'CAD',
      date: '2026-11-18',
      name: 'POS',
      pending: false,
    },
    {
      transaction_id: 't-2',
      account_id: 'acc-card',
      amount: -3,
      date: '2026-11-19',
      name: 'IN',
      pending: true,
      category: ['Shops', 'Hardware'],
    },
  ],
  modified: [],
  removed: [],
  next_cursor: 'c',
  has_more: false,
}

const page = (connector: string, pull: string, answers: Answers): SourcePage => ({ connector, pull, answers })

/** Pages from small fixtures and texts; `listPages` has those of the other connectors from their simulators. */
export const SOURCE_PAGES: readonly SourcePage[] = [
  page('quickbooks', 'accounts', { query: file('quickbooks', 'accounts.json') }),
  page('quickbooks', 'journalEntries', { query: file('quickbooks', 'journal-entries.json') }),
  page('xero', 'accounts', { base: text({ BaseCurrency: 'CAD' }), Accounts: file('xero', 'accounts.json') }),
  page('xero', 'journals', { base: text({ BaseCurrency: 'CAD' }), Journals: file('xero', 'journals.json') }),
  page('freshbooks', 'accounts', { accounts: file('freshbooks', 'accounts.json') }),
  page('sage', 'accounts', { list: file('sage', 'ledger-accounts.json'), currency: text({ id: 'CAD' }) }),
  page('sage', 'journals', { list: file('sage', 'journals.json'), currency: text({ id: 'CAD' }) }),
  page('zoho', 'accounts', { list: file('zoho', 'accounts.json') }),
  page('zoho', 'journals', { list: text({ journals: [] }), 'journal 260815000000113035': file('zoho', 'journal.json') }),
  page('wave', 'accounts', { accounts: file('wave', 'accounts.json') }),
  page('freeagent', 'accounts', {
    ...AGENT,
    categories: file('freeagent', 'categories.json'),
    'bankAccounts.1': file('freeagent', 'bank-accounts.json'),
  }),
  page('freeagent', 'transactions', {
    ...AGENT,
    'transactions.1': text({
      transactions: [
        AGENT_LINE,
        { ...AGENT_LINE, url: `${AGENT_LINE.url}0`, debit_value: '-12.50', category: 'https://api.freeagent.com/v2/categories/001' },
      ],
    }),
  }),
  page('myob', 'accounts', { list: file('myob', 'accounts.json'), currency: text('AUD') }),
  page('myob', 'journals', { list: file('myob', 'journals.json'), currency: text('AUD') }),
  page('business-central', 'accounts', { ...CENTRAL, list: file('business-central', 'accounts.json') }),
  page('business-central', 'generalLedgerEntries', { ...CENTRAL, list: file('business-central', 'general-ledger-entries.json') }),
  page('netsuite', 'accounts', { ...SUITE, list: file('netsuite', 'accounts.json') }),
  page('netsuite', 'transactions', { ...SUITE, list: file('netsuite', 'accounting-lines.json') }),
  page('odoo', 'accounts', {
    accounts: text(ODOO_ACCOUNTS),
    company: text([{ id: 1, currency_id: [4, 'CAD'] }]),
    types: text([{ id: 3, name: 'Income', type: 'other', internal_group: 'income' }]),
  }),
  page('odoo', 'entries', { moves: file('odoo', 'moves.json'), lines: file('odoo', 'lines.json') }),
  page('erpnext', 'accounts', { accounts: text(ERPNEXT_ACCOUNTS) }),
  page('erpnext', 'entries', { company: file('erpnext', 'company.json'), lines0: file('erpnext', 'lines.json') }),
  page('tryton', 'accounts', { accounts: file('tryton', 'accounts.json'), types: file('tryton', 'types.json') }),
  page('tryton', 'entries', { moves: file('tryton', 'moves.json'), lines: file('tryton', 'lines.json') }),
  page('hledger', 'books', {
    names: file('hledger', 'accountnames.json'),
    accounts: file('hledger', 'accounts.json'),
    transactions: file('hledger', 'transactions.json'),
  }),
  page('plaid', 'accounts', {
    accounts: file('plaid', 'accounts.json'),
    item: file('plaid', 'item.json'),
    liabilities: file('plaid', 'liabilities.json'),
  }),
  page('plaid', 'transactions', { changes: text(PLAID_CHANGES) }),
  page('mx', 'accounts', {
    accounts: file('mx', 'accounts.json'),
    member: file('mx', 'member.json'),
    institution: file('mx', 'institution.json'),
  }),
  page('mx', 'transactions', { transactions: file('mx', 'transactions.json'), defaults: text({ currency: 'CAD' }) }),
  page('yodlee', 'accounts', { accounts: file('yodlee', 'accounts.json') }),
  page('yodlee', 'transactions', { transactions: file('yodlee', 'transactions.json') }),
  page('banno', 'accounts', { accounts: file('banno', 'accounts.json') }),
  page('banno', 'transactions', { account: text('5436560d'), transactions: file('banno', 'transactions.json') }),
  ...BANK_API_PAGES.map(({ connector, pull, ...answers }) =>
    page(connector, pull, Object.fromEntries(Object.entries(answers).map(([name, value]) => [name, text(value)]))),
  ),
  ...FDX_BANKS.flatMap((bank) => [page(bank, 'accounts', FDX_ACCOUNTS), page(bank, 'transactions', FDX_MOVEMENTS)]),
  ...['card.qfx', 'chain.mt940', 'chequing.ofx', 'loan.bai2', 'loan.ofx', 'statement.camt053.xml'].map((name) =>
    page('bank-files', 'files', { file: file('bank-files', name), name: new TextEncoder().encode(name) }),
  ),
]
