import { existsSync, readFileSync } from 'node:fs'
import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import type { SourceItem } from '../../../src/connectors/contract/contract.ts'
import { quickbooksConnector } from '../../../src/connectors/quickbooks/client.ts'
import { toSourceError } from '../../../src/connectors/quickbooks/errors.ts'
import { ANSWER, readAccounts } from '../../../src/connectors/quickbooks/read.ts'

const SAMPLES = new URL('../../../../shared/samples/accounting/quickbooks/', import.meta.url)

function read(name: string): SourceItem[] {
  return [...readAccounts({ [ANSWER]: readFileSync(new URL(name, SAMPLES)) })]
}

describe.skipIf(!existsSync(SAMPLES))('recorded answers of QuickBooks (skipped without ../shared/samples)', () => {
  test('every recorded account is read, matches the wire schema and is mapped', () => {
    const { wire, map } = quickbooksConnector.entities.Accounts
    const isWire = Compile(wire)
    const unmapped: string[] = []
    const context = { fetchedAt: new Date(0), unmapped: (field: string, word: string) => unmapped.push(`${field}=${word}`) }
    const records = read('accounts.fyle-imports.json').map((item) => {
      if (!('wire' in item) || !isWire.Check(item.wire)) return null
      return Object.fromEntries(Object.entries(map.fields).map(([field, get]) => [field, get(item.wire, context)]))
    })
    expect(records).toHaveLength(11)
    expect(unmapped).toEqual([])
    expect(records[0]).toEqual({
      origId: '103',
      number: '3506',
      name: 'Utility',
      currency: 'USD',
      description: '',
      classApp: 'Expense',
      classSystem: 'EXPENSE',
      typeApp: 'Expense',
      typeSystem: 'EXPENSE',
      subTypeApp: 'Entertainment',
      subTypeSystem: '',
      statusApp: 'true',
      statusSystem: 'ACTIVE',
    })
  })

  test('the documentation’s account, which has no Id, is set aside and not silently lost', () => {
    expect(read('accounts.query.docs-like.json')).toEqual([{ entity: 'Accounts', origId: null, unreadable: 'an account without an Id' }])
  })

  test('a fault of the documentation is bad data with its code', () => {
    const body = readFileSync(new URL('error.400.json', SAMPLES))
    const error = toSourceError({ status: 400, headers: {}, body }, 'the query', new Date(0))
    expect(error).toMatchObject({ kind: 'badData', message: 'QuickBooks answered 400 to the query (code 100, ValidationFault)' })
  })
})
