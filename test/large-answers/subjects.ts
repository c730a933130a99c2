import { toEntityId as helixEntity } from '../../src/connectors/helix/authorization.ts'

/** Rows of an answer: many, in few bytes, so that the answer is parsed in one step. */
export const ROWS = 2_000

/** A pull that gets one answer with many rows, or several. */
export interface LargeAnswers {
  connector: string
  pull: string
  secret: object
  /**
   * How often the rows are looked at, in slices of 500. To sort these 2,000 counts three times, and to compare a page with
   * the one before two and a half times, since that takes 200 at a time.
   */
  passes: number
  /** `request`: its body, or else its query. */
  answer(path: string, request: string): string
  headers?: Record<string, string>
  entityId?: string
  cursor?: object
}

const rows = (row: (index: number) => string): string => Array.from({ length: ROWS }, (_, index) => row(index)).join()
const DAY_S = 86_400
const NOW_S = Date.UTC(2026, 10, 20) / 1_000
/** When all these answers come. */
export const NOW = new Date(NOW_S * 1_000)

const oauth = { accessToken: 'a', refreshToken: 'r' }
const fdx = { bearer: 'b', refreshToken: null, subject: 's', institutionId: 'i', institutionName: 'n' }
const helix = { address: 'https://helix.example', apiKey: 'k', secret: 's', customerId: '1' }
const finicity = { token: 't', customerId: 'c', institutionLoginId: 'l', institutionId: 'i' }
const fineract = { address: 'https://fineract.example', tenant: 'default', clientId: '1', user: 'u', password: 'p' }
const mambu = { address: 'https://bank.mambu.com', apiKey: 'k', holderId: 'h', holder: 'clients' }
const tryton = {
  ...{ address: 'https://tryton.example', database: 'd', user: 'u', password: 'p', companyId: 1 },
  session: { userId: 1, key: 'k' },
}
const HELIX_CUSTOMER = { customerId: 1, createdDate: '2020-01-01T00:00:00' }
const envelope = (data: string) => `{"errors":[],"data":${data}}`

const banks: LargeAnswers[] = [
  {
    ...{ connector: 'simplefin', pull: 'transactions', passes: 3 },
    secret: { base: 'https://bridge.example/s', user: 'u', password: 'p', entityId: 'e', marks: '' },
    cursor: { from: NOW_S - DAY_S, known: { 'b/1': Array.from({ length: ROWS }, (_, index) => `gone-${index}`) } },
    answer: () =>
      `{"accounts":[{"id":"1","org":{"domain":"b"},"transactions":[${rows((index) => `{"id":"${index}","posted":${NOW_S}}`)}]}]}`,
  },
  {
    ...{ connector: 'banno', pull: 'transactions', secret: oauth, passes: 1 },
    answer: (path) => (path.endsWith('/accounts') ? `{"accounts":[${rows((index) => `{"id":"${index}"}`)}]}` : '{"transactions":[]}'),
  },
  {
    ...{ connector: 'flinks-outbound', pull: 'accounts', secret: fdx, passes: 1 },
    answer: () => `{"accounts":[${rows((index) => `{"accountId":"${index}"}`)}]}`,
  },
  {
    ...{ connector: 'flinks-outbound', pull: 'transactions', secret: fdx, passes: 3 },
    answer: (path) =>
      path.endsWith('/accounts')
        ? '{"accounts":[{"accountId":"1"}]}'
        : `{"transactions":[${rows((index) => `{"transactionId":"${index}"}`)}]}`,
  },
  {
    ...{ connector: 'helix', pull: 'transactions', secret: helix, passes: 5, entityId: helixEntity(HELIX_CUSTOMER) },
    answer: (path) => {
      if (path.includes('/customer/get')) return envelope(JSON.stringify(HELIX_CUSTOMER))
      return envelope(path.includes('/account/list') ? `[${rows((index) => `{"accountId":${(index * 7) % ROWS}}`)}]` : '[]')
    },
    cursor: { after: '1990', page: 0, first: '' },
  },
  {
    ...{ connector: 'fineract', pull: 'transactions', secret: fineract, passes: 5 },
    cursor: { after: 'loan/1990', offset: 0, lastId: 0 },
    answer: (path) =>
      path.endsWith('/accounts') ? `{"loanAccounts":[${rows((index) => `{"id":${(index * 7) % ROWS}}`)}]}` : '{"id":1,"transactions":[]}',
  },
  {
    ...{ connector: 'fineract', pull: 'transactions', secret: fineract, passes: 1 },
    cursor: { after: '', offset: 500, lastId: 0 },
    answer: (path) =>
      path.endsWith('/accounts') ? '{"savingsAccounts":[{"id":7}]}' : `{"total":9,"content":[${rows((index) => `{"id":${index}}`)}]}`,
  },
  {
    ...{ connector: 'finicity', pull: 'transactions', secret: finicity, passes: 2 },
    answer: (path) =>
      path.includes('/institutionLogins/')
        ? `{"accounts":[${rows((index) => `{"id":"${index}","institutionId":"i","institutionLoginId":"l"}`)}]}`
        : '{"moreAvailable":false,"transactions":[]}',
  },
  {
    ...{ connector: 'finicity', pull: 'transactions', secret: finicity, passes: 1 },
    answer: (path) =>
      path.includes('/institutionLogins/')
        ? '{"accounts":[{"id":"1","institutionId":"i","institutionLoginId":"l"}]}'
        : `{"moreAvailable":false,"transactions":[${rows((index) => `{"id":${index},"status":"pending"}`)}]}`,
  },
  {
    ...{ connector: 'flinks', pull: 'transactions', passes: 2 },
    secret: { loginId: 'l', institutionId: 'i', replaced: [] },
    answer: (path) => {
      if (path.endsWith('/GenerateAuthorizeToken')) return '{"Token":"t"}'
      if (path.endsWith('/Authorize')) return '{"RequestId":"r"}'
      if (path.endsWith('/GetAccountsSummary')) return `{"Accounts":[${rows((index) => `{"Id":"${index}"}`)}]}`
      return `{"Accounts":[{"Id":"1","Transactions":[${rows((index) => `{"Id":"${index}","Date":"2026-11-19"}`)}]}]}`
    },
  },
  {
    ...{ connector: 'mambu', pull: 'accounts', secret: mambu, passes: 1, headers: { 'items-total': '9' } },
    cursor: { list: 'deposits', offset: 0, last: '', total: -1, restarts: 0 },
    answer: () => `[${rows((index) => `{"encodedKey":"${index}","currencyCode":"CAD"}`)}]`,
  },
  {
    ...{ connector: 'mambu', pull: 'accounts', secret: mambu, passes: 2, headers: { 'items-total': '9' } },
    cursor: { list: 'loans', offset: 0, last: '', total: -1, restarts: 0 },
    answer: () => `[${rows((index) => `{"encodedKey":"${index}","accountState":"CLOSED","currency":{"code":"CAD"}}`)}]`,
  },
  {
    ...{ connector: 'bank-api-granite', pull: 'transactions', passes: 3.5 },
    secret: { fields: { partyId: '1' }, accessToken: 't' },
    answer: (path) => (path.endsWith('/trns') ? `{"data":[${rows((index) => `{"trnId":"${index}"}`)}]}` : '{"data":[{"_Id":"p"}]}'),
  },
  {
    ...{ connector: 'bank-api-harbourline', pull: 'transactions', passes: 4.5 },
    secret: { fields: { customerId: '1' }, accessToken: 't' },
    answer: (path) =>
      path.includes('/transactions')
        ? `{"header":{"total_size":1},"body":[${rows((index) => `{"transactionReference":"${index}"}`)}]}`
        : '{"header":{"total_size":1},"body":[{"accountId":"1"}]}',
  },
]

