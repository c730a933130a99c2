import { beforeAll, describe, expect, it } from 'vitest'
import { openSecret } from '../../src/sync/file-feeds/file-feed-secret.ts'
import { openApiHarness } from '../api/harness.ts'
import { folderForTests, openForTests } from '../harness/for-tests.ts'
import { LOGIN, serveSftp } from './sftp-server.ts'
import { makeEd25519Pair } from './ssh-keys.ts'

const root = folderForTests()
const server = openForTests(() => serveSftp(root.path))
const api = openForTests(openApiHarness)

beforeAll(() => {
  api.syncHarness.deps.feeds = { dir: root.path, allowPrivate: true }
})

interface Feed {
  id: string
  name: string
  source: Record<string, unknown>
  everyMinutes: number
}

const sftp = () => ({
  ...{ kind: 'sftp', host: '127.0.0.1', port: server.port, user: LOGIN.user, path: '/outbound' },
  ...{ hostKey: server.hostKey, password: LOGIN.password },
})

async function create(body: object): Promise<Feed> {
  const answer = await api.call('POST', '/file-feeds', { body })
  expect(answer.statusCode).toBe(201)
  return answer.json() as unknown as Feed
}

async function secretOf(id: string) {
  const { instanceId, deps } = api.syncHarness
  const { rows } = await deps.database.query<{ secret: Uint8Array | null }>(
    'select secret from file_feeds where instance_id = $1 and id = $2',
    [instanceId, id],
  )
  const sealed = rows[0]?.secret
  return sealed ? openSecret(deps, { instanceId, id }, sealed) : null
}

