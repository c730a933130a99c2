import type { Client } from '@modelcontextprotocol/client'
import { countTokens } from 'gpt-tokenizer'
import { beforeAll, describe, expect, it } from 'vitest'
import { toServiceId } from '../../src/model/catalogue.ts'
import { openForTests } from '../harness/for-tests.ts'
import { callTool, openMcpHarness, SCOPES } from './client.ts'

const mcp = openForTests(openMcpHarness)
let client: Client
let key: string
let companyId: string
beforeAll(async () => {
  key = await mcp.newKey()
  client = await mcp.connect(key)
  companyId = mcp.api.syncHarness.companyId
})

describe('the tools', () => {
  it('are at most 10, read only, and their list takes at most 2,000 tokens', async () => {
    const { tools } = await client.listTools()
    expect(tools.length).toBeLessThanOrEqual(10)
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual(tools.map(() => true))
    expect(countTokens(JSON.stringify(tools))).toBeLessThanOrEqual(2_000)
  })

  it('lead from a company to its connections, records and their explanations, with the ids and addresses of each', async () => {
    const companies = await callTool(client, 'list_companies', {})
    expect(companies.content.data.map(({ id }) => id)).toContain(companyId)
    const connections = await callTool(client, 'list_connections', { companyId })
    const banking = connections.content.data.find(({ serviceId }) => serviceId === toServiceId('bank'))
    expect(banking).toMatchObject({ category: 'Banking', companyId })
    const place = { companyId, serviceId: toServiceId('bank'), category: 'banking' as const, entity: 'accounts' as const }
    const { content, text } = await callTool(client, 'list_records', place)
    expect(JSON.parse(text)).toEqual(content)
    const [account] = content.data
    const address = String(account?.explanation)
    expect(address).toMatch(new RegExp(`/${companyId}/banking/accounts/${place.serviceId}/[^/]+/explanation$`))
    const asked = await mcp.api.app.inject({ url: new URL(address).pathname, headers: { authorization: `Bearer ${key}` } })
    expect(asked.statusCode).toBe(200)
    const recordId = decodeURIComponent(address.split('/').at(-2) ?? '')
    const explained = await callTool(client, 'explain_record', { ...place, recordId })
    expect([explained.isError, explained.content.address]).toEqual([false, address])
    const held = await callTool(client, 'list_company_accounts', { companyId })
    expect(held.content.data).toHaveLength(1)
    expect((await callTool(client, 'get_quality', { companyId, serviceId: place.serviceId })).isError).toBe(false)
  })

  it('answer in pages', async () => {
    const place = { companyId, serviceId: toServiceId('books'), category: 'accountancy', entity: 'accounts', pageSize: 10 }
    const first = await callTool(client, 'list_records', place)
    const second = await callTool(client, 'list_records', { ...place, page: 2 })
    expect([first, second].map(({ content }) => [content.data.length, content.page.hasMore])).toEqual([
      [10, true],
      [2, false],
    ])
    const filtered = await callTool(client, 'list_records', { ...place, filter: 'number=105' })
    expect(filtered.content.data).toHaveLength(1)
  })

  it.each([
    ['a tool that is not there', 'delete_company', () => ({ companyId }), 404],
    ['no company id', 'list_connections', () => ({ companyId: '../companies' }), 400],
    ['a page that is too large', 'list_companies', () => ({ pageSize: 51 }), 400],
    ['an argument that is not known', 'list_companies', () => ({ instanceId: companyId }), 400],
    ['a filter that cannot be read', 'list_companies', () => ({ filter: 'nothing at all' }), 400],
    ['a company of nobody', 'list_connections', () => ({ companyId: '00000000-0000-4000-8000-000000000000' }), 404],
  ])('say what is wrong: %s', async (_what, name, input, status) => {
    const answer = await callTool(client, name, input())
    expect([answer.isError, answer.content.error?.status]).toEqual([true, status])
    expect(answer.content.error?.detail).not.toBe('')
  })
})

