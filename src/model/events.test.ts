import { describe, expect, test } from 'vitest'
import { type AccountChange, type EventFacts, isSubscribableEvent, MAX_BODY_BYTES, toEventBody, toMessageId } from './events.ts'

const facts: EventFacts = {
  id: '6f1e1b0e-3a0b-4b57-9d0c-2f4f8f1f9a11',
  kind: 'NormalizedData',
  companyId: '5d3f0a52-8f7e-4f06-9c53-7f0b0f0a9e02',
  serviceId: '9c1b2a33-1111-4222-8333-444455556666',
  sessionId: '0b7a6c54-3f10-4f0e-8f43-0a6d1f1d2c01',
  data: {
    serviceName: 'Harbor Bank',
    categoryName: 'Banking',
    categoryId: '7a7a7a7a-0000-4000-8000-000000000007',
    email: 'owner@example.com',
  },
}
const at = new Date('2026-11-20T17:43:00.123Z')
const specified = {
  SessionShareId: '0b7a6c54-3f10-4f0e-8f43-0a6d1f1d2c01',
  CompanyId: '5d3f0a52-8f7e-4f06-9c53-7f0b0f0a9e02',
  AccountExternalId: null,
  ApplicationId: null,
  ServiceId: '9c1b2a33-1111-4222-8333-444455556666',
  ServiceName: 'Harbor Bank',
  CategoryName: 'Banking',
  CategoryId: '7a7a7a7a-0000-4000-8000-000000000007',
  Email: 'owner@example.com',
  IssuedAs: 'Manual',
  ModifiedOn: '2026-11-20T17:43:00.123',
}

describe('event bodies', () => {
  test.each(['RawData', 'NormalizedData', 'ReadyToUseData', 'Suspended', 'Disconnected'] as const)(
    '%s carries the fields of the specification and nothing more',
    (kind) => {
      const accounts = { changeCount: 0, part: 1, isLastPart: true, changes: [] }
      const data = { ...facts.data, code: 8, message: 'Deauthorized', accounts, credentials: 'never' }
      expect(toEventBody({ ...facts, kind, data }, at)).toEqual({
        Class: 'DataConnection',
        MessageType: kind,
        Identifier: `${kind}.${facts.id}`,
        Data: specified,
      })
    },
  )

  test('Error adds the code and the fixed name of the status, and why in fixed words', () => {
    const data = { ...facts.data, code: 8, message: 'Deauthorized', fault: 'consentExpired' as const }
    expect(toEventBody({ ...facts, kind: 'Error', data }, at).Data).toEqual({
      ...specified,
      Code: 8,
      Message: 'Deauthorized',
      Reason: 'consentExpired',
      ReasonText: 'The consent of the owner has run out; the owner has to agree again.',
    })
  })

  test('AccountsChanged adds the changes of its part and how many there are in all', () => {
    const change: AccountChange = {
      AccountId: facts.id,
      OrigId: '77',
      Change: 'Changed',
      Before: { actualBalance: '10.5' },
      After: { actualBalance: '11' },
    }
    const accounts = { changeCount: 2000, part: 2, isLastPart: false, changes: [change] }
    expect(toEventBody({ ...facts, kind: 'AccountsChanged', data: { ...facts.data, accounts } }, at).Data).toEqual({
      ...specified,
      ChangeCount: 2000,
      Part: 2,
      IsLastPart: false,
      Changes: [change],
    })
  })

  test('a body that would be larger than allowed is refused', () => {
    const data = { ...facts.data, serviceName: 'x'.repeat(MAX_BODY_BYTES) }
    expect(() => toEventBody({ ...facts, data }, at)).toThrow(RangeError)
  })

  test('the message id holds no dot', () => {
    expect(toMessageId(facts.id)).toBe(`evt_${facts.id}`)
  })

  test('names of events are case-sensitive and attendant kinds cannot be subscribed', () => {
    expect(['NormalizedData', 'normalizeddata', 'Error', 'AccountsChanged'].map(isSubscribableEvent)).toEqual([true, false, false, true])
  })
})
