import { type Account, CATEGORIES } from '../data/accounts.ts'
import type { Movement } from '../data/movements.ts'
import type { Style } from '../data/profiles.ts'

type Fields = Record<string, unknown>

/** An account in this version of FDX: flat with a category in version 6, wrapped by its kind before that. */
export function showAccount(style: Style, account: Account, today: string, isLight: boolean): Fields {
  const basic: Fields = {
    accountId: account.id,
    accountType: account.type,
    productName: account.product,
    status: account.status,
    currency: { currencyCode: account.currency },
    ...(account.nickname === null ? {} : { nickname: account.nickname }),
    ...(account.display === null ? {} : { accountNumberDisplay: account.display }),
    ...(account.lineOfBusiness === null ? {} : { lineOfBusiness: account.lineOfBusiness }),
  }
  const full = isLight ? basic : { ...basic, ...details(style, account, today) }
  return style.version === 6 ? { accountCategory: account.category, ...full } : { [wrapperOf(style, account)]: full }
}

function details(style: Style, account: Account, today: string): Fields {
  return {
    ...Object.fromEntries(Object.entries(account.cents).map(([name, cents]) => [name, cents / 100])),
    ...Object.fromEntries(Object.entries(account.rates).map(([name, rate]) => [name, style.isFraction ? rate / 100_000 : rate / 1_000])),
    ...account.more,
    balanceType: ['LOAN_ACCOUNT', 'LOC_ACCOUNT'].includes(account.category) ? 'LIABILITY' : 'ASSET',
    balanceAsOf: `${today}T05:00:00.000Z`,
    lastActivityDate: today,
  }
}

function wrapperOf(style: Style, { category }: Account): string {
  if (category === 'DIGITAL_WALLET') return CATEGORIES[category]
  if (category === 'LOC_ACCOUNT' && style.version === 4) return 'lineOfCreditAccount'
  return `${CATEGORIES[category]}Account`
}

/** A transaction; its amount is never negative. */
export function showMovement(style: Style, account: Account, movement: Movement): Fields {
  const fields: Fields = {
    transactionId: movement.id,
    accountId: account.id,
    transactionTimestamp: `${movement.day}T14:30:00.000Z`,
    description: movement.text,
    debitCreditMemo: movement.isCredit ? 'CREDIT' : 'DEBIT',
    status: movement.isPending ? 'PENDING' : 'POSTED',
    amount: movement.cents / 100,
    ...(movement.isPending ? {} : { postedTimestamp: `${movement.postedDay}T23:30:00.000-05:00` }),
    ...(movement.reference === null ? {} : { referenceTransactionId: movement.reference }),
    ...(movement.payee === null ? {} : { payee: movement.payee }),
    ...(movement.category === null ? {} : { category: movement.category, subCategory: 'MCC' }),
  }
  if (style.version === 6) return { accountCategory: account.category, ...fields }
  return { [`${account.category === 'DIGITAL_WALLET' ? 'digitalWallet' : CATEGORIES[account.category]}Transaction`]: fields }
}
