import { describe, expect, it } from 'vitest'
import { listAudit } from '../../src/store/access/audit.ts'
import { SYSTEM_INSTANCE_ID } from '../../src/sync/context/system-instance.ts'
import { openForTests } from '../harness/for-tests.ts'
import { OPERATOR_PASSWORD, operatorHarness } from '../operator/harness.ts'
import { newAuthenticator } from '../sign-in/authenticator.ts'
import { ORIGIN } from '../sign-in/harness.ts'

const EMAIL = 'ops@example.com'
const HOUR_MS = 3_600_000
const UNKNOWN = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const api = openForTests(() => operatorHarness({ issuer: ORIGIN, publicUrl: ORIGIN }))
const operator = openForTests(() => api.signIn(EMAIL))

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
interface Added {
  operator: { id: string; email: string; name: string; hasPassword: boolean; twoStep: boolean }
  link: { email: string; address: string; expiresOn: string }
}
interface AddedInstance {
  instance: { id: string; name: string; kind: string }
  link: { email: string; address: string; expiresOn: string }
}

const ask = async <T = Record<string, unknown>>(method: Method, path: string, body?: object) =>
  await api.ask<T>(method, path, operator.token, body)

/** Entries of a chain, oldest first: action, subject, and what has changed or is told. */
async function entriesOf(instanceId: string, work: () => Promise<void>): Promise<unknown[]> {
  const { database } = api.deps
  const [latest] = await listAudit(database, instanceId, 1)
  await work()
  const entries = await listAudit(database, instanceId, 100)
  return entries
    .filter(({ position }) => position > (latest?.position ?? 0))
    .map(({ entry: { action, subject, before, after, details } }) => [action, subject, { before, after, details }])
    .toReversed()
}

const laterOn = (ms: number) => new Date(api.deps.now().getTime() + ms).toISOString().slice(0, -1)
const isWithin = (address: string, page: string) => new RegExp(`^${ORIGIN}${page}#[\\w-]{43}$`).test(address)
const idOf = async (email: string) => {
  const { rows } = await api.deps.database.query<{ id: string }>('select id from operators where email = $1', [email])
  return rows[0]?.id ?? ''
}

