import { describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { openConnectHarness } from './kit/harness.ts'
import { type LoadedPage, Owner } from './kit/owner.ts'

const MISSING = '/connect/institutions/missing'
const CAISSE = { name: 'Caisse des Îles', country: 'CA' }

const harness = openForTests(openConnectHarness)

async function comeToBanks(companyId?: string): Promise<{ owner: Owner; link: string }> {
  const owner = new Owner(harness.origin)
  const link = await harness.link('plaid', companyId)
  await owner.agree(link)
  return { owner, link }
}

async function countRequests(): Promise<string | undefined> {
  return (await harness.countRows()).requests
}

/** Submits the page's second form, which leads to file uploads. */
async function askForFiles(owner: Owner, page: LoadedPage): Promise<LoadedPage> {
  const form = /<form method="post" action="(\/connect\/institutions\/statements[^"]*)"/.exec(page.markup)?.[1]
  if (form === undefined) throw new Error('the page does not offer files')
  const body = new URLSearchParams(page.hiddenFields())
  const response = await owner.ask(form, { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } })
  return await owner.get(response.headers.get('location') ?? '')
}

describe('a bank that is missing', () => {
  it('is recorded once, however often the form is sent', async () => {
    const { owner } = await comeToBanks()
    const before = Number(await countRequests())
    const page = await owner.get(MISSING)
    const shown = await Promise.all([owner.submit(page, CAISSE), owner.submit(page, CAISSE), owner.submit(page, CAISSE)])
    expect([Number(await countRequests()) - before, new Set(shown.map(({ address }) => address)).size]).toEqual([1, 1])
  })

  it('ends with thanks, the next steps, and the offer to upload statements', async () => {
    const { owner } = await comeToBanks()
    const noted = await owner.submit(await owner.get(MISSING), CAISSE)
    expect(noted.title).toBe('Thank you for your request')
    expect(noted.text).toContain('Érable Lending will check whether your bank can be added.')
    expect(noted.text).toContain('Upload statements instead')
  })

  it('is shown to nobody with another link', async () => {
    const companyId = await harness.addCompany('Zola')
    const first = await comeToBanks(companyId)
    const noted = await first.owner.submit(await first.owner.get(MISSING), CAISSE)
    const second = await comeToBanks(companyId)
    expect((await second.owner.get(noted.address)).title).toBe('Choose your bank')
  })

  it.each(['x', '%00', '00000000-0000-0000-0000-000000000000'])('has no page at the address %s', async (id) => {
    const { owner } = await comeToBanks()
    expect((await owner.get(`/connect/institutions/noted?request=${id}`)).title).toBe('Choose your bank')
  })
})

describe('statements instead of a bank', () => {
  it('use a separate link, for the same company and with the same options', async () => {
    const { owner, link } = await comeToBanks()
    const { database } = harness.deps
    await database.query(`update links set language = 'en', return_url = 'https://example.com/back', purpose_key = null,
      expires_at = '2100-01-01' where id = (select id from links order by created_at desc limit 1)`)
    const consent = await askForFiles(owner, await owner.get(MISSING))
    expect([consent.title, consent.text.includes('Boulangerie du Plateau')]).toEqual(['Érable Lending asks for your bank statements', true])
    const companyId = new URL(link).searchParams.get('accountId')
    const { rows } = await database.query(
      `select count(*)::int as links, count(distinct service_id)::int as services, count(distinct (language, return_url, expires_at, issued_by))::int as options
       from links where company_id = $1`,
      [companyId],
    )
    expect(rows).toEqual([{ links: 2, services: 2, options: 1 }])
  })

  it('lead to a complete connection', async () => {
    const { owner } = await comeToBanks()
    const upload = await owner.submit(await askForFiles(owner, await owner.get(MISSING)), { choice: 'agree' })
    expect(upload.title).toBe('Upload your bank statements')
  })

  it('use one link, however often they are requested', async () => {
    const { owner } = await comeToBanks()
    const page = await owner.get(MISSING)
    const count = async () => (await harness.deps.database.query('select id from links')).rowCount
    await askForFiles(owner, page)
    const once = await count()
    await askForFiles(owner, page)
    expect(await count()).toBe(once)
  })

  it('are not offered if files are disabled, and an older form is refused', async () => {
    const { owner } = await comeToBanks()
    const page = await owner.get(MISSING)
    harness.setEnabled('bank-files', false)
    try {
      const now = await owner.get(MISSING)
      const body = new URLSearchParams(page.hiddenFields())
      const refused = await owner.ask('/connect/institutions/statements', {
        method: 'POST',
        body,
        headers: { 'sec-fetch-site': 'same-origin' },
      })
      expect([now.text.includes('Upload statements'), refused.status]).toEqual([false, 503])
    } finally {
      harness.setEnabled('bank-files', true)
    }
  })
})
