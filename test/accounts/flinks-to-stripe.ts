import { type AccountSource, answers, dayText, isCard, last4, money, seconds, word } from './shown.ts'

/** Flinks, Teller, SimpleFIN and Stripe. */
export const FLINKS_TO_STRIPE: readonly AccountSource[] = [
  {
    key: 'flinks',
    days: 90,
    render: (list) => {
      const pages = list.map((one) =>
        answers({
          accounts: {
            Accounts: [
              {
                Id: one.id,
                AccountNumber: one.hasNumber ? one.account.number : null,
                Title: one.account.name,
                Category: isCard(one) ? 'Credits' : 'Operations',
                Type: word(one, { checking: 'Chequing', savings: 'Savings', card: 'Credit' }),
                Currency: 'CAD',
                Balance: { Current: money(one.balance) },
                Transactions: one.movements.map((each) => ({
                  Id: `${one.id}${each.id}`,
                  Date: dayText(each.booked).replaceAll('-', '/'),
                  Description: each.text,
                  [each.amount > 0 ? 'Credit' : 'Debit']: money(Math.abs(each.amount)),
                })),
              },
            ],
            Login: { LastRefresh: new Date(one.readAt).toISOString() },
            InstitutionName: one.bankName,
          },
        }),
      )
      return { accounts: pages, transactions: pages }
    },
  },
  {
    key: 'teller',
    days: 180,
    render: (list) => ({
      accounts: list.map((one) =>
        answers({
          accounts: [
            {
              id: one.id,
              currency: 'CAD',
              institution: { id: 'bank', name: one.bankName },
              last_four: last4(one),
              name: one.account.name,
              status: 'open',
              type: isCard(one) ? 'credit' : 'depository',
              subtype: word(one, { checking: 'checking', savings: 'savings', card: 'credit_card' }),
            },
          ],
          slice: {},
          [`balances:${one.id}`]: { ledger: String(money(one.balance)) },
        }),
      ),
      transactions: list.map((one) =>
        answers({
          transactions: one.movements.map((each) => ({
            id: `${one.id}${each.id}`,
            account_id: one.id,
            amount: String(isCard(one) ? -money(each.amount) : money(each.amount)),
            date: dayText(each.booked),
            description: each.payee,
            status: 'posted',
          })),
          account: { id: one.id, type: isCard(one) ? 'credit' : 'depository', currency: 'CAD' },
        }),
      ),
    }),
  },
  {
    key: 'simplefin',
    days: 60,
    render: (list) => {
      const sets = list.map((one) => {
        const ending = one.hasNumber ? ` (${last4(one)})` : ''
        const account = {
          id: one.id,
          org: { domain: 'bank.example', name: one.bankName },
          name: `${one.account.name}${ending}`,
          currency: 'CAD',
          balance: String(isCard(one) ? -money(one.balance) : money(one.balance)),
          'balance-date': Math.floor(one.readAt / 1000),
        }
        const transactions = one.movements.map((each) => ({
          id: each.id,
          posted: seconds(each.booked),
          transacted_at: seconds(each.day),
          amount: String(money(each.amount)),
          description: each.text,
          payee: each.payee,
        }))
        return { account, transactions }
      })
      return {
        accounts: sets.map(({ account }) => answers({ accounts: { errors: [], accounts: [account] } })),
        transactions: sets.map(({ account, transactions }) =>
          answers({ transactions: { errors: [], accounts: [{ ...account, transactions }] } }),
        ),
      }
    },
  },
  {
    key: 'stripe',
    days: 180,
    render: (list) => ({
      accounts: list.map((one) =>
        answers({
          accounts: {
            object: 'list',
            data: [
              {
                id: one.id,
                institution_name: one.bankName,
                display_name: one.account.name,
                last4: last4(one),
                category: isCard(one) ? 'credit' : 'cash',
                subcategory: word(one, { checking: 'checking', savings: 'savings', card: 'credit_card' }),
                status: 'active',
                balance: { as_of: Math.floor(one.readAt / 1000), current: { cad: isCard(one) ? -one.balance : one.balance } },
              },
            ],
            has_more: false,
          },
          entity: { institutionName: one.bankName },
        }),
      ),
      transactions: list.map((one) =>
        answers({
          transactions: {
            object: 'list',
            data: one.movements.map((each) => ({
              id: `${one.id}${each.id}`,
              account: one.id,
              amount: each.amount,
              currency: 'cad',
              description: each.text,
              status: 'posted',
              status_transitions: { posted_at: seconds(each.booked) },
              transacted_at: seconds(each.day),
            })),
            has_more: false,
          },
          account: one.id,
        }),
      ),
    }),
  },
]
