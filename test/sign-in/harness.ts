import type { FastifyInstance } from 'fastify'
import { Secret, TOTP } from 'otpauth'
import { Registry } from 'prom-client'
import { createApi } from '../../src/api/server.ts'
import type { Role } from '../../src/store/access/users.ts'
import { PASSWORD, type TestApi, testApi } from '../harness/test-api.ts'
import { type Authenticator, newAuthenticator } from './authenticator.ts'

const API = '/admin/api/v1'
/** A host name: passkeys are bound to one. */
export const ORIGIN = 'http://localhost:8080'

export interface Headers {
  authorization: string
}

interface Answer<T> {
  status: number
  body: T
  headers: Record<string, unknown>
}

type Json = Record<string, unknown>

/** A user with a session. */
export interface Member {
  instanceId: string
  userId: string
  email: string
  headers: Awaited<ReturnType<SignInHarness['logIn']>>
}

export interface AddedPasskey {
  passkey: { id: string; name: string }
  recoveryCodes: string[]
}

/** The API with a mail server, whose letters wait in the queue, and users with second steps. */
export interface SignInHarness extends TestApi {
  app: FastifyInstance
  ask<T = Json>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, headers: Headers, body?: object): Promise<Answer<T>>
  logIn(email: string): Promise<Headers & { refreshToken: string; twoStepVerify: boolean }>
  refresh(refreshToken: string): Promise<Headers & { status: number }>
  /** Adds a user and logs in; default: an admin of a new instance. */
  addMember(options?: { role?: Role; instanceId?: string }): Promise<Member>
  addPasskey(headers: Headers, device?: Authenticator): Promise<AddedPasskey>
  /** Sets up an authenticator app; returns its secret. */
  setUpApp(headers: Headers): Promise<{ secret: string; recoveryCodes: string[] }>
  /** A code that was not used yet: moves the clock. */
  nextCode(secret: string): string
  /** Kinds of letters to an address since the start, oldest first. */
  letters(email: string): Promise<string[]>
}

export async function signInHarness(origin = ORIGIN): Promise<SignInHarness> {
  const api = await testApi({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 }, issuer: origin, publicUrl: origin })
  const { sealer, database } = api.deps
  const mail = { sealer, hashToken: (token: string) => Buffer.from(token) }
  const app = createApi({ ...api.deps, metrics: new Registry(), sync: { ...api.deps.sync, mail } })

  const ask: SignInHarness['ask'] = async (method, path, { authorization }, body) => {
    const payload = body === undefined ? {} : { payload: body }
    const answer = await app.inject({ method, url: API + path, headers: { authorization }, ...payload })
    return { status: answer.statusCode, body: answer.payload === '' ? JSON.parse('null') : answer.json(), headers: answer.headers }
  }
  const logIn: SignInHarness['logIn'] = async (email) => {
    const answer = await app.inject({ method: 'POST', url: `${API}/auth/login`, payload: { email, password: PASSWORD } })
    const { access_token: token, refreshToken, twoStepVerify } = answer.json()
    return { authorization: `Bearer ${token}`, refreshToken, twoStepVerify }
  }
  const refresh: SignInHarness['refresh'] = async (refreshToken) => {
    const answer = await app.inject({ method: 'POST', url: `${API}/auth/refresh`, payload: { refreshToken } })
    return { authorization: `Bearer ${answer.json().access_token}`, status: answer.statusCode }
  }
  const nextCode = (secret: string) => {
    api.moveClock(60_000)
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: api.deps.now().getTime() })
  }
  return {
    ...api,
    app,
    ask,
    logIn,
    refresh,
    nextCode,
    addMember: async ({ role = 'admin', instanceId: given } = {}) => {
      const instanceId = given ?? (await api.addInstance())
      const { id: userId, email } = await api.addUser({ role, instanceId })
      return { instanceId, userId, email, headers: await logIn(email) }
    },
    addPasskey: async (headers, device = newAuthenticator()) => {
      const options = await ask<{ challenge: string }>('POST', '/auth/passkeys/options', headers)
      const body = { name: 'Laptop', passkey: device.register(options.body) }
      return (await ask<AddedPasskey>('POST', '/auth/passkeys', headers, body)).body
    },
    setUpApp: async (headers) => {
      const { secret } = (await ask<{ secret: string }>('POST', '/auth/two-step/setup', headers, { password: PASSWORD })).body
      const confirmed = await ask<{ recoveryCodes: string[] }>('POST', '/auth/two-step/setup/confirm', headers, { code: nextCode(secret) })
      return { secret, recoveryCodes: confirmed.body.recoveryCodes }
    },
    letters: async (email) => {
      const { rows } = await database.query<{ id: string; instanceId: string; kind: string; sealed: Buffer }>(
        'select id, instance_id as "instanceId", kind, sealed from mails where sealed is not null order by created_at, id',
      )
      return rows.flatMap(({ id, instanceId, kind, sealed }) => {
        const opened = sealer.open({ instanceId, table: 'mails', rowId: id, column: 'sealed' }, sealed)
        const { to }: { to: { address: string } } = JSON.parse(Buffer.from(opened).toString())
        return to.address === email ? [kind] : []
      })
    },
    close: async () => {
      await app.close()
      await api.close()
    },
  }
}
