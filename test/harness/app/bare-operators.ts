import { randomUUID } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { expect } from 'vitest'
import type { OperatorCaller } from '../../../src/api/operator/operator-caller.ts'
import { findCaller, signIn } from '../../../src/api/operator/sign-in.ts'
import { beginSetup, confirmSetup } from '../../../src/api/operator/two-step.ts'
import { listAudit } from '../../../src/store/access/audit.ts'
import { insertOperator, setOperatorPassword } from '../../../src/store/operators/operators.ts'
import { SYSTEM_INSTANCE_ID } from '../../../src/sync/context/system-instance.ts'
import type { BareAccess } from './bare-access.ts'

export const PASSWORD = 'crimson-orchard-lantern-47'
export const NETWORK = '203.0.113.9'
export const MINUTE = 60_000
/** Limits of logins that no test reaches. */
export const MANY = { perAccount: 1_000, perNetwork: 1_000, windowSeconds: 900, perMinute: 1_000, codeDriftSteps: 1 }

export interface Made {
  id: string
  email: string
}

/** Operators of a deployment without its routes. */
export function bareOperators(bare: Pick<BareAccess, 'access' | 'database' | 'moveClock'>) {
  /** An operator with a password, and nothing else. */
  async function make(): Promise<Made> {
    const { access, database } = bare
    const id = randomUUID()
    const email = `${id}@example.com`
    await insertOperator(database, { id, email, name: 'Sam Roy' }, access.now())
    await setOperatorPassword(database, id, await access.hashing.hash(PASSWORD))
    return { id, email }
  }

  const begin = async ({ email }: Made): Promise<OperatorCaller> =>
    await callerOf((await signIn(bare.access, email, PASSWORD, NETWORK)).token)

  async function callerOf(token: string): Promise<OperatorCaller> {
    const caller = await findCaller(bare.access, token)
    if (!caller) throw new Error('there is no session')
    return caller
  }

  const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: bare.access.now().getTime() })
  /** A code of a step that was not used. */
  const nextCode = (secret: string) => {
    bare.moveClock(MINUTE)
    return codeOf(secret)
  }

  /** An operator with an authenticator app, and the open session of setting it up. */
  async function withApp() {
    const made = await make()
    const caller = await begin(made)
    const { secret } = await beginSetup(bare.access, caller)
    const { token, recoveryCodes } = await confirmSetup(bare.access, caller, nextCode(secret), NETWORK)
    return { ...made, secret, recoveryCodes, open: await callerOf(token) }
  }

  /** What the refusals about an operator say, oldest first. */
  async function refusals({ id }: Made): Promise<unknown[]> {
    const entries = await listAudit(bare.database, SYSTEM_INSTANCE_ID, 200)
    return entries
      .flatMap(({ entry: { action, subject, details } }) =>
        action === 'operator.refused' && subject === `operator/${id}` ? [details] : [],
      )
      .toReversed()
  }

  return { make, begin, callerOf, codeOf, nextCode, withApp, refusals }
}

export const failsWith = (status: number, detail?: string) =>
  expect.objectContaining({ status, ...(detail === undefined ? {} : { message: detail }) })
