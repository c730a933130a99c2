import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Mark } from '../../../src/store/db/replicas/marks.ts'
import { LOG_START } from '../../../src/store/db/replicas/positions.ts'
import { ReplicaRead } from '../../../src/store/db/replicas/replica-read.ts'
import { ReplicaServer } from '../../../src/store/db/replicas/replica-server.ts'

/** Nothing is asked of it: what it would answer is given to each read. */
let server: ReplicaServer
const primary = new pg.Pool()
const MARK: Mark = { id: randomUUID(), slot: 7, position: LOG_START, epoch: randomUUID(), askedAtMs: 0, askedAtTime: 0 }
const events: string[] = []

beforeEach(() => {
  events.length = 0
  server = new ReplicaServer('postgres://nobody@127.0.0.1:1/none', { maxStalenessMs: 1, onChange: ({ phase }) => events.push(phase) })
})
afterEach(async () => await server.close())

function open(findMark: () => Mark | null = () => MARK): ReplicaRead {
  return new ReplicaRead({
    ...{ primary, server, findMark, atLeast: 0x1_0000_0002n },
    onAnswer: () => events.push('answered'),
    onFallback: (reason) => events.push(reason),
  })
}

function refused(code: string | undefined): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('refused', 7, 'error'), { code })
}

it('the answer of a replica is that of the read, behind its guard', async () => {
  const read = open()
  const given: unknown[] = []
  const answer = await read.attempt(async (replica, guard) => {
    given.push(replica === server.pool, guard)
    return 'rows'
  })
  expect([answer, given, events]).toEqual([{ value: 'rows' }, [true, server.guard(MARK, 0x1_0000_0002n)], ['answered']])
  expect([read.primary, read.server]).toEqual([primary, server])
})

it('a replica without a mark that is good enough is not asked, and never again by this read', async () => {
  const marks = [null, MARK]
  const read = open(() => marks.shift() ?? null)
  const ask = () => Promise.reject(new Error('asked'))
  expect([await read.attempt(ask), read.server, events]).toEqual([null, null, ['behind']])
  expect([await read.attempt(ask), events]).toEqual([null, ['behind']])
})

it.each<[string, unknown, string[]]>([
  ['the guard fails', refused('22012'), ['behind']],
  ['recovery cancels it', refused('40001'), ['conflict']],
  ['recovery waits for it', refused('40P01'), ['conflict']],
  ['it would write', refused('25006'), ['write']],
  ['it is wrong', refused('42601'), ['error']],
  ['PostgreSQL gives no code', refused(undefined), ['error']],
  ['the server stops', refused('57P01'), ['lost', 'lost']],
  ['the connection breaks', refused('08006'), ['lost', 'lost']],
  ['no answer comes', Object.assign(new Error('silent'), { code: 'ETIMEDOUT' }), ['lost', 'lost']],
  ['a pooler has an error of the system', refused('ECONNRESET'), ['lost', 'lost']],
  ['a code only begins like one of the system', refused('E2BIG'), ['error']],
  ['a code has one of the server in it', refused('X08'), ['error']],
  ['what is thrown is no error', 'text', ['lost', 'lost']],
  ['all connections are in use', new Error('timeout exceeded when trying to connect'), ['busy']],
  ['no other connection opens in time', new Error('Connection terminated due to connection timeout'), ['busy']],
])('the primary is asked where %s', async (_what, error, expected) => {
  const read = open()
  expect([await read.attempt(() => Promise.reject(error)), read.server, events]).toEqual([null, null, expected])
  expect(server.state.phase).toBe(expected.length === 2 ? 'lost' : 'unknown')
})

it('a statement that a person or its time-out cancels fails, and the next may ask the replica', async () => {
  const read = open()
  const cancelled = refused('57014')
  await expect(read.attempt(() => Promise.reject(cancelled))).rejects.toBe(cancelled)
  expect([read.server, events]).toEqual([server, []])
})
