import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { bankFiles } from '../../src/connectors/bank-files/index.ts'
import { InputRefused } from '../../src/connectors/contract/authorization.ts'
import type { Grant } from '../../src/connectors/contract/contract.ts'
import { QuotaReached, setQuotas } from '../../src/store/operators/quotas.ts'
import { beginAuthorization } from '../../src/sync/authorize/authorize.ts'
import { listFileNotes } from '../../src/sync/authorize/file-notes.ts'
import { EntityMismatch } from '../../src/sync/authorize/grant.ts'
import { FilesRefused, submitFiles, type UploadedFile } from '../../src/sync/authorize/submit-files.ts'
import type { ScanResult } from '../../src/sync/context/groups.ts'
import { createOwnerLink, type OpenLink, openLink } from '../../src/sync/links/link.ts'
import { statement, UPLOADS } from '../file-feeds/harness.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openRecorded } from '../owner/recorded.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const books = new ScriptedSource('books')
const harness = openForTests(() => openSyncHarness([books], [bankFiles]))
const recorded = openForTests(() => openRecorded(harness.deps.database, harness.deps.sealer))
const query = async (text: string, values: unknown[] = []) => (await harness.deps.database.query(text, values)).rows

const OFX = statement('chequing.ofx')
const OTHER = Buffer.from(OFX.toString('latin1').replace('-80.15', '-80.16'), 'latin1')
const IN_PART = Buffer.from(statement('loan.bai2').toString().replace('16,475,1000,Z', '16,475,1001,Z'))
const BAD = Buffer.from('not a statement')
const file = (name: string, bytes: Uint8Array): UploadedFile => ({ name, open: async () => bytes })
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

let instanceId: string
let companyId: string
let open: OpenLink
let connectionId: string
beforeEach(async () => {
  delete harness.deps.malwareScanner
  instanceId = await addInstance(harness.deps.database)
  companyId = await addCompany(harness.deps.database, instanceId)
  await begin()
})
let links = 0
async function begin(serviceId = UPLOADS): Promise<void> {
  const token = `${++links}`.padStart(43, 'k')
  await createOwnerLink(harness.deps.database, harness.deps, { instanceId, companyId, serviceId, issuedBy: 'dev@example.com' }, { token })
  const opened = await openLink(harness.deps, token)
  if (!opened) throw new Error('the link cannot be opened')
  open = opened
  connectionId = (await beginAuthorization(harness.deps.database, open)).connectionId
}
const submit = (...files: UploadedFile[]) => recorded.acting(() => submitFiles(harness.deps, open, connectionId, files))
const stored = async () => {
  const rows = await query('select id, name, content_hash as hash, sealed from source_files where instance_id = $1 order by received_at', [
    instanceId,
  ])
  return await Promise.all(
    rows.map(async ({ id, name, hash, sealed }) => {
      const context = { instanceId, table: 'source_files', rowId: String(id), column: 'sealed' }
      return [name, Buffer.from(hash).toString('hex'), hashOf(await harness.deps.sealer.openLarge(context, sealed))]
    }),
  )
}
const kept = (name: string, bytes: Uint8Array) => [name, hashOf(bytes), hashOf(bytes)]
const notes = (linkId = open.link.id) => listFileNotes(harness.deps.database, { instanceId, id: connectionId }, linkId)
const findings = async () =>
  (await recorded.entriesOf(instanceId)).filter((entry) => 'action' in entry && entry.action === 'file.malware-found')
const isBegun = async () =>
  (await query('select entity_id as entity from connections where instance_id = $1', [instanceId])).every(({ entity }) => entity === null)

