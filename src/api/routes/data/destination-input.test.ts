import { afterEach, describe, expect, it } from 'vitest'
import { makeEd25519Pair } from '../../../../test/file-feeds/ssh-keys.ts'
import { hasOpenssl, makeIdentity } from '../../../../test/harness/identities.ts'
import { allowOnly, requireEncryption } from '../../../egress/allowed-hosts.ts'
import type { CallbackRules } from '../../../webhooks/callback-url.ts'
import { readTarget } from './destination-input.ts'

type Input = Parameters<typeof readTarget>[0]

const PUBLIC: CallbackRules = { allowPrivate: false }
const SANDBOX: CallbackRules = { allowPrivate: true }
const HOST_KEY = `SHA256:${'A'.repeat(43)}`
const ENCRYPTED = makeEd25519Pair({ passphrase: 'open', cipher: 'aes256-cbc', rounds: 16 }).private
const PRIVATE_KEY = makeEd25519Pair().private

const bucket = (more: object = {}): Input => ({
  ...{
    name: 'Lake',
    endpoint: 'https://s3.example.com',
    region: 'ca-central-1',
    bucket: 'lake',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
  },
  ...more,
})
const server = (more: object = {}): Input => ({
  ...{ kind: 'sftp', name: 'Bank', host: 'sftp.example.com', user: 'ann', hostKey: HOST_KEY, path: '/in' },
  ...more,
})
const tables = (more: object = {}): Input => ({
  ...{ kind: 'postgres', name: 'Lake', host: 'db.example.com', database: 'lake', user: 'ann', schema: 'books', password: 'secret' },
  ...more,
})

afterEach(() => {
  allowOnly(null)
  requireEncryption(false)
})

/** The refused fields with what is wrong; null: it is accepted. */
async function refusal(input: Input, rules: CallbackRules): Promise<unknown> {
  return await readTarget(input, rules).then(
    () => null,
    (error: { fields: { field: string; message: string }[] }) => error.fields.map(({ field, message }) => `${field} ${message}`).join(),
  )
}

describe('a destination as it is asked for', () => {
  it('in a bucket has no prefix unless it names one, and the origin of its storage', async () => {
    const { name: _name, secretAccessKey, ...given } = bucket() as Extract<Input, { bucket: string }>
    expect(await readTarget(bucket(), PUBLIC)).toEqual({ target: { ...given, kind: 's3', prefix: '' }, secret: secretAccessKey })
    const prefixed = await readTarget(bucket({ kind: 's3', prefix: 'lending/', endpoint: 'HTTPS://S3.example.com:443/#x' }), PUBLIC)
    expect(prefixed.target).toMatchObject({ kind: 's3', endpoint: 'https://s3.example.com', prefix: 'lending/' })
  })

  it.each([
    [{ password: 'p' }, { port: 22, path: '/in', authentication: 'password' }, { password: 'p' }],
    [{ privateKey: PRIVATE_KEY, port: 2022 }, { port: 2022, path: '/in', authentication: 'key' }, { privateKey: PRIVATE_KEY }],
    [{ password: 'p', path: '/in/a//' }, { port: 22, path: '/in/a', authentication: 'password' }, { password: 'p' }],
    [{ password: 'p', path: '///' }, { port: 22, path: '/', authentication: 'password' }, { password: 'p' }],
  ])('on a server has its usual port and a folder without a slash at its end: %#', async (more, target, secret) => {
    const read = await readTarget(server(more), PUBLIC)
    expect(read.target).toEqual({ kind: 'sftp', host: 'sftp.example.com', user: 'ann', hostKey: HOST_KEY, ...target })
    expect(JSON.parse(read.secret)).toEqual(secret)
  })

  it('in a database has its usual port, and is encrypted unless it says otherwise', async () => {
    const { name: _name, password, ...given } = tables() as Extract<Input, { schema: string }>
    const target = { ...given, port: 5432, tls: 'verify', certificateAuthority: null }
    expect(await readTarget(tables(), PUBLIC)).toEqual({ target, secret: password })
    expect((await readTarget(tables({ port: 6432, tls: 'off' }), SANDBOX)).target).toEqual({ ...target, port: 6432, tls: 'off' })
  })

  it.skipIf(!hasOpenssl)('in a database may name an authority (skipped only where openssl is not installed)', async () => {
    const { certificate } = makeIdentity('authority')
    expect((await readTarget(tables({ certificateAuthority: certificate }), PUBLIC)).target).toMatchObject({
      certificateAuthority: certificate,
    })
  })
})

const ENDPOINT = 'endpoint must be an https address on the public internet, without a path'
const HOST = 'host must be a host on the public internet'

