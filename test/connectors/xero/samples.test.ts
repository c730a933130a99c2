import { existsSync, readFileSync } from 'node:fs'
import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { xeroConnector } from '../../../src/connectors/xero/client.ts'
import { BASE, readAccounts } from '../../../src/connectors/xero/read.ts'

const SAMPLES = new URL('../../../../shared/samples/accounting/xero/', import.meta.url)
const { wire, map } = xeroConnector.entities.Accounts

describe.skipIf(!existsSync(SAMPLES))('published answers of Xero (skipped without ../shared/samples)', () => {
  test.each(['accounts.list.openapi-example.json', 'accounts.list.docs-like.json'])('every account of %s is read and mapped', (name) => {
    const isWire = Compile(wire)
    const unmapped: string[] = []
    const context = { fetchedAt: new Date(0), unmapped: (field: string, word: string) => unmapped.push(`${field}=${word}`) }
    const answers = { [BASE]: new TextEncoder().encode('{"BaseCurrency":"NZD"}'), Accounts: readFileSync(new URL(name, SAMPLES)) }
    const records = [...readAccounts(answers)].map((item) => {
      if (!('wire' in item) || !isWire.Check(item.wire)) return null
      return Object.fromEntries(Object.entries(map.fields).map(([field, get]) => [field, get(item.wire, context)]))
    })
    expect(unmapped).toEqual([])
    expect(records[0]).toEqual({
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
