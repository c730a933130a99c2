import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import type { Kit } from '../../../src/connectors/contract/contract.ts'
import type { MapContext } from '../../../src/connectors/contract/mapping.ts'
import { finicityConnector } from '../../../src/connectors/finicity/client.ts'
import { toBankAccount } from '../../../src/connectors/finicity/map.ts'
import { HAS_SAMPLES, SAMPLES_FOLDER } from './provider-document.ts'

const sample = (name: string) => readFileSync(join(SAMPLES_FOLDER, name))
const context: MapContext = { fetchedAt: new Date(0), unmapped: () => {} }

describe.skipIf(!HAS_SAMPLES)('Finicity’s documented examples (skipped when ../shared/samples is absent)', () => {
  test('accounts are read, match the schema and are mapped', () => {
    const [pull] = finicityConnector.pulls
    const institution = new TextEncoder().encode('{"name":"FinBank"}')
    const items = [...(pull?.read({ accounts: sample('apimatic_customer-accounts.json'), institution }) ?? [])]
    const [wire] = items.flatMap((item) => ('wire' in item ? [item.wire] : []))
    expect(Check(finicityConnector.entities.Accounts.wire, wire)).toBe(true)
    const mapped = Object.entries(toBankAccount.fields).map(([name, field]) => [name, field(wire, context)])
    expect(Object.fromEntries(mapped)).toMatchObject({
      origId: '5011648377',
      providerName: 'FinBank',
      accountName: 'Checking',
      accountNumber: '••••2349',
      accountStatusSystem: 'ACTIVE',
      userAccountClassification: 'PERSONAL',
      kind: { type: 'Cash', subType: 'Checking' },
      currency: 'USD',
      actualBalance: '401.26',
      actualBalanceDate: '2020-12-08T17:59:17.000+00:00',
    })
  })

  test('institutions are read, and the token continues with the page', async () => {
    const kit: Kit = {
      app: { appKey: 'a', partnerId: 'p', partnerSecret: 's' },
      hosts: { api: 'https://finicity.invalid' },
      now: () => new Date(0),
      http: async ({ url }) => {
        const body = url.includes('authentication') ? new TextEncoder().encode('{"token":"t"}') : sample('apimatic_institutions.json')
        return { status: 200, headers: {}, body }
      },
    }
    const page = await finicityConnector.listInstitutions?.(kit, null)
    expect(page?.institutions).toEqual([
      { id: '4222', name: 'FinBank', countries: ['US'], routingNumbers: [], url: 'https://www.example.com/home' },
    ])
    expect(page?.next).toEqual({ token: 't', page: 2 })
  })
})
