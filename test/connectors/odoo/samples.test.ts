import { existsSync, readFileSync } from 'node:fs'
import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import type { MapContext } from '../../../src/connectors/contract/mapping.ts'
import { pullAccounts } from '../../../src/connectors/odoo/accounts.ts'
import { odooConnector } from '../../../src/connectors/odoo/client.ts'

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
    const { wire, map } = odooConnector.entities.Accounts
    const isWire = Compile(wire)
    const unmapped: string[] = []
    const context: MapContext = { fetchedAt: new Date(0), unmapped: (field, word) => unmapped.push(`${field}=${word}`) }
    const rows = installed()
    const records = [...pullAccounts.read({ accounts: bytes(rows), company: bytes(company) })].map((item) => {
      if (!('wire' in item) || !isWire.Check(item.wire)) return null
      return Object.fromEntries(Object.entries(map.fields).map(([field, read]) => [field, read(item.wire, context)]))
    })
    expect(records).toHaveLength(rows.length)
    expect(records.length).toBeGreaterThan(40)
    expect(unmapped).toEqual([])
    expect(records.find((record) => record?.number === '1210')).toEqual({
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
