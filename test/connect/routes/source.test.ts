import { beforeEach, describe, expect, it } from 'vitest'
import { toServiceId } from '../../../src/model/catalogue.ts'
import { ensureChildService } from '../../../src/store/connections/child-services.ts'
import { issueLink } from '../../../src/sync/links/link.ts'
import { ISSUER } from '../../harness/app/tenants.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { openConnectHarness } from '../kit/harness.ts'
import { type LoadedPage, Owner } from '../kit/owner.ts'
import { pickyForm, redirectTo } from '../kit/picky-sources.ts'

const AWAY = 'https://books.example.com/sign-in'

const redirects = redirectTo(AWAY)
const more = [pickyForm, redirects.source].map((description) => ({ description, app: {}, hosts: {} }))
const harness = openForTests(() => openConnectHarness({ more }))
let owner: Owner
beforeEach(() => {
  owner = new Owner(harness.origin)
  redirects.starts.length = 0
})

async function linkTo(serviceId: string): Promise<string> {
  const companyId = await harness.addCompany('Café du Coin')
  return await issueLink(harness.deps, { instanceId: harness.instanceId, companyId, serviceId, issuedBy: ISSUER })
}
const agree = async (key: string): Promise<LoadedPage> => await owner.agree(await linkTo(toServiceId(key)))
const errorsOf = ({ markup }: LoadedPage) => [...markup.matchAll(/<p class="error" id="error-([\w-]+)">/g)].map(([, field]) => field)

describe('the form of a source', () => {
  it.each([
    ['', [422, ['how'], 'This field is required.']],
    [' \t ', [422, ['how'], 'This field is required.']],
    ['x'.repeat(1_001), [422, ['how'], 'This is too long.']],
    ['elsewhere', [422, [], 'Not like this.']],
    ['busy', [502, [], 'Livre difficile is not responding. Try again in a few minutes. Your link is still valid.']],
    ['over', [502, [], 'Livre difficile did not complete the sign-in. Nothing was connected. Try again.']],
  ])('with the value %j is shown again with what is wrong', async (how, [status, fields, words]) => {
    const page = await owner.submit(await agree('picky-form'), { how })
    expect([page.status, errorsOf(page), page.text]).toEqual([status, fields, expect.stringContaining(String(words))])
    expect(page.markup).toContain(`name="how" type="text" value="${how}"`)
  })

  it('takes a value of a thousand characters', async () => {
    expect((await owner.submit(await agree('picky-form'), { how: 'x'.repeat(1_000) })).title).toBe('You are connected')
  })

  it('names what is missing in French too', async () => {
    owner = new Owner(harness.origin, { language: 'fr-CA' })
    const page = await owner.submit(await agree('picky-form'), { how: 'elsewhere' })
    expect([page.status, page.text]).toEqual([422, expect.stringContaining('Pas comme ça.')])
  })

  it('that fails for a fault of ours is not blamed on the source', async () => {
    const page = await owner.submit(await agree('picky-form'), { how: 'broken' })
    expect([page.status, page.title]).toEqual([500, 'Something went wrong on our side'])
    expect(harness.faults.splice(0)).toMatchObject([{ problem: 'ours', err: new Error('a fault of ours') }])
  })

  it('takes no files, and the form for files takes nothing else', async () => {
    const form = await agree('picky-form')
    expect((await owner.upload(form, [{ name: 'a.ofx', bytes: 'x' }])).status).toBe(400)
    expect((await owner.submit(await agree('bank-files'))).status).toBe(400)
  })

  it('is sent back to the consent when there is none', async () => {
    const consent = await owner.get(await linkTo(toServiceId('picky-form')))
    const body = new URLSearchParams({ ...consent.hiddenFields(), how: 'well' })
    const answer = await owner.ask('/connect/source', { method: 'POST', body })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/connect/consent'])
  })
})

describe('the way to a source', () => {
  it('names no bank where none is chosen, and speaks the owner’s language', async () => {
    const page = await owner.submit(await agree('redirects'))
    expect([page.status, page.forwardsTo()]).toEqual([200, AWAY])
    expect(redirects.starts).toMatchObject([{ locale: 'en' }])
    expect(Object.keys(redirects.starts[0] ?? {})).not.toContain('institutionId')
  })

  it('names the bank of the service that the link is for', async () => {
    const { database } = harness.deps
    const id = crypto.randomUUID()
    await ensureChildService(database, harness.instanceId, {
      id,
      connectorKey: 'redirects',
      institutionId: 'ins_7',
      name: 'Caisse des Îles',
    })
    const step = await owner.agree(await linkTo(id))
    expect([step.address, step.title]).toEqual(['/connect/source', 'Connect Caisse des Îles'])
    await owner.submit(step)
    expect(redirects.starts).toMatchObject([{ institutionId: 'ins_7' }])
  })

  it('leads to no address that is not one of a web page', async () => {
    owner = new Owner(harness.origin, { language: 'fr-CA' })
    const page = await owner.submit(await agree('redirects'))
    expect([page.status, page.markup.includes('javascript:')]).toEqual([500, false])
    expect(harness.faults.splice(0)).toHaveLength(1)
  })
})

describe('the bank that an owner chose', () => {
  const chosen = async () => {
    const { rows } = await harness.deps.database.query<{ id: string | null }>(
      'select institution_id as id from links order by created_at desc limit 1',
    )
    return rows[0]?.id
  }

  it('is kept with the link: none yet, one of the list, to be chosen at the provider', async () => {
    const banks = await owner.agree(await linkTo(toServiceId('plaid')))
    const seen = [await chosen()]
    const [, first = ''] = /href="(\/connect\/source\?institution=[^"]*)"/.exec(banks.markup) ?? []
    await owner.get(first)
    seen.push(await chosen())
    await owner.get('/connect/source?choose=there')
    seen.push(await chosen())
    expect(seen).toEqual([null, new URLSearchParams(first.split('?')[1]).get('institution'), ''])
  })

  it('is asked for again by a form that names none', async () => {
    await owner.agree(await linkTo(toServiceId('plaid')))
    const step = await owner.get('/connect/source?choose=there')
    const body = new URLSearchParams(step.hiddenFields())
    const headers = { 'sec-fetch-site': 'same-origin' }
    const locations: (string | null)[] = []
    for (const query of ['', '?choose=here', '?institution=', '?institution=unknown']) {
      const answer = await owner.ask(`/connect/source${query}`, { method: 'POST', body, headers })
      locations.push(answer.headers.get('location'))
    }
    expect(locations).toEqual(Array.from({ length: 4 }, () => '/connect/institutions'))
  })

  it('is no matter of a source without a directory', async () => {
    await agree('picky-form')
    await owner.get('/connect/source?institution=ins_1&choose=there')
    expect(await chosen()).toBeNull()
  })
})
