import { beforeAll, expect, it } from 'vitest'
import { logInAt } from '../harness/app/users.ts'
import { openForTests } from '../harness/for-tests.ts'
import { operatorHarness } from './harness.ts'

const api = openForTests(operatorHarness)
let token: string
let instanceId: string
beforeAll(async () => {
  ;({ token } = await api.signIn())
  instanceId = await api.addInstance()
})

const read = () => api.ask('GET', `/instances/${instanceId}/sign-in`, token)
const allow = () => api.ask('POST', `/instances/${instanceId}/allow-passwords`, token)

it('an operator lets passwords work again where the identity provider is required', async () => {
  const { email } = await api.addUser({ instanceId })
  expect((await read()).body).toEqual({ issuer: null, isRequired: false, triedOn: null })
  expect((await allow()).status).toBe(409)
  await api.deps.database.query(
    `insert into identity_providers values ($1, gen_random_uuid(), 'https://login.example.com', 'app', 'secret canary', '{openid}', '{}', null, '{}', false, false,
       null, '{}', '{}', true, null, gen_random_uuid(), now())`,
    [instanceId],
  )
  expect((await logInAt(api.app, email)).statusCode).toBe(403)
  expect((await read()).body).toEqual({ issuer: 'https://login.example.com', isRequired: true, triedOn: null })
  expect((await allow()).status).toBe(204)
  expect((await logInAt(api.app, email)).statusCode).toBe(200)
  expect((await allow()).status).toBe(409)
  expect((await read()).body).toEqual({ issuer: 'https://login.example.com', isRequired: false, triedOn: null })
})

it('for an unknown instance is a 404', async () => {
  expect((await api.ask('POST', '/instances/00000000-0000-4000-8000-000000000000/allow-passwords', token)).status).toBe(404)
  expect((await api.ask('GET', '/instances/00000000-0000-4000-8000-000000000000/sign-in', token)).status).toBe(404)
})
