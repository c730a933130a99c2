import { TOTP } from 'otpauth'
import { issueOperatorLink } from '../../src/api/operator/links.ts'
import { tokenHasher } from '../../src/store/keys/token-hash.ts'
import { type TestApi, testApi } from '../harness/test-api.ts'

export const OPERATOR_PASSWORD = 'crimson-orchard-lantern-47'
const STEP_MS = 30_000

interface Answer<T> {
  status: number
  body: T
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A deployment with real operator sign-ins. */
export interface OperatorHarness extends TestApi {
  /** Token of a one-time link created by the command. */
  link(email: string, options?: { resetsTwoStep?: boolean }): Promise<string>
  ask<T = Record<string, unknown>>(method: Method, path: string, token: string | null, body?: object): Promise<Answer<T>>
  /** Creates an operator and completes the sign-in. */
  signIn(email?: string): Promise<SignedInOperator>
  /** Code of an authenticator app, for a time step that no sign-in has used. */
  nextCode(secret: string): string
}

export interface SignedInOperator {
  token: string
  secret: string
  recoveryCodes: string[]
}

export async function operatorHarness(
  settings: Parameters<typeof testApi>[0] = {},
  descriptions: Parameters<typeof testApi>[3] = [],
): Promise<OperatorHarness> {
  const api = await testApi(settings, undefined, undefined, descriptions)
  const { keys, database, now } = api.deps
  const access = { database, keys, now, hashes: tokenHasher(keys, '') }

  const link: OperatorHarness['link'] = async (email, { resetsTwoStep = false } = {}) => {
    const { address } = await issueOperatorLink(access, { email, name: null, resetsTwoStep }, 'http://127.0.0.1:8080')
    return new URL(address).hash.slice(1)
  }
  async function ask<T>(method: Method, path: string, token: string | null, body?: object): Promise<Answer<T>> {
    const answer = await api.app.inject({
      method,
      url: `/operator/api/v1${path}`,
      remoteAddress: '203.0.113.9',
      ...(token === null ? {} : { headers: { authorization: `Bearer ${token}` } }),
      ...(body === undefined ? {} : { payload: body }),
    })
    return { status: answer.statusCode, body: answer.payload === '' ? JSON.parse('null') : answer.json<T>() }
  }
  const nextCode = (secret: string) => {
    api.moveClock(2 * STEP_MS)
    return new TOTP({ secret }).generate({ timestamp: now().getTime() })
  }
  const signIn: OperatorHarness['signIn'] = async (email = 'ops@example.com') => {
    const password = OPERATOR_PASSWORD
    await ask('POST', '/one-time-link', null, { token: await link(email), password })
    const begun = await ask<{ token: string }>('POST', '/sign-in', null, { email, password })
    const { secret } = (await ask<{ secret: string }>('POST', '/sign-in/two-step', begun.body.token)).body
    const confirmed = await ask<{ token: string; recoveryCodes: string[] }>('POST', '/sign-in/two-step/confirm', begun.body.token, {
      code: nextCode(secret),
    })
    return { ...confirmed.body, secret }
  }
  return { ...api, link, ask, signIn, nextCode }
}
