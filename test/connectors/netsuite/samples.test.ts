import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { netsuiteConnector } from '../../../src/connectors/netsuite/client.ts'
import { CONTEXT, LIST, readAccounts } from '../../../src/connectors/netsuite/read.ts'
import { mapSamples } from '../../harness/connector-calls.ts'

const SAMPLES = new URL('../../../../shared/samples/accounting/netsuite/', import.meta.url)
const FEATURES = { currencies: { 4: 'EUR' }, base: 'USD', hasCurrencies: true, subsidiaries: null }

describe.skipIf(!existsSync(SAMPLES))('a recorded answer of SuiteQL (skipped without ../shared/samples)', () => {
  test('is read, matches the wire schema and is mapped; an account listed twice is one account', () => {
    const answers = {
      [LIST]: readFileSync(new URL('account.suiteql.json', SAMPLES)),
      [CONTEXT]: new TextEncoder().encode(JSON.stringify(FEATURES)),
    }
    const items = [...readAccounts(answers)]
    expect(new Set(items.map(({ origId }) => origId)).size).toBe(1)
    expect(mapSamples(netsuiteConnector, items)[0]).toEqual({
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
