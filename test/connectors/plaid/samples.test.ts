import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Check } from 'typebox/value'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Kit } from '../../../src/connectors/contract/contract.ts'
import { plaidConnector } from '../../../src/connectors/plaid/client.ts'
import { toKind } from '../../../src/connectors/plaid/type-table.ts'
import { WebhookBody } from '../../../src/connectors/plaid/wire.ts'
import { type Json, parseJson } from '../../../src/model/values/json.ts'
import { pullNamed } from '../../harness/connector-calls.ts'
import { redirectStep } from '../../harness/redirect.ts'
import { HAS_DOCUMENT, HAS_SAMPLES, loadProviderDocument, SAMPLES_FOLDER } from './provider-document.ts'

function sampleBytes(name: string): Uint8Array {
  return readFileSync(join(SAMPLES_FOLDER, `spec_example_${name}.json`))
}

function sample(name: string): Json {
  return parseJson(new TextDecoder().decode(sampleBytes(name)))
}

/** A Plaid that answers with its own documented examples. */
const sampleKit: Kit = {
  app: { clientId: 'c', secret: 's' },
  hosts: { api: 'https://plaid.invalid' },
  now: () => new Date('2026-11-20T00:00:00Z'),
  http: async ({ url }) => ({ status: 200, headers: {}, body: sampleBytes(new URL(url).pathname.slice(1).replaceAll('/', '_')) }),
}

describe.skipIf(!HAS_SAMPLES)('Plaid’s documented examples (skipped when ../shared/samples is absent)', () => {
  test('accounts with liabilities are read, match the schema and are mapped', () => {
    const answers = { accounts: sampleBytes('liabilities_get'), liabilities: sampleBytes('liabilities_get'), item: sampleBytes('item_get') }
    const items = [...pullNamed(plaidConnector, 'accounts').read(answers)]
    const wires = items.flatMap((item) => ('wire' in item ? [item.wire] : []))
    expect(wires.every((wire) => Check(plaidConnector.entities.Accounts.wire, wire))).toBe(true)
    expect(wires.map((wire) => mapped(wire, 'interestRate'))).toEqual([null, '12.5', '5.25', '3.99'])
    expect(wires.map((wire) => mapped(wire, 'actualBalance'))).toEqual(['110', '410', '65262', '56302.06'])
  })

  test.each(['accounts_get', 'accounts_balance_get'])('%s is read', (name) => {
    const items = [...pullNamed(plaidConnector, 'accounts').read({ accounts: sampleBytes(name), item: sampleBytes('item_get') })]
    expect(items.filter((item) => 'wire' in item && Check(plaidConnector.entities.Accounts.wire, item.wire))).toHaveLength(3)
  })

  test('a page of transactions is read, and its pending one is removed', () => {
    const items = [...pullNamed(plaidConnector, 'transactions').read({ changes: sampleBytes('transactions_sync') })]
    expect(items.filter((item) => 'wire' in item && Check(plaidConnector.entities.Transactions?.wire ?? {}, item.wire))).toHaveLength(2)
    expect(items.filter((item) => 'removed' in item).length).toBeGreaterThan(1)
  })

  test('both banks of the link session are exchanged', async () => {
    const grants = await redirectStep({ connector: plaidConnector }).complete(sampleKit, {
      callbackUrl: 'https://x.invalid',
      query: {},
      memo: { linkToken: 'l', isUpdate: false },
    })
    expect(grants.map((grant) => grant.entity.id)).toEqual(['ins_127989', 'ins_20'])
  })

  test('institutions are read', async () => {
    const page = await plaidConnector.listInstitutions?.(sampleKit, null)
    expect(page?.institutions.map((institution) => institution.id)).toEqual(['ins_1'])
    expect(page?.next).toBe(500)
  })

  test('webhook bodies of the examples have the expected shape', () => {
    const bodies = Object.values(Object(sample('webhooks'))).map((examples) => Object(examples)['example-1'])
    expect([bodies.length > 5, bodies.filter((body) => !Check(WebhookBody, body))]).toEqual([true, []])
  })
})

describe.skipIf(!HAS_DOCUMENT)('enum values of Plaid’s document (skipped when ../shared/specs is absent)', () => {
  let subtypes: string[]
  beforeAll(async () => {
    subtypes = (await loadProviderDocument(['/accounts/get'])).words('AccountSubtype')
  })

  test('every subtype of the document has a kind under some type', () => {
    const types = ['depository', 'credit', 'loan', 'investment', 'payroll', 'other']
    const unknown = subtypes.filter((subtype) => types.every((type) => isUnknown(type, subtype)))
    expect([subtypes.length > 70, unknown]).toEqual([true, []])
  })
})

function isUnknown(type: string, subtype: string): boolean {
  let unknown = false
  toKind({ type, subtype, isBusiness: false }, () => {
    unknown = true
  })
  return unknown
}

function mapped(wire: unknown, field: string): unknown {
  const read = plaidConnector.entities.Accounts.map.fields[field]
  return read?.(wire, { fetchedAt: new Date('2026-11-20T00:00:00Z'), unmapped: () => {} })
}