describe('uploaded files', () => {
  it('that are good are sealed, make one connection and are read at once', async () => {
    const linked = await submit(file('chequing.ofx', OFX), file('other.ofx', OTHER))
    expect(linked).toEqual([
      { connectionId, serviceId: UPLOADS, serviceName: 'Bank files', entityName: expect.any(String), isReconnect: false },
    ])
    expect([await stored(), await notes()]).toEqual([[kept('chequing.ofx', OFX), kept('other.ofx', OTHER)], []])
    const jobs = await query(`select payload from jobs where instance_id = $1 and kind = 'sync'`, [instanceId])
    expect(jobs).toEqual([{ payload: { connectionId, reason: 'file', isAwaited: true } }])
  })

  it('are stored without what may be an account number in their names, cut to 200 characters', async () => {
    await submit(file('00417700224417.ofx', OFX), file(`${'x'.repeat(300)}.ofx`, OTHER))
    expect((await stored()).map(([name]) => name)).toEqual(['••••4417.ofx', 'x'.repeat(200)])
  })

  it('that cannot be used, or not all of them, are noted with the link, and the others are stored', async () => {
    await submit(file('00417700224417 bad.ofx', BAD), file('part 00417700224418.bai2', IN_PART), file('good.ofx', OFX))
    expect((await stored()).map(([name]) => name)).toEqual(['part ••••4418.bai2', 'good.ofx'])
    const text = { en: expect.stringMatching(/\w/), 'fr-CA': expect.stringMatching(/\w/) }
    expect(await notes()).toEqual([
      { name: '••••4417 bad.ofx', kind: 'refused', text },
      { name: 'part ••••4418.bai2', kind: 'inPart', text: { ...text, en: expect.stringContaining('••••5123: Line 11') } },
    ])
    expect(await findings(), 'a broken file is no malware').toEqual([])
  })

  it('of a link that was handed over are noted with the first one', async () => {
    const parentId = open.link.id
    open = { ...open, link: { ...open.link, parentId } }
    await submit(file('bad.ofx', BAD), file('good.ofx', OFX))
    expect((await notes(parentId)).map(({ name }) => name)).toEqual(['bad.ofx'])
  })

  it('none of which can be used are refused with a text for each, and nothing is stored', async () => {
    const error = await submit(file('1234567 a.ofx', BAD), file('b.ofx', Buffer.from('nor this'))).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(FilesRefused)
    const text = { en: expect.stringMatching(/\w/), 'fr-CA': expect.stringMatching(/\w/) }
    expect(error).toMatchObject({
      message: '2 files cannot be used',
      refusals: [
        { name: '1234567 a.ofx', text },
        { name: 'b.ofx', text },
      ],
    })
    expect([await stored(), await notes(), await isBegun()]).toEqual([[], [], true])
  })

  it('that were uploaded before change nothing', async () => {
    const [first] = await submit(file('a.ofx', OFX))
    await begin()
    expect(await submit(file('b.ofx', OFX))).toMatchObject([{ connectionId: first?.connectionId, isReconnect: true }])
    expect(await stored()).toEqual([kept('a.ofx', OFX)])
  })

  it('that cannot be read from the disk are a fault, not a refusal', async () => {
    const broken: UploadedFile = { name: 'a.ofx', open: () => Promise.reject(new Error('the disk is gone')) }
    await expect(submit(file('b.ofx', OFX), broken)).rejects.toThrow('the disk is gone')
    expect([await stored(), await isBegun()]).toEqual([[], true])
  })

  it('of two books are refused together', async () => {
    const examine = async (_upload: unknown, bytes: Uint8Array): Promise<{ grant: Grant; leftOut: [] }> => ({
      grant: { credentials: { secret: {}, expiresAt: null }, entity: { id: String(bytes.length), name: `Books ${bytes.length}` } },
      leftOut: [],
    })
    const source = Object.assign(Object.create(open.service.source), { files: { examine } })
    open = { ...open, service: { ...open.service, source } }
    const error = await submit(file('a', Buffer.alloc(1)), file('b', Buffer.alloc(1)), file('c', Buffer.alloc(2))).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(EntityMismatch)
    expect(error).toMatchObject({ before: 'Books 1', now: 'Books 2' })
    expect([await stored(), await isBegun()]).toEqual([[], true])
  })

  it('for a source that takes none are refused', async () => {
    await begin(harness.serviceId(books))
    await expect(submit(file('a.ofx', OFX))).rejects.toThrow('this source has no upload step')
  })
})

describe('the quota of stored bytes', () => {
  const sealedSizes = async () =>
    (await query('select length(sealed) as size from source_files where instance_id = $1', [instanceId])).map(({ size }) => Number(size))

  it.each([
    ['is enough for all files together', 0],
    ['is short of one byte', -1],
  ])('%s', async (_what, more) => {
    const files = [file('a.ofx', OFX), file('b.ofx', OTHER)]
    await submit(...files)
    const total = (await sealedSizes()).reduce((sum, size) => sum + size, 0)
    instanceId = await addInstance(harness.deps.database)
    companyId = await addCompany(harness.deps.database, instanceId)
    await setQuotas(harness.deps.database, instanceId, { storedBytes: total + more })
    await begin()
    if (more === 0) expect(await submit(...files)).toMatchObject([{ connectionId }])
    else await expect(submit(...files)).rejects.toThrow(QuotaReached)
    expect((await sealedSizes()).length).toBe(more === 0 ? 2 : 0)
  })
})

describe('a scanner that finds malware', () => {
  const scan = (isInfected: (bytes: Uint8Array) => ScanResult) => {
    harness.deps.malwareScanner = { scan: async (bytes) => isInfected(bytes) }
  }

  it('refuses the file, with an entry that names the signature, and the others are stored', async () => {
    scan((bytes) => (bytes === OFX ? { is: 'found', signature: 'Test.Signature' } : { is: 'clean' }))
    await submit(file('a.ofx', OFX), file('b.ofx', OTHER))
    expect((await stored()).map(([name]) => name)).toEqual(['b.ofx'])
    expect((await notes()).map(({ name, kind }) => [name, kind])).toEqual([['a.ofx', 'refused']])
    expect(await findings()).toEqual([
      { action: 'file.malware-found', subject: `link/${open.link.id}`, details: { signature: 'Test.Signature' } },
    ])
  })

  it('leaves the entry also where every file is refused', async () => {
    scan(() => ({ is: 'found', signature: 'Test.Signature' }))
    await expect(submit(file('a.ofx', OFX))).rejects.toThrow(FilesRefused)
    expect([await stored(), (await findings()).length]).toEqual([[], 1])
  })

  it('and cannot scan a large file refuses it, without an entry', async () => {
    scan(() => ({ is: 'tooLarge' }))
    const error = await submit(file('a.ofx', OFX)).catch((thrown: unknown) => thrown)
    expect([error, error instanceof InputRefused]).toMatchObject([{ refusals: [{ name: 'a.ofx' }] }, false])
    expect(await findings()).toEqual([])
  })
})
