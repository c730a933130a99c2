import { describe, expect, it } from 'vitest'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { logInAt, PASSWORD, testApi } from '../../../../test/harness/test-api.ts'
import { auditWriter } from '../../../audit/record.ts'
import { recordUnknownLogins } from '../../../audit/unknown-logins.ts'
import { listAudit } from '../../../store/access/audit.ts'
import { createUser } from '../account/user-accounts.ts'
import { PasswordHashing } from '../passwords/password-hashing.ts'
import { DEFAULT_HASH_COST } from './login-cost.ts'

const LENIENT = { perAccount: 100_000, perNetwork: 100_000, windowSeconds: 900, perMinute: 100_000, codeDriftSteps: 1 }

/** Response without the parts that differ between any two requests. */
function bytesOf(response: { statusCode: number; body: string; headers: Record<string, unknown> }): string {
  return `${response.statusCode} ${response.body.replace(/[0-9a-f-]{36}/g, '<id>')} ${response.headers['content-length']}`
}

describe('a login', () => {
  const api = openForTests(() => testApi({ login: LENIENT, requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } }))
  const user = openForTests(() => api.addUser())

  it('gives the tokens in the shape of the specification', async () => {
    const response = await logInAt(api.app, user.email)
    expect([response.statusCode, response.json()]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/),
        username: 'Avery Tremblay',
        redirect_url: '/portal/',
        refreshToken: expect.stringMatching(/^[\w-]{43}$/),
        twoStepVerify: false,
      },
    ])
  })

  it('takes the address in any letter case and with blanks around it', async () => {
    expect((await logInAt(api.app, `  ${user.email.toUpperCase()} `)).statusCode).toBe(200)
  })

  it('answers an unknown address, a wrong password and a disabled account with the same bytes', async () => {
    const disabled = await api.addUser()
    await api.deps.database.query('update users set disabled_at = now() where id = $1', [disabled.id])
    const answers = [
      await logInAt(api.app, 'nobody@example.com'),
      await logInAt(api.app, user.email, 'not the password'),
      await logInAt(api.app, disabled.email),
    ].map(bytesOf)
    expect(new Set(answers)).toEqual(new Set([expect.stringMatching(/^401 /)]))
    expect(new Set(answers).size).toBe(1)
  })

  it('that fails is written down, whether anybody has the address or not, and without the address', async () => {
    const listFailures = async () => {
      const { rows } = await api.deps.database.query<{ entry: string }>(
        `select entry from audit_entries where entry like '%login.failed%' order by at, position`,
      )
      return rows.map(({ entry }) => JSON.parse(entry))
    }
    const from = { v: 2, actor: 'visitor', network: '203.0.113.7', requestId: expect.any(String) }
    const before = (await listFailures()).length
    api.moveClock(1)
    await logInAt(api.app, user.email, 'not the password')
    await logInAt(api.app, 'nobody-at-all@example.com')
    await recordUnknownLogins(api.deps.database, auditWriter(api.deps))
    expect((await listFailures()).slice(before)).toEqual([
      { ...from, action: 'login.failed', userId: null, subject: `user/${user.id}`, details: { reason: 'password' } },
    ])
  })

  it('of an unknown address is counted by network and minute, and becomes one entry when the minute is over', async () => {
    const own = await testApi({ login: LENIENT })
    const guess = (address: string, network: number) => logInAt(own.app, address, PASSWORD, `198.51.100.${network}`)
    for (let at = 0; at < 30; at += 1) await guess(`nobody${at}@example.com`, at)
    for (let at = 0; at < 3; at += 1) await guess('nobody0@example.com', 0)
    await recordUnknownLogins(own.deps.database, auditWriter(own.deps))
    const early = await listAudit(own.deps.database, '00000000-0000-0000-0000-000000000000', 100)
    own.moveClock(60_000)
    await recordUnknownLogins(own.deps.database, auditWriter(own.deps))
    const entries = (await listAudit(own.deps.database, '00000000-0000-0000-0000-000000000000', 100)).map(({ entry }) => entry)
    await own.close()
    const attempts = entries.map(({ details }) => Number(details?.attempts))
    expect([early.length, entries.length, attempts.reduce((sum, count) => sum + count, 0)]).toEqual([0, 21, 33])
    expect(entries.filter(({ network }) => network === undefined).map(({ details }) => details?.attempts)).toEqual([10])
    expect(entries.find(({ network }) => network === '198.51.100.0')?.details).toEqual({
      ...{ reason: 'unknown', minute: '2026-11-20T12:00:00.000Z', attempts: 4, addresses: expect.stringMatching(/^[0-9a-f]{16}$/) },
    })
    expect(JSON.stringify(entries)).not.toContain('example.com')
  })

  it('that fails is in the audit of the instance of whoever was meant, and in no other', async () => {
    const { email, id } = await api.addUser()
    const disabled = await api.addUser()
    await api.deps.database.query('update users set disabled_at = now() where id = $1', [disabled.id])
    await logInAt(api.app, email, 'not the password')
    await logInAt(api.app, disabled.email)
    await logInAt(api.app, 'nobody-at-all@example.com')
    const failures = async (instanceId: string) =>
      (await listAudit(api.deps.database, instanceId, 500)).map(({ entry }) => entry).filter(({ action }) => action === 'login.failed')
    const told = (await failures(api.instanceId)).filter(({ subject }) => subject === `user/${id}` || subject === `user/${disabled.id}`)
    expect(told.map(({ subject, userId, details }) => [subject, userId, details])).toEqual([
      [`user/${disabled.id}`, null, { reason: 'disabled' }],
      [`user/${id}`, null, { reason: 'password' }],
    ])
    expect(await failures(await api.addInstance())).toEqual([])
  })

  it('hashes for an unknown address as for a wrong password, so that neither is quicker', async () => {
    const costly = await testApi({ login: LENIENT, hashCost: DEFAULT_HASH_COST })
    const { email } = await costly.addUser()
    await logInAt(costly.app, email)
    const timed = async (address: string) => {
      const started = performance.now()
      await logInAt(costly.app, address, 'not the password')
      return performance.now() - started
    }
    const ratios: number[] = []
    // Interleaved, so that a busy machine slows both; without a hash the ratio would be near a tenth.
    for (let round = 0; round < 15; round += 1) ratios.push((await timed(`nobody${round}@example.com`)) / (await timed(email)))
    await costly.close()
    expect(median(ratios)).toBeGreaterThan(0.5)
    expect(median(ratios)).toBeLessThan(2)
  })

  it.each([
    [
      '1,024 characters',
      Array.from({ length: 1024 }, (_value, index) => String.fromCharCode(33 + ((index * index * 7 + index * 13) % 90))).join(''),
    ],
    ['emoji', '🧾📚🏦🧮🖋️🗃️💼📎'],
    ['blanks at its ends', '  seven harbours at dawn  '],
  ])('takes a password of %s as it is', async (_what, password) => {
    const email = `${password.length}-${Math.random()}@example.com`
    const { database, now } = api.deps
    await createUser({ database, hashing: new PasswordHashing(), now }, api.instanceId, { email, name: 'A', role: 'viewer', password })
    const answers = [await logInAt(api.app, email, password), await logInAt(api.app, email, password.slice(0, -1))]
    expect(answers.map((answer) => answer.statusCode)).toEqual([200, 401])
  })

  it('sees the difference of two passwords after their first 72 bytes', async () => {
    const start = 'correct harbour '.repeat(5)
    const { database, now } = api.deps
    const account = { email: 'long@example.com', name: 'A', role: 'viewer', password: `${start}a` } as const
    await createUser({ database, hashing: new PasswordHashing(), now }, api.instanceId, account)
    expect((await logInAt(api.app, 'long@example.com', `${start}b`)).statusCode).toBe(401)
  })

  it('takes a password that is three years old: none ends by age', async () => {
    const { email } = await api.addUser()
    api.moveClock(3 * 366 * 86_400)
    expect((await logInAt(api.app, email)).statusCode).toBe(200)
    api.moveClock(-3 * 366 * 86_400)
  })

  it("renews a hash of yesterday's cost", async () => {
    const old = await api.addUser()
    await api.deps.database.query('update users set password_hash = $2 where id = $1', [old.id, await new PasswordHashing().hash(PASSWORD)])
    await logInAt(api.app, old.email)
    const { rows } = await api.deps.database.query<{ hash: string }>('select password_hash as hash from users where id = $1', [old.id])
    expect([rows[0]?.hash.slice(0, 30), (await logInAt(api.app, old.email)).statusCode]).toEqual(['$argon2id$v=19$m=19456,t=2,p=1', 200])
  })
})

