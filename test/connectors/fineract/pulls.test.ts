import { describe, expect, test } from 'vitest'
import { fineractConnector } from '../../../src/connectors/fineract/client.ts'
import { fineract } from '../../../src/connectors/fineract/index.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { submit } from '../../harness/form.ts'
import { docsOf, pagesOf, readPull } from '../core-bank/reading.ts'
import { openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const BANK = { description: fineract, connector: fineractConnector }

async function connected(clientId = '1', options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  return { harness, session: sessionOf(harness, await submit(harness, { clientId })) }
}

describe('accounts', () => {
  test('of every kind and state are listed', async () => {
    const { session } = await connected()
    const docs = docsOf(await readPull(BANK, session, 'accounts'))
    const shown = Object.entries(docs).map(([id, doc]) => [id, doc.subTypeSystem, doc.accountStatusSystem])
    expect(shown).toEqual([
      ['loan/1', 'BusinessLoan', 'ACTIVE'],
      ['loan/2', 'BusinessLoan', 'ACTIVE'],
      ['loan/3', 'BusinessLoan', 'CLOSED'],
      ['loan/4', 'BusinessLoan', 'ACTIVE'],
      ['loan/5', 'BusinessLoan', 'INACTIVE'],
      ['savings/1', 'Savings', 'ACTIVE'],
      ['savings/2', 'Savings', 'ACTIVE'],
      ['savings/3', 'Cd', 'ACTIVE'],
      ['savings/4', 'RecurringDeposit', 'ACTIVE'],
      ['savings/5', 'Savings', 'ACTIVE'],
      ['savings/6', 'Savings', 'CLOSED'],
      ['savings/7', 'Savings', 'INACTIVE'],
    ])
  })

  test('of another client are excluded', async () => {
    const { session } = await connected('2')
    expect(Object.keys(docsOf(await readPull(BANK, session, 'accounts')))).toEqual(['loan/6', 'savings/8', 'savings/9', 'savings/10'])
  })

  test('never contain a full account number', async () => {
    const { session } = await connected()
    const outcome = await readPull(BANK, session, 'accounts')
    expect(JSON.stringify([...outcome.delivered.values()])).not.toMatch(/84001\d{7}|84002\d{7}/)
    expect(Object.values(docsOf(outcome)).every(({ accountNumber }) => /^••••\d{4}$/.test(String(accountNumber)))).toBe(true)
  })

  test('that the overview lists but that no longer exist are set aside, and the others are delivered', async () => {
    const { harness, session } = await connected()
    harness.simulator.fault('gone')
    const outcome = await readPull(BANK, session, 'accounts')
    expect(outcome.setAside).toEqual([{ entity: 'Accounts', origId: 'loan/1', reason: expect.stringContaining('not there') }])
    expect(outcome.delivered.size).toBe(11)
  })

  test('with unknown enum values and broken shapes do not affect the others', async () => {
    const { harness, session } = await connected()
    harness.simulator.fault('schemaDrift', 100)
    const outcome = await readPull(BANK, session, 'accounts')
    expect(outcome.unmapped.map(({ word }) => word)).toContain('loanStatusType.frozen.by.court')
    expect(outcome.setAside.map(({ origId }) => origId)).toEqual(['loan/1', 'loan/4', 'savings/1', 'savings/4', 'savings/7'])
  })

  test('of a client without any are an empty, complete list', async () => {
    const { session } = await connected('4')
    const [page, ...more] = await pagesOf(BANK, session, 'accounts')
    expect([page?.page.listing, page?.page.next, more.length]).toEqual(['complete', null, 0])
  })
})

describe('transactions', () => {
  test('use one sign convention; reversed and ineffective ones are omitted', async () => {
    const { session } = await connected()
    const docs = docsOf(await readPull(BANK, session, 'transactions'))
    expect(docs['loan/1001']).toMatchObject({ accountOrigId: 'loan/1', amount: -48000, category: 'disbursement' })
    expect(docs['loan/1003']).toMatchObject({ amount: 2290, category: 'repayment', postedOn: '2025-10-15' })
    expect(docs['loan/1002']).toBeUndefined()
    expect(docs['loan/1999']).toBeUndefined()
    expect(docs['savings/1000019']).toBeUndefined()
    expect(docs['savings/5000002']).toMatchObject({ amount: 20.01, currency: 'KWD', accountOrigId: 'savings/5' })
  })

  test('that were reversed are missing from the next complete list', async () => {
    const { harness, session } = await connected()
    const before = await readPull(BANK, session, 'transactions')
    harness.simulator.state.savings.find(({ id }) => id === 1)?.undone.push(2)
    const after = await pagesOf(BANK, session, 'transactions')
    expect(after.every(({ page }) => page.listing === 'complete')).toBe(true)
    const left = docsOf(await readPull(BANK, session, 'transactions'))
    expect(Object.keys(docsOf(before)).filter((id) => !(id in left))).toEqual(['savings/1000002'])
  })

  test('of a large account are paged without a gap', async () => {
    const { harness, session } = await connected('9')
    const outcome = await readPull(BANK, session, 'transactions')
    expect([...outcome.delivered.keys()].filter((key) => key.startsWith('Transactions/savings/90')).length).toBe(
      1200 - Math.floor(1200 / 19) + Math.floor(1200 / 437),
    )
    const searches = harness.simulator.listRequests().filter(({ path }) => path.endsWith('/90/transactions/search'))
    expect(searches.map(({ query }) => new URLSearchParams(query).get('offset'))).toEqual(['0', '500', '1000'])
  })

  test('are read from the details if the server cannot search', async () => {
    const newer = await connected('2')
    const older = await connected('2', { hasSearch: false })
    expect(docsOf(await readPull(BANK, older.session, 'transactions'))).toEqual(docsOf(await readPull(BANK, newer.session, 'transactions')))
  })

  test('that repeat a page end the run with bad data', async () => {
    const { harness, session } = await connected('9')
    harness.simulator.fault('repeatPage', 100)
    expect(await failureOf(pagesOf(BANK, session, 'transactions'))).toMatchObject({ kind: 'badData' })
  })
})
