import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { listAudit } from '../../src/store/access/audit.ts'
import { SYSTEM_INSTANCE_ID } from '../../src/sync/context/system-instance.ts'
import { logInAt, PASSWORD } from '../harness/app/users.ts'
import { openForTests } from '../harness/for-tests.ts'
import { operatorHarness } from './harness.ts'

const api = openForTests(operatorHarness)
let token: string
beforeAll(async () => {
  ;({ token } = await api.signIn())
})

interface Made {
  instance: { id: string; name: string; kind: string }
  link: { address: string }
}

const make = (name: string, email = `${randomUUID()}@example.com`, kind = 'live') =>
  api.ask<Made>('POST', '/instances', token, { name, kind, admin: { email, name: 'Avery Tremblay' } })

describe('an instance created by an operator', () => {
  it('has a first administrator, who sets a password with the link and logs in', async () => {
    const email = 'avery@maple.example'
    const made = await make(' Maple Lending ', email, 'test')
    expect(made).toMatchObject({ status: 201, body: { instance: { name: 'Maple Lending', kind: 'test' }, link: { email } } })
    const reset = new URL(made.body.link.address).hash.slice(1)
    const payload = { token: reset, password: PASSWORD }
    expect((await api.app.inject({ method: 'POST', url: '/admin/api/v1/auth/new-password', payload })).statusCode).toBe(204)
    expect((await logInAt(api.app, email)).statusCode).toBe(200)
  })

  it('is not created if anything is invalid, and neither is its administrator', async () => {
    const count = async () => (await api.deps.database.query('select count(*) from instances')).rows[0]
    const before = await count()
    await api.addUser({ email: 'taken@example.com' })
    const answers = [
      await make('Twin', 'taken@example.com'),
      await make('  '),
      await make('Odd kind', 'odd@example.com', 'prod'),
      await make('No address', 'nobody'),
      await api.ask('POST', '/instances', token, { name: 'No administrator', kind: 'live' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([409, 400, 400, 400, 400])
    expect(await count()).toEqual(before)
  })

  it('is listed page by page, filtered, and renamed', async () => {
    const { instance } = (await make('Birch Credit')).body
    const list = await api.ask<{ data: { name: string }[] }>('GET', `/instances?FilterQuery=name~birch&OrderBy=name&PageSize=10`, token)
    expect(list.body).toMatchObject({ count: 1, data: [{ id: instance.id, name: 'Birch Credit', kind: 'live' }] })
    expect((await api.ask('PUT', `/instances/${instance.id}`, token, { name: 'Bouleau Crédit' })).body).toMatchObject({
      name: 'Bouleau Crédit',
    })
    expect((await api.ask('GET', `/instances/${instance.id}`, token)).body).toMatchObject({ name: 'Bouleau Crédit' })
    expect((await api.ask('PUT', `/instances/${randomUUID()}`, token, { name: 'Nobody' })).status).toBe(404)
    expect((await api.ask('PUT', `/instances/${instance.id}`, token, { name: '' })).status).toBe(400)
  })

  it('leaves an entry in the chain of the deployment, with the operator, and in its own', async () => {
    const { instance } = (await make('Audited')).body
    const [own] = await listAudit(api.deps.database, instance.id, 1)
    expect(own?.entry).toMatchObject({ action: 'instance.created', userId: null })
    const [deployment] = await listAudit(api.deps.database, SYSTEM_INSTANCE_ID, 1)
    const operator = (await api.ask<{ operatorId: string }>('GET', '/session', token)).body.operatorId
    expect(deployment?.entry).toMatchObject({
      action: 'instance.created',
      actor: 'operator',
      actorId: operator,
      subject: `instance/${instance.id}`,
    })
  })
})

describe('the API of operators', () => {
  it('answers nothing without a session, except the sign-in and its document', async () => {
    const document = (await api.app.inject({ url: '/operator/api/openapi.json' })).json<{
      paths: Record<string, Record<string, { operationId: string; security?: unknown[] }>>
    }>()
    const open: string[] = []
    for (const [path, item] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(item)) {
        const url = path.replace(/\{\w+\}/g, randomUUID())
        const { statusCode } = await api.app.inject({ method: method as 'get', url })
        if (statusCode !== 401) open.push(operation.operationId)
      }
    expect(open.sort()).toEqual(['redeemOperatorLink', 'signInOperator'])
  })

  it('is not part of the document for developers', async () => {
    const { body } = await api.app.inject({ url: '/admin/api/openapi.json' })
    expect(body).not.toContain('/operator/')
  })

  it('shows the health of the deployment and the audit of operators', async () => {
    expect((await api.ask('GET', '/deployment/health', token)).body).toMatchObject({ workers: { count: 0 } })
    const page = await api.ask<{ data: { action: string }[]; before: number }>('GET', '/audit?Limit=1', token)
    expect(page.body.data).toHaveLength(1)
    const next = await api.ask<{ data: { position: number }[] }>('GET', `/audit?Limit=1&Before=${page.body.before}`, token)
    expect(next.body.data[0]?.position).toBe(page.body.before - 1)
  })
})
