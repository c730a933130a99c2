import { expect, it } from 'vitest'
import { listAudit } from '../../src/store/access/audit.ts'
import { openForTests } from '../harness/for-tests.ts'
import { GROUP, scimHarness, USER } from './harness.ts'

const api = openForTests(scimHarness)
const entriesOf = async (subject: string) =>
  (await listAudit(api.deps.database, api.instanceId, 100)).map(({ entry }) => entry).filter((entry) => entry.subject === subject)

it('what a directory does to a user is in the audit, under the user, and a change that changes nothing is not', async () => {
  const { id } = await api.user('zoe@example.com')
  const rename = { op: 'replace', path: 'displayName', value: 'Zoé Roy' }
  await api.patch(`/Users/${id}`, rename)
  await api.patch(`/Users/${id}`, rename)
  await api.scim('DELETE', `/Users/${id}`)
  const [deleted, changed, created, ...more] = await entriesOf(`user/${id}`)
  expect([deleted, changed, created].map((entry) => entry?.action)).toEqual(['user.deleted', 'user.changed', 'user.created'])
  expect([more, created?.userId, deleted?.userId]).toEqual([[], null, null])
  const rights = { role: 'viewer', isEnabled: false }
  expect([created?.after, deleted?.before]).toEqual([rights, rights])
})

it('what it does to a group is too, with the numbers of members and the roles that follow', async () => {
  await api.giveRoles({ Clerks: 'developer' })
  const [first, second] = [await api.user(), await api.user()]
  const { id } = await api.group('Clerks', [first.id])
  const subject = `scim-group/${id}`
  await api.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: second.id }] })
  await api.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: second.id }] })
  await api.patch(`/Groups/${id}`, { op: 'remove', path: `members[value eq "${first.id}"]` })
  await api.scim('DELETE', `/Groups/${id}`)
  expect((await entriesOf(subject)).map(({ action, details }) => [action, details])).toEqual([
    ['scim-group.deleted', { members: 1 }],
    ['scim-group.changed', { added: 0, removed: 1 }],
    ['scim-group.changed', { added: 1, removed: 0 }],
    ['scim-group.created', { added: 1, removed: 0 }],
  ])
  const rights = (await entriesOf(`user/${second.id}`)).filter(({ action }) => action === 'user.changed')
  expect(rights.map(({ before, after }) => [before, after])).toEqual([
    [
      { role: 'developer', isEnabled: true },
      { role: 'viewer', isEnabled: false },
    ],
    [
      { role: 'viewer', isEnabled: false },
      { role: 'developer', isEnabled: true },
    ],
  ])
})

it('a refusal says which member or attribute is wrong, in one sentence after the other', async () => {
  const refused = [
    await api.scim('POST', '/Groups', {
      schemas: [GROUP],
      displayName: 'G',
      members: [{ value: 'x' }],
    }),
    await api.scim('POST', '/Users', { schemas: [USER] }, { headers: { 'idempotency-key': 'x'.repeat(256) } }),
    await api.scim('PUT', '/Users', {}),
    await api.scim('GET', '/Nothing'),
  ]
  expect(refused.map(({ status, body }) => [status, body.detail])).toEqual([
    [400, 'members[0] is no user of this instance: add the user first.'],
    [400, expect.stringMatching(/\. Idempotency-Key must be 1 to 255 printable ASCII characters\.$/)],
    [405, 'This address does not take this method.'],
    [404, expect.any(String)],
  ])
  expect(refused[2]?.headers.allow).toMatch(/POST/)
})