describe('the server', () => {
  const bearer = { authorization: '' }
  beforeAll(() => {
    bearer.authorization = `Bearer ${key}`
  })

  it('takes API keys only, and says so with WWW-Authenticate', async () => {
    const without = await mcp.post({})
    const unknown = await mcp.post({ authorization: 'Bearer ch_test_unknown' })
    const user = await mcp.post({ authorization: `Bearer ${mcp.api.tokens.admin}` })
    expect([without.status, unknown.status, user.status]).toEqual([401, 401, 403])
    expect([without, unknown].map(({ headers }) => headers.get('www-authenticate')?.startsWith('Bearer'))).toEqual([true, true])
  })

  it('reads within the scopes of the key', async () => {
    expect((await mcp.post({ authorization: `Bearer ${await mcp.newKey(['companies:read'])}` })).status).toBe(403)
    const narrow = await mcp.connect(await mcp.newKey(['data:read']))
    const answer = await callTool(narrow, 'list_companies', {})
    expect([answer.isError, answer.content.error]).toEqual([true, { status: 403, detail: expect.stringContaining('companies:read') }])
  })

  it('refuses pages of other origins, and listens to no stream', async () => {
    expect((await mcp.post({ ...bearer, origin: 'https://hostile.example' })).status).toBe(403)
    expect((await mcp.post({ ...bearer, origin: 'null' })).status).toBe(403)
    expect((await fetch(`${mcp.origin}/mcp`, { headers: bearer })).status).toBe(405)
    expect((await mcp.post(bearer, { method: 'subscriptions/listen' })).status).toBe(400)
  })

  it('is off until an administrator turns it on, and again from the moment they turn it off', async () => {
    const other = await mcp.api.openOtherInstance()
    const isOn = await mcp.api.app.inject({
      url: '/admin/api/v1/instance/mcp-access',
      headers: { authorization: `Bearer ${other.token}` },
    })
    expect(isOn.json()).toEqual({ isEnabled: false })
    expect((await mcp.api.call('PUT', '/instance/mcp-access', { role: 'developer', body: { isEnabled: false } })).statusCode).toBe(403)
    expect(await mcp.turn(false)).toBe(200)
    expect((await mcp.post(bearer)).status).toBe(403)
    expect(await mcp.turn(true)).toBe(200)
    expect((await mcp.post(bearer)).status).toBe(200)
  })

  it('records who called which tool for which company, and no data', async () => {
    await callTool(client, 'list_connections', { companyId })
    const { data } = (await mcp.api.call('GET', '/audit?Limit=50')).json() as unknown as {
      data: { action: string; subject: string | null; actor: unknown; details: unknown }[]
    }
    const entry = data.find(({ action }) => action === 'mcp.called')
    expect(entry).toMatchObject({ subject: `company/${companyId}`, details: { tool: 'list_connections', status: 200 } })
    expect(JSON.stringify(entry)).toContain('"key"')
    expect(JSON.stringify(entry)).not.toContain('Chequing')
    expect(data.some(({ action }) => action === 'mcp.access-changed')).toBe(true)
  })

  it('records calls that it refuses too, by the names of its own tools only', async () => {
    await callTool(client, 'delete_company', { companyId })
    await callTool(client, 'list_connections', { companyId: '../companies' })
    const { data } = (await mcp.api.call('GET', '/audit?Limit=10&FilterQuery=action=mcp.called')).json() as unknown as {
      data: { subject: string | null; details: unknown }[]
    }
    expect(data.slice(0, 2).map(({ subject, details }) => [subject, details])).toEqual([
      [null, { tool: 'list_connections', status: 400 }],
      [null, { tool: 'unknown', status: 404 }],
    ])
  })

  it('counts its reads against the limits of the key', async () => {
    const limited = await openMcpHarness({ requestLimits: { perSession: 12, perInstance: 0, perNetwork: 0 } })
    try {
      const bounded = await limited.newKey(SCOPES)
      const statuses: unknown[] = []
      for (let index = 0; index < 12; index += 1) {
        const message = { method: 'tools/call', params: { name: 'list_companies', arguments: {} } }
        const answer = await limited.post({ authorization: `Bearer ${bounded}` }, message)
        statuses.push(answer.status === 200 && (await answer.text()).includes('"status":429') ? 'refused inside' : answer.status)
      }
      expect(statuses).toContain(429)
      expect(statuses.filter((status) => status === 200)).toHaveLength(6)
    } finally {
      await limited.close()
    }
  })
})
