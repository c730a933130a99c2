import { beforeEach, describe, expect, it } from 'vitest'
import { openForTests } from '../../harness/for-tests.ts'
import { openConnectHarness } from '../kit/harness.ts'
import { Owner } from '../kit/owner.ts'

const harness = openForTests(openConnectHarness)
let owner: Owner
let companyId = ''
beforeEach(async () => {
  owner = new Owner(harness.origin)
  companyId = await harness.addCompany('Boulangerie')
})

/** What the page in the frame learns of the window: a path and its parameters; null: nothing yet. */
async function next(): Promise<[string, Record<string, string>] | null> {
  const response = await owner.ask('/connect/outside/progress')
  expect([response.status, response.headers.get('cache-control'), response.headers.get('x-content-type-options')]).toEqual([
    200,
    'no-store',
    'nosniff',
  ])
  const body: unknown = await response.json()
  const path = typeof body === 'object' && body !== null && 'next' in body ? body.next : undefined
  return typeof path === 'string' ? toParts(path) : null
}

function toParts(path: string): [string, Record<string, string>] {
  const { pathname, searchParams } = new URL(path, harness.origin)
  searchParams.delete('link')
  return [pathname, Object.fromEntries(searchParams)]
}

/** Where an owner goes who does not wait. */
async function onward(query = ''): Promise<[string, Record<string, string>]> {
  const response = await owner.ask(`/connect/outside${query}`)
  expect(response.status).toBe(303)
  return toParts(response.headers.get('location') ?? '')
}

describe('the window of a link in a frame', () => {
  it('has nothing to tell while the owner is at the source', async () => {
    await owner.agree(await harness.link('form-source', companyId))
    expect([await next(), await onward()]).toEqual([null, ['/connect/source', {}]])
  })

  it('leads to the choice of a bank, or to the source with the bank that was chosen', async () => {
    await owner.agree(await harness.link('plaid', companyId))
    const { rows } = await harness.deps.database.query<{ id: string }>(`select id from institutions where closed_at is null limit 1`)
    const institution = rows[0]?.id ?? ''
    expect([await onward(), await onward('?choose=there'), await onward(`?institution=${institution}`)]).toEqual([
      ['/connect/institutions', {}],
      ['/connect/source', { choose: 'there' }],
      ['/connect/source', { institution }],
    ])
  })

  it.each([
    ['declined', 'declined'],
    ['otherEntity', 'mismatch'],
    ['timedOut', 'refused'],
    [null, 'refused'],
  ])('tells that it ended there: %s is shown as %s', async (fault, kind) => {
    await owner.submit(await owner.agree(await harness.link('form-source', companyId)), { address: 'down', password: 'secret ' })
    const set = 'update connections set status = $2, fault_code = $3 where company_id = $1'
    await harness.deps.database.query(set, [companyId, 6, fault])
    expect(await next()).toBe(null)
    await harness.deps.database.query(set, [companyId, 20, fault])
    const shown = ['/connect/problem', { kind }]
    expect([await next(), await onward()]).toEqual([shown, shown])
  })

  it('tells that it is connected, with the connections, and later that the link was used', async () => {
    const done = await owner.submit(await owner.agree(await harness.link('form-source', companyId)), {
      address: 'here',
      password: 'secret ',
    })
    const connections = new URL(done.address, harness.origin).searchParams.get('connections') ?? ''
    expect([await next(), await onward()]).toEqual(Array(2).fill(['/connect/done', { connections }]))
    await harness.deps.database.query(`update links set completed_at = completed_at - interval '2 days' where company_id = $1`, [companyId])
    expect(await next()).toEqual(['/connect/problem', { kind: 'used' }])
  })

  it('tells nothing to a browser without the link', async () => {
    expect([(await owner.ask('/connect/outside/progress')).status, (await owner.get('/connect/outside')).title]).toEqual([
      400,
      'Please open your link again',
    ])
  })
})
