import { describe, expect, it } from 'vitest'
import { isFault, isLegalTransition, isReadable, restingStatus, STATUS_CODES, statusName } from './statuses.ts'

/** Of each status: its name, whether it is a fault, whether its source is read, and the statuses that may follow. */
const CONNECTION_STATUSES: readonly [code: number, name: string, isFault: boolean, isRead: boolean, next: number[]][] = [
  [2, 'Loading', false, true, [8, 11, 12, 14, 17, 23, 26, 27]],
  [6, 'Authorization', false, false, [7, 9, 20, 25, 26, 27]],
  [7, 'Error in Authorization', true, false, [6, 9, 26, 27]],
  [8, 'Deauthorized', true, false, [2, 9, 15, 19, 26, 27]],
  [9, 'Authorized', false, true, [2, 8, 11, 26, 27]],
  [11, 'Loading Error', true, true, [2, 8, 9, 11, 14, 15, 19, 26, 27]],
  [12, 'Loaded', false, true, [11, 13, 14, 23, 26, 27]],
  [13, 'Structuring', false, true, [14, 15, 23, 26, 27]],
  [14, 'Structuring Error', true, true, [2, 8, 9, 11, 13, 14, 15, 19, 26, 27]],
  [15, 'Structured', false, true, [2, 8, 9, 11, 14, 16, 17, 23, 26, 27]],
  [16, 'Processing', false, true, [17, 18, 23, 26, 27]],
  [17, 'Processing error', true, true, [2, 8, 9, 11, 14, 15, 16, 19, 26, 27]],
  [18, 'Processed', false, true, [17, 19, 26, 27]],
  [19, 'Synced', false, true, [2, 8, 9, 11, 14, 17, 23, 26, 27]],
  [20, 'Authorization timedout', true, false, [6, 7, 9, 26, 27]],
  [23, 'Timed Out', true, true, [2, 8, 9, 11, 14, 15, 19, 26, 27]],
  [25, 'Waiting For Webhook', false, true, [7, 9, 20, 26, 27]],
  [26, 'Disconnected', false, false, []],
  [27, 'Suspended', false, false, [2, 6, 8, 9, 11, 14, 15, 17, 19, 23, 26]],
]

describe('the statuses of a connection', () => {
  it('are these', () => {
    expect(STATUS_CODES.toSorted((a, b) => a - b)).toEqual(CONNECTION_STATUSES.map(([code]) => code))
  })

  it('have names, faults, readable ones, and the transitions that are allowed', () => {
    const found = STATUS_CODES.toSorted((a, b) => a - b).map((code) => [
      ...[code, statusName(code), isFault(code), isReadable(code)],
      STATUS_CODES.filter((next) => isLegalTransition(code, next)).sort((a, b) => a - b),
    ])
    expect(found).toEqual(CONNECTION_STATUSES)
  })

  it('rest where data can be read', () => {
    expect([restingStatus('Accounting'), restingStatus('Banking')]).toEqual([15, 19])
  })
})
