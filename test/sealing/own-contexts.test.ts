import { expect, it } from 'vitest'
import { reEncryptAll } from '../../src/store/keys/re-encrypt.ts'
import { countSealed } from '../../src/store/keys/sealing-key-counts.ts'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import { keepOwnerAddress, readOwnerAddress } from '../../src/sync/owner/owner-mail.ts'
import { openForTests } from '../harness/for-tests.ts'
import { rotatableKeys } from '../harness/keys.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const rotatable = openForTests(rotatableKeys)
const books = new ScriptedSource('books')
const harness = openForTests(() => openSyncHarness([books], [], rotatable.keys))

it('what syncs and owners leave sealed is sealed for its column: a new key is applied to all of it, and it can be used after that', async () => {
  const { database, sealer } = harness.deps
  const company = { instanceId: harness.instanceId, companyId: harness.companyId }
  books.accounts = [{ id: '1', name: 'Cash' }]
  const id = await harness.connect(books)
  await harness.sync(id, { reason: 'first' })
  await keepOwnerAddress(database, sealer, company, 'owner@example.com', 'en')
  await rotatable.rotate('sealing')
  const before = await countSealed(database)
  const tables = before.map(({ table }) => table)
  expect(tables).toEqual(expect.arrayContaining(['connections', 'owner_addresses', 'raw_pages']))
  expect(await reEncryptAll(database, sealer)).toEqual({ reEncrypted: before.reduce((sum, { count }) => sum + count, 0), unreadable: 0 })
  expect(new Set((await countSealed(database)).map(({ key }) => key))).toEqual(new Set([sealer.newestKeyId()]))
  expect((await readOwnerAddress(database, sealer, company))?.address).toBe('owner@example.com')
  expect(await harness.sync(id)).toEqual({ done: true })
})

it('credentials that wait for their revocation are sealed for the job, and a new key is applied to them too', async () => {
  const { database, sealer } = harness.deps
  const id = await harness.connect(books)
  await disconnect(harness.deps, harness.scopeOf(books))
  await rotatable.rotate('sealing')
  expect(await reEncryptAll(database, sealer)).toMatchObject({ unreadable: 0 })
  expect(await harness.revoke(id)).toEqual({ done: true })
  expect(books.disconnects).toBe(1)
})
