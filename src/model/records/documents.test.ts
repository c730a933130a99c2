import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { toDecimal } from '../values/decimal.ts'
import { BANK_ACCOUNT } from './bank-account.ts'
import { bodyPrinter, documentPrinter } from './documents.ts'
import { completeDocument } from './later-fields.ts'
import { RECORD_SCHEMAS } from './record-schemas.ts'

const ID = '0b0b0b0b-1111-5222-8333-444444444444'

const account = {
  origId: 'a-1',
  providerName: 'Harbor "Bank"',
  accountName: 'Épargne\n🏦 \ud800',
  accountNumber: '••••4410',
  accountStatusSystem: 'ACTIVE',
  userAccountClassification: null,
  kind: { type: 'Cash', subType: 'Cd' },
  interestRate: toDecimal('7.25'),
  availableCredit: null,
  dueDate: '2026-11-20T00:00:00+00:00',
  maturityAmount: null,
  maturityDate: null,
  minimumAmountDue: null,
  totalCreditLine: null,
  originalLoanAmount: null,
  lender: null,
  amountDue: null,
  principalBalance: null,
  currency: 'CAD',
  actualBalance: toDecimal('12345678901234567.10'),
  actualBalanceDate: '2026-11-20T10:00:00+00:00',
  sourceUpdatedDate: null,
}

const line = {
  origId: '1/1',
  entryId: '1',
  accountOrigId: '5',
  postedOn: null,
  document: '',
  description: '',
  counterparty: '',
  debit: null,
  credit: toDecimal('0.5'),
  currency: 'CAD',
  sourceType: '',
}

describe('a record', () => {
  it('is printed in the order of its schema, numbers with exactly their digits', () => {
    expect(bodyPrinter(BANK_ACCOUNT)(ID, account)).toEqual({
      json: completeDocument(
        BANK_ACCOUNT,
        '{"origId":"a-1","providerName":"Harbor \\"Bank\\"","accountName":"Épargne\\n🏦 \\ud800","accountNumber":"••••4410",' +
          '"accountStatusSystem":"ACTIVE","userAccountClassification":null,"typeSystem":"Cash","subTypeSystem":"Cd",' +
          '"subTypeSystemDisplayName":"Certificate of Deposit","interestRate":7.25,"availableCredit":null,' +
          '"dueDate":"2026-11-20T00:00:00+00:00","maturityAmount":null,"maturityDate":null,"minimumAmountDue":null,' +
          '"totalCreditLine":null,"originalLoanAmount":null,"lender":null,"amountDue":null,"principalBalance":null,"currency":"CAD",' +
          '"actualBalance":12345678901234567.1,"actualBalanceDate":"2026-11-20T10:00:00+00:00","sourceUpdatedDate":null}',
      ),
      compared: expect.any(String),
      sortKey: 'Épargne\n🏦 \ud800\u0001••••4410',
    })
  })

  it('is printed with what the engine adds', () => {
    expect(bodyPrinter(RECORD_SCHEMAS.Accounting.Transactions)(ID, line)).toEqual({
      json: completeDocument(
        RECORD_SCHEMAS.Accounting.Transactions,
        `{"id":"${ID}","origId":"1/1","entryId":"1","accountOrigId":"5","postedOn":null,"document":"","description":"","counterparty":"",` +
          '"debit":null,"credit":0.5,"currency":"CAD","sourceType":"","isDeleted":false}',
      ),
      compared: expect.any(String),
      sortKey: '\u00011',
    })
  })

  it('prints any text as JSON.stringify does', () => {
    const print = bodyPrinter(BANK_ACCOUNT)
    const isPrinted = (origId: string) => print(ID, { ...account, origId }).json.startsWith(`{"origId":${JSON.stringify(origId)},`)
    fc.assert(fc.property(fc.string({ unit: 'binary' }), isPrinted))
    const codes = [0, 0x80, 0x2028, 0xd7c0, 0xdbc0, 0xdfc0, 0xff80].flatMap((start) => Array.from({ length: 0x80 }, (_, at) => start + at))
    expect(codes.filter((code) => !isPrinted(String.fromCharCode(code)))).toEqual([])
  })

  it('is compared without what only says when it was seen', () => {
    const print = bodyPrinter(BANK_ACCOUNT, ['actualBalanceDate', 'sourceUpdatedDate'])
    const { json, compared } = print(ID, account)
    expect(json).toContain('"actualBalanceDate":"2026-11-20T10:00:00+00:00"')
    expect(completeDocument(BANK_ACCOUNT, compared)).toBe(json.replace('"2026-11-20T10:00:00+00:00"', 'null'))
    expect(print(ID, { ...account, sourceUpdatedDate: '2026-11-21T00:00:00+00:00' }).compared).toBe(compared)
  })

  it('fits the schema that the API publishes, and does not with a field that the schema lacks', () => {
    const head = { serviceId: ID, serviceName: 'Harbor', lastUpdatedOn: '2026-11-20T10:00:00.000' }
    const document = JSON.parse(documentPrinter(head)(bodyPrinter(BANK_ACCOUNT)(ID, account).json))
    const { document: schema } = BANK_ACCOUNT
    expect(Compile(schema).Check(document)).toBe(true)
    expect(Compile(schema).Check({ ...document, undocumented: null })).toBe(false)
    expect(Object.keys(document)).toEqual(['serviceId', 'serviceName', 'lastUpdatedOn', ...BANK_ACCOUNT.properties.map(({ name }) => name)])
  })
})
