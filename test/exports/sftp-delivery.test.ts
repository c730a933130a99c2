import { mkdtemp, readdir, readFile, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { LOGIN, type SftpServer, serveSftp } from '../file-feeds/sftp-server.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openDeliveryHarness } from './fake-storage.ts'
import { download, get } from './requested.ts'

/** The file is larger than five of them. */
const PART_BYTES = 512

const harness = openForTests(openDeliveryHarness)
let root: string
let server: SftpServer
beforeEach(async () => {
  await harness.reset()
  root = await mkdtemp(join(tmpdir(), 'countinghouse-sftp-'))
  server = await serveSftp(root)
  return async () => {
    await server.close()
    await rm(root, { recursive: true, force: true })
  }
})

async function addServer(more: object = {}): Promise<string> {
  const body = {
    ...{ kind: 'sftp', name: 'Inbound', host: '127.0.0.1', port: server.port, user: LOGIN.user, password: LOGIN.password },
    ...{ hostKey: server.hostKey, path: '/', ...more },
  }
  const made = await harness.api.call('POST', '/export-destinations', { body })
  expect([made.statusCode, made.body]).toEqual([201, expect.not.stringContaining('canary')])
  return (made.json() as unknown as { id: string }).id
}

/** Requested, written, and to be delivered. */
async function begun(destinationId: string): Promise<string> {
  const id = await harness.written()
  expect(await harness.begin(id, destinationId)).toBe(202)
  return id
}

const files = async () => (await readdir(root)).sort()

describe('delivery to an SFTP server', () => {
  it('writes the whole file, in parts, and leaves nothing beside it', async () => {
    const id = await begun(await addServer())
    let parts = 0
    const crashPoint = async () => {
      parts += 1
    }
    expect(await harness.work('deliverExport', 1, { partBytes: PART_BYTES, crashPoint })).toEqual({ done: true })
    expect(parts).toBeGreaterThan(4)
    expect(await files()).toEqual([`${id}.ndjson`])
    const whole = (await download(harness.api, id)).rawPayload
    expect(whole.equals(await readFile(join(root, `${id}.ndjson`)))).toBe(true)
    expect(await get(harness.api, id)).toMatchObject({ delivery: { state: 'delivered', objectKey: `/${id}.ndjson`, error: null } })
  })

  it('goes on after the last part when the disk was full, and says so meanwhile', async () => {
    const destinationId = await addServer()
    const id = await begun(destinationId)
    server.leaveRoom(PART_BYTES * 2.5)
    // The last attempt, but it got further: it counts again.
    expect(await harness.work('deliverExport', 5, { partBytes: PART_BYTES })).toMatchObject({ done: false, isFailure: true })
    expect(await get(harness.api, id)).toMatchObject({
      delivery: { state: 'waiting', partsSent: 2, error: 'The server could not write the file: its disk may be full.' },
    })
    // Whoever looks for the file finds none, rather than half of it.
    expect(await files()).toEqual([`${id}.ndjson.part`])
    server.leaveRoom(Number.POSITIVE_INFINITY)
    expect(await harness.begin(id, destinationId)).toBe(202)
    let parts = 0
    const crashPoint = async () => {
      parts += 1
    }
    expect(await harness.work('deliverExport', 1, { partBytes: PART_BYTES, crashPoint })).toEqual({ done: true })
    const whole = (await download(harness.api, id)).rawPayload
    expect(parts).toBe(Math.ceil(whole.length / PART_BYTES) - 2)
    expect(await files()).toEqual([`${id}.ndjson`])
    expect(whole.equals(await readFile(join(root, `${id}.ndjson`)))).toBe(true)
  })

  it('begins again when what was uploaded is gone, or shorter', async () => {
    const id = await begun(await addServer())
    const die = async () => await Promise.reject(new Error('killed'))
    await expect(harness.work('deliverExport', 1, { partBytes: PART_BYTES, crashPoint: die })).rejects.toThrow('killed')
    await truncate(join(root, `${id}.ndjson.part`), 10)
    await harness.begin(id, ((await get(harness.api, id)) as unknown as { delivery: { destinationId: string } }).delivery.destinationId)
    expect(await harness.work('deliverExport', 1, { partBytes: PART_BYTES })).toMatchObject({ done: false, isFailure: true })
    await harness.begin(id, ((await get(harness.api, id)) as unknown as { delivery: { destinationId: string } }).delivery.destinationId)
    expect(await harness.work('deliverExport', 2, { partBytes: PART_BYTES })).toEqual({ done: true })
    const whole = (await download(harness.api, id)).rawPayload
    expect(whole.equals(await readFile(join(root, `${id}.ndjson`)))).toBe(true)
  })

  it('is deleted with its data, finished or not; a server that does not allow it is named', async () => {
    const destinationId = await addServer()
    const id = await begun(destinationId)
    expect(await harness.work()).toEqual({ done: true })
    await harness.erase()
    server.refuseChanges()
    expect(await harness.work('eraseDelivered', 8)).toEqual({ done: true })
    expect(await get(harness.api, id)).toMatchObject({ delivery: { state: 'unreached', error: 'The server did not allow that.' } })
    server.refuseChanges(false)
    const other = await begun(destinationId)
    const die = async () => await Promise.reject(new Error('killed'))
    await expect(harness.work('deliverExport', 1, { partBytes: PART_BYTES, crashPoint: die })).rejects.toThrow('killed')
    expect(await files()).toEqual([`${id}.ndjson`, `${other}.ndjson.part`].sort())
    await harness.erase()
    expect(await harness.work('eraseDelivered')).toEqual({ done: true })
    expect(await files()).toEqual([`${id}.ndjson`])
    expect(await get(harness.api, other)).toMatchObject({ delivery: { state: 'erased' } })
  })

  it.each([
    { what: 'another host key', more: { hostKey: `SHA256:${'A'.repeat(43)}` }, error: /shows another key/ },
    { what: 'a wrong password', more: { password: 'wrong' }, error: /refused the login/ },
    { what: 'a folder that is not there', more: { path: '/nowhere' }, error: /folder does not exist/ },
    { what: 'no server', more: { port: 1 }, error: /cannot be reached/ },
  ])('with $what fails and says so', async ({ more, error }) => {
    const id = await begun(await addServer(more))
    expect(await harness.work('deliverExport', 5)).toEqual({ done: true })
    expect(await get(harness.api, id)).toMatchObject({ delivery: { state: 'failed', error: expect.stringMatching(error) } })
    expect(await files()).toEqual([])
  })

  it('reaches no private address where the deployment does not allow it', async () => {
    const id = await begun(await addServer())
    expect(await harness.work('deliverExport', 5, { allowPrivate: false })).toEqual({ done: true })
    expect(await get(harness.api, id)).toMatchObject({ delivery: { state: 'failed', error: 'The server cannot be reached.' } })
    expect(server.logins()).toBe(0)
  })
})
