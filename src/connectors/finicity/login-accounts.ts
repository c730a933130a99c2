import { Compile } from 'typebox/compile'
import { flatMapInSlices } from '../../model/steps/slices.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { type Call, callFinicity } from './request.ts'
import type { FinicitySecret } from './secret.ts'
import { AccountHead, AccountsAnswer } from './wire.ts'

/** Maximum response size: all accounts of a login are in one response, up to ten thousand. */
const MAX_LISTING = 64 * 1024 * 1024

const isHead = Compile(AccountHead)

const LOGIN_ACCOUNTS = '/aggregation/v1/customers/*/institutionLogins/*/accounts'

/** Accounts of one login, as received. */
export async function fetchLogin(kit: Kit, secret: Omit<FinicitySecret, 'institutionId'>, more: Partial<Call> = {}): Promise<HttpResponse> {
  const ids = [secret.customerId, secret.institutionLoginId]
  return await callFinicity(kit, secret.token, { path: LOGIN_ACCOUNTS, ids, maxBytes: MAX_LISTING, ...more })
}

/** Accounts of all logins of a customer. */
export async function listCustomerAccounts(kit: Kit, token: string, customerId: string): Promise<AccountHead[]> {
  const call = { path: '/aggregation/v1/customers/*/accounts', ids: [customerId], maxBytes: MAX_LISTING }
  return await headsOf(await callFinicity(kit, token, call))
}

/** Readable part of each account; an invalid record is left to the pull, which sets it aside. */
export async function headsOf(response: HttpResponse): Promise<AccountHead[]> {
  const { accounts } = checkEnvelope(AccountsAnswer, await responseJson(response, 'accounts'), 'accounts')
  return await flatMapInSlices(accounts, (account) => (isHead.Check(account) ? account : []))
}

/** Like `headsOf`, for a login that must have accounts. */
export async function requireHeads(response: HttpResponse): Promise<AccountHead[]> {
  const heads = await headsOf(response)
  if (heads.length === 0) throw new SourceError('reconnect', 'Finicity: the login holds no accounts any more')
  return heads
}
