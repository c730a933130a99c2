import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, type Page, type Pull, type Session, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { cursorAfter, guidsOf, PAGE_SIZE, readCursor, START } from './paging.ts'
import { readAccounts } from './read.ts'
import { callMx, MxError } from './request.ts'
import { type MxSecret, readSecret } from './secret.ts'
import { checkReadable } from './status.ts'
import { AccountsAnswer, BankAnswer, MemberAnswer, type MxMember } from './wire.ts'

/** Maximum age of data: MX reads banks daily; older data is refreshed on request. */
const STALE_MS = 20 * 3_600_000

/** All accounts of one member; each page includes the member and the bank. Closed accounts are listed as closed. */
export const accountsPull: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  fetch: fetchAccounts,
  read: readAccounts,
}

async function fetchAccounts(session: Session, cursor: Json | null): Promise<Page> {
  const place = cursor === null ? START : readCursor(cursor)
  const { kit } = session
  const secret = readSecret(session.credentials)
  const member = await fetchMember(kit, secret)
  if (place.page === 1) await askForNews(kit, secret, member.parsed)
  const institution = await fetchBank(kit, member.parsed.institution_code ?? secret.institutionCode)
  const response = await callMx(kit, {
    path: `${pathOf(secret)}/accounts`,
    query: { page: String(place.page), records_per_page: String(PAGE_SIZE) },
  })
  const { accounts, pagination } = checkEnvelope(AccountsAnswer, await responseJson(response, 'accounts'), 'accounts')
  const answers = { member: member.response.body, ...(institution ? { institution: institution.body } : {}), accounts: response.body }
  return { answers, next: cursorAfter(place, guidsOf(accounts), pagination, 'accounts'), listing: 'complete' }
}

/** Member whose data can be read now. */
async function fetchMember(kit: Kit, secret: MxSecret): Promise<{ response: HttpResponse; parsed: MxMember }> {
  const response = await callMx(kit, { path: pathOf(secret) }).catch((error: unknown) => {
    if (error instanceof MxError && error.status === 404) throw new SourceError('reconnect', 'the member is gone at MX', { cause: error })
    throw error
  })
  const { member: parsed } = checkEnvelope(MemberAnswer, await responseJson(response, 'member'), 'member')
  checkReadable(parsed)
  return { response, parsed }
}

/**
 * Starts an aggregation at the bank when the last one is old. MX announces its end by webhook; until then the older
 * data are read.
 */
async function askForNews(kit: Kit, secret: MxSecret, member: MxMember): Promise<void> {
  const at = Date.parse(member.successfully_aggregated_at ?? '')
  if (member.is_being_aggregated === true || !(kit.now().getTime() - at > STALE_MS)) return
  try {
    checkEnvelope(
      MemberAnswer,
      await responseJson(await callMx(kit, { method: 'POST', path: `${pathOf(secret)}/aggregate` }), 'aggregate'),
      'aggregate',
    )
  } catch (error) {
    // Aggregation already running.
    if (!(error instanceof MxError && error.status === 409)) throw error
  }
}

/** Name and country of the bank; null for a bank that MX no longer lists. */
export async function fetchBank(kit: Kit, code: string | null): Promise<HttpResponse | null> {
  if (code === null) return null
  try {
    const response = await callMx(kit, { path: `/institutions/${encodeURIComponent(code)}` })
    checkEnvelope(BankAnswer, await responseJson(response, 'institution'), 'institution')
    return response
  } catch (error) {
    if (error instanceof MxError && error.status === 404) return null
    throw error
  }
}

export function pathOf({ userGuid, memberGuid }: Pick<MxSecret, 'userGuid' | 'memberGuid'>): string {
  return `/users/${encodeURIComponent(userGuid)}/members/${encodeURIComponent(memberGuid)}`
}
