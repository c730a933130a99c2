import { beforeEach, expect, it } from 'vitest'
import type { ScanResult } from '../../src/sync/context/groups.ts'
import { ScannerUnavailable } from '../../src/sync/malware/check-file.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openRecorded } from '../owner/recorded.ts'
import { openFeedHarness, statement } from './harness.ts'

const harness = openForTests(openFeedHarness)
const recorded = openForTests(() => openRecorded(harness.syncHarness.deps.database, harness.syncHarness.deps.sealer))

let feed: string
let folder: string
let folders = 0
beforeEach(async () => {
  folder = `inbox-${++folders}`
  feed = await harness.addFeed({ kind: 'folder', path: folder })
  await harness.put([folder, 'a.ofx'], statement('chequing.ofx'))
})

async function pollWith(scan: () => ScanResult): Promise<object[]> {
  const { deps, instanceId } = harness.syncHarness
  deps.malwareScanner = { scan: async () => scan() }
  expect(await recorded.acting(() => harness.poll(feed))).toEqual({ done: true })
  return (await recorded.entriesOf(instanceId)).filter((entry) => JSON.stringify(entry).includes(feed))
}

it('a file in which malware is found goes to quarantine, and the signature into the audit log', async () => {
  const entries = await pollWith(() => ({ is: 'found', signature: 'Test.Signature' }))
  const [file] = await harness.files(feed)
  expect(file).toMatchObject({ state: 'quarantined', reason: expect.stringContaining('The malware scanner refuses this file.') })
  const details = { signature: 'Test.Signature', fileId: file?.id, companyId: harness.syncHarness.companyId }
  expect(entries).toEqual([{ action: 'file.malware-found', subject: `file-feed/${feed}`, details }])
  expect(await harness.list(folder, 'quarantine')).toEqual(['a.ofx', 'a.ofx.reason.txt'])
})

it('a file that is too large to be scanned goes to quarantine, without an entry in the audit log', async () => {
  expect(await pollWith(() => ({ is: 'tooLarge' }))).toEqual([])
  expect(await harness.files(feed)).toMatchObject([
    { state: 'quarantined', reason: expect.stringContaining('too large for the malware scanner') },
  ])
})

it('a file waits where it is while no scanner answers, and its feed says so until one does', async () => {
  await pollWith(() => {
    throw new ScannerUnavailable('its connection failed')
  })
  expect([await harness.files(feed), await harness.list(folder)]).toEqual([[], ['a.ofx']])
  expect(await harness.problem(feed)).toBe('the malware scanner cannot be used, and files wait: its connection failed')
  await pollWith(() => ({ is: 'clean' }))
  expect([await harness.files(feed), await harness.problem(feed)]).toMatchObject([[{ state: 'imported' }], null])
})
