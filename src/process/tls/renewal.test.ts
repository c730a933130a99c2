import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderForTests } from '../../../test/harness/for-tests.ts'
import { hasOpenssl, makeIdentity } from '../../../test/harness/identities.ts'
import { createLog } from '../log.ts'
import { RenewedIdentity } from './renewal.ts'

describe.skipIf(!hasOpenssl)('a renewed certificate (skipped only where openssl is not installed)', () => {
  const folder = folderForTests()
  const first = hasOpenssl ? makeIdentity('first') : { certificate: '', privateKey: '' }
  const second = hasOpenssl ? makeIdentity('second') : first

  function open() {
    const files = { certFile: join(folder.path, 'own.pem'), keyFile: join(folder.path, 'own.key') }
    const write = (cert: string, key: string) => {
      writeFileSync(files.certFile, cert)
      writeFileSync(files.keyFile, key)
      chmodSync(files.keyFile, 0o600)
    }
    write(first.certificate, first.privateKey)
    const logged: string[] = []
    const log = createLog({ level: 'info', stream: { write: (line) => void logged.push(line) } })
    const identity = new RenewedIdentity(files, { log, now: () => new Date() })
    const used: string[] = []
    identity.onRenewed(({ cert }) => used.push(cert))
    return { files, write, identity, used, logged }
  }

  it('is handed to every server, once', () => {
    const { identity, write, used, logged } = open()
    identity.look()
    expect(used).toEqual([])
    write(second.certificate, second.privateKey)
    identity.look()
    identity.look()
    expect([used, identity.identity.key]).toEqual([[second.certificate], second.privateKey])
    expect(logged).toEqual([expect.stringContaining('a renewed certificate is used')])
    expect(logged.join()).not.toContain('PRIVATE KEY')
  })

  it('that is half written, of others or gone is not used, and the log says so once; the whole one is used later', () => {
    const { identity, write, files, used, logged } = open()
    write(second.certificate, first.privateKey)
    identity.look()
    identity.look()
    expect([used, logged]).toEqual([[], [expect.stringContaining('does not belong to the certificate')]])
    rmSync(files.certFile)
    identity.look()
    identity.look()
    expect([used, logged.length, identity.identity.cert]).toEqual([[], 2, first.certificate])
    write(second.certificate, second.privateKey)
    identity.look()
    expect(used).toEqual([second.certificate])
  })
})
