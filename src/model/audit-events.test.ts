import { describe, expect, it } from 'vitest'
import { type AuditEventFacts, toAuditEventBody } from './audit-events.ts'
import { MAX_BODY_BYTES } from './events.ts'

const facts = (entry: Partial<AuditEventFacts['entry']> = {}): AuditEventFacts => ({
  ...{ id: 'an-id', position: 7, hash: 'ab', at: new Date('2026-11-20T08:00:00.500Z') },
  entry: { action: 'key.created', userId: null, subject: null, ...entry },
})
const dataOf = (entry?: Partial<AuditEventFacts['entry']>) => JSON.parse(toAuditEventBody(facts(entry))).Data

describe('the event of an audit entry', () => {
  it('says what is not known by null', () => {
    expect(JSON.parse(toAuditEventBody(facts()))).toEqual({
      Class: 'Audit',
      MessageType: 'AuditEntry',
      Identifier: 'AuditEntry.an-id',
      Data: {
        ...{ Position: 7, Hash: 'ab', RecordedOn: '2026-11-20T08:00:00.500', Action: 'key.created', Actor: null, UserId: null },
        ...{ ActorId: null, Network: null, RequestId: null, Subject: null, Before: null, After: null, Withheld: [], Details: null },
        IsShortened: false,
      },
    })
  })

  it('has all that is known, fractions as text', () => {
    const values = { a: 'x\ud800', b: 1.5, c: 2, d: true, e: null, f: 2 ** 53 }
    const plain = { a: 'x\ufffd', b: '1.5', c: 2, d: true, e: null, f: '9007199254740992' }
    const people = { actor: 'user', userId: 'u', actorId: 'i', network: '10.0.0.0/24' }
    expect(
      dataOf({ ...people, requestId: 'r\ud800', subject: 's\ud800', before: values, after: values, details: values, withheld: ['w'] }),
    ).toEqual({
      ...{ Position: 7, Hash: 'ab', RecordedOn: '2026-11-20T08:00:00.500', Action: 'key.created' },
      ...{ Actor: 'user', UserId: 'u', ActorId: 'i', Network: '10.0.0.0/24', RequestId: 'r\ufffd', Subject: 's\ufffd' },
      ...{ Before: plain, After: plain, Details: plain, Withheld: ['w'], IsShortened: false },
    })
  })

  it('has its values unless it would be longer than a body may be', () => {
    const room = MAX_BODY_BYTES - Buffer.byteLength(toAuditEventBody(facts({ details: { a: '' } })))
    expect(dataOf({ details: { a: 'x'.repeat(room) } })).toMatchObject({ IsShortened: false, Details: { a: 'x'.repeat(room) } })
    const longer = { a: 'x'.repeat(room + 1) }
    expect(dataOf({ details: longer, before: longer, after: longer, withheld: ['w'] })).toMatchObject({
      ...{ IsShortened: true, Details: null, Before: null, After: null, Withheld: ['w'] },
    })
  })
})
