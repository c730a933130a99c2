import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { xeroConnector } from '../../../src/connectors/xero/client.ts'
import { BASE, readAccounts } from '../../../src/connectors/xero/read.ts'
import { mapSamples } from '../../harness/connector-calls.ts'

const SAMPLES = new URL('../../../../shared/samples/accounting/xero/', import.meta.url)

describe.skipIf(!existsSync(SAMPLES))('published answers of Xero (skipped without ../shared/samples)', () => {
  test.each(['accounts.list.openapi-example.json', 'accounts.list.docs-like.json'])('every account of %s is read and mapped', (name) => {
    const answers = { [BASE]: new TextEncoder().encode('{"BaseCurrency":"NZD"}'), Accounts: readFileSync(new URL(name, SAMPLES)) }
    expect(mapSamples(xeroConnector, [...readAccounts(answers)])[0]).toEqual({
      origId: 'ebd06280-af70-4bed-97c6-7451a454ad85',
      number: '091',
      name: 'Business Savings Account',
      currency: 'NZD',
      description: '',
      classApp: '',
      classSystem: 'ASSET',
      typeApp: 'BANK',
      typeSystem: 'BANK',
      subTypeApp: 'BANK',
      subTypeSystem: 'SAVINGS',
      statusApp: '',
      statusSystem: 'UNKNOWN',
    })
  })
})
