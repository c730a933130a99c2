import { randomBytes } from 'node:crypto'
import type { Json } from '../../model/values/json.ts'
import type { Locale, LocalizedText } from '../../model/values/text.ts'
import { InputRefused, type RedirectRequest, type WidgetAuthorization } from '../contract/authorization.ts'
import { type Credentials, type Grant, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject, responseJson } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { fetchBank, pathOf } from './accounts.ts'
import { PAGE_SIZE } from './paging.ts'
import { askMx, MxError } from './request.ts'
import { type MxSecret, readSecret } from './secret.ts'
import { needsOwner } from './status.ts'
import { toWidget } from './widget.ts'
import { BankAnswer, MemberAnswer, MembersAnswer, type MxMember, UserAnswer, UsersAnswer, WidgetAnswer } from './wire.ts'

const LANGUAGES: Record<Locale, string> = { en: 'en-CA', 'fr-CA': 'fr-CA' }
const TITLES: Record<Locale, string> = {
  en: 'Choose your bank and sign in, at MX',
  'fr-CA': 'Choix de l’institution et ouverture de session, chez MX',
}

const NOTHING_CONNECTED: LocalizedText = {
  en: 'No bank was connected, because the sign-in at MX was not completed. You can try again.',
  'fr-CA': 'Aucune institution n’a été connectée, car l’ouverture de session chez MX n’a pas été terminée. Vous pouvez réessayer.',
}
const NOT_RENEWED: LocalizedText = {
  en: 'The connection to your bank was not renewed, because the sign-in at MX was not completed. You can try again.',
  'fr-CA':
    'La connexion à votre institution n’a pas été renouvelée, car l’ouverture de session chez MX n’a pas été terminée. Vous pouvez réessayer.',
}

/** The Connect Widget, in a frame on our page. Source: https://docs.mx.com/connect/guides/connect-widget/ */
export const connectWidget: WidgetAuthorization = {
  step: 'widget',

  async start(kit, request) {
    const former = request.reconnect ? readSecret(request.reconnect) : null
    const repaired = former && (await findMember(kit, former)) ? former : null
    const userGuid = repaired?.userGuid ?? (await ensureUser(kit, request.companyId))
    const known = repaired ? [] : (await listMembers(kit, userGuid)).map(({ guid }) => guid)
    const match = randomBytes(24).toString('base64url')
    const { widget_url: made } = await askMx(
      kit,
      {
        method: 'POST',
        path: `/users/${encodeURIComponent(userGuid)}/widget_urls`,
        headers: { 'accept-language': LANGUAGES[request.locale], 'x-callback-payload': Buffer.from(match).toString('base64') },
        body: { widget_url: toOptions(request, former, repaired) },
      },
      WidgetAnswer,
    )
    if (!URL.canParse(made.url)) throw new SourceError('badData', 'the address of the widget is none')
    return {
      widget: toWidget(made.url, TITLES[request.locale]),
      memo: { userGuid, known, memberGuid: repaired?.memberGuid ?? null },
      match,
    }
  },

  async complete(kit, { memo, query, reconnect }) {
    const { userGuid, known, memberGuid } = readMemo(memo)
    if (memberGuid !== null && reconnect) return [await confirmRepair(kit, reconnect)]
    const members = await listMembers(kit, userGuid)
    const added = members.filter(({ guid }) => !known.has(guid))
    // A new login at a bank that was already linked adds no member.
    const chosen = added.length > 0 ? added : members.filter(({ guid }) => guid === query.member_guid)
    const usable = chosen.filter(({ connection_status: status }) => !needsOwner(status))
    if (usable.length === 0) throw new InputRefused(NOTHING_CONNECTED)
    return await Promise.all(usable.map((member) => toGrant(kit, userGuid, member)))
  },
}

function toOptions(request: RedirectRequest, former: MxSecret | null, repaired: MxSecret | null): Json {
  const bank = request.institutionId ?? former?.institutionCode ?? null
  return {
    widget_type: 'connect_widget',
    mode: 'aggregation',
    ui_message_version: 4,
    data_request: { products: ['transactions'] },
    iso_country_code: ['US', 'CA'],
    ...(repaired ? { current_member_guid: repaired.memberGuid } : bank === null ? {} : { current_institution_code: bank }),
  }
}

/** MX user of the company, created at its first authorization. */
async function ensureUser(kit: Kit, companyId: string): Promise<string> {
  const found = await findUser(kit, companyId)
  if (found !== null) return found
  try {
    return (await askMx(kit, { method: 'POST', path: '/users', body: { user: { id: companyId } } }, UserAnswer)).user.guid
  } catch (error) {
    // A concurrent authorization of this company has created the user already.
    const made = error instanceof MxError && error.status === 409 ? await findUser(kit, companyId) : null
    if (made === null) throw error
    return made
  }
}

async function findUser(kit: Kit, companyId: string): Promise<string | null> {
  const { users } = await askMx(kit, { path: '/users', query: { id: companyId } }, UsersAnswer)
  return users.find(({ id }) => id === companyId)?.guid ?? null
}

/** Member; null when it was deleted. */
async function findMember(kit: Kit, place: Pick<MxSecret, 'userGuid' | 'memberGuid'>): Promise<MxMember | null> {
  try {
    return (await askMx(kit, { path: pathOf(place) }, MemberAnswer)).member
  } catch (error) {
    if (error instanceof MxError && error.status === 404) return null
    throw error
  }
}

async function listMembers(kit: Kit, userGuid: string): Promise<MxMember[]> {
  const members: MxMember[] = []
  for (let page = 1; ; page++) {
    const query = { page: String(page), records_per_page: String(PAGE_SIZE) }
    const answer = await askMx(kit, { path: `/users/${encodeURIComponent(userGuid)}/members`, query }, MembersAnswer)
    members.push(...answer.members)
    if (page >= answer.pagination.total_pages || answer.members.length === 0) return members
  }
}

async function confirmRepair(kit: Kit, credentials: Credentials): Promise<Grant> {
  const secret = readSecret(credentials)
  const member = await findMember(kit, secret)
  if (!member || needsOwner(member.connection_status)) throw new InputRefused(NOT_RENEWED)
  return await toGrant(kit, secret.userGuid, member)
}

/** Grant of a member. A member without a bank (accounts maintained by hand) uses its own guid as reference. */
async function toGrant(kit: Kit, userGuid: string, member: MxMember): Promise<Grant> {
  const code = member.institution_code ?? null
  const response = await fetchBank(kit, code)
  const bank = response && checkEnvelope(BankAnswer, await responseJson(response, 'institution'), 'institution').institution
  const entity = { id: code ?? member.guid, name: bank?.name ?? member.name ?? 'MX' }
  const secret: MxSecret = { userGuid, memberGuid: member.guid, institutionCode: code }
  return { credentials: { secret: { ...secret }, expiresAt: null }, entity, institution: entity, reference: member.guid }
}

function readMemo(memo: Json): { userGuid: string; known: ReadonlySet<string>; memberGuid: string | null } {
  if (!isJsonObject(memo) || typeof memo.userGuid !== 'string')
    throw new SourceError('badData', 'the memo of this authorization names no user')
  const known = Array.isArray(memo.known) ? memo.known.filter((guid) => typeof guid === 'string') : []
  return { userGuid: memo.userGuid, known: new Set(known), memberGuid: typeof memo.memberGuid === 'string' ? memo.memberGuid : null }
}
