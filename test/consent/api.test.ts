import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { noteOpened } from '../../src/store/connections/links.ts'
import { beginAuthorization, submitForm } from '../../src/sync/authorize/authorize.ts'
import { openApiHarness } from '../api/harness.ts'
import { openNewLink } from '../harness/app/owner-link.ts'
import { openForTests } from '../harness/for-tests.ts'

const GIVEN_AT = new Date('2026-11-22T12:00:00Z')
const TEXTS = { en: ['Test Lender asks to read your data.'], 'fr-CA': ['Test Lender demande à consulter vos données.'] }
const UNKNOWN = '5d0c7f0e-8a53-4a9a-a9c5-0b4a8f6b0d11'

interface Listed {
  data: Record<string, unknown>[]
}

const api = openForTests(openApiHarness)
let companyPath: string
let place: { instanceId: string; companyId: string; serviceId: string }
let linkId: string

/** Two consents: the second renews the connection of the first. */
beforeAll(async () => {
  place = { instanceId: api.syncHarness.instanceId, companyId: api.syncHarness.companyId, serviceId: api.syncHarness.serviceId(api.books) }
  companyPath = `/normalized-data/company/${place.companyId}`
  await agree('en', 0)
  linkId = await agree('fr-CA', 1)
})

async function agree(language: 'en' | 'fr-CA', days: number): Promise<string> {
  const { deps } = api.syncHarness
  const { open } = await openNewLink(deps, place)
  await noteOpened(deps.database, place.instanceId, open.link.id)
  const givenAt = new Date(GIVEN_AT.getTime() + days * 86_400_000)
  const textHash = createHash('sha256').update(JSON.stringify(TEXTS)).digest()
  const { connectionId } = await beginAuthorization(deps.database, open, {
    texts: TEXTS,
    textHash,
    language,
    timeZone: 'America/Toronto',
    givenAt,
  })
  await submitForm(deps, open, connectionId, {})
  return open.link.id
}

const list = async (path: string) => (await api.call('GET', path)).json() as unknown as Listed

describe('the list of consents', () => {
  it('of a company contains everything in the ledger', async () => {
    const { data } = await list(`${companyPath}/consents`)
    expect(data).toHaveLength(2)
    expect(data[1]).toEqual({
      id: expect.any(String),
      companyId: place.companyId,
      serviceId: place.serviceId,
      sessionId: api.connectionId,
      linkId,
      purpose: 'service',
      purposeVersion: 0,
      language: 'fr',
      timeZone: 'America/Toronto',
      durationDays: 365,
      givenOn: '2026-11-23T12:00:00.000',
      expiresOn: '2027-11-23T12:00:00.000',
      endedOn: null,
      endedHow: null,
      textHash: createHash('sha256').update(JSON.stringify(TEXTS)).digest('hex'),
      texts: { en: TEXTS.en, fr: TEXTS['fr-CA'] },
    })
  })

  it.each([
    'FilterQuery=endedHow%3Dreplaced',
    'FilterQuery=language%3Den',
    'FilterQuery=givenOn%3C2026-11-23',
    'FilterQuery=endedOn!%3Dnull',
  ])('accepts %s', async (query) => {
    const { data } = await list(`${companyPath}/consents?${query}`)
    expect(data.map(({ endedHow }) => endedHow)).toEqual(['replaced'])
  })

  it('is ordered as requested', async () => {
    const { data } = await list(`/normalized-data/consents?OrderBy=expiresOn&Desc=true`)
    expect(data.map(({ language }) => language)).toEqual(['fr', 'en'])
  })

  it('of a connection excludes those of others', async () => {
    const { companyId } = place
    const of = (serviceId: string) => `/normalized-data/company/${companyId}/data-connection/${serviceId}/consents`
    expect((await list(of(place.serviceId))).data).toHaveLength(2)
    expect((await list(of(api.syncHarness.serviceId(api.bank)))).data).toEqual([])
  })

  it('of another instance’s company looks like that of a nonexistent one', async () => {
    const { token } = await api.openOtherInstance()
    const headers = { authorization: `Bearer ${token}` }
    const foreign = await api.app.inject({ url: `/admin/api/v1${companyPath}/consents`, headers })
    const unknown = await api.app.inject({ url: `/admin/api/v1/normalized-data/company/${UNKNOWN}/consents`, headers })
    expect([foreign.statusCode, unknown.statusCode]).toEqual([404, 404])
    const all = await api.app.inject({ url: '/admin/api/v1/normalized-data/consents', headers })
    expect(all.json()).toMatchObject({ count: 0, data: [] })
  })

  it.each(['OrderBy=texts', 'FilterQuery=texts~x', 'PageSize=5', 'Unknown=1', 'FilterQuery=givenOn%3Dsoon'])(
    'refuses %s',
    async (query) => {
      expect((await api.call('GET', `${companyPath}/consents?${query}`)).statusCode).toBe(400)
    },
  )
})

describe('a connection', () => {
  it('says when its link was first opened and until when the owner agreed', async () => {
    const detail = (await api.call('GET', `${companyPath}/data-connection/${place.serviceId}/status`)).json() as Record<string, unknown>
    expect([typeof detail.linkOpenedOn, detail.consentExpiresOn]).toEqual(['string', '2027-11-23T12:00:00.000'])
  })

  it('has the opening and the consents on its timeline', async () => {
    const { data } = await list(`${companyPath}/data-connection/${place.serviceId}/timeline`)
    const kinds = data.map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'linkOpened')).toHaveLength(2)
    expect(kinds.indexOf('linkIssued')).toBeLessThan(kinds.indexOf('linkOpened'))
    expect(kinds.filter((kind) => kind === 'consentGiven' || kind === 'consentEnded')).toHaveLength(3)
  })

  it('that is disconnected ends its consents, attributed to the developer', async () => {
    await api.call('DELETE', `${companyPath}/data-connection/${place.serviceId}`)
    const { data } = await list(`${companyPath}/consents`)
    expect(data.map(({ endedHow }) => endedHow)).toEqual(['replaced', 'disconnected'])
  })
})

it('every operation on consents has succeeded, checked against the document', () => {
  expect(api.listUnseen((path) => path.endsWith('/consents'))).toEqual([])
})

describe('a company', () => {
  it('is deleted together with its ledger and the texts that name it', async () => {
    const { database } = api.syncHarness.deps
    await api.call('DELETE', `${companyPath}/data-connection/${api.syncHarness.serviceId(api.bank)}`)
    await database.query('delete from jobs')
    await api.call('DELETE', `/normalized-data/companies/${place.companyId}`)
    const { rows } = await database.query(
      'select (select count(*) from consents) as consents, (select count(*) from consent_texts) as texts',
    )
    expect(rows).toEqual([{ consents: '0', texts: '0' }])
  })
})
