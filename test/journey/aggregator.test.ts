import { beforeAll, describe, expect, it } from 'vitest'
import { databaseOfService } from '../harness/database.ts'
import { folderForTests, openForTests, serviceForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { Client, type ListedConnection, type ListedService } from './client.ts'
import { finishAtPlaid } from './http-walks.ts'
import { openReceiver } from './receiver.ts'
import { BankAccounts } from './specification.ts'

const folder = folderForTests()
const database = openForTests(databaseOfService, (database) => database.drop())
const service = serviceForTests(() => ({ dataDir: folder.path, environment: database.environment }))
const client = openForTests(() => Client.logIn(service))
const receiver = openForTests(openReceiver)
let aggregator: ListedService

beforeAll(async () => {
  await client.subscribe('NormalizedData', receiver.url)
  aggregator = await client.service('Plaid')
  await until('the directory of banks', async () => {
    const { body } = await client.ask(`/normalized-data/services/${aggregator.id}/institutions?search=caisse`)
    return body.includes('aisse') ? true : null
  })
})

describe('the aggregator flow of the specification', () => {
  let companyId: string
  let servicesBefore: ListedService[]
  let connection: ListedConnection
  let child: ListedService | undefined

  it('1. lists the aggregator’s parent service, whose parentId is null', async () => {
    servicesBefore = await client.services()
    const parents = servicesBefore.filter(({ parentId, name }) => parentId === null && name === 'Plaid')
    expect(parents.map(({ id, category, parentName }) => [id, category, parentName])).toEqual([[aggregator.id, 'Banking', null]])
  })

  it('2. creates a link for the company and the parent, which the end user follows', async () => {
    companyId = await client.addCompany('Boulangerie du Plateau')
    const link = new URL(await client.link(companyId, aggregator.id))
    expect([link.searchParams.get('serviceId'), link.searchParams.get('accountId')]).toEqual([aggregator.id, companyId])
    const { owner, back } = await finishAtPlaid(service.baseUrl, link.href, 'caisse')
    expect((await owner.get(back)).title).toBe('You are connected')
  })

  it('3. shows a new connection in the Banking category, whose statusCode reaches 15, 18 or 19', async () => {
    connection = await client.connectionInStatus(companyId, [15, 18, 19])
    expect([connection.category, connection.categoryId]).toEqual(['Banking', aggregator.categoryId])
    const { event } = await receiver.first('NormalizedData', ({ Data }) => Data.CompanyId === companyId)
    expect(event.Data.ServiceId).toBe(connection.serviceId)
  })

  it('4. has created a child service for the bank, identified by its parentName', async () => {
    const children = (await client.services()).filter(({ parentName }) => parentName !== null)
    child = children.find(({ id }) => id === connection.serviceId)
    expect(servicesBefore.filter(({ parentName }) => parentName !== null)).toEqual([])
    expect(children).toHaveLength(1)
    expect([child?.parentName, child?.parentId, child?.name]).toEqual(['Plaid', aggregator.id, connection.serviceName])
  })

  it('5. returns the bank accounts for the company and the child service', async () => {
    const accounts = await client.read(BankAccounts, `/normalized-data/${companyId}/banking/accounts/${connection.serviceId}`)
    expect([accounts.serviceId, accounts.serviceName]).toEqual([child?.id, child?.name])
    expect(accounts.data.length).toBeGreaterThan(1)
    expect([...new Set(accounts.data.map(({ providerName }) => providerName))]).toEqual([child?.name])
  })

  it('returns nothing under the parent’s id', async () => {
    expect((await client.ask(`/normalized-data/${companyId}/banking/accounts/${aggregator.id}`)).status).toBe(404)
  })

  it('shares the child among the companies that use the bank', async () => {
    const other = await client.addCompany('Épicerie du Coin')
    const { owner, back } = await finishAtPlaid(service.baseUrl, await client.link(other, aggregator.id), 'caisse')
    await owner.get(back)
    const second = await client.connectionInStatus(other, [19])
    expect(second.serviceId).toBe(connection.serviceId)
    expect((await client.services()).filter(({ parentName }) => parentName !== null)).toHaveLength(1)
  })
})

describe('the aggregator’s webhook and the owner’s browser', () => {
  it('show that it is done, even if the webhook was faster', async () => {
    const companyId = await client.addCompany('Le webhook d’abord')
    const before = await countWebhooks()
    const { owner, back } = await finishAtPlaid(service.baseUrl, await client.link(companyId, aggregator.id), 'union')
    // One reports the added bank, one the finished session.
    await until('the webhooks', async () => ((await countWebhooks()) >= before + 2 ? true : null))
    expect((await owner.get(back)).title).toBe('You are connected')
  })

  it('connect an owner who closed the browser at the bank', async () => {
    const companyId = await client.addCompany('Fermée trop tôt')
    await finishAtPlaid(service.baseUrl, await client.link(companyId, aggregator.id), 'union')
    const { serviceId } = await client.connectionInStatus(companyId, [19], 40_000)
    expect((await client.ask(`/normalized-data/${companyId}/banking/accounts/${serviceId}`)).status).toBe(200)
  })
})

async function countWebhooks(): Promise<number> {
  const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text()
  const counts = [...metrics.matchAll(/^\w+_count\{[^}]*\/hooks\/[^}]*\} (\d+)$/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}
