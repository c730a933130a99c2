import { type Fields, isFields } from '../../kit/http/json-body.ts'

/** Schema drift, as a source may introduce without notice: unknown enum values, shapes and fields. One record is unreadable. */
export function drift(path: string, answer: Fields): Fields {
  const extended = { ...answer, schema_generation: 7 }
  if (path === '/accounts/get') return { ...extended, accounts: driftAccounts(listOf(answer, 'accounts')) }
  if (path === '/transactions/sync') return { ...extended, added: driftTransactions(listOf(answer, 'added')) }
  return { ...extended, institutions: [...listOf(answer, 'institutions'), { institution_id: 17, name: null }] }
}

function driftAccounts(accounts: readonly unknown[]): unknown[] {
  const [first, second] = accounts.filter(isFields)
  return [
    ...accounts,
    ...(first
      ? [{ ...first, account_id: 'drift-unknown-words', type: 'hologram', subtype: 'shared vault', holder_category: 'collective' }]
      : []),
    ...(second
      ? [
          {
            ...second,
            account_id: 'drift-nulls',
            mask: null,
            official_name: null,
            subtype: null,
            balances: { available: 10, current: null, limit: null, iso_currency_code: null, unofficial_currency_code: 'LOYALTY' },
          },
        ]
      : []),
    { account_id: 'drift-wrong-types', name: 42, mask: false, balances: 'none', type: ['depository'], subtype: {} },
  ]
}

function driftTransactions(added: readonly unknown[]): unknown[] {
  const [first] = added.filter(isFields)
  return [
    ...added,
    ...(first ? [{ ...first, transaction_id: 'drift-unknown-words', payment_channel: 'telepathy', personal_finance_category: null }] : []),
    { transaction_id: 'drift-wrong-types', account_id: 5, amount: { value: '1' }, date: 20_261_120, pending: 'no' },
  ]
}

function listOf(answer: Fields, name: string): readonly unknown[] {
  const value = answer[name]
  return Array.isArray(value) ? value : []
}
