import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { pullAccounts } from '../../../src/connectors/odoo/accounts.ts'
import { odooConnector } from '../../../src/connectors/odoo/client.ts'
import { mapSamples } from '../../harness/connector-calls.ts'

const SAMPLE = new URL('../../../../shared/samples/accounting/odoo/account.account.generic_coa.json', import.meta.url)

interface TemplateRow {
  name: string
  code: string
  account_type: string
}

/** Odoo's own chart template, as a database returns it once it is installed. */
function installed(): TemplateRow[] {
  const rows: TemplateRow[] = JSON.parse(readFileSync(SAMPLE, 'utf8'))
  return rows.map(({ name, code, account_type }, index) => ({
    id: index + 1,
    name,
    code,
    account_type,
    internal_group: account_type.split('_')[0],
    active: true,
    currency_id: false,
  }))
}

describe.skipIf(!existsSync(SAMPLE))('Odoo’s own generic chart (skipped without ../shared/samples)', () => {
  const company = [{ id: 1, name: 'Generic', create_date: '2026-01-01 00:00:00', currency_id: [2, 'USD'] }]
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

  test('is read, matches the wire schema and is mapped without unknown enum values', () => {
    const rows = installed()
    const records = mapSamples(odooConnector, [...pullAccounts.read({ accounts: bytes(rows), company: bytes(company) })])
    expect(records).toHaveLength(rows.length)
    expect(records.length).toBeGreaterThan(40)
    expect(records.find((record) => record.number === '1210')).toEqual({
      origId: '7',
      number: '1210',
      name: 'Account Receivable',
      currency: 'USD',
      description: '',
      classApp: 'asset',
      classSystem: 'ASSET',
      typeApp: 'asset_receivable',
      typeSystem: 'ACCOUNTS_RECEIVABLE',
      subTypeApp: '',
      subTypeSystem: '',
      statusApp: 'active',
      statusSystem: 'ACTIVE',
    })
  })
})
