import { existsSync, readFileSync } from 'node:fs'
import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { netsuiteConnector } from '../../../src/connectors/netsuite/client.ts'
import { CONTEXT, LIST, readAccounts } from '../../../src/connectors/netsuite/read.ts'

const SAMPLES = new URL('../../../../shared/samples/accounting/netsuite/', import.meta.url)
const FEATURES = { currencies: { 4: 'EUR' }, base: 'USD', hasCurrencies: true, subsidiaries: null }

describe.skipIf(!existsSync(SAMPLES))('a recorded answer of SuiteQL (skipped without ../shared/samples)', () => {
  test('is read, matches the wire schema and is mapped; an account listed twice is one account', () => {
    const answers = {
      [LIST]: readFileSync(new URL('account.suiteql.json', SAMPLES)),
      [CONTEXT]: new TextEncoder().encode(JSON.stringify(FEATURES)),
    }
    const items = [...readAccounts(answers)]
    const { wire, map } = netsuiteConnector.entities.Accounts
    const [item] = items
    if (!item || !('wire' in item) || !Compile(wire).Check(item.wire)) throw new Error('the sample does not match the schema')
    const unmapped: string[] = []
    const context = { fetchedAt: new Date(0), unmapped: (field: string, word: string) => unmapped.push(`${field}=${word}`) }
    const record = Object.fromEntries(Object.entries(map.fields).map(([field, get]) => [field, get(item.wire, context)]))
    expect(new Set(items.map(({ origId }) => origId)).size).toBe(1)
    expect(unmapped).toEqual([])
    expect(record).toEqual({
      origId: '621',
      number: '04282020',
      name: 'Test Account',
      currency: 'EUR',
      description: 'Hello World',
      classApp: '',
      classSystem: 'ASSET',
      typeApp: 'Bank',
      typeSystem: 'BANK',
      subTypeApp: '',
      subTypeSystem: '',
      statusApp: 'F',
      statusSystem: 'ACTIVE',
    })
  })
})
