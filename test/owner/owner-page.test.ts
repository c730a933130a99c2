import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { findConnection } from '../../src/store/connections/connections.ts'
import { listConsentsOfConnection } from '../../src/store/connections/consents.ts'
import { ActionNotAllowed, disconnect, resume, suspend } from '../../src/sync/connection/connection-actions.ts'
import { queueDueErasures } from '../../src/sync/connection/erasure.ts'
import { Owner } from '../connect/kit/owner.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openOwnerPageHarness } from './harness.ts'

const harness = openForTests(openOwnerPageHarness)
const database = () => harness.connectHarness.deps.database
const statusOf = async (id: string) => (await findConnection(database(), harness.connectHarness.instanceId, id))?.status

async function targetOf(connectionId: string) {
  const connection = await findConnection(database(), harness.connectHarness.instanceId, connectionId)
  if (!connection) throw new Error('no such connection')
  const { instanceId, companyId, serviceId } = connection
  return { instanceId, companyId, serviceId }
}

async function count(table: string, connectionId: string): Promise<number> {
  const { rows } = await database().query<{ n: number }>(`select count(*)::int as n from ${table} where connection_id = $1`, [connectionId])
  return rows[0]?.n ?? -1
}

async function countPublications(companyId: string): Promise<number> {
  const { rows } = await database().query('select 1 from publications where company_id = $1', [companyId])
  return rows.length
}