describe('rate limits of logins', () => {
  const api = openForTests(() => testApi({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } }))
  const statuses = (answers: { statusCode: number }[]) => answers.map((answer) => answer.statusCode)

  it('hold after five wrong passwords, counted over three processes', async () => {
    const { email } = await api.addUser()
    const apps = [api.app, api.another(), api.another()]
    const tries = Array.from({ length: 10 }, (_value, index) => logInAt(apps[index % 3] ?? api.app, email, 'wrong', `198.51.100.${index}`))
    const answers = statuses(await Promise.all(tries))
    expect([answers.filter((status) => status === 401).length, answers.filter((status) => status === 429).length]).toEqual([5, 5])
  })

  it('hold for an address that nobody has, too', async () => {
    const tries = Array.from({ length: 6 }, () => logInAt(api.app, 'ghost@example.com', 'wrong', '198.51.100.50'))
    expect(statuses(await Promise.all(tries)).sort()).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('say when to come again, and let go then', async () => {
    const { email } = await api.addUser()
    for (let index = 0; index < 5; index += 1) await logInAt(api.app, email, 'wrong', '198.51.100.60')
    const refused = await logInAt(api.app, email, PASSWORD, '198.51.100.60')
    api.moveClock(900_000)
    const taken = await logInAt(api.app, email, PASSWORD, '198.51.100.60')
    expect([refused.statusCode, refused.headers['retry-after'], taken.statusCode]).toEqual([429, '900', 200])
  })

  it('leave an owner alone who comes from a network that the account knows, while others attack', async () => {
    const { email } = await api.addUser()
    await logInAt(api.app, email, PASSWORD, '203.0.113.20')
    for (let index = 0; index < 8; index += 1) await logInAt(api.app, email, 'wrong', `198.51.100.${100 + index}`)
    const stranger = await logInAt(api.app, email, PASSWORD, '198.51.100.120')
    const owner = await logInAt(api.app, email, PASSWORD, '203.0.113.20')
    expect(statuses([stranger, owner])).toEqual([429, 200])
  })

  it('hold on a known network as well', async () => {
    const { email } = await api.addUser()
    await logInAt(api.app, email, PASSWORD, '203.0.113.30')
    const answers: number[] = []
    for (let index = 0; index < 6; index += 1) answers.push((await logInAt(api.app, email, 'wrong', '203.0.113.30')).statusCode)
    expect(answers).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('hold for a network that tries many accounts, the whole /64 of IPv6 being one', async () => {
    const answers: number[] = []
    for (let index = 0; index < 31; index += 1) {
      answers.push((await logInAt(api.app, `victim${index}@example.com`, 'wrong', `2001:db8:7:8::${index + 1}`)).statusCode)
    }
    expect([answers.slice(0, 30).every((status) => status === 401), answers[30]]).toEqual([true, 429])
  })

  it('hold for one network alone, however much it tries: what is refused there uses up nothing that others share', async () => {
    const [attacked, other] = [await api.addUser(), await api.addUser()]
    for (let index = 0; index < 30; index += 1) await logInAt(api.app, `first${index}@example.com`, 'wrong', '198.51.100.70')
    const refused = await Promise.all(
      Array.from({ length: 1_000 }, (_one, index) =>
        logInAt(api.app, index % 2 === 0 ? attacked.email : `next${index}@example.com`, 'wrong', '198.51.100.70'),
      ),
    )
    const others = [
      await logInAt(api.app, attacked.email, PASSWORD, '203.0.113.50'),
      await logInAt(api.app, other.email, PASSWORD, '203.0.113.51'),
    ]
    expect([new Set(statuses(refused)), statuses(others)]).toEqual([new Set([429]), [200, 200]])
  })

  it('are not let go by logins to an own account from a network that knows it', async () => {
    const { email } = await api.addUser()
    const network = '203.0.113.40'
    await logInAt(api.app, email, PASSWORD, network)
    const answers: number[] = []
    for (let index = 0; index < 31; index += 1) {
      answers.push((await logInAt(api.app, `prey${index}@example.com`, 'wrong', network)).statusCode)
      await logInAt(api.app, email, PASSWORD, network)
    }
    expect(answers[30]).toBe(429)
  })

  it('forget the failures before a success', async () => {
    const { email } = await api.addUser()
    const answers: number[] = []
    for (const password of ['wrong', 'wrong', 'wrong', 'wrong', PASSWORD, 'wrong', 'wrong']) {
      answers.push((await logInAt(api.app, email, password, '203.0.113.77')).statusCode)
    }
    expect(answers).toEqual([401, 401, 401, 401, 200, 401, 401])
  })

  it('cannot be passed by a forwarded address that nobody vouches for', async () => {
    const { email } = await api.addUser()
    const answers: number[] = []
    for (let index = 0; index < 31; index += 1) {
      const response = await api.app.inject({
        method: 'POST',
        url: '/admin/api/v1/auth/login',
        payload: { email: `${index}${email}`, password: 'wrong' },
        remoteAddress: '198.51.100.200',
        headers: { 'x-forwarded-for': `192.0.2.${index}` },
      })
      answers.push(response.statusCode)
    }
    expect(answers[30]).toBe(429)
  })
})

describe('password hashing', () => {
  it('refuses a cost below the floor', () => {
    expect(() => new PasswordHashing({ memoryKiB: 12 * 1024, passes: 3, lanes: 1 })).toThrow(RangeError)
  })

  it('lets a few hash at once and 64 wait; the rest gets a 429', async () => {
    const hashing = new PasswordHashing({ memoryKiB: 19 * 1024, passes: 2, lanes: 1 })
    const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => hashing.hash('x')))
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused.length).toBeGreaterThanOrEqual(200 - 68)
    expect(refused.length).toBeLessThan(200 - 64)
    expect(refused.every((outcome) => outcome.status === 'rejected' && outcome.reason.status === 429)).toBe(true)
  })
})

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
