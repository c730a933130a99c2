import { existsSync, readFileSync } from 'node:fs'
import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { businessCentralConnector } from '../../../src/connectors/business-central/client.ts'
import { CONTEXT, LIST, readAccounts } from '../../../src/connectors/business-central/read.ts'

const SAMPLES = new URL('../../../../shared/samples/accounting/business-central/', import.meta.url)

describe.skipIf(!existsSync(SAMPLES))('an account of Microsoft’s documentation (skipped without ../shared/samples)', () => {
  test('is read, matches the wire schema and is mapped', () => {
    const sample: unknown = JSON.parse(readFileSync(new URL('account.get.docs-example.json', SAMPLES), 'utf8'))
    const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
    const [item] = [...readAccounts({ [LIST]: encode({ value: [sample] }), [CONTEXT]: encode({ currencyCode: 'USD' }) })]
    const { wire, map } = businessCentralConnector.entities.Accounts
    if (!item || !('wire' in item) || !Compile(wire).Check(item.wire)) throw new Error('the sample does not match the schema')
    const unmapped: string[] = []
    const context = { fetchedAt: new Date(0), unmapped: (field: string, word: string) => unmapped.push(`${field}=${word}`) }
    const record = Object.fromEntries(Object.entries(map.fields).map(([field, get]) => [field, get(item.wire, context)]))
    expect(unmapped).toEqual([])
    expect(record).toEqual({
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