describe('the owner’s own page', () => {
  it('says what is shared, with whom, why, since when, when it was read, and what the owner can do', async () => {
    const { page } = await harness.connected()
    expect(page.title).toBe('What Boulangerie du Plateau shares')
    for (const words of [
      'Bank statements',
      'Everything is working. You do not need to do anything.',
      'Shared with Érable Lending',
      'Bank accounts with balances (3\u00a0accounts)',
      'Checking ••••1905',
      'Érable Lending needs it for the service that Boulangerie du Plateau asked for.',
      'Last updated',
      'When you upload new files',
    ])
      expect(page.text).toContain(words)
  })

  it('is in French on request', async () => {
    const { page } = await harness.connected('fr-CA')
    expect([page.language, page.title]).toEqual(['fr-CA', 'Ce que Boulangerie du Plateau communique'])
  })

  it('is linked from the last page of the flow, at the same address each time', async () => {
    const companyId = await harness.connectHarness.addCompany('Café Laurier')
    const owner = new Owner(harness.connectHarness.origin)
    const done = await harness.upload(owner, companyId)
    const address = done.linkTo('See, pause or withdraw')
    expect((await owner.get(done.address)).linkTo('See, pause or withdraw')).toBe(address)
    const page = await new Owner(harness.connectHarness.origin).get(address)
    expect([page.title, page.address]).toEqual(['What Café Laurier shares', '/connect/yours'])
  })

  it('opens from the used link too, in a browser that has it open', async () => {
    const companyId = await harness.connectHarness.addCompany('Café du Coin')
    const link = await harness.connectHarness.link('form-source', companyId)
    const first = new Owner(harness.connectHarness.origin)
    await first.submit(await first.agree(link), { address: 'a', password: 'secret ' })
    expect((await new Owner(harness.connectHarness.origin).get(link)).title).toBe('This link cannot be opened')
    const { owner } = await harness.open(companyId)
    expect((await owner.get(link)).address).toBe('/connect/yours')
  })

  it('is not shown without an address, or for a changed or expired one', async () => {
    const { owner, companyId, page } = await harness.connected()
    const address = new URL(page.linkTo('Open this page at its own address'), harness.connectHarness.origin)
    const titles: string[] = []
    for (const token of ['', 'x'.repeat(43), address.searchParams.get('token')?.slice(0, 42) ?? '']) {
      titles.push((await new Owner(harness.connectHarness.origin).get(`/connect/yours?token=${token}`)).title)
    }
    expect(titles).toEqual(Array.from({ length: 3 }, () => 'This link cannot be opened'))
    expect((await new Owner(harness.connectHarness.origin).get('/connect/yours')).status).toBe(400)
    await database().query(`update owner_accesses set created_at = now() - interval '31 days' where company_id = $1`, [companyId])
    expect((await owner.get('/connect/yours')).status, 'while something is connected').toBe(200)
    await database().query(`update connections set status = 26, updated_at = now() - interval '31 days' where company_id = $1`, [companyId])
    expect((await owner.get('/connect/yours')).status).toBe(400)
    expect((await new Owner(harness.connectHarness.origin).get(address.href)).status).toBe(404)
  })

  it('keeps the token out of addresses and scripts, and no key to it in the database', async () => {
    const { owner, companyId, page } = await harness.connected()
    expect([page.address, page.response.headers.get('referrer-policy')]).toEqual(['/connect/yours', 'no-referrer'])
    const cookie = owner.cookies.get('owner')
    expect(cookie?.attributes).toMatch(/HttpOnly/i)
    const { rows } = await database().query<{ row: string }>(
      'select owner_accesses::text as row from owner_accesses where company_id = $1',
      [companyId],
    )
    expect(
      rows.some(
        ({ row }) => row.includes(cookie?.value ?? '?') || row.includes(Buffer.from(cookie?.value ?? '', 'base64url').toString('hex')),
      ),
    ).toBe(false)
  })

  it('gets a new address on request, and old ones can no longer be opened', async () => {
    const { owner, companyId, page } = await harness.connected()
    const old = page.linkTo('Open this page at its own address')
    const other = await harness.open(companyId)
    const renewed = await owner.submit(await owner.get('/connect/yours/address'))
    expect(renewed.text).toContain('The old ones no longer work.')
    expect((await other.owner.get('/connect/yours')).status).toBe(400)
    expect((await new Owner(harness.connectHarness.origin).get(old)).status).toBe(404)
    expect((await new Owner(harness.connectHarness.origin).get(renewed.linkTo('Open this page at its own address'))).status).toBe(200)
  })

  it('shows and does nothing about connections of another company', async () => {
    const [mine, foreign] = [await harness.connected(), await harness.connected()]
    for (const path of ['pause', 'withdraw', 'delete', 'download', 'files/data.json']) {
      expect((await mine.owner.get(`/connect/yours/${path}?connection=${foreign.connectionId}`)).status, path).toBe(404)
    }
    const form = await mine.owner.get(`/connect/yours/withdraw?connection=${mine.connectionId}`)
    const body = new URLSearchParams(form.hiddenFields())
    const answer = await mine.owner.ask(`/connect/yours/withdraw?connection=${foreign.connectionId}`, { method: 'POST', body })
    expect([answer.status, await statusOf(foreign.connectionId)]).toEqual([404, 19])
  })

  it('accepts no form from another origin', async () => {
    const { owner, connectionId } = await harness.connected()
    const form = await owner.get(`/connect/yours/withdraw?connection=${connectionId}`)
    const refused = [await owner.submit(form, {}, { 'sec-fetch-site': 'cross-site' }), await owner.submit(form, { form: 'x'.repeat(43) })]
    expect(refused.map(({ status }) => status)).toEqual([403, 403])
    expect(await statusOf(connectionId)).toBe(19)
    expect(refused[0]?.linkTo('Start over')).toBe('/connect/yours')
  })
})

