import { chmod, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as secureConnect } from 'node:tls'
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../harness/database.ts'
import { folderForTests } from '../harness/for-tests.ts'
import { hasOpenssl, makeIdentity, makeIdentityFor } from '../harness/identities.ts'
import { until } from '../process/deadline.ts'
import { findFreePort, runToEnd, startService } from '../process/service.ts'

/** Record of a handshake that announces more bytes than follow. Source: https://www.rfc-editor.org/rfc/rfc8446#section-5.1 */
const BEGUN_HANDSHAKE = Buffer.from([22, 3, 1, 1, 0, 1])

async function read(port: number, path: string, ca: string): Promise<{ status: number; text: string }> {
  return await new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, ca, agent: false }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, text: body }), reject)
    })
      .once('error', reject)
      .end()
  })
}

/** Status, or the code of the error. */
async function ask(port: number, path: string, ca: string): Promise<number | string> {
  return await read(port, path, ca).then(
    ({ status }) => status,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  )
}

describe.skipIf(!hasOpenssl)('TLS_CERT_FILE and TLS_KEY_FILE (skipped only where openssl is not installed)', () => {
  const folder = folderForTests()
  const files = () => ({ TLS_CERT_FILE: join(folder.path, 'own.pem'), TLS_KEY_FILE: join(folder.path, 'own.key') })
  async function write({ certificate, privateKey }: ReturnType<typeof makeIdentity>, mode = 0o600): Promise<string> {
    await writeFile(files().TLS_KEY_FILE, privateKey)
    await chmod(files().TLS_KEY_FILE, mode)
    await writeFile(files().TLS_CERT_FILE, certificate)
    return certificate
  }
  let metrics: number
  beforeAll(async () => {
    metrics = await findFreePort()
  })
  const environment = () => ({ ENVIRONMENT: 'production', METRICS_LISTEN: String(metrics), ...files() })

  it.each(['all', 'worker'])('with ROLE=%s every listener is https, and a renewed certificate is used without a restart', async (role) => {
    const test = await testDatabase()
    const first = await write(makeIdentity('first'))
    const port = await findFreePort()
    const ports = role === 'worker' ? [metrics] : [port, metrics]
    const service = await startService({
      dataDir: join(folder.path, role),
      port,
      environment: { ...environment(), DATABASE_URL: test.url, ROLE: role },
    })
    try {
      for (const one of ports) {
        expect(await ask(one, '/livez', first)).toBe(200)
        await expect(fetch(`http://127.0.0.1:${one}/livez`)).rejects.toThrow()
      }
      const second = await write(makeIdentity('second'))
      await until('the renewed certificate', async () => ((await ask(metrics, '/livez', second)) === 200 ? true : null))
      for (const one of ports) {
        expect(await ask(one, '/livez', second)).toBe(200)
        expect(await ask(one, '/livez', first)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
      }
      expect(service.output()).toContain('a renewed certificate is used')
      expect(service.output()).toContain(`Server listening at https://127.0.0.1:${metrics}`)
      expect(service.output()).not.toMatch(/PRIVATE KEY|listening at http:/)
    } finally {
      expect(await service.stop()).toEqual({ code: 0, signal: null })
      await test.drop()
    }
  })

  it('150 handshakes and requests that do not end are closed within 12 s, and others are answered meanwhile', async () => {
    const test = await testDatabase()
    const ca = await write(makeIdentity('first'))
    const port = await findFreePort()
    const service = await startService({
      dataDir: join(folder.path, 'half'),
      port,
      environment: { ...environment(), DATABASE_URL: test.url },
    })
    const accepted = Array.from({ length: 150 }, (_one, index) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined)
      if (index % 3 === 1) socket.write(BEGUN_HANDSHAKE)
      if (index % 3 === 2)
        secureConnect({ socket, ca, host: '127.0.0.1' })
          .on('error', () => undefined)
          .write('GET / HTTP/1.1\r\n')
      return socket.resume()
    })
    try {
      const startedAt = performance.now()
      const open = async () => Number(/^countinghouse_http_connections (\d+)/m.exec((await read(metrics, '/metrics', ca)).text)?.[1])
      await until('all are accepted', async () => ((await open()) >= 150 ? true : null))
      await until('none is left', async () => {
        expect(await ask(port, '/livez', ca)).toBe(200)
        return (await open()) < 5 ? true : null
      })
      expect(performance.now() - startedAt).toBeLessThan(12_000)
    } finally {
      for (const socket of accepted) socket.destroy()
      await service.stop()
      await test.drop()
    }
  })

  it('are demanded by REQUIRE_TLS, with all that is not encrypted named at once', async () => {
    const { code, stderr } = await runToEnd({
      ...{ REQUIRE_TLS: 'true', ENVIRONMENT: 'production', DATA_DIR: join(folder.path, 'refused'), PORT: String(await findFreePort()) },
      ...{ DATABASE_URL: 'postgres://app:canary@127.0.0.1/books', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' },
    })
    expect([code, stderr.match(/^ {2}\w+(?=: .*REQUIRE_TLS does not allow that$)/gm)]).toEqual([
      2,
      ['  TLS_CERT_FILE', '  BASE_URL', '  DATABASE_URL', '  OTEL_EXPORTER_OTLP_ENDPOINT'],
    ])
    expect(stderr).not.toContain('canary')
  })

  it('that cannot be used end the start with the faults of all settings, and nothing is written', async () => {
    const { privateKey } = makeIdentity('another')
    await write({ certificate: makeIdentityFor(['20200101', '20210101'], 'old').certificate, privateKey }, 0o644)
    const run = await runToEnd({ ...environment(), DATA_DIR: join(folder.path, 'new'), PORT: 'x' })
    expect(run.code).toBe(2)
    expect(run.stderr.split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/PORT: "x" is not/),
        expect.stringMatching(/TLS_CERT_FILE: .* expired on 2021-01-01/),
        expect.stringMatching(/TLS_KEY_FILE: others may read or change .*mode 644/),
        expect.stringMatching(/TLS_KEY_FILE: .* does not belong to the certificate/),
      ]),
    )
  })
})
