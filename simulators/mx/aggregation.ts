import { addDays, toDayText } from '../kit/data/days.ts'
import { openAccounts } from './book.ts'
import type { MxInstitution } from './directory.ts'
import { advanceMember, HISTORY_DAYS, writeGiant } from './ledger.ts'
import type { Member } from './state.ts'
import { newGuid, toInstantText, type World } from './world.ts'

const DAY_MS = 86_400_000
/** How long a bank is read. */
const READING_MS = 8_000

/** A member of a user at a bank, before its first reading. */
export function createMember(world: World, userGuid: string, bank: MxInstitution): Member {
  const nowMs = world.nowMs()
  const member: Member = {
    guid: newGuid(world, 'MBR'),
    userGuid,
    institutionCode: bank.code,
    status: 'CREATED',
    needsCredentials: false,
    aggregatedAt: nowMs,
    succeededAt: null,
    busyUntil: null,
    through: addDays(toDayText(nowMs), -HISTORY_DAYS),
    accounts: openAccounts(world, bank, nowMs),
    transactions: [],
  }
  if (bank.size === 'giant') writeGiant(world, member, nowMs)
  world.state.members[member.guid] = member
  return member
}

/** The owner has answered everything: the bank is read while the widget waits. */
export function connectMember(world: World, member: Member, payload: string | null): void {
  member.status = 'CONNECTED'
  member.needsCredentials = false
  member.aggregatedAt = world.nowMs()
  finish(world, member, world.nowMs())
  world.save()
  sendStatus(world, member)
  world.send({ type: 'MEMBER', action: 'member_data_updated', user_guid: member.userGuid, member_guid: member.guid }, payload)
}

/** Begins a reading; false while one is under way. */
export function aggregate(world: World, member: Member): boolean {
  settle(world, member)
  if (member.busyUntil !== null) return false
  member.aggregatedAt = world.nowMs()
  member.busyUntil = world.nowMs() + READING_MS
  world.save()
  return true
}

/** Ends what has ended by now: a reading that was asked for, or the one that MX does each day by itself. */
export function settle(world: World, member: Member): void {
  const nowMs = world.nowMs()
  if (member.busyUntil !== null && member.busyUntil <= nowMs) {
    const at = member.busyUntil
    member.busyUntil = null
    finish(world, member, at)
    sendAggregation(world, member)
  }
  if (member.status !== 'CONNECTED' || member.succeededAt === null) return
  const days = Math.floor((nowMs - member.succeededAt) / DAY_MS)
  if (days < 1) return
  member.aggregatedAt = member.succeededAt + days * DAY_MS
  finish(world, member, member.aggregatedAt)
  sendAggregation(world, member)
  world.save()
}

export function setStatus(world: World, member: Member, status: string): void {
  member.status = status
  world.save()
  sendStatus(world, member)
}

function finish(world: World, member: Member, at: number): void {
  member.succeededAt = at
  advanceMember(world, member, at)
}

function sendAggregation(world: World, member: Member): void {
  world.send({
    type: 'AGGREGATION',
    action: 'member_data_updated',
    user_guid: member.userGuid,
    member_guid: member.guid,
    completed_on: member.succeededAt === null ? null : toDayText(member.succeededAt),
    completed_at: toInstantText(member.succeededAt),
  })
}

function sendStatus(world: World, member: Member): void {
  world.send({
    type: 'CONNECTION_STATUS',
    action: 'CHANGED',
    connection_status: member.status,
    connection_status_message: 'The connection has changed.',
    user_guid: member.userGuid,
    member_guid: member.guid,
  })
}