describe('what operators do is in the chain of the deployment', () => {
  it('from the first link on, with the step that completed the sign-in', async () => {
    const email = 'first@example.com'
    const entries = await entriesOf(SYSTEM_INSTANCE_ID, async () => {
      const { token, secret } = await api.signIn(email)
      await api.ask('POST', '/sign-in/recovery-codes', token, { code: api.nextCode(secret) })
      await api.ask('POST', '/session/proof', token, { password: OPERATOR_PASSWORD, code: api.nextCode(secret) })
      await api.link(email.toUpperCase(), { resetsTwoStep: true })
      await api.ask('DELETE', '/session', token)
    })
    const subject = `operator/${await idOf(email)}`
    expect(entries).toEqual([
      ['operator.created', subject, {}],
      ['operator.link-issued', subject, { details: { resetsTwoStep: false } }],
      ['operator.password-set', subject, {}],
      ['operator.two-step-begun', subject, {}],
      ['operator.signed-in', subject, { details: { factor: 'code' } }],
      ['operator.two-step-enabled', subject, {}],
      ['operator.codes-renewed', subject, {}],
      ['operator.proven', subject, { details: { factor: 'code' } }],
      ['operator.link-issued', subject, { details: { resetsTwoStep: true } }],
      ['operator.signed-out', subject, {}],
    ])
  })

  it('about other operators', async () => {
    let made: Added | null = null
    const entries = await entriesOf(SYSTEM_INSTANCE_ID, async () => {
      made = (await ask<Added>('POST', '/operators', { email: 'Two@Example.com', name: ' Sam Roy ' })).body
      expect(made).toMatchObject({
        operator: { email: 'two@example.com', name: 'Sam Roy', hasPassword: false, twoStep: false },
        link: { email: 'two@example.com', expiresOn: laterOn(HOUR_MS) },
      })
      expect(isWithin(made.link.address, '/operator/link')).toBe(true)
      for (const body of [{}, { resetTwoStep: true }]) {
        const renewed = await ask<Added['link']>('POST', `/operators/${made.operator.id}/link`, body)
        expect(renewed).toMatchObject({ status: 201, body: { email: 'two@example.com', expiresOn: laterOn(HOUR_MS) } })
      }
      for (const [method, path] of [
        ['DELETE', ''],
        ['GET', ''],
        ['POST', '/link'],
      ] as const)
        expect((await ask(method, `/operators/${UNKNOWN}${path}`, method === 'POST' ? {} : undefined)).status).toBe(404)
      expect((await ask('POST', '/operators', { email: 'TWO@example.com', name: 'Again' })).status).toBe(409)
      expect((await ask('DELETE', `/operators/${made.operator.id}`)).status).toBe(204)
    })
    const subject = `operator/${(made as Added | null)?.operator.id}`
    expect(entries).toEqual([
      ['operator.created', subject, {}],
      ['operator.link-issued', subject, { details: { resetsTwoStep: false } }],
      ['operator.link-issued', subject, { details: { resetsTwoStep: false } }],
      ['operator.link-issued', subject, { details: { resetsTwoStep: true } }],
      ['operator.deleted', subject, {}],
    ])
  })

  it('about the own passkeys', async () => {
    const subject = `operator/${await idOf(EMAIL)}`
    const entries = await entriesOf(SYSTEM_INSTANCE_ID, async () => {
      const options = (await ask<{ challenge: string }>('POST', '/sign-in/passkeys/options')).body
      const { body } = await ask<{ passkey: { id: string }; session: null; recoveryCodes: string[] }>('POST', '/sign-in/passkeys', {
        ...{ name: ' Blue key ', passkey: newAuthenticator().register(options) },
      })
      expect(body).toMatchObject({ passkey: { name: 'Blue key', lastUsedOn: null }, session: null, recoveryCodes: [] })
      const path = `/sign-in/passkeys/${body.passkey.id}`
      expect(await ask('PUT', path, { name: ' Red key ' })).toMatchObject({ status: 200, body: { name: 'Red key' } })
      expect(await ask('GET', path)).toMatchObject({ status: 200, body: { name: 'Red key' } })
      for (const [method, given] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const)
        expect((await ask(method, `/sign-in/passkeys/${UNKNOWN}`, given)).status).toBe(404)
      expect((await ask('DELETE', path)).status).toBe(204)
      expect((await ask('GET', path)).status).toBe(404)
      expect((await ask('POST', '/session/proof/passkey')).status).toBe(409)
    })
    expect(entries).toEqual([
      ['operator.passkey-added', subject, { after: { name: 'Blue key' } }],
      ['operator.passkey-renamed', subject, { before: { name: 'Blue key' }, after: { name: 'Red key' } }],
      ['operator.passkey-removed', subject, { before: { name: 'Red key' } }],
    ])
  })
})

