import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { openApiHarness } from './harness.ts'

const api = openForTests(openApiHarness)

type Body = Record<string, unknown>

const add = async (body: Body) => await api.call('POST', '/normalized-data/company', { body: { name: 'Ferme du Lac', ...body } })
const change = async (id: string, body: Body) =>
  await api.call('PUT', `/normalized-data/companies/${id}`, { body: { name: 'Ferme du Lac', ...body } })
const made = async (body: Body) => (await add(body)).json() as unknown as { id: string }

async function namesWhere(filter: string, more = ''): Promise<string[]> {
  const { data } = (
    await api.call('GET', `/normalized-data/companies?FilterQuery=${encodeURIComponent(filter)}${more}`)
  ).json() as unknown as {
    data: { name: string }[]
  }
  return data.map(({ name }) => name)
}

describe('the external id of a company', () => {
  it('is unique within an instance, but not across instances', async () => {
    const externalId = `c-${randomUUID()}`
    const { id } = await made({ externalId })
    const [again, other] = [await add({ externalId }), await made({})]
    const taken = await change(other.id, { externalId })
    const { token } = await api.openOtherInstance()
    const elsewhere = await api.call('POST', '/normalized-data/company', {
      role: null,
      headers: { authorization: `Bearer ${token}` },
      body: { name: 'Neighbour', externalId },
    })
    expect([again.statusCode, taken.statusCode, elsewhere.statusCode]).toEqual([409, 409, 201])
    expect((await api.call('GET', `/normalized-data/companies/${other.id}`)).json()).toMatchObject({ externalId: null })
    expect((await change(id, { externalId })).statusCode).toBe(200)
  })

  it('is in the company’s events from then on', async () => {
    const { companyId } = api.syncHarness
    await change(companyId, { externalId: 'lender-17' })
    await api.syncHarness.sync(api.connectionId, { reason: 'refresh', isAwaited: true })
    const { data } = (await api.call('GET', '/webhooks/events?Limit=500')).json() as unknown as {
      data: { MessageType: string; Data: { AccountExternalId: string | null } }[]
    }
    const told = data.filter(({ MessageType }) => MessageType === 'NormalizedData').map(({ Data }) => Data.AccountExternalId)
    expect([told[0], told.at(-1)]).toEqual([null, 'lender-17'])
  })

  it.each(['', ' a', 'a ', 'x'.repeat(201), 7, '\ud800'])('cannot be %j', async (externalId) => {
    expect((await add({ externalId })).statusCode).toBe(400)
  })
})

describe('metadata of a company', () => {
  it('stays unchanged if an update omits it, like the external id', async () => {
    const { id } = await made({ externalId: `k-${randomUUID()}`, metadata: { segment: 'farms', 'risk.score': '7' } })
    expect((await change(id, { city: 'Rimouski' })).json()).toMatchObject({
      city: 'Rimouski',
      externalId: expect.stringMatching(/^k-/),
      metadata: { segment: 'farms', 'risk.score': '7' },
    })
    expect((await change(id, { externalId: null, metadata: {} })).json()).toMatchObject({ externalId: null, metadata: {} })
  })

  it.each([
    ['21 pairs', Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, 'v']))],
    ['a name of 41 letters', { ['k'.repeat(41)]: 'v' }],
    ['a name with a space', { 'a b': 'v' }],
    ['an empty name', { '': 'v' }],
    ['a value of 501 characters', { k: 'v'.repeat(501) }],
    ['a value that is no text', { k: 1 }],
    ['half a character', { k: '\udc00' }],
    ['no object', 'k=v'],
  ])('cannot be %s', async (_what, metadata) => {
    expect((await add({ metadata })).statusCode).toBe(400)
  })

  it('accepts 20 pairs of maximum length', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}`.padStart(40, 'k'), 'é'.repeat(500)]))
    expect((await add({ metadata })).json()).toMatchObject({ metadata })
  })
})

it('companies are listed by external id and by metadata', async () => {
  const [group, other] = [randomUUID(), randomUUID()]
  for (const [name, more] of Object.entries({ A: { branch: 'north' }, B: { branch: 'south' }, C: {} as Record<string, string> }))
    await made({ name, externalId: `${group}-${name}`, metadata: { ...more, group } })
  await made({ name: 'D', metadata: { group: other, 'group-2.x': "it's" } })
  const all = `metadata.group=${group}`
  expect([
    await namesWhere(`externalId=${group}-B`),
    await namesWhere(`externalId~${group}`, '&OrderBy=externalId&Desc=true'),
    await namesWhere(`${all} && metadata.branch=north || ${all} && metadata.branch~OUT`, '&OrderBy=name'),
    await namesWhere(`${all} && metadata.branch=null`),
    await namesWhere(`metadata.group-2.x="it's"`),
    await namesWhere(`${all} && metadata.branch!=north`, '&OrderBy=name'),
  ]).toEqual([['B'], ['C', 'B', 'A'], ['A', 'B'], ['C'], ['D'], ['B', 'C']])
  for (const filter of ['metadata=x', 'metadata.=x', 'name.x=1', `metadata.${'k'.repeat(41)}=x`])
    expect((await api.call('GET', `/normalized-data/companies?FilterQuery=${encodeURIComponent(filter)}`)).statusCode).toBe(400)
})

it('a company is found by its external id without reading the others', async () => {
  const { database } = api.syncHarness.deps
  await database.query(
    `insert into companies (instance_id, id, name, external_id) select $1, gen_random_uuid(), 'Many', 'many-' || n from generate_series(1, 5000) n`,
    [api.syncHarness.instanceId],
  )
  await database.query('analyze companies')
  const { rows } = await database.query(`explain select id from companies where instance_id = $1 and (external_id = $2::text)`, [
    api.syncHarness.instanceId,
    'many-7',
  ])
  expect([JSON.stringify(rows), await namesWhere('externalId=many-7')]).toEqual([
    expect.stringContaining('companies_by_external_id'),
    ['Many'],
  ])
})
