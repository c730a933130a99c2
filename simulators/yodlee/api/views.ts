import { type Context, toInstantText } from '../context.ts'
import type { Provider } from '../data/institutions.ts'
import type { Account, ProviderAccount, Transaction } from '../state.ts'

type View = Record<string, unknown>

/** Response formats of Yodlee. Source: definitions of its core API document, version 1.1 */
export function toProviderView({ id, name, country, language, url, status }: Provider): View {
  return {
    id,
    name,
    authType: 'CREDENTIALS',
    baseUrl: url,
    countryISOCode: country,
    dataset: [{ name: 'BASIC_AGG_DATA', attribute: [] }],
    isAutoRefreshEnabled: true,
    isConsentRequired: false,
    languageISOCode: language,
    lastModified: '2026-03-18T09:12:44Z',
    loginUrl: `${url}/login`,
    PRIORITY: 'COBRAND',
    primaryLanguageISOCode: language,
    status,
  }
}

export function toProviderAccountView(account: ProviderAccount): View {
  return {
    id: account.id,
    aggregationSource: 'USER',
    authType: 'CREDENTIALS',
    consentId: account.consentId,
    createdDate: toInstantText(account.createdAt).slice(0, 10),
    dataset: [
      toDataset(account),
      { name: 'DOCUMENT', additionalStatus: 'ENROLLMENT_REQUIRED_FOR_DATASET', updateEligibility: 'ALLOW_UPDATE' },
    ],
    isManual: false,
    ...(account.lastUpdated === null ? {} : { lastUpdated: toInstantText(account.lastUpdated) }),
    providerId: account.providerId,
    requestId: `req-${account.id}`,
    status: account.status,
  }
}

export function toAccountView(context: Context, owner: ProviderAccount, account: Account): View {
  const bank = context.directory.find(({ id }) => id === owner.providerId)
  const money = Object.entries(account.money).map(([name, amount]) => [name, { amount, currency: account.currency }])
  return {
    CONTAINER: account.container,
    id: account.id,
    providerAccountId: owner.id,
    providerId: String(owner.providerId),
    providerName: bank?.name ?? '',
    aggregationSource: 'USER',
    createdDate: toInstantText(owner.createdAt),
    dataset: [toDataset(owner)],
    displayedName: 'É. Tremblay',
    includeInNetWorth: true,
    isManual: false,
    ...(owner.lastUpdated === null ? {} : { lastUpdated: toInstantText(owner.lastUpdated) }),
    ...Object.fromEntries(money),
    ...account.fields,
  }
}

export function toTransactionView(owner: ProviderAccount, transaction: Transaction): View {
  const account = owner.accounts.find(({ id }) => id === transaction.accountId)
  const isPosted = transaction.status === 'POSTED'
  return {
    CONTAINER: transaction.container,
    id: transaction.id,
    accountId: transaction.accountId,
    amount: { amount: transaction.cents / 100, currency: account?.currency ?? 'CAD' },
    baseType: transaction.isCredit ? 'CREDIT' : 'DEBIT',
    category: transaction.category,
    categorySource: 'SYSTEM',
    categoryType: transaction.isCredit ? 'INCOME' : 'EXPENSE',
    createdDate: `${transaction.day}T12:00:00Z`,
    date: transaction.day,
    description: { original: transaction.words, simple: transaction.merchant },
    isManual: false,
    lastUpdated: `${transaction.day}T12:00:00Z`,
    ...(transaction.merchant === '' ? {} : { merchant: { name: transaction.merchant, source: 'YODLEE' } }),
    ...(isPosted ? { postDate: transaction.day } : {}),
    sourceType: 'AGGREGATED',
    status: transaction.status,
    transactionDate: transaction.day,
  }
}

function toDataset({ additionalStatus, lastUpdated }: ProviderAccount): View {
  const at = lastUpdated === null ? {} : { lastUpdated: toInstantText(lastUpdated), lastUpdateAttempt: toInstantText(lastUpdated) }
  return { name: 'BASIC_AGG_DATA', additionalStatus, updateEligibility: 'ALLOW_UPDATE', ...at }
}
