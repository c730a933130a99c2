import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { SourceItem } from '../../../src/connectors/contract/contract.ts'
import { quickbooksConnector } from '../../../src/connectors/quickbooks/client.ts'
import { toSourceError } from '../../../src/connectors/quickbooks/errors.ts'
import { ANSWER, readAccounts } from '../../../src/connectors/quickbooks/read.ts'
import { mapSamples } from '../../harness/connector-calls.ts'

const SAMPLES = new URL('../../../../shared/samples/accounting/quickbooks/', import.meta.url)

function read(name: string): SourceItem[] {
  return [...readAccounts({ [ANSWER]: readFileSync(new URL(name, SAMPLES)) })]
}

describe.skipIf(!existsSync(SAMPLES))('recorded answers of QuickBooks (skipped without ../shared/samples)', () => {
  test('every recorded account is read, matches the wire schema and is mapped', () => {
    const records = mapSamples(quickbooksConnector, read('accounts.fyle-imports.json'))
    expect(records).toHaveLength(11)
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
