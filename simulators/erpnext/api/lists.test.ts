import { expect, it } from 'vitest'
import { Faults } from '../../kit/faults.ts'
import { FAULTS } from '../faults.ts'
import { listDocuments } from './lists.ts'

const DOCTYPE = { name: 'Account', rows: ['Ventes', 'Achats', 'Banque'].map((name) => ({ name })), fields: new Set<string>() }

const list = (query: Record<string, string>) => listDocuments(DOCTYPE, new URLSearchParams(query), new Faults(FAULTS))

it('treats an empty order_by, which Frappe’s own client always sends, as the default order', () => {
  const named = JSON.stringify({ data: ['Achats', 'Banque', 'Ventes'].map((name) => ({ name })) })
  expect(list({ order_by: '' })).toMatchObject({ status: 200, body: named })
  expect(list({})).toMatchObject({ status: 200, body: named })
})

it('refuses an order_by that is not a field', () => {
  expect(list({ order_by: 'name; drop table tabAccount' }).status).toBe(417)
})
