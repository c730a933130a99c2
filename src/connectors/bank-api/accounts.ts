import { Type } from 'typebox'
import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { type Answers, type Page, type Pull, type Session, SourceError } from '../contract/contract.ts'
import { jsonBytes } from '../toolkit/http/answers.ts'
import { rowId } from './map.ts'
import { PageCursor, START } from './paging.ts'
import { fillPath, partsOf, valueAt } from './pointers.ts'
import type { AccountList, Profile } from './profile.ts'
import { nameOf, readAccounts } from './read.ts'
import { askForOne, type Caller } from './request.ts'
import { fetchRows } from './rows.ts'
import { secretOf, valuesOf } from './tokens.ts'

const Position = Type.Object({ list: Type.Integer({ minimum: 0 }), place: PageCursor })

/** All account lists of the profile, one after the other, in one complete list. */
export function accountsPull(profile: Profile): Pull {
  return {
    name: 'accounts',
    delivers: ['Accounts'],
    fetch: (session, cursor) => fetchAccounts(profile, session, cursor),
    read: (answers) => readAccounts(profile, answers),
  }
}

async function fetchAccounts(profile: Profile, session: Session, cursor: Json | null): Promise<Page> {
  if (cursor !== null && !Check(Position, cursor)) throw new SourceError('badData', 'the cursor of the accounts is none of ours')
  const position = cursor ?? { list: 0, place: START }
  const list = profile.accounts[position.list]
  if (!list) throw new SourceError('badData', 'the profile has no such list any more')
  const caller: Caller = { profile, kit: session.kit, secret: secretOf(session.credentials) }
  const { bytes, rows, after } = await fetchRows(caller, list, position.place)
  const details = await fetchDetails(caller, list, rows)
  const isLast = after === null && position.list + 1 >= profile.accounts.length
  const next = after === null ? { list: position.list + 1, place: START } : { list: position.list, place: after }
  return { answers: { about: jsonBytes({ list: list.name }), rows: bytes, ...details }, next: isLast ? null : next, listing: 'complete' }
}

/** Details: one call for each row and detail; a record without details at the bank is kept without them. */
async function fetchDetails(caller: Caller, list: AccountList, rows: readonly Json[]): Promise<Answers> {
  const answers: Answers = {}
  for (const { as, path, value } of list.details ?? []) {
    for (const [index, row] of rows.entries()) {
      const id = rowId(row, list.id)
      if (id === null) continue
      const values = { ...valuesOf(caller.kit, caller.secret), id }
      const found = await askForOne(caller, `${caller.kit.hosts.api}${fillPath(path, values)}`, `the details "${as}"`)
      if (!found) continue
      if (valueAt(found.body, partsOf(value)) === undefined) throw new SourceError('badData', `the bank answered no details "${as}"`)
      answers[nameOf(as, index)] = found.response.body
    }
  }
  return answers
}