const ledgers: LargeAnswers[] = [
  {
    ...{ connector: 'freeagent', pull: 'transactions', secret: { ...oauth, companyId: 'c' }, passes: 1, headers: { link: '' } },
    answer: (path) =>
      path.endsWith('/company')
        ? '{"company":{"freeagent_start_date":"2026-01-01","first_accounting_year_end":"2026-12-31","company_start_date":"2026-01-01"}}'
        : `{"transactions":[${rows((index) => `{"url":"https://a.example/${index}"}`)}]}`,
  },
  {
    ...{ connector: 'erpnext', pull: 'accounts', passes: 1, entityId: 'C/x' },
    secret: { address: 'https://erpnext.example', apiKey: 'k', apiSecret: 's', abbreviation: 'C' },
    answer: (path) =>
      path.endsWith('/Company')
        ? '{"data":[{"name":"Co","abbr":"C","creation":"x","default_currency":"CAD"}]}'
        : `{"data":[${rows((index) => `{"name":"${index}"}`)}]}`,
  },
  {
    ...{ connector: 'erpnext', pull: 'entries', passes: 3, entityId: 'C/x' },
    secret: { address: 'https://erpnext.example', apiKey: 'k', apiSecret: 's', abbreviation: 'C' },
    answer: (path, request) => {
      if (path.endsWith('/Company')) return '{"data":[{"name":"Co","abbr":"C","creation":"x","default_currency":"CAD"}]}'
      if (request.includes('debit')) return '{"data":[]}'
      return `{"data":[${rows((index) => `{"name":"${index}","voucher_no":"${index}"}`)}]}`
    },
  },
  {
    ...{ connector: 'odoo', pull: 'entries', passes: 4 },
    secret: { address: 'https://odoo.example', database: 'd', user: 'u', apiKey: 'k', userId: 1, companyId: 1, language: '' },
    cursor: { after: 0, repeats: 0, major: 19, fields: [] },
    answer: () => `[${rows((index) => `{"id":${index + 1}}`)}]`,
  },
  {
    ...{ connector: 'tryton', pull: 'accounts', secret: tryton, passes: 5, cursor: { after: 1, fields: [] } },
    answer: () => `{"result":[${rows((index) => `{"id":${index},"type":1}`)}]}`,
  },
  {
    ...{ connector: 'tryton', pull: 'entries', secret: tryton, passes: 3 },
    cursor: { after: 1, since: null, newest: null, completeAt: '2026-11-20T00:00:00Z', hasPostNumber: false },
    answer: (_path, request) => {
      const stamp = '"__class__":"datetime","year":2026,"month":1,"day":1,"hour":1,"minute":1,"second":1,"microsecond":1'
      return request.includes('move.line') ? '{"result":[]}' : `{"result":[${rows(() => `{"write_date":{${stamp}}}`)}]}`
    },
  },
]

export const SUBJECTS: readonly LargeAnswers[] = [...banks, ...ledgers]
