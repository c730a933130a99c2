import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Answers } from '../contract/contract.ts'
import { kindOf } from '../toolkit/test-mapping.ts'
import { REPORT } from './currencies.ts'
import { ANSWER, readAccounts } from './read.ts'

function answers(body: unknown): Answers {
  return { [ANSWER]: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)) }
}

describe('reading accounts', () => {
  test('every account is an item, with its last change as a UTC version', () => {
    const items = [...readAccounts({ [ANSWER]: readFileSync(new URL('fixtures/accounts.json', import.meta.url)) })]
    expect(items.map((item) => [item.origId?.slice(-1), 'version' in item ? item.version : null])).toEqual([
      ['1', '2026-04-27T14:33:48.841Z'],
      ['2', '2026-01-05T14:00:00.000Z'],
    ])
  })

  test.each([{ updated_at: null }, { updated_at: 'yesterday' }, {}])('an account with %j has no version and stays', (more) => {
    expect([...readAccounts(answers({ data: [{ uuid: 'u', ...more }] }))]).toEqual([
      { entity: 'Accounts', origId: 'u', wire: { uuid: 'u', currencyCode: '', ...more } },
    ])
  })

  test.each([{ name: 'Nameless' }, { uuid: null }, { uuid: '' }, { uuid: 7 }, null, 'text'])(
    '%j in the list is set aside, the others stay',
    (row) => {
      const items = [...readAccounts(answers({ data: [row, { uuid: '2' }] }))]
      expect(items.map((item) => ['unreadable' in item, item.origId])).toEqual([
        [true, null],
        [false, '2'],
      ])
    },
  )

  test('an empty list is an empty list', () => {
    expect([...readAccounts(answers({ data: [] }))]).toEqual([])
  })

  test.each([
    ['no body', ''],
    ['HTML', '<!doctype html><html></html>'],
    ['a cut page', '{"data":[{"uuid":"1"}'],
    ['no data', '{"meta":{}}'],
    ['null for the data', '{"data":null}'],
    ['one object for the list', '{"data":{"uuid":"1"}}'],
    ['a bare list', '[]'],
    ['the first of two pages', '{"data":[{"uuid":"1"}],"meta":{"page":1,"pages":2}}'],
    ['the first of two pages, told another way', '{"data":[{"uuid":"1"}],"page":1,"pages":2}'],
  ])('%s is bad data, never an empty or half a list', (_what, body) => {
    expect(kindOf(() => [...readAccounts(answers(body))])).toBe('badData')
  })
})

describe('the currency of an account', () => {
  const bytes = (body: unknown) => new TextEncoder().encode(JSON.stringify(body))
  const ids = ['1', '2', '3'].map((end) => `5f1d7a10-0000-4000-8000-00000000000${end}`)
  const currencies = (more: Answers) =>
    [...readAccounts({ ...answers({ data: ids.map((uuid) => ({ uuid })) }), ...more })].map((item) =>
      'wire' in item ? Object(item.wire).currencyCode : null,
    )
  const report = (...rows: object[]) => ({ [REPORT]: bytes({ response: { result: { journal_entry_accounts: rows } } }) })

  test('is that of the report, for sub-accounts too; one that is not there stays unknown while several are in use', () => {
    expect(currencies({ [REPORT]: readFileSync(new URL('fixtures/report.json', import.meta.url)) })).toEqual(['CAD', null, 'USD'])
  })

  test('is the only one of the report for an account that is not there: an archived one', () => {
    expect(currencies(report({ account_uuid: ids[0], currency_code: 'CAD' }))).toEqual(['CAD', 'CAD', 'CAD'])
  })

  test.each([
    {},
    { account_uuid: 7, currency_code: 'CAD' },
    { account_uuid: 'x', currency_code: '' },
    { account_uuid: 'x', currency_code: 7 },
  ])('is unknown with a report of %j alone', (row) => expect(currencies(report(row))).toEqual([null, null, null]))

  test('is unknown where the report was refused, and empty in what was stored before it was asked for', () => {
    expect([currencies({ 'report refused': bytes({}) }), currencies({})]).toEqual([
      [null, null, null],
      ['', '', ''],
    ])
  })

  test.each(['{}', '[]', '{"response":{"result":{}}}', '{"response":{"result":{"journal_entry_accounts":{}}}}'])(
    '%s is no report',
    (text) => {
      expect(kindOf(() => currencies({ [REPORT]: new TextEncoder().encode(text) }))).toBe('badData')
    },
  )
})
