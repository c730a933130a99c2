import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createApi } from '../../src/api/server.ts'
import { startCatcher } from '../../src/mail/catcher.ts'
import { queueMail } from '../../src/mail/queue.ts'
import { createSmtpTransport } from '../../src/mail/smtp-transport.ts'
import { Secret } from '../../src/model/values/secret.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { sendMail } from '../harness/app/jobs.ts'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf, testApi } from '../harness/test-api.ts'

const api = openForTests(testApi)
const catcher = openForTests(() => startCatcher({ port: 0, isExact: true }))
const post = openForTests(() => createSmtpTransport({ url: new Secret(catcher.url), from: 'no-reply@countinghouse.example' }))
const app = openForTests(() => createApi({ ...api.deps, metrics: new Registry(), catcher }))

async function send(instanceId: string, requester: string): Promise<void> {
  const { database, sealer, sync } = api.deps
  const facts = { requester, company: 'Boulangerie', address: 'https://data.example.com/connect/yours?token=x' }
  const mailId = await inTransaction(database, (db) =>
    queueMail(
      db,
      { sealer, hashToken: sync.hashToken },
      {
        ...{ instanceId, kind: 'ownerPage', facts, locale: 'en', to: { address: 'owner@example.com' }, companyId: null },
      },
    ),
  )
  await sendMail({ database, sealer, transport: post }, { instanceId, mailId })
}

const list = async (email: string) => await app.inject({ url: '/admin/api/v1/sandbox/mails', headers: await bearerOf(api, email) })

it('admins see the mails of their own instance, as text and as a sandboxed page', async () => {
  const other = await api.addInstance()
  await send(api.instanceId, 'Ours')
  await send(other, 'Theirs')
  await post.send({
    ...{
      id: '00000000-0000-4000-8000-000000000001',
      writtenAt: new Date(),
      to: { address: 'a@b.example', name: 'A' },
      fromName: 'X',
      replyTo: null,
    },
    ...{ subject: 'Of nobody', text: 'x', html: '<p>x</p>' },
  })
  await send(api.instanceId, 'Ours again')
  const mails = (await list((await api.addUser()).email)).json<{ subject: string; text: string; page: string }[]>()
  const own = {
    ...{ id: expect.stringMatching(/^[0-9a-f-]{36}$/), on: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/) },
    ...{ to: 'owner@example.com', text: expect.any(String) },
    page: expect.stringMatching(/^\/admin\/api\/v1\/sandbox\/mails\/[\w-]{24}\/page$/),
  }
  expect(mails).toEqual(
    ['Ours again', 'Ours'].map((name) => ({
      ...own,
      subject: `Your page: what you share with ${name}`,
      from: expect.stringContaining(`${name}`),
    })),
  )
  expect(mails[0]?.text).toContain('https://data.example.com/connect/yours?token=x')
  const page = await app.inject({ url: mails[0]?.page ?? '' })
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.payload).toContain('<head>\n<base target="_blank">')
  expect(page.headers['content-security-policy']).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
  )
})

it('nobody else sees them, since they contain links to new passwords', async () => {
  for (const role of ['developer', 'integration', 'viewer'] as const) {
    expect((await list((await api.addUser({ role })).email)).statusCode).toBe(403)
  }
  expect((await app.inject({ url: `/admin/api/v1/sandbox/mails/${'a'.repeat(24)}/page` })).statusCode).toBe(404)
})
