import { addDays, toDayText } from '../kit/data/days.ts'
import { openAccounts } from './book.ts'
import type { Provider } from './directory.ts'
import { advance, HISTORY_DAYS, writeGiant } from './ledger.ts'
import type { ProviderAccount } from './state.ts'
import { newId, toInstantText, type World } from './world.ts'

const DAY_MS = 86_400_000

/** A provider account of a user, before the bank was read. */
export function createProviderAccount(world: World, loginName: string, bank: Provider): ProviderAccount {
  const nowMs = world.nowMs()
  const account: ProviderAccount = {
    id: newId(world),
    loginName,
    providerId: bank.id,
    consentId: newId(world),
    status: 'LOGIN_IN_PROGRESS',
    additionalStatus: 'LOGIN_IN_PROGRESS',
    createdAt: nowMs,
    lastUpdated: null,
    through: addDays(toDayText(nowMs), -HISTORY_DAYS),
    accounts: openAccounts(world, bank),
    transactions: [],
  }
  if (bank.size === 'giant') writeGiant(world, account, nowMs)
  world.state.providerAccounts[account.id] = account
  return account
}

/** The bank was read; `isByOwner` when the owner waited for it in FastLink. */
export function succeed(world: World, account: ProviderAccount, at: number, isByOwner: boolean): void {
  account.status = 'SUCCESS'
  account.additionalStatus = 'AVAILABLE_DATA_RETRIEVED'
  account.lastUpdated = at
  advance(world, account, at)
  world.save()
  if (isByOwner) sendRefresh(world, account)
  else sendDataUpdates(world, account, at)
}

/** What Yodlee did each night by now. */
export function settle(world: World, account: ProviderAccount): void {
  if (account.status !== 'SUCCESS' || account.lastUpdated === null) return
  const nights = Math.floor((world.nowMs() - account.lastUpdated) / DAY_MS)
  if (nights > 0) succeed(world, account, account.lastUpdated + nights * DAY_MS, false)
}

/** Something went wrong at the bank: a word of the datasets, with the status that goes with it. */
export function fail(world: World, account: ProviderAccount, additionalStatus: string, status = 'FAILED'): void {
  account.status = status
  account.additionalStatus = additionalStatus
  world.save()
  sendRefresh(world, account)
}

function sendRefresh(world: World, account: ProviderAccount): void {
  const { id, providerId, status, additionalStatus } = account
  const data = { providerAccount: [{ id, providerId, status, dataset: [{ name: 'BASIC_AGG_DATA', additionalStatus }] }] }
  world.send('REFRESH', { event: { info: 'REFRESH.PROCESS_COMPLETED', loginName: account.loginName, data } })
}

function sendDataUpdates(world: World, { loginName }: ProviderAccount, at: number): void {
  const [fromDate, toDate] = [toInstantText(at - 3_600_000), toInstantText(at)]
  const href = `dataExtracts/userData?fromDate=${fromDate}&toDate=${toDate}&loginName=${loginName}`
  const userData = [{ user: { loginName }, links: [{ methodType: 'GET', rel: 'getUserData', href }] }]
  world.send('DATA_UPDATES', { event: { info: 'DATA_UPDATES.USER_DATA', data: { fromDate, toDate, userCount: 1, userData } } })
}
