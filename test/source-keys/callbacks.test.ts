import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSources } from '../../src/connectors/sources.ts'
import { createKit } from '../../src/connectors/toolkit/http/kit.ts'
import { xero } from '../../src/connectors/xero/index.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { readSourceSettings } from '../../src/process/settings/source-settings.ts'
import { openForTests } from '../harness/for-tests.ts'
import { type Customer, openSourceKeysHarness, type Process } from './harness.ts'

const OURS = { clientId: 'lender-app', clientSecret: 'canary-lender-secret' }
const OWN = 'https://counting.example.com/connect/callback/xero'
const SHARED = 'https://counting.example.com/connect/callback'

describe('the redirect address of an own app', () => {
  const harness = openForTests(openSourceKeysHarness)
  let process: Process
  let us: Customer
  beforeAll(() => {
    process = harness.openProcess()
    Object.assign(harness.apps, { [OURS.clientId]: OURS.clientSecret, other: 'canary-other-secret' })
  })
  beforeEach(async () => {
    us = await harness.addCustomer(process)
  })

  const save = (body: object) => process.call(us, 'PUT', '/sources/xero/keys', body)
  const shown = async () => {
    const { callback, callbackUrl } = (await process.call(us, 'GET', '/sources/xero')).body
    return [callback, callbackUrl]
  }
  /** The address to which owners are sent back, and whether they get connected there. */
  const used = async () => {
    const company = await harness.addCompany(us)
    await harness.connect(process, us, company)
    return await harness.addressOfLink(process, us, company)
  }

  it('is the source’s own for the first keys, as it was shown before', async () => {
    expect(await shown()).toEqual(['own', OWN])
    expect((await save({ keys: OURS })).status).toBe(200)
    expect([await shown(), await used()]).toEqual([['own', OWN], OWN])
  })

  it('stays the shared one for keys from before, also of another app, until it is changed', async () => {
    await save({ keys: OURS })
    // Set by release 1.0.0, which does not know the column.
    await harness.home.database.query('update source_keys set callback = default where instance_id = $1', [us.instanceId])
    expect([await shown(), await used()]).toEqual([['shared', SHARED], SHARED])
    await save({ keys: { clientSecret: OURS.clientSecret } })
    expect(await shown()).toEqual(['shared', SHARED])
    expect((await save({ keys: { clientId: 'other', clientSecret: 'canary-other-secret' } })).status).toBe(200)
    expect(await shown()).toEqual(['shared', SHARED])

    expect((await save({ keys: {}, callback: 'own' })).status).toBe(200)
    expect([await shown(), await used()]).toEqual([['own', OWN], OWN])
    expect((await save({ keys: {}, callback: 'shared' })).status).toBe(200)
    expect([await shown(), await used()]).toEqual([['shared', SHARED], SHARED])
  })

  it('is no other word, and none without keys', async () => {
    expect([(await save({ keys: OURS, callback: 'both' })).status, (await save({ keys: {}, callback: 'own' })).status]).toEqual([400, 400])
    expect(await shown()).toEqual(['own', OWN])
  })
})

it.each([
  ['is the shared one, as before', {}, 'shared'],
  ['may be its own', { callback: 'own' }, 'own'],
])('the redirect address of keys in sources.json %s', async (_what, more, callback) => {
  const folder = await mkdtemp(join(tmpdir(), 'callbacks-'))
  await writeFile(join(folder, 'sources.json'), JSON.stringify({ xero: { app: OURS, ...more } }))
  const settings = await readSourceSettings(folder, [xero])
  const egress = createEgress({ allowPrivate: false })
  const sources = createSources([xero], {
    settings,
    simulators: {},
    createKit: (app, hosts) => createKit({ egress, app, hosts, now: () => new Date(0), allowPrivate: false }),
  })
  await egress.close()
  await rm(folder, { recursive: true })
  expect(sources.get('xero')?.callback).toBe(callback)
})
