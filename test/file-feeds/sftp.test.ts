import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FeedSource } from '../../src/store/sources/file-feeds.ts'
import { pollFeed } from '../../src/sync/file-feeds/file-feed.ts'
import { fetchHostKeys } from '../../src/sync/file-feeds/file-feed-sftp.ts'
import { countImports, type FeedHarness, openFeedHarness, statement } from './harness.ts'
import { LOGIN, makeKey, type SftpServer, serveSftp } from './sftp-server.ts'

let harness: FeedHarness
let server: SftpServer
let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'countinghouse-sftp-'))
  harness = await openFeedHarness()
  server = await serveSftp(root)
})
afterEach(async () => {
  await harness.close()
  await server.close()
  await rm(root, { recursive: true, force: true })
})

type Sftp = Extract<FeedSource, { kind: 'sftp' }>

async function addFeed(changes: Partial<Sftp> = {}, secret: Record<string, string> = { password: LOGIN.password }): Promise<string> {
  const source: Sftp = {
    ...{ kind: 'sftp', host: '127.0.0.1', port: server.port, user: LOGIN.user, path: '/', hostKey: server.hostKey },
    ...{ authentication: 'password', afterwards: 'move' },
    ...changes,
  }
  return await harness.addFeed(source, { secret })
}

describe('an SFTP server', () => {
  it('delivers its files: imported ones are archived there, broken ones moved to quarantine with the reason', async () => {
    await writeFile(join(root, 'good.ofx'), statement('chequing.ofx'))
    await writeFile(join(root, 'again.ofx'), statement('chequing.ofx'))
    await writeFile(join(root, 'bad.ofx'), 'hello')
    const feed = await addFeed()
    expect(await harness.poll(feed)).toEqual({ done: true })
    expect((await harness.files(feed)).map(({ state }) => state).sort()).toEqual(['duplicate', 'imported', 'quarantined'])
    expect(await countImports(harness)).toBe(1)
    expect((await readdir(join(root, 'archive'))).sort()).toEqual(['again.ofx', 'good.ofx'])
    expect((await readdir(join(root, 'quarantine'))).sort()).toEqual(['bad.ofx', 'bad.ofx.reason.txt'])
    expect(await readFile(join(root, 'quarantine', 'bad.ofx.reason.txt'), 'utf8')).toContain('n’a pas été accepté')
  })

  it('is left when a poll has ended, also by a fault', async () => {
    await writeFile(join(root, 'bad.ofx'), 'hello')
    const feed = await addFeed()
    harness.syncHarness.deps.crashPoint = async () => {
      throw new Error('a fault')
    }
    await expect(harness.poll(feed)).rejects.toThrow('a fault')
    expect(server.logins()).toBe(1)
    await expect.poll(() => server.connections()).toBe(0)
  })

  it('supports login with a key', async () => {
    const clientKey = makeKey()
    await server.close()
    server = await serveSftp(root, { clientKey })
    await writeFile(join(root, 'good.ofx'), statement('chequing.ofx'))
    const feed = await addFeed({ authentication: 'key' }, { privateKey: clientKey })
    await harness.poll(feed)
    expect(await harness.files(feed)).toMatchObject([{ state: 'imported' }])
  })

  it('with a host key other than the pinned one learns nothing: not even the user’s name', async () => {
    await writeFile(join(root, 'good.ofx'), statement('chequing.ofx'))
    const feed = await addFeed({ hostKey: `SHA256:${'A'.repeat(43)}` })
    expect(await harness.poll(feed)).toEqual({ done: true })
    expect(await harness.problem(feed)).toBe(`the server shows another key (${server.hostKey}) than the one that is pinned`)
    expect([server.logins(), await harness.files(feed)]).toEqual([0, []])
  })

  it('that refuses the login is reported as such, without the password', async () => {
    const feed = await addFeed({}, { password: 'wrong-canary-1199' })
    await harness.poll(feed)
    expect(await harness.problem(feed)).toBe('the server refused the login')
    const [row] = await harness.query<{ row: string }>('select to_jsonb(f)::text as row from file_feeds f where instance_id = $1')
    expect(row?.row).not.toContain('wrong-canary-1199')
  })

  it('that cannot be reached is reported as such, and the next poll is scheduled', async () => {
    const feed = await addFeed()
    await server.close()
    expect(await harness.poll(feed)).toEqual({ done: true })
    expect(await harness.problem(feed)).toBe('the server cannot be reached')
    server = await serveSftp(root)
  })

  it.each([[{ dir: null, allowPrivate: false }], [{ dir: null }], [undefined]])(
    'on a private address is not contacted with %j',
    async (feeds) => {
      Object.assign(harness.syncHarness.deps, { feeds })
      const feed = await addFeed()
      await harness.poll(feed)
      expect([await harness.problem(feed), server.logins()]).toEqual(['the server cannot be reached', 0])
    },
  )

  it('that allows no changes keeps its files, and each is read once', async () => {
    await writeFile(join(root, 'good.ofx'), statement('chequing.ofx'))
    await writeFile(join(root, 'bad.ofx'), 'hello')
    server.refuseChanges()
    const feed = await addFeed({ afterwards: 'leave' })
    await harness.poll(feed)
    await harness.poll(feed)
    expect((await harness.files(feed)).map(({ state }) => state).sort()).toEqual(['imported', 'quarantined'])
    expect((await readdir(root)).sort()).toEqual(['bad.ofx', 'good.ofx'])
  })

  it('that keeps its files loses none of them to those that were read before, however many', async () => {
    for (const name of ['a.ofx', 'b.ofx', 'c.ofx']) await writeFile(join(root, name), 'hello')
    const { deps, instanceId } = harness.syncHarness
    const id = await addFeed({ afterwards: 'leave' })
    const poll = () => pollFeed(deps, { instanceId, id, isStopping: () => false, settleS: 0, maxFiles: 2 })
    expect([await poll(), await poll()]).toMatchObject([{ done: false }, { done: true }])
    expect((await harness.files(id)).map(({ name }) => name).sort()).toEqual(['a.ofx', 'b.ofx', 'c.ofx'])
  })

  it('that refuses to archive a file is reported as such, and the file is imported once', async () => {
    await writeFile(join(root, 'good.ofx'), statement('chequing.ofx'))
    server.refuseChanges()
    const feed = await addFeed()
    await harness.poll(feed)
    await harness.poll(feed)
    expect([await countImports(harness), await harness.problem(feed)]).toEqual([1, 'the server did not allow that'])
    expect(await harness.files(feed)).toHaveLength(1)
  })

  it('returns its host key for pinning', async () => {
    expect(await fetchHostKeys('127.0.0.1', server.port, true)).toEqual([{ type: 'ssh-rsa', hostKey: server.hostKey }])
    expect(server.logins()).toBe(0)
  })

  it('with keys of several types returns all of them, the preferred one first, and any may be pinned', async () => {
    await server.close()
    server = await serveSftp(root, { moreHostKeys: ['ed25519', 'ecdsa'] })
    const keys = await fetchHostKeys('127.0.0.1', server.port, true)
    expect(keys.map(({ type }) => type)).toEqual(['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ssh-rsa'])
    for (const { hostKey } of keys) {
      const feed = await addFeed({ hostKey })
      await harness.poll(feed)
      expect(await harness.problem(feed)).toBeNull()
    }
    const other = await addFeed({ hostKey: `SHA256:${'A'.repeat(43)}` })
    await harness.poll(other)
    expect(await harness.problem(other)).toBe(
      `the server shows other keys (${keys.map(({ hostKey }) => hostKey).join(', ')}) than the one that is pinned`,
    )
  })

  it.each([true, false])('without the folder is reported as such (one company: %s)', async (isOfOne) => {
    const source: Sftp = {
      ...{ kind: 'sftp', host: '127.0.0.1', port: server.port, user: LOGIN.user, path: '/not/there', hostKey: server.hostKey },
      ...{ authentication: 'password', afterwards: 'move' },
    }
    const feed = await harness.addFeed(source, { secret: { password: LOGIN.password }, ...(isOfOne ? {} : { companyId: null }) })
    expect(await harness.poll(feed)).toEqual({ done: true })
    expect(await harness.problem(feed)).toBe('the folder does not exist on the server')
  })
})
