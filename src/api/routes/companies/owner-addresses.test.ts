import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { openApiHarness } from '../../../../test/api/harness.ts'
import { addCompany } from '../../../../test/harness/app/tenants.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { createCompany } from '../../../store/connections/companies.ts'
import { issueOwnerAccess, openOwnerAccess } from '../../../sync/owner/owner-access.ts'

const api = openForTests(openApiHarness)
const database = () => api.syncHarness.deps.database
const [FIRST, SECOND] = [randomUUID(), randomUUID()]
const NOBODY = '5d0c7f0e-8a53-4a9a-a9c5-0b4a8f6b0d11'
let token = ''

/** Two receipts of the company, and one of a neighbour. */
beforeAll(async () => {
  const neighbour = await api.openOtherInstance()
  token = neighbour.token
  const { instanceId, companyId } = api.syncHarness
  await createCompany(database(), neighbour.instanceId, companyId, {
    ...{ name: 'Somebody else', country: 'CA', city: '', industry: '', fullAddress: '', companyContactNumber: '' },
  })
  const rows = [
    [instanceId, FIRST, companyId, 'withdrawal', '2026-11-20T12:00:00.5Z', 'Books'],
    [instanceId, SECOND, companyId, 'deletion', '2026-11-21T12:00:00Z', 'Bank'],
    [neighbour.instanceId, randomUUID(), companyId, 'deletion', '2026-11-22T12:00:00Z', 'Elsewhere'],
  ]
  for (const row of rows)
    await database().query(
      `insert into receipts (instance_id, id, company_id, kind, issued_at, service_name, connection_id, signed)
       values ($1, $2, $3, $4, $5, $6, $7, 'signed')`,
      [...row, api.connectionId],
    )
})

interface Listed {
  count: number
  data: { id: string }[]
}
const list = async (query: string) => (await api.call('GET', `/normalized-data/receipts${query}`)).json() as unknown as Listed

describe('the receipts of owners', () => {
  it('are listed as they were given, oldest first', async () => {
    const { companyId } = api.syncHarness
    const common = { companyId, sessionId: api.connectionId, signed: 'signed' }
    expect((await list('')).data).toEqual([
      { ...common, id: FIRST, kind: 'withdrawal', serviceName: 'Books', issuedOn: '2026-11-20T12:00:00.500' },
      { ...common, id: SECOND, kind: 'deletion', serviceName: 'Bank', issuedOn: '2026-11-21T12:00:00.000' },
    ])
  })

  it.each([
    ['?Desc=true', [SECOND, FIRST]],
    ['?OrderBy=kind', [SECOND, FIRST]],
    ['?OrderBy=serviceName', [SECOND, FIRST]],
    ['?FilterQuery=kind%3Ddeletion', [SECOND]],
    ['?FilterQuery=serviceName~boo', [FIRST]],
    ['?FilterQuery=issuedOn%3E2026-11-21', [SECOND]],
    [`?FilterQuery=id%3D${FIRST}`, [FIRST]],
    [`?FilterQuery=sessionId%3D${NOBODY}`, []],
  ])('are found by %s', async (query, ids) => {
    expect((await list(query)).data.map(({ id }) => id)).toEqual(ids)
  })
})

describe('the addresses of an owner’s page', () => {
  const addressesOf = (companyId: string) => `/normalized-data/company/${companyId}/owner-addresses`

  it('are counted and revoked, those of the one company alone, with an entry in the audit log', async () => {
    const { instanceId, companyId, deps } = api.syncHarness
    const other = await addCompany(database(), instanceId)
    const issue = async (of: string) => {
      const address = await issueOwnerAccess(deps, { instanceId, companyId: of, language: 'en' })
      return new URL(address).searchParams.get('token') ?? ''
    }
    const tokens = [await issue(companyId), await issue(companyId), await issue(other)]
    const counted = async (of: string) => (await api.call('GET', addressesOf(of))).json()
    expect([await counted(companyId), await counted(other)]).toEqual([{ addresses: 2 }, { addresses: 1 }])
    const answer = await api.call('DELETE', addressesOf(companyId))
    expect([answer.statusCode, answer.body]).toEqual([204, ''])
    expect([await counted(companyId), await counted(other)]).toEqual([{ addresses: 0 }, { addresses: 1 }])
    const isOpen = async (each: string) => (await openOwnerAccess(database(), deps.hashToken, each)) !== null
    expect([await isOpen(tokens[0] ?? ''), await isOpen(tokens[1] ?? ''), await isOpen(tokens[2] ?? '')]).toEqual([false, false, true])
    const { data } = (await api.call('GET', '/audit?FilterQuery=action=owner-page.addresses-revoked')).json() as unknown as {
      data: object[]
    }
    expect(data).toMatchObject([{ subject: `company/${companyId}` }])
  })

  it('of an unknown company are a 404, and those of a neighbour’s company with the same id stay', async () => {
    const { instanceId, companyId, deps } = api.syncHarness
    await issueOwnerAccess(deps, { instanceId, companyId, language: 'en' })
    const unknown = [await api.call('GET', addressesOf(NOBODY)), await api.call('DELETE', addressesOf(NOBODY))]
    const headers = { authorization: `Bearer ${token}` }
    const url = `/admin/api/v1${addressesOf(companyId)}`
    const [counted, revoked] = [await api.app.inject({ url, headers }), await api.app.inject({ method: 'DELETE', url, headers })]
    expect([...unknown, counted, revoked].map(({ statusCode }) => statusCode)).toEqual([404, 404, 200, 204])
    expect(counted.json()).toEqual({ addresses: 0 })
    expect((await api.call('GET', addressesOf(companyId))).json()).toEqual({ addresses: 1 })
  })
})
