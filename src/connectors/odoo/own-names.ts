import type { NameFinding } from '../toolkit/names/account-names.ts'

/**
 * Accounts that Odoo's own charts make, by their type and name, where the name alone would not say it in other books:
 * "Tax Paid" among current assets is the account of purchase taxes. Other names go through the names of all sources.
 * Source: https://github.com/odoo/odoo/blob/19.0/addons/account/data/template/account.account-generic_coa.csv and
 * https://github.com/odoo/odoo/blob/19.0/addons/l10n_ca/data/template/account.account-ca_2023.csv
 */
const OWN_NAMES: Readonly<Record<string, Readonly<Record<string, NameFinding>>>> = {
  asset_cash: { Cash: { subType: 'CASH' } },
  asset_current: {
    'Stock Valuation': { type: 'INVENTORY' },
    'Inventory Valuation': { type: 'INVENTORY' },
    'Tax Paid': { subType: 'SALES_TAX' },
    'Taxes payées': { subType: 'SALES_TAX' },
    'TVP payée': { subType: 'SALES_TAX' },
    'Tax Receivable': { subType: 'SALES_TAX' },
    'Bank Suspense Account': { subType: 'SUSPENSE' },
    'Compte bancaire en suspens': { subType: 'SUSPENSE' },
    'Liquidity Transfer': { subType: 'MONEY_IN_TRANSIT' },
    'Funds in Transfers': { subType: 'MONEY_IN_TRANSIT' },
    'Transferts inter-banques': { subType: 'MONEY_IN_TRANSIT' },
  },
  asset_receivable: {
    'Tax Receivable': { subType: 'SALES_TAX' },
    'Taxes à recevoir': { subType: 'SALES_TAX' },
    'TVP à recevoir': { subType: 'SALES_TAX' },
  },
  asset_fixed: {
    'Machines & Tools': { subType: 'EQUIPMENT' },
    'Matériel informatique': { subType: 'EQUIPMENT' },
  },
  liability_current: {
    'Tax Received': { type: 'TAX_LIABILITY', subType: 'SALES_TAX' },
    'TVP perçue': { type: 'TAX_LIABILITY', subType: 'SALES_TAX' },
    'Taxes perçues': { type: 'TAX_LIABILITY', subType: 'SALES_TAX' },
    'Tax Payable': { type: 'TAX_LIABILITY', subType: 'SALES_TAX' },
    'DAS Federal Payable': { subType: 'PAYROLL_LIABILITY' },
    'DAS fédérales à payer': { subType: 'PAYROLL_LIABILITY' },
    'DAS Provincial Payable': { subType: 'PAYROLL_LIABILITY' },
    'DAS provinciales à payer': { subType: 'PAYROLL_LIABILITY' },
    'CNESST Payable': { subType: 'PAYROLL_LIABILITY' },
    'CNESST à payer': { subType: 'PAYROLL_LIABILITY' },
    'Bonuses Payable': { subType: 'PAYROLL_LIABILITY' },
    'Bonus à payer': { subType: 'PAYROLL_LIABILITY' },
  },
  liability_payable: {
    'Tax Payable': { type: 'TAX_LIABILITY', subType: 'SALES_TAX' },
    'TVP à payer': { type: 'TAX_LIABILITY', subType: 'SALES_TAX' },
    'Taxes à payer': { type: 'TAX_LIABILITY', subType: 'SALES_TAX' },
  },
  expense: { Airfare: { subType: 'TRAVEL' }, 'Transport aérien': { subType: 'TRAVEL' } },
}

/** `accountType` in the words of 16 and later. Null for an account that an owner has named. */
export function findOwnName(accountType: string, name: string): NameFinding | null {
  const names = Object.hasOwn(OWN_NAMES, accountType) ? OWN_NAMES[accountType] : undefined
  return names && Object.hasOwn(names, name) ? (names[name] ?? null) : null
}
