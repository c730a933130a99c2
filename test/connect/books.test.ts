import { beforeEach, describe, expect, it } from 'vitest'
import { readCredentials } from '../../src/sync/credentials/credentials.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openConnectHarness } from './kit/harness.ts'
import { type LoadedPage, Owner } from './kit/owner.ts'

const harness = openForTests(openConnectHarness)
let owner: Owner
beforeEach(() => {
  owner = new Owner(harness.origin)
})

/** Leads to the page that asks which of the two sets of books to connect. */
async function toChoice(companyId?: string): Promise<LoadedPage> {
  const leaving = await owner.submit(await owner.agree(await harness.link('shared-login', companyId)))
  return await owner.get(leaving.forwardsTo())
}

async function connections(companyId: string) {
  const { rows } = await harness.deps.database.query<{ id: string; entity_id: string | null; status: number }>(
    'select id, entity_id, status from connections where company_id = $1',
    [companyId],
  )
  return rows
}

describe('a login with several sets of books', () => {
  it('lets the owner select one, and connects it with its own credentials', async () => {
    const company = await harness.addCompany('Café du Sud')
    const page = await toChoice(company)
    expect([page.status, page.title]).toEqual([200, 'Choose a company file'])
    expect(page.markup).toContain('Café du Sud &lt;i&gt;inc.&lt;/i&gt;')
    expect(
      (await connections(company)).map(({ status }) => status),
      'nothing is connected yet',
    ).toEqual([6])
    const done = await owner.submit(page, { entity: 'south' })
    expect(done.address).toMatch(/^\/connect\/done/)
    const [connection] = await connections(company)
    expect(connection).toMatchObject({ entity_id: 'south', status: 9 })
    const place = { instanceId: harness.instanceId, id: connection?.id ?? '' }
    expect((await readCredentials(harness.deps.database, harness.deps, place)).credentials.secret).toBe('token of south')
  })

  it('reports beside the choice that nothing or something else was selected, and keeps it open', async () => {
    const page = await toChoice()
    for (const typed of [{}, { entity: 'west' }]) {
      const again = await owner.submit(page, typed)
      expect([again.status, again.markup.includes('Choose one.')]).toEqual([422, true])
    }
    expect((await owner.submit(page, { entity: 'north' })).address).toMatch(/^\/connect\/done/)
  })

  it('connects once however often the choice is sent', async () => {
    const company = await harness.addCompany('Café pressé')
    const page = await toChoice(company)
    await Promise.all(Array.from({ length: 10 }, () => owner.submit(page, { entity: 'north' })))
    expect(await connections(company)).toMatchObject([{ entity_id: 'north', status: 9 }])
  })

  it('shows the choice to no other browser', async () => {
    const page = await toChoice()
    const stranger = new Owner(harness.origin)
    await stranger.agree(await harness.link('shared-login'))
    const shown = await stranger.get(page.address)
    expect([shown.status, shown.markup.includes('Café du Nord')]).toEqual([409, false])
  })

  it('offers no choice in a reconnect: the books connected before are used', async () => {
    const company = await harness.addCompany('Café fidèle')
    await owner.submit(await toChoice(company), { entity: 'south' })
    const again = await toChoice(company)
    expect(again.address).toMatch(/^\/connect\/done/)
    expect(await connections(company)).toMatchObject([{ entity_id: 'south' }])
  })

  it('offers the choice in French too', async () => {
    owner = new Owner(harness.origin, { language: 'fr-CA' })
    expect((await toChoice()).title).toBe('Quelle comptabilité voulez-vous connecter?')
  })
})
