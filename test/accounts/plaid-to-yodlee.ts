import { type AccountSource, answers, dayText, isCard, last4, money, seconds, word } from './shown.ts'

const PAGE = { current_page: 1, total_entries: 0, total_pages: 1 }

/** Plaid, MX, Finicity and Yodlee. */
export const PLAID_TO_YODLEE: readonly AccountSource[] = [
  {
    key: 'plaid',
    days: 365,
    render: (list) => ({
      accounts: list.map((one) =>
        answers({
          accounts: {
            accounts: [
              {
                account_id: one.id,
                mask: last4(one),
                name: one.account.name,
                balances: {
                  current: money(one.balance),
                  iso_currency_code: 'CAD',
                  last_updated_datetime: new Date(one.readAt).toISOString(),
                },
                type: isCard(one) ? 'credit' : 'depository',
                subtype: word(one, { checking: 'checking', savings: 'savings', card: 'credit card' }),
              },
            ],
          },
          item: { item: { institution_name: one.bankName }, status: null },
        }),
      ),
      transactions: list.map((one) =>
        answers({
          changes: {
            added: one.movements.map((each) => ({
              transaction_id: `${one.id}${each.id}`,
              account_id: one.id,
              amount: -money(each.amount),
              iso_currency_code: 'CAD',
              date: dayText(each.booked),
              authorized_date: dayText(each.day),
              name: each.payee,
              merchant_name: each.payee,
              pending: false,
            })),
            modified: [],
            removed: [],
            next_cursor: 'end',
            has_more: false,
          },
        }),
      ),
    }),
  },
  {
    key: 'mx',
    days: 90,
    render: (list) => ({
      accounts: list.map((one) =>
        answers({
          accounts: {
            accounts: [
              {
                guid: one.id,
                account_number: one.hasNumber ? `XXXXX${last4(one)}` : null,
                balance: money(one.balance),
                currency_code: 'CAD',
                name: one.account.name,
                type: word(one, { checking: 'CHECKING', savings: 'SAVINGS', card: 'CREDIT_CARD' }),
              },
            ],
            pagination: PAGE,
          },
          member: { member: { guid: 'MBR', successfully_aggregated_at: new Date(one.readAt).toISOString() } },
          institution: { institution: { name: one.bankName } },
        }),
      ),
      transactions: list.map((one) =>
        answers({
          transactions: {
            transactions: one.movements.map((each) => ({
              guid: `${one.id}${each.id}`,
              account_guid: one.id,
              amount: money(Math.abs(each.amount)),
              type: each.amount > 0 ? 'CREDIT' : 'DEBIT',
              posted_at: dayText(each.booked),
              transacted_at: dayText(each.day),
              description: each.payee,
              original_description: each.text,
              status: 'POSTED',
            })),
            pagination: PAGE,
          },
          defaults: { currency: 'CAD' },
        }),
      ),
    }),
  },
  {
    key: 'finicity',
    days: 180,
    render: (list) => ({
      accounts: list.map((one) =>
        answers({
          accounts: {
            accounts: [
              {
                id: one.id,
                accountNumberDisplay: last4(one),
                name: one.account.name,
                balance: isCard(one) ? -money(one.balance) : money(one.balance),
                type: word(one, { checking: 'checking', savings: 'savings', card: 'creditCard' }),
                currency: 'CAD',
                status: 'active',
                balanceDate: Math.floor(one.readAt / 1000),
              },
            ],
          },
          institution: { name: one.bankName },
        }),
      ),
      transactions: list.map((one) =>
        answers({
          accounts: [{ id: one.id, type: word(one, { checking: 'checking', savings: 'savings', card: 'creditCard' }), currency: 'CAD' }],
          transactions1: {
            moreAvailable: false,
            transactions: one.movements.map((each) => ({
              id: `${one.id}${each.id}`,
              accountId: one.id,
              amount: isCard(one) ? -money(each.amount) : money(each.amount),
              status: 'active',
              description: each.text,
              postedDate: seconds(each.booked),
              transactionDate: seconds(each.day),
            })),
          },
        }),
      ),
    }),
  },
  {
    key: 'yodlee',
    days: 90,
    render: (list) => ({
      accounts: list.map((one) =>
        answers({
          accounts: {
            account: [
              {
                id: one.id,
                CONTAINER: isCard(one) ? 'creditCard' : 'bank',
                accountName: one.account.name,
                accountNumber: one.hasNumber ? `xxxx${last4(one)}` : null,
                accountStatus: 'ACTIVE',
                accountType: word(one, { checking: 'CHECKING', savings: 'SAVINGS', card: 'CREDIT' }),
                [isCard(one) ? 'runningBalance' : 'balance']: { amount: money(one.balance), currency: 'CAD' },
                lastUpdated: new Date(one.readAt).toISOString(),
                providerName: one.bankName,
              },
            ],
          },
        }),
      ),
      transactions: list.map((one) =>
        answers({
          transactions: {
            transaction: one.movements.map((each) => ({
              id: `${one.id}${each.id}`,
              CONTAINER: isCard(one) ? 'creditCard' : 'bank',
              accountId: one.id,
              amount: { amount: money(Math.abs(each.amount)), currency: 'CAD' },
              baseType: each.amount > 0 ? 'CREDIT' : 'DEBIT',
              description: { original: each.text, simple: each.payee },
              postDate: dayText(each.booked),
              transactionDate: dayText(each.day),
              status: 'POSTED',
            })),
          },
        }),
      ),
    }),
  },
]