it('what is done to an instance is in its own chain as well, and refusals are in neither', async () => {
  const { database } = api.deps
  const given = { name: ' Maple ', kind: 'live', admin: { email: 'Avery@maple.example', name: ' Avery ' } }
  let made: AddedInstance | null = null
  const ofDeployment = await entriesOf(SYSTEM_INSTANCE_ID, async () => {
    made = (await ask<AddedInstance>('POST', '/instances', given)).body
    const { instance, link } = made
    expect(link).toMatchObject({ email: 'avery@maple.example', expiresOn: laterOn(72 * HOUR_MS) })
    expect(isWithin(link.address, '/portal/new-password')).toBe(true)
    expect((await ask('POST', '/instances', { ...given, name: 'Other' })).status).toBe(409)
    const path = `/instances/${instance.id}`
    const { rows } = await database.query<{ id: string; name: string; role: string }>(
      'select id, name, role from users where instance_id = $1',
      [instance.id],
    )
    expect(rows).toMatchObject([{ name: 'Avery', role: 'admin' }])
    await database.query(
      `insert into two_steps (instance_id, user_id, secret, started_at, confirmed_at) values ($1, $2, '\\x00', now(), now())`,
      [instance.id, rows[0]?.id],
    )
    await database.query(
      `insert into identity_providers values ($1, gen_random_uuid(), 'https://login.example.com', 'app', '', '{openid}', '{}', null, '{}', false, false, null, '{}', '{}', true, null, gen_random_uuid(), now())`,
      [instance.id],
    )
    const steps: [Method, string, object | undefined, number][] = [
      ['PUT', path, { name: ' Maple Lending ' }, 200],
      ['PUT', `${path}/quotas`, { companies: 5 }, 200],
      ['PUT', `${path}/quotas`, { companies: null }, 200],
      ['POST', `${path}/resume`, undefined, 409],
      ['POST', `${path}/suspend`, { reason: ' unpaid ' }, 200],
      ['POST', `${path}/suspend`, { reason: 'again' }, 409],
      ['POST', `${path}/resume`, undefined, 200],
      ['POST', `${path}/allow-passwords`, undefined, 204],
      ['POST', `${path}/allow-passwords`, undefined, 409],
      ['POST', `${path}/two-step-resets`, { email: 'nobody@maple.example' }, 404],
      ['POST', `/instances/${api.instanceId}/two-step-resets`, { email: 'avery@maple.example' }, 404],
      ['POST', `${path}/two-step-resets`, { email: 'AVERY@maple.example' }, 204],
      ['POST', `${path}/two-step-resets`, { email: 'avery@maple.example' }, 409],
      ['POST', `${path}/erase`, { name: 'Maple' }, 400],
      ['POST', `${path}/erase`, { name: 'Maple Lending' }, 202],
      ['POST', `${path}/erase`, { name: 'Maple Lending' }, 409],
      ['POST', `${path}/resume`, undefined, 409],
    ]
    for (const [method, address, body, status] of steps)
      expect([method, address, (await ask(method, address, body)).status]).toEqual([method, address, status])
    const unknown = steps
      .filter(([, , , status]) => status < 300)
      .map(([method, address, body]) => [method, address.replace(instance.id, UNKNOWN), body] as const)
    for (const [method, address, body] of unknown) expect([address, (await ask(method, address, body)).status]).toEqual([address, 404])
  })
  const { id } = (made as AddedInstance | null)?.instance ?? { id: '' }
  const user = await database.query<{ id: string }>('select id from users where instance_id = $1', [id])
  const [subject, member] = [`instance/${id}`, `user/${user.rows[0]?.id}`]
  const both = [
    ['instance.created', subject, { after: { name: 'Maple', kind: 'live' } }],
    ['instance.renamed', subject, { before: { name: 'Maple' }, after: { name: 'Maple Lending' } }],
    ['instance.quotas-changed', subject, { before: { companies: null }, after: { companies: 5 } }],
    ['instance.quotas-changed', subject, { before: { companies: 5 }, after: { companies: null } }],
    ['instance.suspended', subject, { after: { reason: 'unpaid' } }],
    ['instance.resumed', subject, { before: { reason: 'unpaid' } }],
    ['instance.passwords-allowed', subject, {}],
    ['user.two-step-reset', member, {}],
    ['instance.erasure-requested', subject, {}],
  ]
  expect(ofDeployment).toEqual(both)
  expect(await entriesOf(id, async () => undefined)).toEqual([])
  const own = (await listAudit(database, id, 100)).map(({ entry: { action, subject: of, before, after, details } }) => [
    action,
    of,
    { before, after, details },
  ])
  expect(own.toReversed()).toEqual([['password.link-issued', member, {}], ...both])
})
