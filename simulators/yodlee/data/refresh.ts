import { addDays, toDayText } from '../../kit/data/days.ts'
import { type Context, newId, toInstantText } from '../context.ts'
import type { ProviderAccount } from '../state.ts'
import { openAccounts } from './accounts.ts'
import type { Provider } from './institutions.ts'
import { advance, HISTORY_DAYS, writeGiant } from './ledger.ts'

const DAY_MS = 86_400_000

/** Creates a provider account of a user, before the bank was read. */
export function createProviderAccount(context: Context, loginName: string, bank: Provider): ProviderAccount {
  const nowMs = context.nowMs()
  const account: ProviderAccount = {
    id: newId(context),
    loginName,
    providerId: bank.id,
    consentId: newId(context),
    status: 'LOGIN_IN_PROGRESS',
    additionalStatus: 'LOGIN_IN_PROGRESS',
    createdAt: nowMs,
    lastUpdated: null,
    through: addDays(toDayText(nowMs), -HISTORY_DAYS),
    accounts: openAccounts(context, bank),
    transactions: [],
  }
  if (bank.size === 'giant') writeGiant(context, account, nowMs)
  context.state.providerAccounts[account.id] = account
  return account
}

/** Marks a successful refresh; `isByOwner` if the owner waited for it in FastLink. */
export function succeed(context: Context, account: ProviderAccount, at: number, isByOwner: boolean): void {
  account.status = 'SUCCESS'
  account.additionalStatus = 'AVAILABLE_DATA_RETRIEVED'
  account.lastUpdated = at
  advance(context, account, at)
  context.save()
  if (isByOwner) sendRefresh(context, account)
  else sendDataUpdates(context, account, at)
}

/** Applies Yodlee's nightly refreshes up to now. */
export function settle(context: Context, account: ProviderAccount): void {
  if (account.status !== 'SUCCESS' || account.lastUpdated === null) return
  const nights = Math.floor((context.nowMs() - account.lastUpdated) / DAY_MS)
  if (nights > 0) succeed(context, account, account.lastUpdated + nights * DAY_MS, false)
}

/** Marks a failed refresh at the bank, with the additional status of the datasets and the status it implies. */
export function fail(context: Context, account: ProviderAccount, additionalStatus: string, status = 'FAILED'): void {
  account.status = status
  account.additionalStatus = additionalStatus
  context.save()
  sendRefresh(context, account)
}

function sendRefresh(context: Context, account: ProviderAccount): void {
  const { id, providerId, status, additionalStatus } = account
  const data = { providerAccount: [{ id, providerId, status, dataset: [{ name: 'BASIC_AGG_DATA', additionalStatus }] }] }
  context.send('REFRESH', { event: { info: 'REFRESH.PROCESS_COMPLETED', loginName: account.loginName, data } })
}

function sendDataUpdates(context: Context, { loginName }: ProviderAccount, at: number): void {
  const [fromDate, toDate] = [toInstantText(at - 3_600_000), toInstantText(at)]
  const href = `dataExtracts/userData?fromDate=${fromDate}&toDate=${toDate}&loginName=${loginName}`
  const userData = [{ user: { loginName }, links: [{ methodType: 'GET', rel: 'getUserData', href }] }]
  context.send('DATA_UPDATES', { event: { info: 'DATA_UPDATES.USER_DATA', data: { fromDate, toDate, userCount: 1, userData } } })
}
