import { addDays, toDayText } from '../../kit/data/days.ts'
import { type Context, newGuid, toInstantText } from '../context.ts'
import type { Member } from '../state.ts'
import { openAccounts } from './accounts.ts'
import type { MxInstitution } from './institutions.ts'
import { advanceMember, HISTORY_DAYS, writeGiant } from './ledger.ts'

const DAY_MS = 86_400_000
/** Duration of an aggregation. */
const READING_MS = 8_000

/** Creates a member of a user at a bank, before its first aggregation. */
export function createMember(context: Context, userGuid: string, bank: MxInstitution): Member {
  const nowMs = context.nowMs()
  const member: Member = {
    guid: newGuid(context, 'MBR'),
    userGuid,
    institutionCode: bank.code,
    status: 'CREATED',
    needsCredentials: false,
    aggregatedAt: nowMs,
    succeededAt: null,
    busyUntil: null,
    through: addDays(toDayText(nowMs), -HISTORY_DAYS),
    accounts: openAccounts(context, bank, nowMs),
    transactions: [],
  }
  if (bank.size === 'giant') writeGiant(context, member, nowMs)
  context.state.members[member.guid] = member
  return member
}

/** Starts the aggregation for which the widget waits, after the owner has answered all questions. */
export function connectMember(context: Context, member: Member, payload: string | null): void {
  member.status = 'CONNECTED'
  member.needsCredentials = false
  member.aggregatedAt = context.nowMs()
  finish(context, member, context.nowMs())
  context.save()
  sendStatus(context, member)
  context.send({ type: 'MEMBER', action: 'member_data_updated', user_guid: member.userGuid, member_guid: member.guid }, payload)
}

/** Starts an aggregation; returns false if one is running. */
export function aggregate(context: Context, member: Member): boolean {
  settle(context, member)
  if (member.busyUntil !== null) return false
  member.aggregatedAt = context.nowMs()
  member.busyUntil = context.nowMs() + READING_MS
  context.save()
  return true
}

/** Completes what is due by now: a requested aggregation, or MX's own daily one. */
export function settle(context: Context, member: Member): void {
  const nowMs = context.nowMs()
  if (member.busyUntil !== null && member.busyUntil <= nowMs) {
    const at = member.busyUntil
    member.busyUntil = null
    finish(context, member, at)
    sendAggregation(context, member)
  }
  if (member.status !== 'CONNECTED' || member.succeededAt === null) return
  const days = Math.floor((nowMs - member.succeededAt) / DAY_MS)
  if (days < 1) return
  member.aggregatedAt = member.succeededAt + days * DAY_MS
  finish(context, member, member.aggregatedAt)
  sendAggregation(context, member)
  context.save()
}

export function setStatus(context: Context, member: Member, status: string): void {
  member.status = status
  context.save()
  sendStatus(context, member)
}

function finish(context: Context, member: Member, at: number): void {
  member.succeededAt = at
  advanceMember(context, member, at)
}

function sendAggregation(context: Context, member: Member): void {
  context.send({
    type: 'AGGREGATION',
    action: 'member_data_updated',
    user_guid: member.userGuid,
    member_guid: member.guid,
    completed_on: member.succeededAt === null ? null : toDayText(member.succeededAt),
    completed_at: toInstantText(member.succeededAt),
  })
}

function sendStatus(context: Context, member: Member): void {
  context.send({
    type: 'CONNECTION_STATUS',
    action: 'CHANGED',
    connection_status: member.status,
    connection_status_message: 'The connection has changed.',
    user_guid: member.userGuid,
    member_guid: member.guid,
  })
}
