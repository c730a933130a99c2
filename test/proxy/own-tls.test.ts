import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { createApi } from '../../src/api/server.ts'
import { readConfig } from '../../src/process/settings/config.ts'
import { systemFolders } from '../../src/process/settings/folders.ts'
import { readIdentity } from '../../src/process/tls/certificate.ts'
import { guideBlock, settingsOf } from '../guides/guide-blocks.ts'
import { openForTests } from '../harness/for-tests.ts'
import { hasOpenssl, makeIdentity } from '../harness/identities.ts'
import { testApi } from '../harness/test-api.ts'
import { HOST, isMissing, PROXIES, type ProxyName, startProxy } from './proxies.ts'

const LINES: Record<ProxyName, string> = {
  nginx: guideBlock('tls.md', 'proxy_ssl_verify'),
  Caddy: guideBlock('tls.md', 'tls_trusted_ca_certs'),
  HAProxy: guideBlock('tls.md', 'verify required'),
}

/** Files made and named as in the guide, in a folder that takes the place of `/etc/countinghouse`. */
function followGuide() {
  const folder = mkdtempSync(join(tmpdir(), 'own-tls-'))
  const localize = (text: string) => text.replaceAll('/etc/countinghouse', folder)
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  // The group of the service is not on this machine.
  writeFileSync(join(bin, 'chown'), '#!/bin/sh\ntest "$1" = root:countinghouse\n', { mode: 0o755 })
  const block = localize(guideBlock('tls.md', 'CN=countinghouse.internal'))
  execFileSync('sh', ['-euc', block], { env: { PATH: `${bin}:${process.env.PATH}` } })
  const settings = settingsOf(localize(guideBlock('tls.md', 'TLS_CERT_FILE=')))
  const { tls } = readConfig({ ...settings, DATA_DIR: join(folder, 'data') }, [], systemFolders)
  if (tls === null) throw new Error('the guide sets no certificate')
  return {
    identity: readIdentity(tls, new Date()),
    mode: statSync(tls.keyFile).mode & 0o777,
    settings,
    close: () => rmSync(folder, { recursive: true }),
  }
}

describe.skipIf(!hasOpenssl)('the certificate of the guide', () => {
  const guide = openForTests(followGuide)

  it('is one that the service takes, with a key that only its group reads', () => {
    expect([guide.mode, Object.keys(guide.settings)]).toEqual([0o640, ['TLS_CERT_FILE', 'TLS_KEY_FILE']])
  })

  describe.each(PROXIES)('behind %s with the lines of the guide', (name) => {
    const note = isMissing(name) ? ` (SKIPPED: no ${name} or no openssl on this machine)` : ''
    describe.skipIf(isMissing(name))(`as in Debian${note}`, () => {
      const api = openForTests(() => testApi({ publicUrl: `https://${HOST}`, issuer: `https://${HOST}`, trustedProxies: ['127.0.0.1'] }))
      const app = openForTests(() => {
        const { cert, key } = guide.identity
        return createApi({ ...api.deps, metrics: new Registry(), tls: { identity: { cert, key }, onRenewed: () => undefined } })
      })
      let port: number
      beforeAll(async () => {
        port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
      })

      /** Status of a request through the proxy, which trusts this certificate of the service. */
      async function askThrough(trusted: string, lines = LINES[name]): Promise<number> {
        const proxy = await startProxy(name, port, { lines, trusted })
        try {
          return await new Promise((resolve, reject) => {
            request(
              {
                host: '127.0.0.1',
                port: proxy.httpsPort,
                servername: HOST,
                ca: proxy.certificate,
                path: '/healthz',
                headers: { host: HOST },
                agent: false,
              },
              (response) => {
                response.resume().once('end', () => resolve(response.statusCode ?? 0))
              },
            )
              .once('error', reject)
              .end()
          })
        } finally {
          await proxy.close()
        }
      }

      it('answers over encrypted connections on both sides', async () => {
        expect(await askThrough(guide.identity.cert)).toBe(200)
      })

      it('is not asked where it has another certificate than the proxy trusts', async () => {
        const { certificate } = makeIdentity('countinghouse.internal', 'DNS:countinghouse.internal')
        expect([502, 503]).toContain(await askThrough(certificate))
      })

      it('is not asked under another name than that of its certificate', async () => {
        const lines = LINES[name].replaceAll('countinghouse.internal', 'other.internal')
        expect([502, 503]).toContain(await askThrough(guide.identity.cert, lines))
      })

      it('is not reached with the lines for plain HTTP', async () => {
        const plain = readFileSync(
          join(
            import.meta.dirname,
            '..',
            '..',
            'deploy',
            'proxy',
            { nginx: 'nginx.conf', Caddy: 'Caddyfile', HAProxy: 'haproxy.cfg' }[name],
          ),
          'utf8',
        )
        const [line = ''] = plain.match(/^.*127\.0\.0\.1:8480.*$/m) ?? []
        expect([400, 502, 503]).toContain(await askThrough(guide.identity.cert, `${line}\n`))
      })
    })
  })
})
