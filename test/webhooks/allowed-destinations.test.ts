import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { allowOnly } from '../../src/egress/allowed-hosts.ts'
import { openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'
import { settingsFor } from '../identity-provider/harness.ts'

const api = openForTests(() => openApiHarness())

const LISTED = 'allowed.example.com'
const SHA = `SHA256:${'A'.repeat(43)}`
const sftp = (host: string) => ({ kind: 'sftp', host, user: 'u', hostKey: SHA, path: '/in', password: 'pw-of-the-test' })

/** Every place that registers an address, with the field of the refusal. */
const PLACES: [string, string, (host: string) => [method: 'POST' | 'PUT', path: string, body: Record<string, unknown>]][] = [
  [
    'a receiver of webhooks',
    'callbackUrl',
    (host) => ['POST', '/webhooks/subscriptions/NormalizedData', { callbackUrl: `https://${host}/` }],
  ],
  [
    'a receiver of audit entries',
    'callbackUrl',
    (host) => ['POST', '/webhooks/subscriptions/AuditEntry', { callbackUrl: `https://${host}/` }],
  ],
  ['a feed of files', 'source.host', (host) => ['POST', '/file-feeds', { name: 'Feed', source: sftp(host) }]],
  ['an SFTP server for exports', 'host', (host) => ['POST', '/export-destinations', { name: 'SFTP', port: 22, ...sftp(host) }]],
  [
    'a database for replication',
    'host',
    (host) => [
      'POST',
      '/export-destinations',
      { name: 'Database', kind: 'postgres', host, database: 'd', user: 'u', schema: 's', password: 'pw-of-the-test' },
    ],
  ],
  [
    'a bucket for exports',
    'endpoint',
    (host) => [
      'POST',
      '/export-destinations',
      { name: 'Bucket', endpoint: `https://${host}`, region: 'r', bucket: 'bucket', accessKeyId: 'AK', secretAccessKey: 'SK' },
    ],
  ],
  ['an identity provider', 'issuer', (host) => ['PUT', '/identity-provider', { ...settingsFor(`https://${host}`), clientId: 'c' }]],
]

describe('an address that the operator does not allow', () => {
  beforeEach(() => allowOnly([LISTED]))
  afterAll(() => allowOnly(null))

  it.each(PLACES)('is refused for %s, and one that is allowed is not', async (_what, field, toRequest) => {
    const ask = async (host: string) => {
      const [method, path, body] = toRequest(host)
      return await api.call(method, path, { body })
    }
    for (const host of ['other.example.com', '9.9.9.9']) {
      const refused = await ask(host)
      expect([refused.statusCode, refused.json()]).toMatchObject([
        400,
        { errors: [{ field, message: expect.stringContaining('that the operator allows') }] },
      ])
    }
    const accepted = await ask(LISTED)
    expect([accepted.statusCode, accepted.body.includes('that the operator allows')]).not.toContainEqual(true)
  })

  it('is refused when a subscription is changed to it, which stays as it is', async () => {
    const made = await api.call('POST', '/webhooks/subscriptions/RawData', { body: { callbackUrl: `https://${LISTED}/a` } })
    const path = `/webhooks/subscriptions/${String(made.json().id)}`
    const changed = await api.call('PUT', path, { body: { callbackUrl: 'https://other.example.com/a' } })
    expect([changed.statusCode, changed.json()]).toMatchObject([400, { errors: [{ field: 'callbackUrl' }] }])
    expect((await api.call('GET', path)).json()).toMatchObject({ callbackUrl: `https://${LISTED}/a` })
  })
})
