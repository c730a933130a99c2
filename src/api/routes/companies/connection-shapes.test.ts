import { expect, it } from 'vitest'
import { Status, type StatusCode } from '../../../model/statuses.ts'
import { presentNextRead } from './connection-shapes.ts'

const updateScheduledAt = new Date('2026-11-24T08:00:00Z')
const next = (status: StatusCode, nextAt: string | null = null) => {
  const trouble = nextAt === null ? null : { code: 'badData' as const, message: '', at: nextAt, nextAt }
  return presentNextRead({ status, updateScheduledAt, trouble })
}

it('a connection that is read tells when it is read next: by the schedule, or sooner after a failure', () => {
  expect(next(Status.Synced)).toBe('2026-11-24T08:00:00.000')
  expect(next(Status.LoadingError), 'it is tried again by the schedule').toBe('2026-11-24T08:00:00.000')
  expect(next(Status.Synced, '2026-11-23T09:30:00Z')).toBe('2026-11-23T09:30:00.000')
})

it('a connection that waits for its owner, is suspended or has ended is read by nobody', () => {
  const atRest = [Status.Authorization, Status.AuthorizationError, Status.AuthorizationTimedOut, Status.Deauthorized]
  for (const status of [...atRest, Status.Suspended, Status.Disconnected]) expect(next(status)).toBeNull()
})
