import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { issueOwnerAccess } from '../../../src/sync/owner/owner-access.ts'
import { addCompany, addInstance } from '../../harness/app/tenants.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { openOwnerPageHarness } from '../../owner/harness.ts'
import { Owner } from '../kit/owner.ts'

const harness = openForTests(openOwnerPageHarness)
const connect = () => harness.connectHarness

/** A receipt, with its owner. */
async function receipted() {
  const done = await harness.connected()
  const page = await done.owner.submit(await done.owner.get(`/connect/yours/withdraw?connection=${done.connectionId}`))
  return { ...done, page, id: new URLSearchParams(page.address.split('?')[1]).get('receipt') ?? '' }
}

describe('a receipt', () => {
  it('is a page and two files, which a browser stores and never shows', async () => {
    const { owner, id } = await receipted()
    const headersOf = async (file: string) => {
      const { headers } = await owner.ask(`/connect/yours/receipt/${file}?receipt=${id}`)
      const names = ['content-type', 'content-disposition', 'cache-control', 'x-content-type-options', 'referrer-policy']
      return names.map((name) => headers.get(name))
    }
    const never = ['no-store', 'nosniff', 'no-referrer']
    expect([await headersOf('receipt.txt'), await headersOf('receipt.json')]).toEqual([
      ['text/plain; charset=utf-8', `attachment; filename="withdrawal-${id}.txt"`, ...never],
      ['application/json; charset=utf-8', `attachment; filename="withdrawal-${id}.json"`, ...never],
    ])
  })

  it('is unknown to owners of another company, and of the same company id in another instance', async () => {
    const { id, companyId } = await receipted()
    const { database } = connect().deps
    const otherInstance = await addInstance(database, 'Another Lender')
    const places = [
      { instanceId: connect().instanceId, companyId: await connect().addCompany('Café du Nord') },
      {
        instanceId: otherInstance,
        companyId: await addCompany(database, otherInstance, { id: companyId as ReturnType<typeof randomUUID> }),
      },
    ]
    for (const place of places) {
      const stranger = new Owner(connect().origin)
      await stranger.get(await issueOwnerAccess(connect().deps, { ...place, language: 'en' }))
      for (const path of ['', '/receipt.txt', '/receipt.json'])
        expect((await stranger.ask(`/connect/yours/receipt${path}?receipt=${id}`)).status).toBe(404)
    }
  })

  it.each(['', '?receipt=', '?receipt=x', `?receipt=${randomUUID()}`])('is not found at %s', async (query) => {
    const { owner } = await harness.connected()
    expect((await owner.ask(`/connect/yours/receipt${query}`)).status).toBe(404)
  })

  it('that was changed in the database is not shown', async () => {
    const { owner, page } = await receipted()
    const { database } = connect().deps
    await database.query(`update receipts set signed = replace(signed, '.', '.e')`)
    expect((await owner.get(page.address)).status).toBe(500)
    expect(connect().faults.splice(0)).toHaveLength(1)
  })
})

it('the keys of receipts may be read from any page, and kept for an hour', async () => {
  const { headers } = await new Owner(connect().origin).ask('/connect/receipts/keys')
  const names = ['content-type', 'cache-control', 'x-content-type-options', 'access-control-allow-origin']
  expect(names.map((name) => headers.get(name))).toEqual([
    'application/jwk-set+json; charset=utf-8',
    'public, max-age=3600',
    'nosniff',
    '*',
  ])
})

it('a receipt that is longer than any is refused unread', async () => {
  const visitor = new Owner(connect().origin)
  const page = await visitor.submit(await visitor.get('/connect/receipts/verify'), { signed: 'x'.repeat(20_001) })
  expect([page.status, page.title]).toEqual([422, 'This is not one of our receipts'])
})
