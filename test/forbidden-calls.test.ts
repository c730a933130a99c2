import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const FILES = globSync(['src/**/*.{ts,tsx,js}', 'bin/*.js']).filter((file) => !/\.test\.tsx?$/.test(file))

/** Files whose code, without comments, matches the pattern. */
function filesWith(pattern: RegExp): string[] {
  return FILES.filter((file) => pattern.test(readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ''))).sort()
}

describe('the code of the service', () => {
  it('is found', () => {
    expect(FILES.length).toBeGreaterThan(900)
  })

  it.each([
    ['compiles no text to code', /\beval\(|\bnew Function\(|\bimport\('data:/],
    ['puts no text into a page as markup', /dangerouslySetInnerHTML|\.(inner|outer)HTML\b|insertAdjacentHTML|document\.write\(/],
    ['uses no broken hash, cipher or mode', /['"](md5|rc4|des3|des-[\w-]+|[\w-]+-(ecb|cbc))['"]/i],
    ['accepts every certificate nowhere', /rejectUnauthorized:\s*false|NODE_TLS_REJECT_UNAUTHORIZED/],
  ])('%s', (_what, pattern) => {
    expect(filesWith(pattern)).toEqual([])
  })

  it('takes node:http from one place, because an import of it loads what is not used', () => {
    expect(filesWith(/^import (?!type\b)[^'\n]*from 'node:https?'/m)).toEqual([])
    expect(filesWith(/getBuiltinModule\('node:http'\)/)).toEqual(['src/egress/node-http.ts'])
  })

  it('starts programs at known places only, never with text from a request', () => {
    expect(filesWith(/node:child_process/)).toEqual([
      'bin/countinghouse.js',
      'src/process/built/built-files.ts',
      'src/process/exports/export-process.ts',
      'src/store/embedded/cluster.ts',
      'src/store/embedded/processes.ts',
      'src/store/embedded/server.ts',
      'src/store/keys/read-secret.ts',
    ])
  })

  it('looks at no item of a list of unknown items when it validates the envelope of an answer', () => {
    expect(filesWith(/Type\.Array\(Type\.Unknown\(\)\)/).filter((file) => file.startsWith('src/connectors/'))).toEqual([])
  })

  it('uses predictable random numbers for waiting times only', () => {
    expect(filesWith(/Math\.random/)).toEqual([
      'src/jobs/worker.ts',
      'src/mail/jobs.ts',
      'src/store/db/migrate.ts',
      'src/store/embedded/directory-lock.ts',
      'src/sync/credentials/credentials-refresh.ts',
      'src/webhooks/attempt-result.ts',
    ])
  })

  it('uses SHA-1 only as standards require: for name-based UUIDs, one-time codes of apps, and look-ups in lists of breached passwords', () => {
    const breached = 'src/api/access/passwords/breached-passwords.ts'
    expect(filesWith(/['"]sha-?1['"]/i)).toEqual(['src/api/access/login/one-time-codes.ts', breached, 'src/model/catalogue.ts'])
  })

  it('allows other origins to read only the public keys of receipts, and the script of the element', () => {
    expect(filesWith(/access-control-allow/i)).toEqual(['src/connect/assets/element.ts', 'src/connect/routes/receipts.ts'])
  })

  it('makes regular expressions of its own words only, or escapes others', () => {
    // Escaped, or of names in the code; the patterns of a bank profile are the operator’s own, and are checked by `profile-faults`.
    expect(filesWith(/\bRegExp\(/)).toEqual([
      'src/api/access/keys/key-text.ts',
      'src/api/http/route-methods.ts',
      'src/connectors/bank-api/authorization.ts',
      'src/connectors/bank-api/profile-faults.ts',
      'src/connectors/bank-api/shape-faults.ts',
      'src/connectors/bank-files/mt940/details.ts',
      'src/connectors/bank-files/syntax/entities.ts',
      'src/connectors/plaid/request.ts',
      'src/connectors/sage/type-table.ts',
      'src/connectors/stripe/request.ts',
      'src/documentation/build/render-markdown.ts',
      'src/model/scrub.ts',
      'src/object-storage/s3-object.ts',
      'src/store/db/cluster/distributed-tables.ts',
    ])
    expect(readFileSync('src/api/http/route-methods.ts', 'utf8')).toContain('RegExp.escape(')
  })

  it('encrypts, signs and hashes by OpenSSL and by libraries that are known for it', () => {
    const imported = FILES.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'([^'.][^']*)'/g)].map(([, name = '']) => name),
    )
    const cryptographic = /crypt|jose|jwt|argon|otp|nacl|noble|forge|sodium|sha\d|md5|hash|authn|openid|ssh2|certificate|x509|tls/i
    expect([...new Set(imported.filter((name) => cryptographic.test(name)))].toSorted()).toEqual([
      '@node-rs/argon2',
      '@simplewebauthn/browser',
      '@simplewebauthn/server',
      'jose',
      'node:crypto',
      'node:tls',
      'openid-client',
      'otpauth',
      'ssh2',
    ])
  })

  it('makes no secret of less than 128 random bits', () => {
    const sizes = FILES.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/randomBytes\((\d+)\)/g)].map(([, bytes]) => ({ file, bytes: Number(bytes) })),
    )
    expect(sizes.length).toBeGreaterThan(15)
    // The id of a key is no secret.
    expect(sizes.filter(({ bytes }) => bytes < 16).map(({ file }) => file)).toEqual(['src/store/keys/key-files.ts'])
  })
})
