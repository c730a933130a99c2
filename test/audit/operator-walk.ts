import type { FastifyInstance } from 'fastify'
import type { Database } from '../../src/store/db/database.ts'
import { OPERATOR_PASSWORD, operatorHarness } from '../operator/harness.ts'
import type { Caller } from './api-walk.ts'

/** Makes the caller of a walk, before the server is ready. */
export type OpenCaller<Made extends Caller> = (app: FastifyInstance, database: Database) => Made
/** Called after the walk, before its database is removed. */
export type AtEnd = (database: Database) => Promise<void>

/** Calls every operation of operators that changes something; those about passkeys are in `sign-in-walk.ts`. */
export async function walkOperators<Made extends Caller>(open: OpenCaller<Made>, atEnd: AtEnd = async () => undefined): Promise<Made> {
  const api = await operatorHarness()
  const walk = open(api.another(), api.deps.database)
  const email = 'walk@example.com'
  const step = (operationId: string, token: string | null, body?: object, ids: Record<string, string | undefined> = {}) =>
    walk.step(operationId, { ids, headers: token === null ? {} : { authorization: `Bearer ${token}` }, ...(body ? { body } : {}) })
  const password = OPERATOR_PASSWORD
  await step('redeemOperatorLink', null, { token: await api.link(email), password })
  const begun = await step('signInOperator', null, { email, password })
  const { secret = '' } = await step('beginOperatorTwoStep', begun.token ?? '')
  const { token = '' } = await step('confirmOperatorTwoStep', begun.token ?? '', { code: api.nextCode(secret) })
  const again = await step('signInOperator', null, { email, password })
  await step('completeOperatorSignIn', again.token ?? '', { code: api.nextCode(secret) })
  await step('renewOperatorCodes', token, { code: api.nextCode(secret) })
  const added = await step('addOperator', token, { email: 'second@example.com', name: 'Second' })
  const { operator } = added as unknown as { operator: { id: string } }
  await step('renewOperatorLink', token, {}, { operatorId: operator.id })
  await step('removeOperator', token, undefined, { operatorId: operator.id })
  const admin = { email: 'first@maple.example', name: 'Avery Tremblay' }
  const made = (await step('addInstance', token, { name: 'Maple', kind: 'live', admin })) as unknown as { instance: { id: string } }
  const ids = { instanceId: made.instance.id }
  await step('renameInstance', token, { name: 'Maple Lending' }, ids)
  await step('setInstanceQuotas', token, { companies: 5 }, ids)
  await api.deps.database.query(
    `insert into identity_providers values ($1, gen_random_uuid(), 'https://login.example.com', 'app', '', '{openid}', '{}', null, '{}', false, false, null, '{}', '{}', true, null, gen_random_uuid(), now())`,
    [ids.instanceId],
  )
  await step('allowPasswords', token, undefined, ids)
  await step('suspendInstance', token, { reason: 'unpaid' }, ids)
  await step('resumeInstance', token, undefined, ids)
  await step('exportInstance', token, undefined, ids)
  await step('eraseInstance', token, { name: 'Maple Lending' }, ids)
  await step('signOutOperator', token)
  await atEnd(api.deps.database)
  await api.close()
  return walk
}
