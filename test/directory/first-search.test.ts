import { beforeAll, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { Client } from '../journey/client.ts'
import { openSandbox } from '../process/sandbox.ts'
import type { Service } from '../process/service.ts'

const AGGREGATORS = ['Plaid', 'Finicity', 'Flinks', 'Yodlee', 'MX', 'Teller']

const sandbox = openForTests(openSandbox)
let service: Service
let client: Client

beforeAll(async () => {
  service = sandbox.service
  client = await Client.logIn(service)
})

it.each(AGGREGATORS)('the first search of the directory of %s finds its banks', async (name) => {
  const { data } = JSON.parse((await client.ask('/normalized-data/services?PageSize=500')).body) as { data: { id: string; name: string }[] }
  const found = data.find((one) => one.name.startsWith(name))
  const { status, body } = await client.ask(`/normalized-data/services/${found?.id}/institutions`)
  expect([status, JSON.parse(body).data?.length > 0]).toEqual([200, true])
})
