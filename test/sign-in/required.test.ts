import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listAudit } from '../../src/store/access/audit.ts'
import { openForTests } from '../harness/for-tests.ts'
import { PASSWORD } from '../harness/test-api.ts'
import { type Headers, type Member, signInHarness } from './harness.ts'

const RULES = '/instance/sign-in-rules'
/** What is open to a member who has to set up a second step, and nothing else. */
const OPEN = [
  ...['DELETE /auth/sessions/:sessionId', 'GET /auth/me', 'GET /auth/passkeys', 'GET /auth/passkeys/:passkeyId', 'GET /auth/proof'],
  ...['GET /auth/sessions', 'GET /auth/sessions/:sessionId', 'GET /auth/two-step/setup', 'POST /auth/logout', 'POST /auth/passkeys'],
  ...['POST /auth/passkeys/options', 'POST /auth/proof', 'POST /auth/proof/passkey', 'POST /auth/two-step/setup'],
  'POST /auth/two-step/setup/confirm',
]

describe('an instance that requires two-step login', () => {
  const harness = openForTests(signInHarness)
  let admin: Member
  let headers: Headers
  let secret: string
  let instanceId: string
  const routes: { method: string; url: string }[] = []
  beforeAll(() => {
    harness.app.addHook('onRoute', ({ method, url, config }) => {
      for (const each of [method].flat())
        if (url.startsWith('/admin/api/v1/') && each !== 'HEAD' && config?.roles !== 'public') routes.push({ method: each, url })
    })
  })
  beforeEach(async () => {
    admin = await harness.addMember()
    ;({ instanceId, headers } = admin)
    ;({ secret } = await harness.setUpApp(headers))
  })
  const require = async (requiresTwoStep = true, with_ = headers) => await harness.ask('PUT', RULES, with_, { requiresTwoStep })

  it('is required by an admin who has it, and by no other', async () => {
    const { headers: other } = await harness.addMember({ instanceId })
    const refused = await require(true, other)
    const before = (await harness.ask('GET', RULES, headers)).body
    expect([refused.status, refused.body.detail, before]).toEqual([
      409,
      'Set up two-step login for yourself first.',
      { requiresTwoStep: false, membersWithoutTwoStep: 1 },
    ])
    expect((await require()).body).toEqual({ requiresTwoStep: true, membersWithoutTwoStep: 1 })
  })

  it('ends the sessions of members without it within a second, writes to them, and leaves the others alone', async () => {
    const member = await harness.addUser({ instanceId, role: 'viewer' })
    const outsider = await harness.addUser({ role: 'viewer' })
    const [theirs, elsewhere] = [await harness.logIn(member.email), await harness.logIn(outsider.email)]
    await require()
    harness.moveClock(1_000)
    const statuses = await Promise.all(
      [theirs, headers, elsewhere].map(async (each) => (await harness.ask('GET', '/auth/me', each)).status),
    )
    expect([statuses, (await harness.refresh(theirs.refreshToken)).status]).toEqual([[401, 200, 200], 401])
    expect([await harness.letters(member.email), (await harness.letters(admin.email)).includes('twoStepRequired')]).toEqual([
      ['twoStepRequired'],
      false,
    ])
    expect(await harness.letters(outsider.email)).toEqual([])
  })

  it('lets members without it sign in to set it up, and to nothing else, also after a refresh', async () => {
    await require()
    const { email } = await harness.addUser({ instanceId })
    const first = await harness.logIn(email)
    const limited = await harness.refresh(first.refreshToken)
    const open: string[] = []
    const answers = new Set<string>()
    for (const { method, url } of routes) {
      const path = url.replace('/admin/api/v1', '').replace(/:\w+/g, '6f6a2a0e-7d59-4c7e-9f5e-3a8f1f0f2b11')
      if (url.endsWith('/auth/logout')) open.push('POST /auth/logout')
      else {
        const { status, body } = await harness.ask(method as 'GET', path, limited)
        if (status === 403) answers.add(`${body.reason}: ${body.detail}`)
        else open.push(`${method} ${url.replace('/admin/api/v1', '')}`)
      }
    }
    expect([first.twoStepVerify, open.toSorted()]).toEqual([false, OPEN])
    expect([...answers]).toEqual(['two-step-required: This instance requires two-step login: set it up first.'])
  })

  it('opens everything with the next token, once it is set up', async () => {
    await require()
    const { email } = await harness.addUser({ instanceId })
    const session = await harness.logIn(email)
    const before = (await harness.ask('GET', '/auth/me', session)).body.mustSetUpTwoStep
    await harness.setUpApp(session)
    const renewed = await harness.refresh(session.refreshToken)
    const { status, body } = await harness.ask('GET', '/auth/me', renewed)
    expect([before, status, body.mustSetUpTwoStep, (await harness.ask('GET', '/users', renewed)).status]).toEqual([true, 200, false, 200])
  })

  it('keeps the last second step from being removed, until it is required no longer', async () => {
    await require()
    const disable = async () =>
      await harness.ask('POST', '/auth/two-step/disable', headers, { password: PASSWORD, code: harness.nextCode(secret) })
    const refused = await disable()
    await require(false)
    expect([refused.status, refused.body.detail, (await disable()).status]).toEqual([409, 'This instance requires two-step login.', 204])
  })

  it('is reset by an admin for whoever has lost it, who is told and sets up another', async () => {
    await require()
    const lost = await harness.addUser({ instanceId, role: 'developer' })
    const session = await harness.logIn(lost.email)
    await harness.setUpApp(session)
    const reset = async (id: string, with_ = headers) => (await harness.ask('DELETE', `/users/${id}/two-step`, with_)).status
    const statuses = [await reset(lost.id), await reset(lost.id), await reset(admin.userId), await reset((await harness.addUser()).id)]
    const again = await harness.logIn(lost.email)
    expect([statuses, again.twoStepVerify, (await harness.refresh(session.refreshToken)).status]).toEqual([
      [204, 409, 409, 404],
      false,
      401,
    ])
    expect((await harness.ask('GET', '/auth/me', again)).body.mustSetUpTwoStep).toBe(true)
    expect(await harness.letters(lost.email)).toEqual(['secondStepAdded', 'twoStepReset'])
  })

  it('leaves entries of both sides', async () => {
    await require()
    await require()
    await require(false)
    const entries = await listAudit(harness.deps.database, instanceId, 100)
    const changes = entries.filter(({ entry }) => entry.action === 'sign-in.rules-changed').map(({ entry }) => [entry.before, entry.after])
    expect(changes).toEqual([
      [{ requiresTwoStep: true }, { requiresTwoStep: false }],
      [{ requiresTwoStep: false }, { requiresTwoStep: true }],
    ])
  })

  it('changes with If-Match only as it was read', async () => {
    const etag = String((await harness.ask('GET', RULES, headers)).headers.etag)
    await harness.addUser({ instanceId })
    const put = async (ifMatch: string) =>
      (
        await harness.app.inject({
          method: 'PUT',
          url: `/admin/api/v1${RULES}`,
          headers: { ...headers, 'if-match': ifMatch },
          payload: { requiresTwoStep: true },
        })
      ).statusCode
    expect([await put('"other"'), await put(etag), await put(etag)]).toEqual([412, 200, 412])
  })
})

describe('the sessions of another user', () => {
  const harness = openForTests(signInHarness)

  it('are ended by an admin, all at once, and of no other instance', async () => {
    const admin = await harness.logIn((await harness.addUser()).email)
    const [user, stranger] = [await harness.addUser({ role: 'viewer' }), await harness.addUser({ instanceId: await harness.addInstance() })]
    const sessions = [await harness.logIn(user.email), await harness.logIn(user.email)]
    const end = async (id: string) => await harness.ask('DELETE', `/users/${id}/sessions`, admin)
    const answers = [await end(user.id), await end(user.id), await end(stranger.id)]
    harness.moveClock(1_000)
    const statuses = await Promise.all(sessions.map(async (each) => (await harness.ask('GET', '/auth/me', each)).status))
    expect([answers.map(({ status, body }) => [status, body.ended]), statuses]).toEqual([
      [
        [200, 2],
        [200, 0],
        [404, undefined],
      ],
      [401, 401],
    ])
  })
})
