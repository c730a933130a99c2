import { expect, it } from 'vitest'
import { toSelection } from './replay-selection.ts'

const eventId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const [from, to] = ['2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z']

it.each<[Parameters<typeof toSelection>[0], object]>([
  [{ eventId }, { events: 'one', eventId }],
  [
    { from, to },
    { events: 'range', from: new Date(from), to: new Date(to) },
  ],
  [
    { to, from },
    { events: 'range', from: new Date(from), to: new Date(to) },
  ],
  [{ undeliveredSince: from }, { events: 'undelivered', since: new Date(from) }],
])('%j selects events', (body, selection) => {
  expect(toSelection(body)).toEqual(selection)
})

it.each([
  [{}],
  [{ from }],
  [{ to }],
  [{ eventId, from, to }],
  [{ eventId, undeliveredSince: from }],
  [{ from, to, undeliveredSince: from }],
  [{ eventId: '' }],
])('%j selects nothing', (body) => {
  expect(() => toSelection(body)).toThrow('Give eventId, or from and to, or undeliveredSince.')
})

it.each([
  [{ from: '2026-02-30', to }, 'from'],
  [{ from, to: 'tomorrow' }, 'to'],
  [{ undeliveredSince: 'ever' }, 'undeliveredSince'],
])('%j names the instant that does not exist', (body, field) => {
  expect(() => toSelection(body)).toThrow(expect.objectContaining({ status: 400, fields: [expect.objectContaining({ field })] }))
})
