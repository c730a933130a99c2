import type { Row } from '../../kit/data/edited-list.ts'
import { giantName } from '../../kit/data/giant-names.ts'
import { BASE_CHART } from './chart-base.ts'
import type { Company } from './companies.ts'

/** A category, identified by its nominal code, as the API returns it but without the host in its addresses. */
export interface Category {
  group: Group
  code: string
  row: Row
}

export const GROUPS = ['admin_expenses', 'cost_of_sales', 'income', 'general'] as const
export type Group = (typeof GROUPS)[number]

const GROUP_NAMES: Readonly<Record<Group, string>> = {
  admin_expenses: 'Admin Expenses',
  cost_of_sales: 'Cost of Sales',
  income: 'Income',
  general: 'General',
}

/** Addresses are stored from `/v2`; the host is prefixed in the answer. */
const PATH = '/v2'

/** Categories of the base chart, of the company's own lines, and the sub-accounts of its bank accounts. */
export function toCategories(company: Company): Category[] {
  const own = `${BASE_CHART.trim()}\n${company.chart.trim()}`.split('\n').filter((line) => line !== '')
  const categories = own.map((line) => {
    const [group = '', code = '', description = ''] = line.split('|').map((cell) => cell.trim())
    return toCategory(toGroup(group), code, description)
  })
  const banks = company.banks.map((bank) => {
    const category = toCategory('general', bank.code, `Bank Account: ${bank.name}`)
    return { ...category, row: { ...category.row, bank_account: bankAddress(bank.id) } }
  })
  return [...categories, ...banks]
}

export function toGiantCategories(count: number): Category[] {
  const kinds = [
    ['income', '001'],
    ['cost_of_sales', '101'],
    ['admin_expenses', '270'],
    ['general', '602'],
    ['general', '609'],
    ['general', '681'],
    ['general', '796'],
    ['general', '921'],
  ] as const
  return Array.from({ length: count }, (_, index) => {
    const [group, code] = kinds[index % kinds.length] ?? kinds[0]
    return toCategory(group, `${code}-${index + 1}`, giantName(index + 1))
  })
}

export function toCategory(group: Group, code: string, description: string): Category {
  const spending = { allowable_for_tax: true, tax_reporting_name: description, auto_sales_tax_rate: 'Standard rate' }
  return {
    group,
    code,
    row: {
      url: categoryAddress(code),
      description,
      nominal_code: code,
      ...(group === 'general' ? {} : { group_description: GROUP_NAMES[group] }),
      ...(group === 'income' ? { auto_sales_tax_rate: 'Standard rate' } : {}),
      ...(group === 'admin_expenses' || group === 'cost_of_sales' ? spending : {}),
      ...(/^60[1-7]-/.test(code) ? { capital_asset_type: `${PATH}/capital_asset_types/${code.slice(4)}` } : {}),
      ...(/^609-/.test(code) ? { stock_item: `${PATH}/stock_items/${code.slice(4)}` } : {}),
      ...(/^79[23]-/.test(code) ? { hire_purchase: `${PATH}/hire_purchases/${code.slice(4)}` } : {}),
      ...(/^9[01]\d-/.test(code) ? { user: `${PATH}/users/${code.slice(4)}` } : {}),
    },
  }
}

export function categoryAddress(code: string): string {
  return `${PATH}/categories/${code}`
}

export function bankAddress(id: number): string {
  return `${PATH}/bank_accounts/${id}`
}

function toGroup(word: string): Group {
  const group = GROUPS.find((each) => each === word)
  if (!group) throw new Error(`unknown group "${word}"`)
  return group
}
