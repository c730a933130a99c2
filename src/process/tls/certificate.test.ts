import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderForTests } from '../../../test/harness/for-tests.ts'
import { hasOpenssl, makeIdentity, makeIdentityFor } from '../../../test/harness/identities.ts'
import { InvalidCertificate, readIdentity } from './certificate.ts'

const NOW = new Date('2026-06-01T00:00:00Z')

describe.skipIf(!hasOpenssl)('the files of the service’s own certificate (skipped only where openssl is not installed)', () => {
  const folder = folderForTests()

  function keep(name: string, text: string, mode = 0o600): string {
    const path = join(folder.path, name)
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }

  function faultsOf(certFile: string, keyFile: string, now = NOW): readonly string[] {
    try {
      readIdentity({ certFile, keyFile }, now)
      return []
    } catch (error) {
      if (error instanceof InvalidCertificate) return error.faults
      throw error
    }
  }

  const identity = hasOpenssl ? makeIdentityFor(['20260101', '20270101'], 'service', 'DNS:service') : { certificate: '', privateKey: '' }

  it('are read with the day on which it expires', () => {
    const [certFile, keyFile] = [keep('a.pem', identity.certificate), keep('a.key', identity.privateKey)]
    expect(readIdentity({ certFile, keyFile }, NOW)).toEqual({
      cert: identity.certificate,
      key: identity.privateKey,
      expiresAt: new Date('2027-01-01T00:00:00Z'),
    })
  })

  it('may hold a chain, and a key that a group reads', () => {
    const chain = keep('chain.pem', `${identity.certificate}${makeIdentity('authority').certificate}`)
    expect(faultsOf(chain, keep('group.key', identity.privateKey, 0o440))).toEqual([])
  })

  it('are all reported at once', () => {
    const missing = join(folder.path, 'nothing.pem')
    expect(faultsOf(missing, folder.path)).toEqual([
      `TLS_CERT_FILE: "${missing}" cannot be read by this user (ENOENT)`,
      expect.stringContaining('TLS_KEY_FILE: others may read or change'),
      `TLS_KEY_FILE: "${folder.path}" cannot be read by this user (EISDIR)`,
    ])
  })

  it.each([
    [0o644, /^TLS_KEY_FILE: others may read or change .* \(mode 644\); run: chmod 600/],
    [0o660, /\(mode 660\)/],
  ])('are refused with a key of mode %o', (mode, fault) => {
    const [certFile, keyFile] = [keep('open.pem', identity.certificate), keep('open.key', identity.privateKey, mode)]
    expect(faultsOf(certFile, keyFile)).toEqual([expect.stringMatching(fault)])
  })

  it('are refused before and after the time of the certificate', () => {
    const [certFile, keyFile] = [keep('b.pem', identity.certificate), keep('b.key', identity.privateKey)]
    expect(faultsOf(certFile, keyFile, new Date('2027-01-01T00:00:00Z'))).toEqual([
      expect.stringMatching(/^TLS_CERT_FILE: .* expired on 2027-01-01/),
    ])
    expect(faultsOf(certFile, keyFile, new Date('2025-12-31T00:00:00Z'))).toEqual([
      expect.stringMatching(/^TLS_CERT_FILE: .* is valid from 2026-01-01/),
    ])
  })

  it('are refused with the key of another certificate', () => {
    const [certFile, keyFile] = [keep('c.pem', identity.certificate), keep('c.key', makeIdentity('another').privateKey)]
    expect(faultsOf(certFile, keyFile)).toEqual([expect.stringMatching(/^TLS_KEY_FILE: .* does not belong to the certificate/)])
  })

  it('are refused where they hold something else, which is not shown', () => {
    const [certFile, keyFile] = [keep('d.pem', 'no certificate'), keep('d.key', 'no key either')]
    const faults = faultsOf(certFile, keyFile)
    expect(faults).toEqual([
      expect.stringMatching(/holds no certificate in PEM form$/),
      expect.stringMatching(/holds no private key in PEM form$/),
    ])
    expect(faults.join()).not.toMatch(/no certificate"|no key either/)
  })

  it('are refused with a passphrase, for which nobody could be asked', () => {
    const plain = keep('e.plain', identity.privateKey)
    const sealed = execFileSync('openssl', ['pkey', '-in', plain, '-aes256', '-passout', 'pass:secret'], { encoding: 'utf8' })
    expect(faultsOf(keep('e.pem', identity.certificate), keep('e.key', sealed))).toEqual([
      expect.stringMatching(/is protected by a passphrase; store it without$/),
    ])
  })
})
