import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mx } from '../../src/connectors/mx/index.ts'
import { toAuditKey } from '../../src/store/access/audit.ts'
import { verifyAudit } from '../../src/store/access/audit-verification.ts'
import { deriveToken, tokenHasher } from '../../src/store/keys/token-hash.ts'
import { issueOwnerAccess, openOwnerAccess } from '../../src/sync/owner/owner-access.ts'
import { hookSecretsOf, webhookUrlOf } from '../../src/sync/provider-webhooks/subscribe.ts'
import { runCommand } from '../cli/run-command.ts'
import { Owner } from '../connect/kit/owner.ts'
import { decideAtIntuit } from '../connect/kit/quickbooks-owner.ts'
import { openForTests } from '../harness/for-tests.ts'
import { rotatableKeys } from '../harness/keys.ts'
import { bearerOf, logInAt, testApi } from '../harness/test-api.ts'
import { openOwnerPageHarness } from '../owner/harness.ts'

describe('a hash key that may not write yet', () => {
  it('hashes and derives nothing, and is only tried', async () => {
    const { keys, rotate, close } = await rotatableKeys()
    const hash = tokenHasher(keys)
    const before = [hash('a token'), await deriveToken(hash, 'a token', async () => false)]
    await rotate('token-hash', new Date(Date.now() + 3_600_000))
    expect([hash('a token'), await deriveToken(hash, 'a token', async () => false)]).toEqual(before)
    expect([hash.all('a token')[0], hash.all('a token').length]).toEqual([before[0], 2])
    await close()
  })
})

describe('a rotation of the keys for signatures and hashes, at the API', () => {
  const rotatable = openForTests(rotatableKeys)
  const api = openForTests(() => testApi({}, undefined, rotatable.keys))
  const user = openForTests(() => api.addUser())
  const refresh = async (refreshToken: string) => {
    const response = await api.app.inject({ method: 'POST', url: '/admin/api/v1/auth/refresh', payload: { refreshToken } })
    return response.statusCode === 200 ? response.json<{ refreshToken: string }>().refreshToken : response.statusCode
  }

  it('ends no access token, and new ones name the new key', async () => {
    const headers = await bearerOf(api, user.email)
    const id = await rotatable.rotate('signing')
    expect((await api.app.inject({ url: '/admin/api/v1/auth/me', headers })).statusCode).toBe(200)
    const fresh = (await bearerOf(api, user.email)).authorization.replace('Bearer ', '')
    expect(JSON.parse(Buffer.from(fresh.split('.')[0] ?? '', 'base64url').toString()).kid).toBe(id)
    const { keys } = (await api.app.inject({ url: '/.well-known/jwks.json' })).json<{ keys: unknown[] }>()
    expect(keys).toHaveLength(2)
  })

  it('ends no session, also for a client that repeats a refresh whose response was lost', async () => {
    const { refreshToken: first } = (await logInAt(api.app, user.email)).json<{ refreshToken: string }>()
    await rotatable.rotate('token-hash')
    const second = await refresh(first)
    await rotatable.rotate('token-hash')
    expect([typeof second, await refresh(first)]).toEqual(['string', second])
    expect(typeof (await refresh(String(second)))).toBe('string')
  })

  it('keeps idempotency keys and the audit trail', async () => {
    const headers = { ...(await bearerOf(api, user.email)), 'idempotency-key': randomUUID() }
    const add = () => api.app.inject({ method: 'POST', url: '/admin/api/v1/normalized-data/company', payload: { name: 'Once' }, headers })
    const first = await add()
    await rotatable.rotate('token-hash')
    const second = await add()
    expect([first.statusCode, second.payload, second.headers['idempotent-replayed']]).toEqual([201, first.payload, 'true'])
    await bearerOf(api, user.email)
    const { all, newest } = rotatable.keys.tokenHash
    const verify = (keys: readonly (typeof newest)[]) => verifyAudit(api.deps.database, keys.map(toAuditKey), api.instanceId)
    expect([await verify(all), await verify([newest])]).toEqual([null, { position: 1 }])
  })
})