describe('pausing', () => {
  it('stops syncs until the owner resumes; published data stays readable', async () => {
    const { owner, connectionId, companyId } = await harness.connected()
    const paused = await owner.submit(await owner.get(`/connect/yours/pause?connection=${connectionId}`))
    expect([await statusOf(connectionId), await countPublications(companyId)]).toEqual([27, 1])
    expect(paused.text).toContain('Paused by you')
    const again = await owner.submit(await owner.get(paused.linkTo('Resume')))
    await harness.work()
    expect([again.address, await statusOf(connectionId)]).toEqual(['/connect/yours', 19])
  })

  it('by the owner cannot be ended by the developer, nor the other way round', async () => {
    const { owner, connectionId } = await harness.connected()
    const target = await targetOf(connectionId)
    await suspend(harness.connectHarness.deps, target)
    await owner.submit(await owner.get(`/connect/yours/pause?connection=${connectionId}`))
    await expect(resume(harness.connectHarness.deps, target)).rejects.toThrow(ActionNotAllowed)
    await expect(resume(harness.connectHarness.deps, target)).rejects.toThrow('only the owner can let it go on')
    const left = await owner.submit(await owner.get(`/connect/yours/continue?connection=${connectionId}`))
    expect([await statusOf(connectionId), left.text.includes('The recipient has suspended updates')]).toEqual([27, true])
    await resume(harness.connectHarness.deps, target)
    expect(await statusOf(connectionId)).not.toBe(27)
  })

  it('twice pauses once', async () => {
    const { owner, connectionId } = await harness.connected()
    const form = await owner.get(`/connect/yours/pause?connection=${connectionId}`)
    const shown = await Promise.all([owner.submit(form), owner.submit(form)])
    expect(shown.map(({ address }) => address)).toEqual(['/connect/yours', '/connect/yours'])
    const { rows } = await database().query(`select 1 from events where session_id = $1 and kind = 'Suspended'`, [connectionId])
    expect(rows).toHaveLength(1)
  })
})

describe('withdrawing', () => {
  it('ends the access at once, for everyone but the owner, and the consent with it', async () => {
    const { owner, connectionId, companyId } = await harness.connected()
    const receipt = await owner.submit(await owner.get(`/connect/yours/withdraw?connection=${connectionId}`))
    expect(receipt.title).toBe('Your permission has been withdrawn')
    expect([await statusOf(connectionId), await countPublications(companyId)]).toEqual([26, 0])
    const [consent] = await listConsentsOfConnection(database(), harness.connectHarness.instanceId, connectionId)
    expect(consent).toMatchObject({ endedHow: 'withdrawn', endedAt: expect.any(Date) })
    const { rows } = await database().query<{ credentials: unknown }>('select credentials from connections where id = $1', [connectionId])
    expect(rows[0]?.credentials).toBeNull()
  })

  it('informs the developer at once, and keeps the data for the owner for a week, then deletes it', async () => {
    const { owner, connectionId } = await harness.connected()
    await owner.submit(await owner.get(`/connect/yours/withdraw?connection=${connectionId}`))
    await harness.work()
    const { rows } = await database().query(`select 1 from events where session_id = $1 and kind = 'Disconnected'`, [connectionId])
    expect([rows.length, await count('record_versions', connectionId)]).toEqual([1, 10])
    expect((await owner.get(`/connect/yours/files/data.json?connection=${connectionId}`)).status).toBe(200)
    expect(await queueDueErasures(harness.connectHarness.deps.database)).toBe(0)
    await database().query('update connections set erase_at = now() where id = $1', [connectionId])
    expect(await queueDueErasures(harness.connectHarness.deps.database)).toBe(1)
    await harness.work()
    expect([await count('record_versions', connectionId), await count('raw_pages', connectionId)]).toEqual([0, 0])
    expect((await owner.get(`/connect/yours/files/data.json?connection=${connectionId}`)).status).toBe(404)
  })

  it('clicked many times, in two tabs, is done once and leaves one receipt', async () => {
    const { owner, connectionId } = await harness.connected()
    const tabs = [
      await owner.get(`/connect/yours/withdraw?connection=${connectionId}`),
      await owner.get(`/connect/yours/withdraw?connection=${connectionId}`),
    ]
    const shown = await Promise.all([...tabs, ...tabs].map((form) => owner.submit(form)))
    expect(new Set(shown.map(({ address }) => address)).size).toBe(1)
    expect(await count('receipts', connectionId)).toBe(1)
    expect((await owner.get(`/connect/yours/withdraw?connection=${connectionId}`)).address, 'the back button').toBe('/connect/yours')
  })

  it('what the developer has ended in the meantime leads back to the page', async () => {
    const { owner, connectionId } = await harness.connected()
    const form = await owner.get(`/connect/yours/withdraw?connection=${connectionId}`)
    await disconnect(harness.connectHarness.deps, await targetOf(connectionId))
    const page = await owner.submit(form)
    expect([page.address, page.text.includes('No longer connected')]).toEqual(['/connect/yours', true])
  })
})

