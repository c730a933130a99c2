import { beforeEach, describe, expect, it } from 'vitest'
import { listConsentsOfCompany } from '../../src/store/connections/consents.ts'
import { openConnectHarness, type SourceKey } from '../connect/kit/harness.ts'
import { type LoadedPage, Owner } from '../connect/kit/owner.ts'
import { decideAtIntuit } from '../connect/kit/quickbooks-owner.ts'
import { openForTests } from '../harness/for-tests.ts'

const VALUES = { address: 'https://books.example.com', password: 'secret ' }

const harness = openForTests(openConnectHarness)
let owner: Owner
let companyId: string
beforeEach(async () => {
  owner = new Owner(harness.origin)
  companyId = await harness.addCompany('Boulangerie du Plateau')
})

const link = async (source: SourceKey = 'form-source') => await harness.link(source, companyId)
const decline = async (one: Owner) => await one.submit(await one.get('/connect/consent'), { choice: 'decline' })

async function connected(): Promise<number> {
  const { rows } = await harness.deps.database.query('select 1 from connections where company_id = $1 and entity_id is not null', [
    companyId,
  ])
  return rows.length
}

async function helperAt(step: LoadedPage): Promise<{ helper: Owner; open: LoadedPage }> {
  const copied = await owner.submit(await owner.get(step.linkTo('my accountant')), { choice: 'copy' })
  const address = /<textarea[^>]*>([^<]*)</.exec(copied.markup)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const helper = new Owner(harness.origin)
  return { helper, open: await helper.submit(await helper.get(address), { choice: 'go' }) }
}

describe('a permission withdrawn before anything is connected', () => {
  it('stops every return from the source', async () => {
    const leaving = await owner.submit(await owner.agree(await link('quickbooks')))
    await decline(owner)
    const back = await owner.get(await decideAtIntuit(leaving, '4620816365200000101'))
    expect([back.title, await connected()]).toEqual(['You declined', 0])
  })

  it('in another browser makes the first ask again', async () => {
    const address = await link()
    const step = await owner.agree(address)
    const other = new Owner(harness.origin)
    await other.get(address)
    await decline(other)
    const answer = await owner.submit(step, VALUES)
    expect([answer.address, await connected()]).toEqual(['/connect/consent', 0])
    await owner.submit(await owner.submit(answer, { choice: 'agree' }), VALUES)
    expect(await connected()).toBe(1)
  })

  it('is withdrawn from the helper with the forwarded link too', async () => {
    const { helper, open } = await helperAt(await owner.agree(await link()))
    await decline(owner)
    const answer = await helper.submit(open, VALUES)
    expect([answer.status, await connected()]).toEqual([403, 0])
  })

  it('at the moment of connecting leaves either both or neither', async () => {
    for (let round = 0; round < 6; round += 1) {
      companyId = await harness.addCompany('Boulangerie du Plateau')
      const address = await link()
      const step = await owner.agree(address)
      const other = new Owner(harness.origin)
      await other.get(address)
      const consent = await other.get('/connect/consent')
      await Promise.all([owner.submit(step, VALUES), other.submit(consent, { choice: 'decline' })])
      const living = (await listConsentsOfCompany(harness.deps.database, harness.instanceId, companyId)).filter(
        ({ endedAt }) => endedAt === null,
      )
      expect(living).toHaveLength(await connected())
    }
  })
})

it('a permission that could not be stored is not remembered by the browser', async () => {
  const page = await owner.get(await link())
  await harness.deps.database.query('alter table consents rename to consents_away')
  const failed = await owner.submit(page, { choice: 'agree' })
  await harness.deps.database.query('alter table consents_away rename to consents')
  expect([failed.status, (await owner.get('/connect/source')).address]).toEqual([500, '/connect/consent'])
})
