import type { RouteOptions } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAccess } from '../../src/api/access/access.ts'
import { requireProofRule } from '../../src/api/operator/proof-rule.ts'
import { proveOperator } from '../../src/api/operator/prove.ts'
import { findCaller } from '../../src/api/operator/sign-in.ts'
import { listAudit } from '../../src/store/access/audit.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { endOperatorSession } from '../../src/store/operators/operator-sessions.ts'
import { SYSTEM_INSTANCE_ID } from '../../src/sync/context/system-instance.ts'
import { until } from '../process/deadline.ts'
import { newAuthenticator } from '../sign-in/authenticator.ts'
import { ORIGIN } from '../sign-in/harness.ts'
import { OPERATOR_PASSWORD, type OperatorHarness, operatorHarness } from './harness.ts'

const MINUTE = 60_000
const EMAIL = 'ops@example.com'
const password = OPERATOR_PASSWORD
/** Backends of this database that wait for a lock. */
const WAITING = `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
/** Review this list whenever a line changes: what operators have to prove themselves for, and by what. */
const TABLE = `
DELETE /operators/:operatorId fresh
DELETE /sign-in/passkeys/:passkeyId fresh
GET /instances/:instanceId/export fresh
GET /session/proof fresh
POST /instances/:instanceId/allow-passwords fresh
POST /instances/:instanceId/erase fresh
POST /instances/:instanceId/suspend fresh
POST /instances/:instanceId/two-step-resets fresh
POST /operators fresh
POST /operators/:operatorId/link fresh
POST /session/proof body
POST /sign-in/passkeys fresh
POST /sign-in/passkeys/options fresh
POST /sign-in/recovery-codes body
PUT /sign-in/passkeys/:passkeyId fresh
`

let api: OperatorHarness
let routes: Pick<RouteOptions, 'method' | 'url' | 'config'>[]
beforeEach(async () => {
  routes = []
  api = await operatorHarness({ issuer: ORIGIN, publicUrl: ORIGIN })
  api.app.addHook('onRoute', ({ method, url, config }) => {
    for (const each of [method].flat())
      if (url.startsWith('/operator/api/v1/') && each !== 'HEAD')
        routes.push({ method: each, url: url.slice(16), ...(config ? { config } : {}) })
  })
  await api.app.ready()
})
afterEach(() => api.close())

type Options = { challenge: string }
interface Refused {
  reason?: string
  errors?: { field: string; message: string }[]
}

const prove = async (token: string, body: object) => await api.ask<Refused>('POST', '/session/proof', token, body)
const addOperator = async (token: string) => (await api.ask('POST', '/operators', token, { email: 'two@example.com', name: 'Two' })).status
const wrongPasskey = () => newAuthenticator().assert({ challenge: 'AAAA' })

/** Reasons of refusals, oldest first. */
async function refusals(): Promise<unknown[]> {
  const entries = await listAudit(api.deps.database, SYSTEM_INSTANCE_ID, 50)
  return entries.flatMap(({ entry: { action, details } }) => (action === 'operator.refused' ? [details?.reason] : [])).toReversed()
}

describe('a fresh proof of who the operator is', () => {
  it('is asked for by the operations of the list and no others', () => {
    const declared = routes.flatMap(({ method, url, config }) => (config?.proof ? [`${method} ${url} ${config.proof}`] : []))
    expect(declared.toSorted()).toEqual(TABLE.trim().split('\n'))
  })

  it('is demanded of such an operation before the service starts', () => {
    const config = { audit: 'operator.deleted', operator: 'open' } as const
    expect(() => requireProofRule({ method: 'DELETE', url: '/operators/:operatorId', config })).toThrow('operator.deleted')
    expect(() => requireProofRule({ method: 'DELETE', url: '/operators/:operatorId', config: { ...config, proof: 'fresh' } })).not.toThrow()
    for (const audit of ['instance.suspended', 'instance.exported', 'instance.erasure-requested'] as const)
      expect(() => requireProofRule({ method: 'POST', url: '/x', config: { audit, operator: 'open' } })).toThrow(audit)
  })

  it('is answered with a 403 by each of them, 15 minutes after the sign-in, and by none before', async () => {
    const { token } = await api.signIn()
    const fresh = routes.filter(({ config }) => config?.proof === 'fresh')
    const call = async ({ method, url }: (typeof fresh)[number]) => {
      const path = url.replace(/:\w+/g, '6f6a2a0e-7d59-4c7e-9f5e-3a8f1f0f2b11')
      const { status, body } = await api.ask<Refused | null>([method].flat()[0] as 'POST', path, token)
      return status === 403 && body?.reason === 'proof-required'
    }
    api.moveClock(15 * MINUTE)
    const before = await Promise.all(fresh.map(call))
    api.moveClock(1)
    const after = await Promise.all(fresh.map(call))
    expect([before.includes(true), after.includes(false), fresh.length]).toEqual([false, false, 13])
  })

  it('is given by password and second step, and counts from then on', async () => {
    const { token, secret } = await api.signIn()
    api.moveClock(20 * MINUTE)
    const refused = await addOperator(token)
    const proven = await prove(token, { password, code: api.nextCode(secret) })
    expect([refused, proven.status, await addOperator(token)]).toEqual([403, 204, 201])
  })

  it('that is wrong gets a 400 and leaves an entry; after five, the right one gets a 429', async () => {
    const { token, secret, recoveryCodes } = await api.signIn()
    const right = { password, code: api.nextCode(secret) }
    const wrong = [
      { ...right, password: 'wrong' },
      { password, code: '000000' },
      { password, recoveryCode: 'A'.repeat(31) },
      { passkey: wrongPasskey() },
      { password, code: '000000' },
    ]
    const answers: unknown[] = []
    for (const body of wrong) {
      const { status, body: refused } = await prove(token, body)
      answers.push([status, refused.errors?.[0]])
    }
    const code = { field: 'code', message: 'is wrong' }
    expect(answers).toEqual([
      [400, { field: 'password', message: 'is wrong' }],
      [400, code],
      [400, code],
      [400, { field: 'passkey', message: 'is not accepted' }],
      [400, code],
    ])
    expect([(await prove(token, right)).status, await refusals()]).toEqual([429, ['password', 'code', 'code', 'passkey', 'code']])
    api.moveClock(15 * MINUTE)
    expect((await prove(token, { password, recoveryCode: recoveryCodes[0] })).status).toBe(204)
  })

  it('is needed for new recovery codes, with the same limit and the same entries', async () => {
    const { token, secret } = await api.signIn()
    const renew = async (body: object) => await api.ask<Refused>('POST', '/sign-in/recovery-codes', token, body)
    const right = { code: api.nextCode(secret) }
    const fields: unknown[] = []
    for (const body of [{ code: '000000' }, { passkey: wrongPasskey() }, ...Array.from({ length: 3 }, () => ({ code: '000000' }))])
      fields.push((await renew(body)).body.errors?.[0]?.field)
    expect([fields, (await renew(right)).status, await refusals()]).toEqual([
      ['code', 'passkey', 'code', 'code', 'code'],
      429,
      ['code', 'passkey', 'code', 'code', 'code'],
    ])
  })

  it('is refused with a 401 for a session that has ended in the meantime', async () => {
    const { token, secret } = await api.signIn()
    const { database, keys, log, settings, now, sealer, providers } = api.deps
    const access = createAccess({ database, keys, sealer, log, settings, now, providers })
    const caller = await findCaller(access, token)
    if (!caller) throw new Error('the session is gone')
    await endOperatorSession(database, caller.id)
    const given = { password, proof: { code: api.nextCode(secret) } }
    await expect(proveOperator(access, caller, given)).rejects.toMatchObject({ status: 401 })
  })
})

describe('of two sign-ins that set the first second factor up at once', () => {
  const begin = async () => (await api.ask<{ token: string }>('POST', '/sign-in', null, { email: EMAIL, password })).body.token
  /** Begins, and returns what finishes it. */
  const FACTORS = {
    passkey: async (token: string) => {
      const { body } = await api.ask<Options>('POST', '/sign-in/passkeys/options', token)
      const passkey = newAuthenticator().register(body)
      return () => api.ask('POST', '/sign-in/passkeys', token, { name: 'Key', passkey })
    },
    app: async (token: string) => {
      const { secret } = (await api.ask<{ secret: string }>('POST', '/sign-in/two-step', token)).body
      const code = api.nextCode(secret)
      return () => api.ask('POST', '/sign-in/two-step/confirm', token, { code })
    },
  }

  it.each([
    ['passkey', 'passkey'],
    ['app', 'passkey'],
  ] as const)('one succeeds: %s and %s', async (one, other) => {
    await api.ask('POST', '/one-time-link', null, { token: await api.link(EMAIL), password })
    const finish = [await FACTORS[one](await begin()), await FACTORS[other](await begin())]
    const { database } = api.deps
    const { sent } = await inTransaction(database, async (db) => {
      await db.query('select from operators for update')
      const answers = Promise.all(finish.map((each) => each()))
      await until('both wait for the operator', async () => {
        const { rows } = await database.query<{ count: number }>(WAITING)
        return rows[0]?.count === 2 ? true : null
      })
      return { sent: answers }
    })
    const statuses = (await sent).map(({ status }) => status)
    expect(statuses.filter((status) => status >= 400)).toEqual([409])
  })
})
