import { beforeAll, describe, expect, it } from 'vitest'
import { toServiceId } from '../../src/model/catalogue.ts'
import { beginAuthorization, submitForm } from '../../src/sync/authorize/authorize.ts'
import { openLink } from '../../src/sync/links/link.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openApiHarness } from './harness.ts'

const API = '/admin/api/v1'

interface Issued {
  id: string
  applicationId: string
  key: string
}

const api = openForTests(openApiHarness)
let origin: string
beforeAll(async () => {
  origin = await api.app.listen({ host: '127.0.0.1', port: 0 })
})

const create = async (scopes: string[]): Promise<Issued> =>
  (await api.call('POST', '/api-keys', { body: { name: 'Nightly import', scopes } })).json() as unknown as Issued
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

describe('a link made with an API key', () => {
  /**
   * Links the company to the books again with a link requested by `headers`; returns the application that events then
   * name.
   */
  async function applicationOfLink(headers: Record<string, string>): Promise<unknown> {
    const { deps, companyId } = api.syncHarness
    const url = `${API}/normalized-data/company/${companyId}/data-connection/${toServiceId('books')}/link`
    const { link } = (await api.app.inject({ url, headers })).json<{ link: string }>()
    const open = await openLink(deps, new URL(link).searchParams.get('token') ?? '')
    if (!open) throw new Error('the link cannot be opened')
    const { connectionId } = await beginAuthorization(deps.database, open)
    await submitForm(deps, open, connectionId, {})
    await api.syncHarness.sync(api.connectionId, { reason: 'refresh', isAwaited: true })
    const { data } = (await api.call('GET', '/webhooks/events?Limit=500')).json() as unknown as {
      data: { MessageType: string; Data: { SessionShareId: string; ApplicationId: unknown } }[]
    }
    const told = data.filter(({ MessageType, Data }) => MessageType === 'NormalizedData' && Data.SessionShareId === api.connectionId)
    return told.at(-1)?.Data.ApplicationId
  }

  it('gives the events of its connection the key’s application, across rotations, until a user creates a link', async () => {
    const key = await create(['links:write'])
    const first = await applicationOfLink(bearer(key.key))
    const rotated = (await api.call('POST', `/api-keys/${key.id}/rotate`, { body: { overlapHours: 0 } })).json() as unknown as Issued
    const next = await applicationOfLink(bearer(rotated.key))
    const other = await applicationOfLink(bearer((await create(['links:write'])).key))
    expect([first, next, await applicationOfLink({ authorization: `Bearer ${api.tokens.admin}` })]).toEqual([key.id, key.id, null])
    expect([null, key.id]).not.toContain(other)
  })
})

describe('a repeated read', () => {
  const path = () => `${API}/normalized-data/${api.syncHarness.companyId}/banking/accounts/${toServiceId('bank')}`
  /** Over the network, where a repeated read is answered ahead of the router. */
  const read = async (key: string) => {
    const response = await fetch(origin + path(), { headers: bearer(key) })
    return { status: response.status, etag: response.headers.get('etag'), body: await response.text() }
  }
  const countOf = async () =>
    Number(
      /http_request_duration_seconds_count\{method="GET",route="[^"]*banking\/accounts\/:serviceId",status_class="2xx"\} (\d+)/.exec(
        await (await fetch(`${origin}/metrics`)).text(),
      )?.[1] ?? 0,
    )

  it('is answered for a key as for a user, and counted', async () => {
    const { key } = await create(['data:read'])
    const user = await read(api.tokens.viewer)
    const before = await countOf()
    expect([await read(key), await read(key), await read(key)]).toEqual([user, user, user])
    expect((await countOf()) - before).toBe(3)
  })

  it('is refused to a key without the scope, however often it asks, and to one that was revoked in the meantime', async () => {
    await read(api.tokens.viewer)
    const poor = await create(['companies:read'])
    expect([(await read(poor.key)).status, (await read(poor.key)).status]).toEqual([403, 403])
    const rich = await create(['data:read'])
    const before = [(await read(rich.key)).status, (await read(rich.key)).status]
    await api.call('DELETE', `/api-keys/${rich.id}`)
    // A write is checked at once, and later reads use the result.
    await api.app.inject({ method: 'POST', url: `${API}/normalized-data/company`, payload: {}, headers: bearer(rich.key) })
    expect([before, (await read(rich.key)).status]).toEqual([[200, 200], 401])
  })

  it('of another instance shows a key nothing', async () => {
    const { token } = await api.openOtherInstance()
    const payload = { name: 'Theirs', scopes: ['data:read'] }
    const theirs = (await api.app.inject({ method: 'POST', url: `${API}/api-keys`, payload, headers: bearer(token) })).json<Issued>()
    const seen = [await read(theirs.key), await read(theirs.key), await read(theirs.key)]
    expect(seen.map(({ status, body }) => [status, body.includes('Chequing')])).toEqual(Array(3).fill([404, false]))
  })
})
