import { beforeAll, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf, testApi } from '../harness/test-api.ts'
import { GROUP, PATCH, USER } from '../scim/harness.ts'
import { Walk } from './watch.ts'
import { expectWrittenEntries } from './written-entries.ts'

const api = openForTests(() => testApi({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } }))
const walk = openForTests(() => new Walk(api.app, api.deps.database))
let authorization = ''
beforeAll(async () => {
  const headers = await bearerOf(api, (await api.addUser()).email)
  const made = await api.app.inject({ method: 'POST', url: '/admin/api/v1/api-keys', headers, payload: { name: 'IdP', scopes: ['scim'] } })
  authorization = `Bearer ${made.json<{ key: string }>().key}`
})

const step = (operationId: string, body?: object, ids: Record<string, string | undefined> = {}) =>
  walk.step(operationId, { ids, headers: { authorization }, ...(body ? { body } : {}) })

/** They answer 501. */
const NOTHING = ['scimBulk', 'scimSearch']

it('every operation of SCIM that changes something leaves an entry, and every other changes nothing', async () => {
  const search = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'] }
  const { id: userId } = await step('scimCreateUser', { schemas: [USER], userName: 'ann@example.com' })
  await step('scimReplaceUser', { schemas: [USER], userName: 'ann@example.com', externalId: 'a' }, { userId })
  await step('scimPatchUser', { schemas: [PATCH], Operations: [{ op: 'replace', path: 'name.givenName', value: 'Ann' }] }, { userId })
  await step('scimSearchUsers', search)
  const { id: groupId } = await step('scimCreateGroup', { schemas: [GROUP], displayName: 'Finance' })
  await step('scimReplaceGroup', { schemas: [GROUP], displayName: 'Finance', members: [{ value: userId }] }, { groupId })
  await step('scimPatchGroup', { schemas: [PATCH], Operations: [{ op: 'remove', path: 'members' }] }, { groupId })
  await step('scimSearchGroups', search)
  for (const operationId of walk.listReads().filter((id) => id.startsWith('scim')))
    await walk.step(operationId, { ids: { userId, groupId }, headers: { authorization }, mayFail: true })
  await step('scimDeleteGroup', undefined, { groupId })
  await step('scimDeleteUser', undefined, { userId })
  expect(walk.faults).toEqual([])
  expect(walk.listUnseen().filter((id) => id.startsWith('scim'))).toEqual(NOTHING)
  await expectWrittenEntries(api.deps.database, 'scim')
}, 60_000)
