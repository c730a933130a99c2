import { describe, expect, it, vi } from 'vitest'
import { DIRECTORY_SERVICE, openApiHarness } from '../../../../test/api/harness.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { writeHiddenSource } from '../../../store/sources/source-keys.ts'

const api = openForTests(openApiHarness)

interface Listed {
  data: Record<string, unknown>[]
}
const list = async (query = '') => ((await api.call('GET', `/normalized-data/services${query}`)).json() as unknown as Listed).data
const namesOf = async (query: string) => (await list(query)).map(({ id }) => id)

describe('the services of an instance', () => {
  it('have their texts, their category and a logo, and a bank has its aggregator', async () => {
    const child = await api.addChildService()
    const [bank] = await list(`?FilterQuery=id%3D${child}`)
    const [books] = await list(`?FilterQuery=id%3D${api.syncHarness.serviceId(api.books)}`)
    expect(bank).toMatchObject({ id: child, isEnabled: true, name: 'Bank One', parentId: DIRECTORY_SERVICE, category: 'Banking' })
    expect(bank?.logoUrl).toMatch(new RegExp(`^https?://.+/logos/${child}\\.svg$`))
    expect(books).toMatchObject({ parentId: null, parentName: null, category: 'Accounting', supportedEntities: ['Accounts'] })
    expect(JSON.parse(String(books?.description))).toEqual(api.books.description.description)
    expect([bank?.categoryId === books?.categoryId, bank?.parentName]).toEqual([false, expect.any(String)])
  })

  it('are filtered and ordered by what they show', async () => {
    const child = await api.addChildService()
    expect(await namesOf(`?FilterQuery=parentId%3D${DIRECTORY_SERVICE}`)).toEqual([child])
    expect(await namesOf('?FilterQuery=parentId%21%3Dnull')).toEqual([child])
    const [up, down] = [await namesOf('?OrderBy=name'), await namesOf('?OrderBy=name&Desc=true')]
    expect([up.length, down]).toEqual([4, up.toReversed()])
    expect(await namesOf('?FilterQuery=category%3DAccounting')).toEqual([api.syncHarness.serviceId(api.books)])
  })

  it('are found by their ids without reading the others', async () => {
    const child = await api.addChildService()
    const books = api.syncHarness.serviceId(api.books)
    const { database } = api.syncHarness.deps
    const query = vi.spyOn(database, 'query')
    const found = async (filter: string) => {
      query.mockClear()
      const ids = await namesOf(`?FilterQuery=${encodeURIComponent(filter)}`)
      const banks = query.mock.results.filter((_, index) => String(query.mock.calls[index]?.[0]).includes('from child_services'))
      const read = await Promise.all(banks.map(async ({ value }) => (await value).rows.length))
      return [ids, read]
    }
    expect(await found(`id=${books}`)).toEqual([[books], [0]])
    expect(await found(`id=${child} && isEnabled=true`)).toEqual([[child], [1]])
    expect(await found(`id=${child} && isEnabled=false || id=${books}`)).toEqual([[books], [1]])
    expect(await found(`id=${child} || name="Bank One"`)).toEqual([[child], [1]])
    expect(await found(`id!=${child} && category=Accounting`)).toEqual([[books], [1]])
    query.mockRestore()
  })

  it('are not enabled while their source is hidden, for this instance alone', async () => {
    const { deps, instanceId } = api.syncHarness
    const { key } = api.books.description
    const { token } = await api.openOtherInstance()
    await writeHiddenSource(deps.database, instanceId, key, true)
    const hidden = await namesOf('?FilterQuery=isEnabled%3Dfalse')
    const url = '/admin/api/v1/normalized-data/services?FilterQuery=isEnabled%3Dfalse'
    const elsewhere = (await api.app.inject({ url, headers: { authorization: `Bearer ${token}` } })).json<Listed>()
    await writeHiddenSource(deps.database, instanceId, key, false)
    expect([hidden, elsewhere.data, await namesOf('?FilterQuery=isEnabled%3Dfalse')]).toEqual([
      [api.syncHarness.serviceId(api.books)],
      [],
      [],
    ])
  })
})