describe('deleting', () => {
  it('withdraws and deletes everything immediately, and says what cannot be deleted', async () => {
    const { owner, connectionId } = await harness.connected()
    const form = await owner.get(`/connect/yours/delete?connection=${connectionId}`)
    expect(form.text).toContain('We cannot delete copies that Érable Lending has already made.')
    expect((await owner.submit(form)).title).toBe('Your data is being deleted')
    await harness.work()
    expect([await statusOf(connectionId), await count('record_versions', connectionId), await count('raw_pages', connectionId)]).toEqual([
      26, 0, 0,
    ])
    const { rows } = await database().query(`select 1 from events where session_id = $1 and kind = 'Disconnected'`, [connectionId])
    expect(rows).toHaveLength(1)
  })

  it('works after a withdrawal too, with a separate receipt', async () => {
    const { owner, connectionId } = await harness.connected()
    await owner.submit(await owner.get(`/connect/yours/withdraw?connection=${connectionId}`))
    await harness.work()
    await owner.submit(await owner.get(`/connect/yours/delete?connection=${connectionId}`))
    await harness.work()
    expect([await count('record_versions', connectionId), await count('receipts', connectionId)]).toEqual([0, 2])
  })
})

describe('the data export', () => {
  it('has every account and transaction, with masked numbers, as files to keep', async () => {
    const { owner, connectionId } = await harness.connected()
    const json = await owner.ask(`/connect/yours/files/data.json?connection=${connectionId}`)
    expect(json.headers.get('content-disposition')).toBe('attachment; filename="data.json"')
    const data = (await json.json()) as { accounts: { accountNumber: string }[]; transactions: unknown[] }
    expect([data.accounts.length, data.transactions.length]).toEqual([3, 7])
    expect(data.accounts.map(({ accountNumber }) => accountNumber).sort()).toEqual(['••••1905', '••••1913', '••••7742'])
    const csv = await (await owner.ask(`/connect/yours/files/transactions.csv?connection=${connectionId}`)).text()
    expect(csv.trim().split('\r\n')).toHaveLength(8)
  })

  it('runs nothing in a spreadsheet', async () => {
    const { owner, connectionId } = await harness.connected()
    await database().query(
      `update record_versions set doc = jsonb_set(doc::jsonb, '{accountName}', '"=HYPERLINK(\\"https://x\\")"')::text where connection_id = $1 and entity = 'Accounts'`,
      [connectionId],
    )
    const csv = await (await owner.ask(`/connect/yours/files/accounts.csv?connection=${connectionId}`)).text()
    expect(csv).toContain(`"'=HYPERLINK(""https://x"")"`)
  })

  it('is complete for thousands of records', async () => {
    const { owner, connectionId } = await harness.connected()
    await database().query(
      `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash, sort_key, run_id,
         raw_index, mapping_version)
       select instance_id, company_id, service_id, entity, gen_random_uuid(), valid_from, 'more-' || n, connection_id, doc, content_hash, sort_key, $2,
         raw_index, mapping_version
       from (select * from record_versions where connection_id = $1 and entity = 'Transactions' limit 1) one, generate_series(1, 2600) n`,
      [connectionId, randomUUID()],
    )
    const { transactions } = (await (await owner.ask(`/connect/yours/files/data.json?connection=${connectionId}`)).json()) as {
      transactions: unknown[]
    }
    expect(transactions).toHaveLength(2607)
  })
})
