import { expect, it } from 'vitest'
import { bearerOf, logInAt, testApi } from '../../../test/harness/test-api.ts'
import { listAudit, recordAudit } from '../../store/access/audit.ts'
import { pruneAccess } from './housekeeping.ts'

it('tidying drops what has run out and leaves what lives', async () => {
  const api = await testApi()
  const { email } = await api.addUser()
  await logInAt(api.app, email, 'wrong')
  await logInAt(api.app, email)
  api.moveClock(32 * 86_400_000)
  const living = await bearerOf(api, email)
  await pruneAccess(api.deps.database, api.deps.now(), 13)
  const { rows } = await api.deps.database.query<Record<string, string>>(
    'select (select count(*) from sessions) as sessions, (select count(*) from refresh_tokens) as tokens, (select count(*) from login_rate_limits) as throttled',
  )
  const me = await api.app.inject({ url: '/admin/api/v1/auth/me', headers: living })
  await api.close()
  expect([rows[0], me.statusCode]).toEqual([{ sessions: '1', tokens: '1', throttled: '1' }, 200])
})

it('audit entries are kept for the same day of thirteen months, also where a month is shorter', async () => {
  const api = await testApi()
  const { database } = api.deps
  const record = (at: string) =>
    recordAudit(
      database,
      new Uint8Array(32),
      { instanceId: api.instanceId, action: 'user.created', userId: null, subject: null },
      new Date(at),
    )
  for (const at of ['2025-02-27T23:00:00Z', '2025-02-28T23:59:59Z', '2025-03-02T00:00:00Z']) await record(at)
  await pruneAccess(database, new Date('2026-03-31T23:00:00Z'), 13)
  const kept = await listAudit(database, api.instanceId, 10)
  await api.close()
  expect(kept.map(({ at }) => at.toISOString())).toEqual(['2025-03-02T00:00:00.000Z', '2025-02-28T23:59:59.000Z'])
})