describe('feeds in the API', () => {
  it('are created, listed, updated, polled and deleted', async () => {
    const { companyId } = api.syncHarness
    const feed = await create({ name: 'Caisse', companyId, source: { kind: 'folder', path: 'caisse/releves' } })
    expect(feed).toMatchObject({ name: 'Caisse', companyId, everyMinutes: 15, isPaused: false, checkedOn: null, problem: null })
    const listed = (await api.call('GET', '/file-feeds', { role: 'viewer' })).json() as unknown as { data: Feed[] }
    expect(listed.data.map(({ id }) => id)).toContain(feed.id)
    const changed = await api.call('PUT', `/file-feeds/${feed.id}`, { body: { name: 'Caisse 2', everyMinutes: 60, source: feed.source } })
    expect(changed.json()).toMatchObject({ name: 'Caisse 2', companyId: null, everyMinutes: 60 })
    expect((await api.call('POST', `/file-feeds/${feed.id}/look`, { role: 'integration' })).statusCode).toBe(202)
    const { rows } = await api.syncHarness.deps.database.query(`select key from jobs where kind = 'fileFeed' and instance_id = $1`, [
      api.syncHarness.instanceId,
    ])
    expect(rows).toEqual([{ key: `feed/${feed.id}` }])
    expect((await api.call('GET', `/file-feeds/${feed.id}/files`, { role: 'viewer' })).json()).toMatchObject({ data: [] })
    expect((await api.call('DELETE', `/file-feeds/${feed.id}`)).statusCode).toBe(204)
    expect((await api.call('GET', `/file-feeds/${feed.id}`)).statusCode).toBe(404)
  })

  it('keep a password sealed and never return it', async () => {
    const feed = await create({ name: 'Bank', source: sftp() })
    expect(await secretOf(feed.id)).toEqual({ password: LOGIN.password })
    const shown = await api.call('GET', `/file-feeds/${feed.id}`)
    expect(shown.payload).not.toContain(LOGIN.password)
    expect(shown.json()).toMatchObject({ source: { authentication: 'password', afterwards: 'move', hostKey: server.hostKey } })
    const { rows } = await api.syncHarness.deps.database.query<{ row: string }>('select f::text as row from file_feeds f where id = $1', [
      feed.id,
    ])
    expect(rows[0]?.row).not.toContain(LOGIN.password)
  })

  it('keep the password when renamed, and require it again for another server, user or key', async () => {
    const feed = await create({ name: 'Bank', source: sftp() })
    const { password: _password, ...known } = sftp()
    const change = (source: object) => api.call('PUT', `/file-feeds/${feed.id}`, { body: { name: 'Renamed', source } })
    expect((await change(known)).statusCode).toBe(200)
    expect(await secretOf(feed.id)).toEqual({ password: LOGIN.password })
    for (const other of [{ host: 'evil.example' }, { port: 2222 }, { user: 'other' }, { hostKey: `SHA256:${'B'.repeat(43)}` }]) {
      expect((await change({ ...known, ...other })).statusCode).toBe(400)
    }
    expect((await change({ kind: 'folder', path: 'inbox' })).statusCode).toBe(200)
    expect(await secretOf(feed.id)).toBeNull()
  })

  it.each([
    ['a way up', { kind: 'folder', path: '../other' }],
    ['an absolute folder', { kind: 'folder', path: '/etc' }],
    ['a hidden folder', { kind: 'folder', path: 'a/.ssh' }],
    ['no host key', { kind: 'sftp', host: 'h.example', user: 'u', path: '/', password: 'p' }],
    ['a host key of another form', { kind: 'sftp', host: 'h.example', user: 'u', path: '/', password: 'p', hostKey: 'MD5:aa' }],
    ['neither password nor key', { kind: 'sftp', host: 'h.example', user: 'u', path: '/', hostKey: `SHA256:${'A'.repeat(43)}` }],
    [
      'password and key',
      { kind: 'sftp', host: 'h.example', user: 'u', path: '/', hostKey: `SHA256:${'A'.repeat(43)}`, password: 'p', privateKey: 'k' },
    ],
    [
      'a relative folder of a server',
      { kind: 'sftp', host: 'h.example', user: 'u', path: 'x', hostKey: `SHA256:${'A'.repeat(43)}`, password: 'p' },
    ],
  ])('with %s are refused, and none is created', async (_what, source) => {
    const count = async () => ((await api.call('GET', '/file-feeds')).json() as unknown as { data: Feed[] }).data.length
    const before = await count()
    expect((await api.call('POST', '/file-feeds', { body: { name: 'x', source } })).statusCode).toBe(400)
    expect(await count()).toBe(before)
  })

  it('of folders are refused if the deployment has no folder for them', async () => {
    const { deps } = api.syncHarness
    deps.feeds = { dir: null, allowPrivate: true }
    const answer = await api.call('POST', '/file-feeds', { body: { name: 'x', source: { kind: 'folder', path: 'inbox' } } })
    deps.feeds = { dir: root.path, allowPrivate: true }
    expect(answer.statusCode).toBe(409)
  })

  it('for a company of another instance are refused as for a nonexistent one', async () => {
    const companyId = '6f1f2a10-0000-4000-8000-000000000000'
    const answer = await api.call('POST', '/file-feeds', { body: { name: 'x', companyId, source: { kind: 'folder', path: 'inbox' } } })
    expect(answer.statusCode).toBe(404)
  })

  it('return the host key of a server before any login', async () => {
    const answer = await api.call('POST', '/file-feed-host-keys', { body: { host: '127.0.0.1', port: server.port } })
    const { hostKey } = server
    expect(answer.json()).toEqual({ hostKey, hostKeys: [{ type: 'ssh-rsa', hostKey }] })
    expect((await api.call('POST', '/file-feed-host-keys', { body: { host: '127.0.0.1', port: 1 } })).statusCode).toBe(409)
  })

  const refusal = async (source: object) => {
    const answer = await api.call('POST', '/file-feeds', { body: { name: 'Bank', source } })
    return [answer.statusCode, (answer.json() as unknown as { errors: { field: string; message: string }[] }).errors]
  }

  it('of SFTP without a host key get an error about it, and none about folders', async () => {
    const { hostKey: _hostKey, ...without } = sftp()
    expect(await refusal(without)).toEqual([400, [{ field: 'source.hostKey', message: 'is required' }]])
    expect(await refusal({ kind: 'folder' })).toEqual([400, [{ field: 'source.path', message: 'is required' }]])
    expect(await refusal({ kind: 'ftp', path: 'a' })).toEqual([400, [{ field: 'source.kind', message: 'must be one of folder, sftp' }]])
  })

  const { private: encrypted, public: publicKey } = makeEd25519Pair({
    cipher: 'aes256-cbc',
    passphrase: 'right-passphrase',
    rounds: 16,
  })

  it.each([
    ['garbage', { privateKey: 'garbage' }, 'source.privateKey', 'This is no private key that can be read'],
    ['a public key', { privateKey: publicKey }, 'source.privateKey', 'This is a public key'],
    ['no passphrase', { privateKey: encrypted }, 'source.passphrase', 'The key is encrypted'],
    ['a wrong passphrase', { privateKey: encrypted, passphrase: 'wrong' }, 'source.passphrase', 'The passphrase does not open the key.'],
    [
      'a key that would take minutes to open',
      { privateKey: makeEd25519Pair({ cipher: 'aes256-cbc', passphrase: 'x', rounds: 65 }).private },
      'source.privateKey',
      'The key asks for too many rounds',
    ],
  ])('are refused with %s', async (_what, login, field, message) => {
    const { password: _password, ...rest } = sftp()
    expect(await refusal({ ...rest, ...login })).toEqual([400, [{ field, message: expect.stringContaining(message) }]])
  })

  it('accept a key with the passphrase that opens it', async () => {
    const { password: _password, ...rest } = sftp()
    const feed = await create({ name: 'Key', source: { ...rest, privateKey: encrypted, passphrase: 'right-passphrase' } })
    expect(await secretOf(feed.id)).toEqual({ privateKey: encrypted, passphrase: 'right-passphrase' })
  })
})
