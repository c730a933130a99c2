import { beforeAll, describe, expect, it } from 'vitest'
import { toServiceId } from '../../src/model/catalogue.ts'
import { keepOwnerAddress } from '../../src/sync/owner/owner-mail.ts'
import { openApiHarness } from '../api/harness.ts'
import { sendMails } from '../harness/app/jobs.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSmtp } from './smtp.ts'

const api = openForTests(openApiHarness)
const smtp = openForTests(openSmtp)
let path = ''
beforeAll(() => {
  const { sealer, hashToken } = api.syncHarness.deps
  api.syncHarness.deps.mail = { sealer, hashToken }
  path = `/normalized-data/company/${api.syncHarness.companyId}/data-connection/${toServiceId('books')}/link-mail`
})

async function deliver(): Promise<void> {
  const { database, sealer } = api.syncHarness.deps
  await sendMails({ database, sealer, transport: smtp.post })
}

const countRows = async () =>
  (await api.syncHarness.deps.database.query('select (select count(*) from links) as links, (select count(*) from mails) as mails')).rows[0]

describe('a link by mail', () => {
  it('reaches the owner with the note as text, and replies go to the sender', async () => {
    const answer = await api.call('POST', path, { body: { to: 'owner@example.com', language: 'fr', note: 'Pour <b>vous</b>\nà bientôt' } })
    expect(answer.statusCode).toBe(202)
    await deliver()
    const { email } = smtp.taken.at(-1) ?? {}
    expect(email?.subject).toBe('Test Lender vous demande de connecter Scripted Books')
    expect(email?.text).toMatch(/> Pour <b>vous<\/b>\n> à bientôt[\s\S]*token=[\w-]{43}/)
    expect(email?.html).toContain('Pour &lt;b&gt;vous&lt;/b&gt;')
    expect(email?.replyTo?.[0]?.address).toBe(api.emails.admin)
  })

  it('asks for a renewal if the connection needs its owner', async () => {
    const { database } = api.syncHarness.deps
    await database.query('update connections set status = 8 where id = $1', [api.connectionId])
    await api.call('POST', path, { body: { to: 'renew@example.com', language: 'en' } })
    await deliver()
    await database.query('update connections set status = 15 where id = $1', [api.connectionId])
    expect(smtp.taken.at(-1)?.email.subject).toBe('Please renew the connection between Scripted Books and Test Lender')
  })

  it.each(['developer', 'integration'] as const)('may be sent by role %s', async (role) => {
    expect((await api.call('POST', path, { role, body: { to: `${role}@example.com`, language: 'en' } })).statusCode).toBe(202)
  })

  it('may not be sent by a viewer', async () => {
    expect((await api.call('POST', path, { role: 'viewer', body: { to: 'v@example.com', language: 'en' } })).statusCode).toBe(403)
  })

  it.each([
    { to: 'owner@example.com\r\nBcc: x@example.com', language: 'en' },
    { to: 'nobody', language: 'en' },
    { to: `${'a'.repeat(10_000)}@example.com`, language: 'en' },
    { to: 'owner@example.com', language: 'de' },
    { to: 'owner@example.com', language: 'en', note: 'x'.repeat(501) },
    { to: 'owner@example.com', language: 'en', bcc: 'x@example.com' },
    { language: 'en' },
  ])('with %j is a 400 and creates neither link nor mail', async (body) => {
    const before = await countRows()
    expect((await api.call('POST', path, { body })).statusCode).toBe(400)
    expect(await countRows()).toEqual(before)
  })

  it('for an unknown company or service is a 404', async () => {
    const body = { to: 'owner@example.com', language: 'en' }
    const unknown = path.replace(api.syncHarness.companyId, '00000000-0000-4000-8000-000000000000')
    expect((await api.call('POST', unknown, { body })).statusCode).toBe(404)
  })

  it('beyond five an hour to one address is a 429 with the wait, and creates no link', async () => {
    const body = { to: 'often@example.com', language: 'en' }
    for (let n = 0; n < 5; n += 1) expect((await api.call('POST', path, { body })).statusCode).toBe(202)
    const before = await countRows()
    const refused = await api.call('POST', path, { body })
    expect([refused.statusCode, Number(refused.headers['retry-after']) > 3_000]).toEqual([429, true])
    expect(await countRows()).toEqual(before)
  })

  it('without a mail server is a 409 with that reason, and creates no link', async () => {
    const { deps } = api.syncHarness
    const desk = deps.mail
    delete deps.mail
    const before = await countRows()
    const refused = await api.call('POST', path, { body: { to: 'owner@example.com', language: 'en' } })
    if (desk) deps.mail = desk
    expect([refused.statusCode, JSON.stringify(refused.json()).includes('No mail server is set')]).toEqual([409, true])
    expect(await countRows()).toEqual(before)
  })
})

describe('the address of the owner’s own page', () => {
  const page = () => `/normalized-data/companies/${api.syncHarness.companyId}/owner-page-mail`

  it('is mailed to the address that the owner gave, and is a 409 if there is none', async () => {
    expect((await api.call('POST', page())).statusCode).toBe(409)
    const { deps } = api.syncHarness
    await keepOwnerAddress(deps.database, deps.sealer, api.syncHarness, 'page.owner@example.com', 'fr-CA')
    expect((await api.call('POST', page())).statusCode).toBe(202)
    await deliver()
    const mail = smtp.taken.at(-1)
    expect(mail?.recipients).toEqual(['page.owner@example.com'])
    expect(mail?.email.text).toMatch(/connect\/yours\?token=[\w-]{43}/)
  })
})

describe('the list of mails', () => {
  it('shows a refusal and no address', async () => {
    smtp.refusals.push({ code: 550, text: 'no such user' })
    await deliver()
    await api.call('POST', path, { body: { to: 'secret.person@example.com', language: 'en' } })
    smtp.refusals.push({ code: 550, text: '<secret.person@example.com> is unknown' })
    await deliver()
    const list = await api.call('GET', '/mails', { role: 'developer' })
    expect(JSON.stringify(list.json())).not.toContain('secret.person')
    expect(list.json()).toHaveProperty('data.0', expect.objectContaining({ kind: 'link', to: 's•••@example.com', state: 'refused' }))
  })

  it('of another instance is empty', async () => {
    const neighbour = await api.openOtherInstance()
    const answer = await api.app.inject({ url: '/admin/api/v1/mails', headers: { authorization: `Bearer ${neighbour.token}` } })
    expect(answer.json()).toMatchObject({ count: 0, data: [] })
  })
})

it('automatic mails are set by admins, and stored', async () => {
  expect((await api.call('GET', '/mail-settings')).json()).toEqual({ writesToOwners: false, canSend: true })
  expect((await api.call('PUT', '/mail-settings', { role: 'developer', body: { writesToOwners: true } })).statusCode).toBe(403)
  await api.call('PUT', '/mail-settings', { body: { writesToOwners: true } })
  expect((await api.call('GET', '/mail-settings')).json()).toEqual({ writesToOwners: true, canSend: true })
})

it('every operation on mails has succeeded, checked against the document', () => {
  expect(api.listUnseen((path) => path.includes('mail'))).toEqual([])
})
