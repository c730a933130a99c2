import { expect, it } from 'vitest'
import { describeEvents } from './event-bodies.ts'
import { presentFault } from './fault-shapes.ts'
import { strict } from './schemas.ts'

const TROUBLE = { code: 'unavailable', message: 'It is away.', at: '2026-11-20T12:00:00.000Z', nextAt: '2026-11-20T12:05:00.000Z' } as const

it('a fault is shown with what it waits for, in plain timestamps', () => {
  expect(presentFault({ fault: null, faultCode: null, trouble: null })).toEqual({ fault: null, faultCode: null, trouble: null })
  expect(presentFault({ fault: 'Away', faultCode: 'unavailable' as never, trouble: TROUBLE as never })).toEqual({
    ...{ fault: 'Away', faultCode: 'unavailable' },
    trouble: { code: 'unavailable', message: 'It is away.', on: '2026-11-20T12:00:00.000', nextAttemptOn: '2026-11-20T12:05:00.000' },
  })
  const plain = { ...TROUBLE, at: '2026-11-20T12:00:00', nextAt: 'Z2026Z1' }
  expect(presentFault({ fault: null, faultCode: null, trouble: plain as never }).trouble).toMatchObject({
    ...{ on: '2026-11-20T12:00:00', nextAttemptOn: 'Z2026Z1' },
  })
})

it('a shape takes no further properties, whatever else it says', () => {
  expect(strict({})).toMatchObject({ type: 'object', properties: {}, additionalProperties: false })
  expect(strict({}, { title: 'Empty', additionalProperties: true })).toMatchObject({ title: 'Empty', additionalProperties: false })
})

interface Event {
  post: {
    tags: string[]
    summary: string
    description: string
    operationId: string
    security: unknown[]
    requestBody: {
      required: boolean
      content: Record<
        string,
        { schema: { title: string; properties: Record<string, { const?: string; title?: string; properties?: object }> } }
      >
    }
    responses: Record<string, { description: string }>
  }
}

it('each event has its class, its kind, and the data of its kind beside what all have', () => {
  const shared = [
    'SessionShareId',
    'CompanyId',
    'AccountExternalId',
    'ApplicationId',
    'ServiceId',
    'ServiceName',
    'CategoryName',
    'CategoryId',
  ]
  const all = [...shared, 'Email', 'IssuedAs', 'ModifiedOn']
  const entry = ['Position', 'Hash', 'RecordedOn', 'Action', 'Actor', 'UserId', 'ActorId', 'Network', 'RequestId', 'Subject']
  const told = Object.entries(describeEvents() as Record<string, Event>).map(([kind, { post }]) => {
    const { tags, summary, description, operationId, security, requestBody, responses } = post
    expect([tags, operationId, security, requestBody.required]).toEqual([['Events'], `on${kind}`, [], true])
    expect([summary.length > 10, description.length > 10, responses['200']?.description]).toEqual([
      true,
      true,
      expect.stringContaining('15 s'),
    ])
    expect(Object.keys(requestBody.content)).toEqual(['application/json'])
    const { title, properties } = requestBody.content['application/json']?.schema ?? { title: '', properties: {} }
    expect([title, properties.MessageType?.const, Object.keys(properties)]).toEqual([
      ...[`${kind}Event`, kind],
      ['Class', 'MessageType', 'Identifier', 'Data', 'Signature'],
    ])
    return [kind, properties.Class?.const, properties.Data?.title, Object.keys(properties.Data?.properties ?? {})]
  })
  expect(told).toEqual([
    ...['RawData', 'NormalizedData', 'ReadyToUseData'].map((kind) => [kind, 'DataConnection', 'ConnectionEventData', all]),
    ['AccountsChanged', 'DataConnection', 'AccountsChangedEventData', [...all, 'ChangeCount', 'Part', 'IsLastPart', 'Changes']],
    ['TransactionsChanged', 'DataConnection', 'TransactionsChangedEventData', [...all, 'ChangeCount', 'DeletedCount']],
    ['Error', 'DataConnection', 'ErrorEventData', [...all, 'Code', 'Message', 'Reason', 'ReasonText']],
    ...['Suspended', 'Disconnected'].map((kind) => [kind, 'DataConnection', 'ConnectionEventData', all]),
    ['AuditEntry', 'Audit', 'AuditEntryEventData', [...entry, 'Before', 'After', 'Withheld', 'Details', 'IsShortened']],
  ])
})
