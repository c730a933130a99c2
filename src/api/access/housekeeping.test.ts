import { expect, it } from 'vitest'
import { bearerOf, logInAt, testApi } from '../../../test/harness/test-api.ts'
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
