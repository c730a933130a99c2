import { describe, expect, it } from 'vitest'
import { listingApi } from '../../../test/cli/listing-api.ts'
import { getConnection, getService, listCurrentConnections } from './find.ts'

const [A, B, C] = ['a', 'b', 'c'].map((letter) => `00000000-0000-4000-8000-00000000000${letter}`)

describe('the connections of a company', () => {
  const connection = (sessionId: string, serviceId: string, isCurrent: boolean) => ({
    id: sessionId,
    sessionId,
    serviceId,
    serviceName: 'Books',
    isCurrent,
  })
  const [active, attempt, other] = [
    connection('000000001', A ?? '', true),
    connection('000000002', A ?? '', false),
    connection('000000003', B ?? '', true),
  ]
  /** One that a company has now, after many that it had. */
  const past = Array.from({ length: 12_000 }, (_, index) => connection(String(10 + index), C ?? '', false))
  const open = () =>
    listingApi({
      '/company/company/data-connection/statuses': {
        items: () => [active, attempt, other, ...past],
        filter: { isCurrent: 'boolean', serviceId: 'uuid' },
      },
    })

  it('are the current ones, not a later attempt', async () => {
    const { api } = open()
    expect(await listCurrentConnections(api, 'company')).toEqual([active, other])
    expect(await getConnection(api, 'company', String(A).toUpperCase())).toEqual(active)
    await expect(getConnection(api, 'company', 'books')).rejects.toThrow('more than one')
    await expect(getConnection(api, 'company', String(C))).rejects.toThrow(`there is no connection to "${C}"`)
  })

  it('are found without reading all that there ever were', async () => {
    const { api, answered } = open()
    await listCurrentConnections(api, 'company')
    expect(answered).toEqual({ requests: 1, items: 2 })
    await getConnection(api, 'company', String(B))
    expect(answered).toEqual({ requests: 2, items: 3 })
  })
})

describe('a service', () => {
  const banks = Array.from({ length: 12_000 }, (_, index) => ({ id: `bank ${index}`, name: `Bank ${index}` }))
  const named = [
    { id: A ?? '', name: 'QuickBooks Online' },
    { id: B ?? '', name: 'Caisse' },
    { id: C ?? '', name: 'CAISSE' },
    { id: 'd', name: 'Caisse "Populaire"' },
    { id: 'e', name: 'La Caisse' },
  ]
  const open = () =>
    listingApi({ '/normalized-data/services': { items: () => [...named, ...banks], filter: { id: 'uuid', name: 'string' } } })

  it.each([
    [String(A), 'QuickBooks Online'],
    [String(A).toUpperCase(), 'QuickBooks Online'],
    ['QuickBooks Online', 'QuickBooks Online'],
    ['quickbooks online', 'QuickBooks Online'],
    ['quick', 'QuickBooks Online'],
    ['CAISSE', 'CAISSE'],
    ['caisse "p', 'Caisse "Populaire"'],
    ['Bank 11999', 'Bank 11999'],
  ])('is found by %s', async (text, name) => {
    const { api, answered } = open()
    expect(await getService(api, text)).toMatchObject({ name })
    expect(answered.items).toBeLessThan(10)
  })

  it('is named where a text could mean several, and missed where it means none', async () => {
    const { api } = open()
    await expect(getService(api, 'caisse')).rejects.toThrow(/more than one service is called "caisse".*\n.* Caisse\n.* CAISSE$/)
    await expect(getService(api, 'books')).rejects.toThrow('there is no service "books"; countinghouse link --services lists them')
  })
})
