import type { Call as FrontCall } from '../../kit/http/front.ts'
import { type Fields, fieldsAt, parsed } from '../../kit/http/json-body.ts'
import { jsonReply, type Reply } from '../../kit/http/response.ts'
import { type Context, newGuid } from '../context.ts'
import { aggregate, settle } from '../data/aggregation.ts'
import { CAISSE, MX_BANK } from '../data/institutions.ts'
import type { Member, User } from '../state.ts'
import { openSession } from '../window/routes.ts'
import { listTransactions, readOfUser } from './user-reads.ts'
import { toAccountView, toInstitutionView, toMemberView, toStatusView, toUserView } from './views.ts'

export type Call = Pick<FrontCall, 'method' | 'path' | 'query' | 'headers' | 'body'>

/** Faults that change the content of one answer. */
export interface AnswerFaults {
  isRevoked: boolean
  isGone: boolean
  isRepeated(page: number): boolean
  isChanging(page: number): boolean
}

/** The client's favorites, most popular first. */
const FAVORITES = [CAISSE, MX_BANK]

export function errorReply(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return jsonReply(status, { error: { message, status: String(status), type: 'error' } }, headers)
}

/** Answers one authenticated call. */
export function callApi(context: Context, call: Call, faults: AnswerFaults): Reply {
  const { method, path } = call
  if (path === '/users' && method === 'GET') return list(call, 'users', findUsers(context, call.query).map(toUserView), 1_000, faults)
  if (path === '/users' && method === 'POST') return createUser(context, call)
  if (path === '/institutions' && method === 'GET') return list(call, 'institutions', context.directory.map(toInstitutionView), 100, faults)
  if (path === '/institutions/favorites' && method === 'GET') {
    const favorites = FAVORITES.flatMap((one) => context.directory.find((bank) => bank.code === one) ?? [])
    return list(call, 'institutions', favorites.map(toInstitutionView), 100, faults)
  }
  const [, code] = /^\/institutions\/([^/]+)$/.exec(path) ?? []
  if (code !== undefined && method === 'GET') {
    const bank = context.directory.find((each) => each.code === decodeURIComponent(code))
    return bank ? jsonReply(200, { institution: toInstitutionView(bank) }) : errorReply(404, 'institution not found')
  }
  const [, identifier, rest = ''] = /^\/users\/([^/]+)(\/.*)?$/.exec(path) ?? []
  const user = identifier === undefined ? undefined : findUser(context, decodeURIComponent(identifier))
  return user ? callUser(context, user, rest, call, faults) : errorReply(404, 'user not found')
}

/** Looked up by its guid, or by the id that the client assigned. */
function findUser(context: Context, identifier: string): User | undefined {
  return context.state.users[identifier] ?? Object.values(context.state.users).find(({ id }) => id === identifier)
}

function callUser(context: Context, user: User, rest: string, call: Call, faults: AnswerFaults): Reply {
  if (rest === '/widget_urls' && call.method === 'POST') return requestWidget(context, user, call)
  const members = Object.values(context.state.members).filter((each) => each.userGuid === user.guid)
  for (const member of members) settle(context, member)
  if (rest === '/members' && call.method === 'GET') {
    return list(
      call,
      'members',
      members.map((member) => toMemberView(context, member)),
      1_000,
      faults,
    )
  }
  const read = call.method === 'GET' ? readOfUser(context, user, members, rest, call.query) : null
  if (read) return 'rows' in read ? list(call, read.name, read.rows, 1_000, faults) : jsonReply(200, read)
  const [, memberGuid, what = ''] = /^\/members\/([^/]+)(\/.*)?$/.exec(rest) ?? []
  const member = members.find(({ guid }) => guid === memberGuid)
  if (!member || (what === '' && faults.isGone)) return errorReply(404, 'member not found')
  return callMember(context, member, what, call, faults)
}

function callMember(context: Context, member: Member, what: string, call: Call, faults: AnswerFaults): Reply {
  const shown = faults.isRevoked ? { ...member, status: 'REJECTED' } : member
  switch (`${call.method} ${what}`) {
    case 'GET ':
      return jsonReply(200, { member: toMemberView(context, shown) })
    case 'DELETE ':
      delete context.state.members[member.guid]
      context.save()
      return { status: 204, type: '', body: '' }
    case 'GET /status':
      return jsonReply(200, { member: toStatusView(shown) })
    case 'POST /aggregate':
      return aggregate(context, member)
        ? jsonReply(202, { member: toMemberView(context, member) })
        : errorReply(409, 'already being aggregated')
    case 'GET /accounts':
      return list(
        call,
        'accounts',
        member.accounts.map((account) => toAccountView(context, member, account)),
        1_000,
        faults,
      )
    case 'GET /transactions':
      return list(call, 'transactions', listTransactions(context, [member], call.query), 1_000, faults)
    default:
      return errorReply(404, 'not found')
  }
}

/** A numbered page. A page size above `most` or below 10 is replaced by 25. */
function list(call: Call, name: string, rows: readonly Fields[], most: number, faults: AnswerFaults): Reply {
  const wanted = Number(call.query.get('records_per_page') ?? 25)
  const perPage = wanted >= 10 && wanted <= most ? wanted : 25
  const page = Math.max(1, Number(call.query.get('page') ?? 1))
  const shown = faults.isRepeated(page) ? page - 1 : page
  const total = rows.length - (faults.isChanging(page) ? 1 : 0)
  const pagination = {
    current_page: page,
    per_page: perPage,
    total_entries: total,
    total_pages: Math.max(1, Math.ceil(rows.length / perPage)),
  }
  return jsonReply(200, { [name]: rows.slice((shown - 1) * perPage, shown * perPage), pagination })
}

function findUsers(context: Context, query: URLSearchParams): User[] {
  const id = query.get('id')
  return Object.values(context.state.users).filter((user) => id === null || user.id === id)
}

function createUser(context: Context, call: Call): Reply {
  const wanted = fieldsAt(parsed(call.body), 'user')
  const id = typeof wanted.id === 'string' ? wanted.id : null
  if (id !== null && Object.values(context.state.users).some((user) => user.id === id)) return errorReply(409, 'id is already used')
  const user: User = { guid: newGuid(context, 'USR'), id, email: typeof wanted.email === 'string' ? wanted.email : null }
  context.state.users[user.guid] = user
  context.save()
  return jsonReply(200, { user: toUserView(user) })
}

function requestWidget(context: Context, user: User, call: Call): Reply {
  const wanted = fieldsAt(parsed(call.body), 'widget_url')
  if (wanted.widget_type !== 'connect_widget') return errorReply(400, 'widget_type is not supported here')
  const memberGuid = typeof wanted.current_member_guid === 'string' ? wanted.current_member_guid : null
  const member = memberGuid === null ? null : context.state.members[memberGuid]
  if (memberGuid !== null && member?.userGuid !== user.guid) return errorReply(404, 'member not found')
  const session = openSession(context, {
    userGuid: user.guid,
    language: /^fr/i.test(String(call.headers['accept-language'] ?? '')) ? 'fr' : 'en',
    payload: typeof call.headers['x-callback-payload'] === 'string' ? call.headers['x-callback-payload'] : null,
    institutionCode:
      member?.institutionCode ?? (typeof wanted.current_institution_code === 'string' ? wanted.current_institution_code : null),
    memberGuid,
  })
  const url = `${context.baseUrl()}/md/connect/${session.token}`
  return jsonReply(200, { widget_url: { type: 'connect_widget', url, user_id: user.id } })
}
