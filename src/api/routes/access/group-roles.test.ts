import { expect, it } from 'vitest'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { bearerOf, testApi } from '../../../../test/harness/test-api.ts'

const URL = '/admin/api/v1/group-roles'

const api = openForTests(testApi)
const headers = openForTests(async () => bearerOf(api, (await api.addUser()).email))
const read = async (as = headers) => (await api.app.inject({ url: URL, headers: as })).json<{ groupRoles: object[] }>().groupRoles
const replace = (groupRoles: unknown, as = headers) => api.app.inject({ method: 'PUT', url: URL, headers: as, payload: { groupRoles } })

it('are empty at first, replaced as a whole and shown in order of names', async () => {
  expect(await read()).toEqual([])
  const it = { group: 'IT', role: 'admin' }
  const finance = { group: 'Finance', role: 'viewer' }
  expect((await replace([it, finance])).json()).toEqual({ groupRoles: [finance, it] })
  expect((await replace([{ ...finance, role: 'developer' }])).statusCode).toBe(200)
  expect(await read()).toEqual([{ group: 'Finance', role: 'developer' }])
})

it.each([
  ['a group twice', [1, 2].map(() => ({ group: 'IT', role: 'viewer' })), 'groupRoles.1.group', 'is given twice'],
  ['a role that does not exist', [{ group: 'IT', role: 'owner' }], 'groupRoles.0.role', 'must be one of'],
  ['an empty name', [{ group: ' ', role: 'viewer' }], 'groupRoles.0.group', 'has a wrong form'],
  ['too many groups', Array.from({ length: 501 }, (_, index) => ({ group: `G${index}`, role: 'viewer' })), 'groupRoles', '500'],
])('with %s are refused, and nothing changes', async (_what, groupRoles, field, message) => {
  const before = await read()
  const refused = await replace(groupRoles)
  expect(refused.statusCode).toBe(400)
  expect(refused.json()).toMatchObject({ errors: [{ field, message: expect.stringContaining(message) }] })
  expect(await read()).toEqual(before)
})

it('belong to one instance', async () => {
  const theirs = await bearerOf(api, (await api.addUser({ instanceId: await api.addInstance() })).email)
  await replace([{ group: 'Ours', role: 'viewer' }])
  expect(await read(theirs)).toEqual([])
  await replace([], theirs)
  expect(await read()).toEqual([{ group: 'Ours', role: 'viewer' }])
})

it('leave an audit entry with the difference, and none when nothing differs', async () => {
  const newest = async () =>
    (await api.app.inject({ url: '/admin/api/v1/audit', headers })).json<{ data: { position: number }[] }>().data[0]
  await replace([{ group: 'A', role: 'viewer' }])
  await replace([
    { group: 'A', role: 'admin' },
    { group: 'B', role: 'viewer' },
  ])
  const entry = await newest()
  expect(entry).toMatchObject({
    action: 'group-roles.changed',
    before: { groupRoles: '["A: viewer"]' },
    after: { groupRoles: '["A: admin","B: viewer"]' },
  })
  await replace([
    { group: 'B', role: 'viewer' },
    { group: 'A', role: 'admin' },
  ])
  expect((await newest())?.position).toBe(entry?.position)
})
