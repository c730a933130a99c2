import type { Faults } from '../../kit/faults.ts'
import type { Reply } from '../../kit/http/response.ts'
import { type Row, SUB_TYPES } from '../data/chart.ts'
import { findBusiness, type Login } from '../data/companies.ts'
import type { Ledger } from '../data/ledger.ts'
import type { FaultName } from '../faults.ts'
import { accountError, businessError, jsonReply } from './replies.ts'
import { toReport } from './report.ts'
import { toDriftedRows } from './schema-drift.ts'

export interface ApiCall {
  method: string
  path: string
  login: Login
  ledger: Ledger
  faults: Faults<FaultName>
}

const REPORT_PATH = /^\/accounting\/businesses\/([0-9a-f-]{36})\/reports\/chart_of_accounts$/
const LEDGER_PATH = /^\/accounting\/businesses\/([0-9a-f-]{36})\/ledger_accounts\/accounts(?:\/([0-9a-f-]{36}))?$/

/** Handles one authorized call. The API is read-only here. */
export function callApi(call: ApiCall): Reply {
  const { method, path, login } = call
  if (method !== 'GET') return businessError(405)
  if (path === '/auth/api/v1/users/me') return jsonReply(200, toIdentity(login, call.faults.take('noBusiness')))
  if (path === '/accounting/ledger_accounts/types')
    return jsonReply(200, { data: [...new Set(SUB_TYPES.map(({ type }) => type))].map((name) => ({ name })) })
  if (path === '/accounting/ledger_accounts/sub_types') return jsonReply(200, { data: SUB_TYPES })
  const reported = REPORT_PATH.exec(path)?.[1]
  if (reported !== undefined) return answerReport(call, reported)
  const [, businessUuid = '', accountUuid] = LEDGER_PATH.exec(path) ?? []
  if (businessUuid === '') return notFound(path)
  if (!login.businessUuids.includes(businessUuid)) return businessError(403)
  const accounts = call.ledger.accountsOf(businessUuid)
  if (accountUuid === undefined) return listAccounts(accounts, call.faults)
  const account = accounts.find(({ uuid }) => uuid === accountUuid)
  return account ? jsonReply(200, { data: account }) : notFound(path)
}

/** All accounts in one answer, in any state: a flat array without a paging envelope. */
function listAccounts(accounts: readonly Row[], faults: Faults<FaultName>): Reply {
  if (faults.take('vanished')) return jsonReply(200, { data: [] })
  if (faults.take('paged')) {
    const data = accounts.slice(0, Math.ceil(accounts.length / 2))
    return jsonReply(200, { data, meta: { page: 1, pages: 2, per_page: data.length, total: accounts.length, sort: [] } })
  }
  let data: object[] = [...accounts]
  if (faults.take('duplicateIds')) data = [...data, ...data.slice(0, 3)]
  if (faults.take('schemaDrift')) data = toDriftedRows(data)
  return jsonReply(200, { data })
}

/** The report of active accounts, in the form of the account routes. */
function answerReport({ login, ledger, faults }: ApiCall, businessUuid: string): Reply {
  const business = login.businessUuids.includes(businessUuid) ? findBusiness(businessUuid) : null
  if (!business || faults.take('reportForbidden')) return businessError(403)
  return jsonReply(200, toReport(ledger.accountsOf(businessUuid), business.currency))
}

/** Each family of routes has its own format. */
function notFound(path: string): Reply {
  if (path.startsWith('/accounting/account/')) {
    return accountError(404, { errno: 1012, field: 'resource', message: 'The server could not locate the resource.', object: 'resource' })
  }
  return jsonReply(404, { error: 'Requested resource could not be found.' })
}

/** The user with all memberships; the auth routes have no `result` envelope. */
function toIdentity(login: Login, isLonely: boolean): object {
  const businesses = isLonely ? [] : login.businessUuids.flatMap((uuid) => findBusiness(uuid) ?? [])
  return {
    response: {
      id: 4_242_424,
      identity_id: 4_242_424,
      first_name: login.person.split(' ')[0],
      email: login.email,
      language: 'en',
      confirmed_at: '2022-08-22T00:00:00Z',
      business_memberships: businesses.map((business, index) => ({
        id: 1_111_111 + index,
        role: login.businessUuids.length > 1 ? 'business_accountant' : 'owner',
        business: {
          id: business.id,
          business_uuid: business.uuid,
          account_id: business.accountId,
          name: business.name,
          active: true,
          status: 'active_subscription',
          timezone: business.timezone,
          address: { id: 70_001 + index, ...business.address },
        },
      })),
      business_statuses: Object.fromEntries(businesses.map(({ accountId }) => [accountId, 'active_subscription'])),
    },
  }
}
