import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { businessCentralConnector } from '../../../src/connectors/business-central/client.ts'
import { CONTEXT, LIST, readAccounts } from '../../../src/connectors/business-central/read.ts'
import { mapSamples } from '../../harness/connector-calls.ts'

const SAMPLES = new URL('../../../../shared/samples/accounting/business-central/', import.meta.url)

describe.skipIf(!existsSync(SAMPLES))('an account of Microsoft’s documentation (skipped without ../shared/samples)', () => {
  test('is read, matches the wire schema and is mapped', () => {
    const sample: unknown = JSON.parse(readFileSync(new URL('account.get.docs-example.json', SAMPLES), 'utf8'))
    const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
    const items = [...readAccounts({ [LIST]: encode({ value: [sample] }), [CONTEXT]: encode({ currencyCode: 'USD' }) })]
    expect(mapSamples(businessCentralConnector, items)[0]).toEqual({
      origId: 'a2a5738a-44e3-ea11-bb43-000d3a2feca1',
      number: '10100',
      name: 'Bank Account - Operating',
      currency: 'USD',
      description: '',
      classApp: 'Assets',
      classSystem: 'ASSET',
      typeApp: 'Posting',
      typeSystem: 'OTHER_CURRENT_ASSET',
      subTypeApp: 'Current Assets',
      subTypeSystem: '',
      statusApp: 'false',
      statusSystem: 'ACTIVE',
    })
  })
})
