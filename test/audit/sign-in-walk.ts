import { OPERATOR_PASSWORD, operatorHarness } from '../operator/harness.ts'
import { newAuthenticator } from '../sign-in/authenticator.ts'
import { ORIGIN, signInHarness } from '../sign-in/harness.ts'
import type { Caller } from './api-walk.ts'
import type { AtEnd, OpenCaller } from './operator-walk.ts'

type Options = { challenge: string }

/** Calls every operation about second steps, proofs and sign-in rules that changes something. */
export async function walkSignIn<Made extends Caller>(open: OpenCaller<Made>, atEnd: AtEnd = async () => undefined): Promise<Made> {
  const harness = await signInHarness()
  const walk = open(harness.app, harness.deps.database)
  const { email } = await harness.addUser()
  const member = await harness.addUser({ role: 'viewer' })
  let bearer = (await harness.logIn(email)).authorization
  const step = (operationId: string, body: object = {}, ids: Record<string, string> = {}) =>
    walk.step(operationId, { ids, headers: { authorization: bearer }, body })
  const device = newAuthenticator()
  const options = async (operationId: string) => (await step(operationId)) as unknown as Options
  const added = await step('createPasskey', { name: 'Laptop', passkey: device.register(await options('beginPasskeyRegistration')) })
  const passkey = device.assert(await options('beginPasskeyProof'))
  await step('proveIdentity', { passkey })
  await step('updateSignInRules', { requiresTwoStep: true })
  await step('updateSignInRules', { requiresTwoStep: false })
  await harness.setUpApp(await harness.logIn(member.email))
  await step('endUserSessions', {}, { userId: member.id })
  await step('resetUserTwoStep', {}, { userId: member.id })
  const admin = bearer
  bearer = (await harness.logIn(email)).authorization
  const begun = (await step('beginPasskeyLogin')) as unknown as { options: Options }
  await step('completeLogin', { passkey: device.assert(begun.options) })
  bearer = admin
  const { passkey: shown } = added as unknown as { passkey: { id: string } }
  await step('renamePasskey', { name: 'Old laptop' }, { passkeyId: shown.id })
  await step('deletePasskey', {}, { passkeyId: shown.id })
  await atEnd(harness.deps.database)
  await harness.close()
  return walk
}

/** The same for operators. */
export async function walkOperatorSignIn<Made extends Caller>(open: OpenCaller<Made>, atEnd: AtEnd = async () => undefined): Promise<Made> {
  const api = await operatorHarness({ issuer: ORIGIN, publicUrl: ORIGIN })
  const walk = open(api.another(), api.deps.database)
  const email = 'walk@example.com'
  const password = OPERATOR_PASSWORD
  const step = (operationId: string, token: string, body: object = {}, ids: Record<string, string> = {}) =>
    walk.step(operationId, { ids, headers: { authorization: `Bearer ${token}` }, body })
  const first = newAuthenticator()
  await api.ask('POST', '/one-time-link', null, { token: await api.link(email), password })
  const signIn = async () => (await api.ask<{ token: string }>('POST', '/sign-in', null, { email, password })).body.token
  const options = async (operationId: string, token: string) => (await step(operationId, token)) as unknown as Options
  const begun = await signIn()
  const added = await step('addOperatorPasskey', begun, {
    name: 'Blue key',
    passkey: first.register(await options('beginOperatorPasskey', begun)),
  })
  const { session } = added as unknown as { session: { token: string } }
  const again = await signIn()
  await step('completeOperatorSignIn', again, {
    passkey: first.assert(((await step('beginOperatorPasskeySignIn', again)) as unknown as { options: Options }).options),
  })
  await step('proveOperator', session.token, { passkey: first.assert(await options('beginOperatorPasskeyProof', session.token)) })
  const other = { name: 'Red key', passkey: newAuthenticator().register(await options('beginOperatorPasskey', session.token)) }
  const { passkey } = (await step('addOperatorPasskey', session.token, other)) as unknown as { passkey: { id: string } }
  await step('renameOperatorPasskey', session.token, { name: 'Spare key' }, { passkeyId: passkey.id })
  await step('removeOperatorPasskey', session.token, {}, { passkeyId: passkey.id })
  const user = await api.addUser()
  await api.deps.database.query(
    `insert into two_steps (instance_id, user_id, secret, started_at, confirmed_at) values ($1, $2, '\\x00', now(), now())`,
    [api.instanceId, user.id],
  )
  await step('resetTwoStepOfMember', session.token, { email: user.email }, { instanceId: api.instanceId })
  await atEnd(api.deps.database)
  await api.close()
  return walk
}
