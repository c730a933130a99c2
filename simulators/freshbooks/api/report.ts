import type { Row } from '../data/chart.ts'

/**
 * The report of the chart: active accounts with balances (here 0), sub-accounts in those they belong to.
 * Source: https://www.freshbooks.com/api/chart-of-accounts (Get Accounts/Sub-Accounts)
 */
export function toReport(accounts: readonly Row[], currency: string): object {
  const active = accounts.filter(({ state }) => state === 'active')
  const byParent = Map.groupBy(active, (row) => row.parent_account ?? null)
  const rows = (parent: string | null): object[] =>
    (byParent.get(parent) ?? []).map((row) => ({
      account_name: row.name,
      account_number: row.number,
      account_type: row.type,
      balance: '0.000',
      currency_code: currency,
      ...(parent === null ? { sub_accounts: rows(row.uuid) } : {}),
      account_uuid: row.uuid,
      ...(parent === null ? {} : { parent_account_uuid: parent }),
      account_sub_type: row.sub_type,
      system_account_name: row.system_account_name ?? null,
      auto_created: row.auto_created,
      state: row.state,
    }))
  return { response: { result: { journal_entry_accounts: rows(null) } } }
}
