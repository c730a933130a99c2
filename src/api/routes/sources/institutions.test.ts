import { beforeAll, describe, expect, it } from 'vitest'
import { DIRECTORY_SERVICE, openApiHarness } from '../../../../test/api/harness.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { saveInstitutions } from '../../../store/sources/institutions.ts'

const api = openForTests(openApiHarness)
const REQUESTS = '/normalized-data/institution-requests'
const BANKS = `/normalized-data/services/${DIRECTORY_SERVICE}/institutions`
const UNKNOWN = '5d0c7f0e-8a53-4a9a-a9c5-0b4a8f6b0d11'

beforeAll(async () => {
  const banks = Array.from({ length: 25 }, (_value, at) => ({
    id: `b${String(at).padStart(2, '0')}`,
    name: `Caisse ${String(at).padStart(2, '0')}`,
    countries: [at < 5 ? 'US' : 'CA'],
    routingNumbers: at === 7 ? ['081500001'] : [],
    url: at === 0 ? 'https://caisse.example' : null,
  }))
  await saveInstitutions(api.syncHarness.deps.database, 'directory', new Date(), banks)
})

interface Listed {
  pageNumber: number
  pageSize: number
  count: number
  data: { id: string }[]
}
const search = async (query: string) => {
  const answer = await api.call('GET', `${BANKS}${query}`)
  const { pageNumber, pageSize, count, data } = answer.json() as unknown as Listed
  return [pageNumber, pageSize, count, answer.headers['x-total-count'], data[0]?.id]
}
const audited = async (action: string) =>
  ((await api.call('GET', `/audit?FilterQuery=action=${action}`)).json() as unknown as { data: Record<string, unknown>[] }).data

describe('the institutions of an aggregator', () => {
  it.each([
    ['', [1, 100, 25, '25', 'b00']],
    ['?PageSize=10', [1, 10, 10, '25', 'b00']],
    ['?PageSize=10&PageNumber=3', [3, 10, 5, '25', 'b20']],
    ['?country=US', [1, 100, 5, '5', 'b00']],
    ['?search=%20caisse%2007%20', [1, 100, 1, '1', 'b07']],
    ['?search=081500001&country=CA', [1, 100, 1, '1', 'b07']],
    ['?search=081500001&country=US', [1, 100, 0, '0', undefined]],
  ])('are paged and found: %j', async (query, page) => {
    expect(await search(query)).toEqual(page)
  })

  it('have a name, countries, routing numbers and an address', async () => {
    const { data } = (await api.call('GET', `${BANKS}?search=caisse%2000`)).json() as unknown as Listed
    expect(data).toEqual([{ id: 'b00', name: 'Caisse 00', countries: ['US'], routingNumbers: [], url: 'https://caisse.example' }])
  })

  it('are a 404 for a service that has none, or is unknown', async () => {
    const services = [api.syncHarness.serviceId(api.books), UNKNOWN]
    const answers = await Promise.all(services.map((id) => api.call('GET', `/normalized-data/services/${id}/institutions`)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404])
  })
})

describe('a request for an institution', () => {
  const NAMED = { serviceId: DIRECTORY_SERVICE, name: 'Caisse de Rimouski', country: 'CA' }
  const ask = async (body: object, headers: Record<string, string> = {}) => await api.call('POST', REQUESTS, { body, headers })

  it('is kept with who asked, is open until it is answered, and may be answered again', async () => {
    const asked = await ask({ ...NAMED, url: 'https://caisse.example', note: 'For a bakery.' })
    const shown = asked.json() as unknown as { id: string; createdOn: string }
    const open = {
      ...{ ...NAMED, id: shown.id, url: 'https://caisse.example', note: 'For a bakery.', state: 'open', requestedBy: api.emails.admin },
      ...{ createdOn: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/), answer: '', answeredOn: null },
    }
    const path = `${REQUESTS}/${shown.id}`
    expect([asked.statusCode, shown, (await api.call('GET', path)).json()]).toEqual([201, open, open])
    const answer = async (text: string) => (await api.call('PUT', path, { role: 'developer', body: { answer: text } })).json()
    expect(await answer('  Soon. ')).toEqual({ ...open, state: 'answered', answer: 'Soon.', answeredOn: expect.any(String) })
    expect(await answer('From Monday on.')).toMatchObject({ state: 'answered', answer: 'From Monday on.' })
    expect((await api.call('GET', REQUESTS)).json()).toMatchObject([{ id: shown.id, answer: 'From Monday on.' }])
    const subject = `institution-request/${shown.id}`
    expect([await audited('institution.requested'), await audited('institution.answered')]).toMatchObject([
      [{ subject, after: { name: 'Caisse de Rimouski' } }],
      [
        { subject, withheld: ['answer'] },
        { subject, withheld: ['answer'] },
      ],
    ])
  })

  it('needs no address and no note', async () => {
    expect((await ask(NAMED)).json()).toMatchObject({ url: '', note: '' })
  })

  it('for a service without institutions, or an unknown one, is a 404 and keeps nothing', async () => {
    const before = (await api.call('GET', REQUESTS)).json()
    const services = [api.syncHarness.serviceId(api.books), UNKNOWN]
    const answers = await Promise.all(services.map((serviceId) => ask({ ...NAMED, serviceId })))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404])
    expect((await api.call('GET', REQUESTS)).json()).toEqual(before)
  })

  it('that is unknown, or a neighbour’s, is a 404', async () => {
    const { id } = (await ask(NAMED)).json() as unknown as { id: string }
    const { token } = await api.openOtherInstance()
    const headers = { authorization: `Bearer ${token}` }
    const url = `/admin/api/v1${REQUESTS}/${id}`
    const payload = { answer: 'No.' }
    const foreign = [await api.app.inject({ url, headers }), await api.app.inject({ method: 'PUT', url, headers, payload })]
    const unknown = [
      await api.call('GET', `${REQUESTS}/${UNKNOWN}`),
      await api.call('PUT', `${REQUESTS}/${UNKNOWN}`, { body: { answer: 'No.' } }),
    ]
    expect([...foreign, ...unknown].map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404])
    expect((await api.app.inject({ url: `/admin/api/v1${REQUESTS}`, headers })).json()).toEqual([])
    expect((await api.call('GET', `${REQUESTS}/${id}`)).json()).toMatchObject({ state: 'open', answer: '' })
  })
})
