import { describe, expect, it } from 'vitest'
import { openForTests } from '../../harness/for-tests.ts'
import { VALUES } from '../kit/hand-off-harness.ts'
import { openConnectHarness } from '../kit/harness.ts'
import { Owner } from '../kit/owner.ts'

const harness = openForTests(openConnectHarness)

async function agreed(source: 'form-source' | 'plaid' = 'form-source') {
  const companyId = await harness.addCompany('Café du Coin')
  const owner = new Owner(harness.origin)
  const step = await owner.agree(await harness.link(source, companyId))
  return { owner, companyId, step }
}

/** Where the page of a frame goes on, by itself and for a browser without scripts. */
async function nextOf(owner: Owner, query = ''): Promise<[next: string | null, without: string | null]> {
  const polled = await owner.ask('/connect/outside/progress')
  expect([polled.headers.get('cache-control'), polled.headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff'])
  const { next } = (await polled.json()) as { next: string | null }
  return [next, (await owner.ask(`/connect/outside${query}`)).headers.get('location')]
}

describe('the page in a frame, while its owner is at the source in a window,', () => {
  it('stays while nothing has happened there', async () => {
    const { owner } = await agreed()
    expect(await nextOf(owner)).toEqual([null, '/connect/source'])
    const { owner: ofBank } = await agreed('plaid')
    expect(await nextOf(ofBank)).toEqual([null, '/connect/institutions'])
    expect(await nextOf(ofBank, '?choose=there')).toEqual([null, '/connect/source?choose=there'])
  })

  it.each([
    ['declined', 'declined'],
    ['otherEntity', 'mismatch'],
    ['refused', 'refused'],
    [null, 'refused'],
  ])('says what became of it: %s is %s', async (fault, kind) => {
    const { owner, companyId } = await agreed()
    await harness.deps.database.query('update connections set status = 7, fault_code = $2 where company_id = $1', [companyId, fault])
    const path = `/connect/problem?kind=${kind}`
    expect(await nextOf(owner)).toEqual([path, path])
  })

  it('goes on to the result for a day', async () => {
    const { owner, companyId, step } = await agreed()
    await owner.submit(step, VALUES)
    const { rows } = await harness.deps.database.query<{ id: string }>('select id from connections where company_id = $1', [companyId])
    const path = `/connect/done?connections=${rows[0]?.id}`
    expect(await nextOf(owner)).toEqual([path, path])
    await harness.deps.database.query(`update links set completed_at = now() - interval '25 hours' where company_id = $1`, [companyId])
    expect(await nextOf(owner)).toEqual(['/connect/problem?kind=used', '/connect/problem?kind=used'])
  })

  it('asks for the link where none is open', async () => {
    const stranger = new Owner(harness.origin)
    const answers = [await stranger.ask('/connect/outside'), await stranger.ask('/connect/outside/progress')]
    expect(answers.map(({ status }) => status)).toEqual([400, 400])
  })
})
