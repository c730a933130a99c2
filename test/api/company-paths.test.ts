import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { openApiHarness } from './harness.ts'

const api = openForTests(openApiHarness)

it('a company is found under either path, and another tenant’s under neither', async () => {
  const [one, other] = [`/normalized-data/company/${api.syncHarness.companyId}`, `/normalized-data/companies/${api.syncHarness.companyId}`]
  const answer = await api.call('GET', one)
  expect([answer.statusCode, answer.json()]).toEqual([200, (await api.call('GET', other)).json()])
  expect((await api.call('GET', `/normalized-data/company/${randomUUID()}`)).statusCode).toBe(404)
})

it('a bank behind an aggregator names the aggregator', async () => {
  const id = await api.addChildService()
  const { data } = (await api.call('GET', '/normalized-data/services')).json() as unknown as { data: Record<string, unknown>[] }
  const child = data.find((service) => service.id === id)
  expect(child).toMatchObject({ name: 'Bank One', title: `Bank One via ${child?.parentName}` })
})

it('a connection to a direct source names no aggregator', async () => {
  const { data } = (
    await api.call('GET', '/normalized-data/data-connection/statuses?FilterQuery=parentServiceName=null')
  ).json() as unknown as {
    data: Record<string, unknown>[]
  }
  expect(data.map(({ parentServiceName }) => parentServiceName)).toEqual([null, null])
})