describe('a destination is refused', () => {
  it.each<[string, CallbackRules, string | null]>([
    ['https://s3.example.com', PUBLIC, null],
    ['https://s3.example.com:80', PUBLIC, null],
    ['https://s3.example.com:9000', PUBLIC, ENDPOINT],
    ['https://s3.example.com:9000', { allowPrivate: false, allowedPorts: [9000] }, null],
    ['https://s3.example.com', { allowPrivate: false, allowedPorts: [9000] }, ENDPOINT],
    ['https://s3.example.com:9000', SANDBOX, null],
    ['http://s3.example.com', PUBLIC, ENDPOINT],
    ['http://s3.example.com', { allowPrivate: false, allowHttp: false }, ENDPOINT],
    ['http://s3.example.com', { allowPrivate: false, allowHttp: true }, null],
    ['http://s3.example.com', SANDBOX, null],
    ['https://10.0.0.1', PUBLIC, ENDPOINT],
    ['https://10.0.0.1', SANDBOX, null],
    ['https://minio.internal', PUBLIC, ENDPOINT],
    ['https://s3.example.com/lake', PUBLIC, ENDPOINT],
    ['https://s3.example.com/?a=b', PUBLIC, ENDPOINT],
    ['https://ann:secret@s3.example.com', PUBLIC, ENDPOINT],
    ['ftp://s3.example.com', SANDBOX, ENDPOINT],
    ['s3.example.com', SANDBOX, ENDPOINT],
  ])('by its storage: %s, %j: %s', async (endpoint, rules, expected) => {
    expect(await refusal(bucket({ endpoint }), rules)).toBe(expected)
  })

  it.each<[string, CallbackRules, string | null]>([
    ['files.example.com', PUBLIC, null],
    ['10.0.0.1', PUBLIC, HOST],
    ['10.0.0.1', SANDBOX, null],
    ['127.0.0.1', PUBLIC, HOST],
    ['localhost', PUBLIC, HOST],
    ['::1', PUBLIC, HOST],
    ['::1', SANDBOX, null],
    ['2606:4700:4700::1111', PUBLIC, null],
    ['a:b', PUBLIC, HOST],
    ['169.254.169.254', SANDBOX, HOST],
  ])('by its host: %s, %j: %s', async (host, rules, expected) => {
    expect([await refusal(server({ host, password: 'p' }), rules), await refusal(tables({ host }), rules)]).toEqual([expected, expected])
  })

  it('by a host that the operator does not allow', async () => {
    allowOnly(['*.example.com'])
    const to = async (domain: string) => [
      await refusal(bucket({ endpoint: `https://s3.${domain}` }), PUBLIC),
      await refusal(server({ host: `sftp.${domain}`, password: 'p' }), PUBLIC),
      await refusal(tables({ host: `db.${domain}` }), PUBLIC),
    ]
    expect(await to('example.com')).toEqual([null, null, null])
    const rest = 'host that the operator allows'
    expect(await to('example.org')).toEqual([`endpoint must name a ${rest}`, `host must be a ${rest}`, `host must be a ${rest}`])
  })

  it.each<[object, string | null]>([
    [{}, 'password A password or a key is needed.'],
    [{ password: 'p', privateKey: PRIVATE_KEY }, 'password Give a password or a key, not both.'],
    [{ password: 'p', passphrase: 'x' }, 'passphrase There is no key that it opens.'],
    [{ privateKey: 'no key' }, expect.stringMatching(/^privateKey This is no private key/)],
    [{ privateKey: PRIVATE_KEY }, null],
    [{ privateKey: ENCRYPTED, passphrase: 'open' }, null],
    [{ privateKey: ENCRYPTED, passphrase: 'shut' }, 'passphrase The passphrase does not open the key.'],
  ])('by the credentials of its server: %#', async (more, expected) => {
    expect(await refusal(server(more), PUBLIC)).toEqual(expected)
  })

  it.each<[object, CallbackRules, boolean, string | null]>([
    [{ tls: 'off' }, PUBLIC, false, 'tls must be verify: the connection is encrypted'],
    [{ tls: 'off' }, SANDBOX, false, null],
    [{ tls: 'off' }, SANDBOX, true, 'tls must be verify: the connection is encrypted'],
    [{ tls: 'verify' }, PUBLIC, true, null],
    [{ certificateAuthority: 'no certificate' }, PUBLIC, false, 'certificateAuthority must be a certificate in PEM'],
    [{ certificateAuthority: '' }, PUBLIC, false, 'certificateAuthority must be a certificate in PEM'],
    [{ certificateAuthority: null }, PUBLIC, false, null],
  ])('by the encryption of its database: %j, %j, required: %s', async (more, rules, isRequired, expected) => {
    requireEncryption(isRequired)
    expect(await refusal(tables(more), rules)).toBe(expected)
  })

  it('by a storage without encryption where the operator requires it', async () => {
    requireEncryption(true)
    expect(await refusal(bucket({ endpoint: 'http://s3.example.com' }), SANDBOX)).toBe(ENDPOINT)
    expect(await refusal(bucket(), SANDBOX)).toBe(null)
  })
})