describe('a rotation of the key for hashes, on the owner’s pages', () => {
  const rotatable = openForTests(rotatableKeys)
  const harness = openForTests(() => openOwnerPageHarness({ keys: rotatable.keys }))

  it('invalidates no link, at any step of its owner, and no own page of an owner', async () => {
    const { connectHarness } = harness
    const companyId = await connectHarness.addCompany('Boulangerie du Plateau')
    const owner = new Owner(connectHarness.origin)
    const link = await connectHarness.link('bank-files', companyId)
    await rotatable.rotate('token-hash')
    const consent = await owner.get(link)
    await rotatable.rotate('token-hash')
    const upload = await owner.submit(consent, { choice: 'agree' })
    await rotatable.rotate('token-hash')
    const statement = await readFile(new URL('../../simulators/statements/caisse-du-plateau.ofx', import.meta.url))
    const done = await owner.upload(upload, [{ name: 'caisse.ofx', bytes: statement }])
    expect(done.address).toContain('/connect/done')
    const address = (page: typeof done) => /\/connect\/yours\?[^"]*token=([\w-]+)/.exec(page.text)?.[1]
    const before = address(done)
    await rotatable.rotate('token-hash')
    expect(address(await owner.get(done.address))).toBe(before)
    const own = await issueOwnerAccess(connectHarness.deps, { instanceId: connectHarness.instanceId, companyId, language: 'en' })
    await rotatable.rotate('token-hash')
    const token = new URL(own).searchParams.get('token') ?? ''
    expect(await openOwnerAccess(connectHarness.deps.database, connectHarness.deps.hashToken, token)).not.toBe(null)
  })

  it('lets an authorization finish that began before, in another process', async () => {
    const { connectHarness } = harness
    const owner = new Owner(connectHarness.origin)
    const companyId = await connectHarness.addCompany('Café Laurier')
    const away = await owner.submit(await owner.agree(await connectHarness.link('quickbooks', companyId)))
    const back = await decideAtIntuit(away, '4620816365200000101')
    await rotatable.rotate('token-hash')
    expect((await owner.get(back)).address).toContain('/connect/done')
  })

  it('creates new addresses for unsigned webhooks, and accepts the old ones', async () => {
    const { deps } = harness.connectHarness
    const before = webhookUrlOf(deps, deps.baseUrl, mx)
    await rotatable.rotate('token-hash')
    expect(webhookUrlOf(deps, deps.baseUrl, mx)).not.toBe(before)
    expect(hookSecretsOf(deps, 'mx')).toContain(before.split('/').at(-1))
    expect(tokenHasher(rotatable.keys).all('x')).toHaveLength(rotatable.keys.tokenHash.all.length)
  })
})

describe('countinghouse rotate-key', () => {
  it.each([
    [[], 'sealing', 0],
    [['signing'], 'signing', 10],
    [['token-hash', '--in', '60'], 'token-hash', 60],
  ])('%j adds a key alongside the older ones, and says when it starts to write', async (args, purpose, minutes) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'countinghouse-rotate-'))
    try {
      const env = { DATA_DIR: dataDir }
      await runCommand(['rotate-key', '--create'], env)
      const added = JSON.parse((await runCommand(['rotate-key', ...args, '--json'], env)).stdout)
      expect([added.purpose, added.writesFrom === null]).toEqual([purpose, minutes === 0])
      if (minutes > 0) {
        const lead = Date.parse(added.writesFrom) - Date.now()
        expect(lead).toBeLessThanOrEqual(minutes * 60_000)
        expect(lead).toBeGreaterThan((minutes - 2) * 60_000)
      }
      const listed = JSON.parse((await runCommand(['rotate-key', '--list', '--json'], env)).stdout)
      const ours = listed.keys.filter((key: { purpose: string }) => key.purpose === purpose)
      expect(ours).toEqual([
        { purpose, id: added.before, writes: minutes > 0 },
        { purpose, id: added.id, writes: minutes === 0 },
      ])
    } finally {
      await rm(dataDir, { recursive: true })
    }
  })

  it.each([
    [['secret'], 'there is no key for "secret"; wanted is one of sealing, signing, token-hash'],
    [['signing', '--in', '0'], '--in: wanted is a whole number from 1 to'],
    [['--in', 'soon'], '--in: wanted is a whole number from 0 to'],
  ])('%j is a usage error, and adds nothing', async (args, words) => {
    const { code, stderr } = await runCommand(['rotate-key', ...args], { DATA_DIR: '/nonexistent/here' })
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)])
  })
})
