import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Check } from 'typebox/value'
import { flatMapInSlices } from '../../model/steps/slices.ts'
import { type Answers, type Kit, type Pull, SourceError } from '../contract/contract.ts'
import { jsonBytes, responseJson } from '../toolkit/http/answers.ts'
import { fetchAhead } from '../toolkit/http/fetch-ahead.ts'
import { addOrganization } from './currencies.ts'
import { checkHolder, holderQuery } from './holder.ts'
import { readAccounts } from './read.ts'
import { get, keyOf, type MambuSecret, readList, readSecret, refuse, START, tenantOf } from './request.ts'
import { ScheduleAnswer } from './wire.ts'

/** Page sizes: the schedule of each loan needs a separate call. */
const PAGE_SIZES = { deposits: 500, loans: 100 }
const MAX_RESTARTS = 3
/** States in which a loan has instalments to come. */
const WITH_SCHEDULE = /^(APPROVED|ACTIVE|ACTIVE_IN_ARREARS)$/

const hasState = Compile(Type.Object({ accountState: Type.String() }))

const Cursor = Type.Object({
  list: Type.Union([Type.Literal('deposits'), Type.Literal('loans')]),
  offset: Type.Integer({ minimum: 0 }),
  last: Type.String(),
  total: Type.Integer(),
  restarts: Type.Integer({ minimum: 0 }),
})

/** Deposits, then loans with their schedules, the only source of due and end dates. */
export const pullAccounts: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  async fetch({ kit, credentials, entityId }, given) {
    const secret = readSecret(credentials)
    const at = Check(Cursor, given) ? given : { list: 'deposits' as const, ...START, restarts: 0 }
    if (!Check(Cursor, given)) await checkHolder(kit, secret, entityId)
    const page = await readList(kit, secret, `${at.list}?detailsLevel=FULL&${holderQuery(secret)}`, at, PAGE_SIZES[at.list])
    const answers: Answers = { tenant: jsonBytes(tenantOf(secret)), [at.list]: page.body }
    if (at.list === 'loans') await addSchedules(kit, secret, page.rows, answers)
    await addOrganization(kit, secret, page.rows, answers)
    const restarts = at.restarts + (page.next === START ? 1 : 0)
    if (restarts > MAX_RESTARTS)
      throw new SourceError('badData', `Mambu: the number of ${at.list} changed ${restarts} times while they were read`)
    if (page.next !== null) return { answers, next: { list: at.list, ...page.next, restarts }, listing: 'complete' }
    const next = at.list === 'deposits' ? { list: 'loans', ...START, restarts: 0 } : null
    return { answers, next, listing: 'complete' }
  },
  read: readAccounts,
}

async function addSchedules(kit: Kit, secret: MambuSecret, loans: readonly unknown[], answers: Answers): Promise<void> {
  const keys = await flatMapInSlices(loans, (loan) =>
    hasState.Check(loan) && WITH_SCHEDULE.test(loan.accountState) ? (keyOf(loan) ?? []) : [],
  )
  const schedules = fetchAhead(keys, async (key) => ({ key, schedule: await readSchedule(kit, secret, key) }))
  for await (const { key, schedule } of schedules) if (schedule !== null) answers[`schedule/${key}`] = schedule
}

/** Schedule; null when there is none yet, or the loan no longer exists. */
async function readSchedule(kit: Kit, secret: MambuSecret, key: string): Promise<Uint8Array | null> {
  const response = await get(kit, secret, `loans/${encodeURIComponent(key)}/schedule`)
  if (response.status === 404) return null
  refuse(kit, response, 'a schedule')
  if (!Check(ScheduleAnswer, await responseJson(response, 'Mambu schedule')))
    throw new SourceError('badData', 'Mambu: a schedule has an unknown shape')
  return response.body
}
