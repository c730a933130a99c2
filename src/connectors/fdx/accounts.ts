import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { flatMapInSlices } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import { type Answers, type HttpResponse, type Page, type Pull, type Session, SourceError } from '../contract/contract.ts'
import { isJsonObject, responseJson } from '../toolkit/http/answers.ts'
import { fetchAhead } from '../toolkit/http/fetch-ahead.ts'
import { FdxError } from './errors.ts'
import { listRows, type Position, PositionWire, pageQuery, readNext, START } from './paging.ts'
import type { Profile } from './profile.ts'
import { ABOUT, LIST, MORE, readAccounts, readDetails } from './read.ts'
import { forAccount, getResource } from './request.ts'
import { readSecret } from './secret.ts'
import { idOf, unwrap } from './wire.ts'

const isCursor = Compile(Type.Object({ at: PositionWire, isPartial: Type.Boolean() }))

/** One page of the account list as received from the bank. */
export interface AccountList {
  response: HttpResponse
  /** Id and currency of each account that can be read. */
  accounts: { id: string; currency: string }[]
  next: Position | null
  /** True when the bank marks the response as partial. */
  isPartial: boolean
}

export async function listAccounts(session: Pick<Session, 'kit' | 'credentials'>, profile: Profile, at: Position): Promise<AccountList> {
  const { path, query } = profile.accounts
  const response = await getResource(session, profile, 'the list of accounts', path, { ...query, ...pageQuery(profile, at) })
  const body = await responseJson(response, 'the list of accounts')
  const rows = listRows(body, 'accounts')
  const accounts = await flatMapInSlices(rows, (row) => readBasics(row, profile))
  const { next, isShort } = readNext(profile, body, at, { count: rows.length, first: accounts[0]?.id ?? null })
  return { response, accounts, next, isPartial: response.status === 206 || isShort }
}

/** All accounts of the login, with their details where the list has none. */
export function accountsPull(profile: Profile): Pull {
  return {
    name: 'accounts',
    delivers: ['Accounts'],
    fetch: (session, cursor) => fetchAccounts(session, profile, cursor),
    read: readAccounts,
  }
}

async function fetchAccounts(session: Session, profile: Profile, cursor: Json | null): Promise<Page> {
  const from = readCursor(cursor)
  const list = await listAccounts(session, profile, from.at)
  const answers: Answers = { [LIST]: list.response.body, [ABOUT]: describe(session, profile) }
  let isPartial = from.isPartial || list.isPartial
  const ids = list.accounts.map(({ id }) => id)
  if (profile.accounts.more !== undefined && ids.length > 0) {
    const more = await getResource(session, profile, 'more of the accounts', profile.accounts.more, { accountIds: ids.join(',') })
    listRows(await responseJson(more, 'more of the accounts'), 'accounts')
    answers[MORE] = more.body
    isPartial ||= more.status === 206
  }
  if (profile.accounts.details !== undefined) {
    const path = profile.accounts.details
    let place = 0
    for await (const details of fetchAhead(ids, (id) => fetchDetails(session, profile, path, id))) {
      if (details) answers[`details-${place}`] = details
      place += 1
    }
  }
  return {
    answers,
    next: list.next === null ? null : { at: list.next, isPartial },
    listing: isPartial ? 'changes' : 'complete',
  }
}

/** Null when the bank has no details of this account, which is still in the list. */
async function fetchDetails(session: Session, profile: Profile, path: string, id: string): Promise<Uint8Array | null> {
  try {
    const response = await getResource(session, profile, 'the details of an account', forAccount(path, id))
    if (idOf(readDetails(await responseJson(response, 'the details of an account')), 'accountId') === id) return response.body
    throw new SourceError('badData', 'the details are those of another account')
  } catch (error) {
    if (error instanceof FdxError && error.isOfOneAccount) return null
    throw error
  }
}

/** Context of each record besides its account; stored with the page, so that a replay reads the same. */
function describe({ credentials }: Session, profile: Profile): Uint8Array {
  const { institutionId, institutionName } = readSecret(credentials)
  const { rates } = profile
  const isFraction = typeof rates === 'string' ? rates === 'fraction' : rates.fractionAt.includes(institutionId ?? '')
  return new TextEncoder().encode(
    JSON.stringify({ provider: institutionName ?? profile.name, isFraction, currency: profile.currency ?? null }),
  )
}

function readBasics(row: Json, profile: Profile): { id: string; currency: string }[] {
  const inner = unwrap(row, 'accountId')?.inner
  const id = inner && idOf(inner, 'accountId')
  if (!inner || !id) return []
  const currency = isJsonObject(inner.currency) ? inner.currency.currencyCode : null
  return [{ id, currency: typeof currency === 'string' ? currency : (profile.currency ?? '') }]
}

function readCursor(cursor: Json | null): { at: Position; isPartial: boolean } {
  if (cursor === null) return { at: START, isPartial: false }
  if (isCursor.Check(cursor)) return cursor
  throw new SourceError('badData', 'the cursor is no place in the list of accounts')
}
