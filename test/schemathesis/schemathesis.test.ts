import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Countinghouse } from '../../sdk/typescript/src/index.ts'
import { isOnPath } from '../packages/podman.ts'
import { openSandbox, type Sandbox } from '../process/sandbox.ts'
import { readLogin, type Service } from '../process/service.ts'
import { effort, isLong } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'

const isSkipped = !isOnPath('schemathesis') && process.env.CI !== 'true'
if (isSkipped) process.stderr.write('SKIPPED: no requests are generated: no schemathesis\n')

/** Boundaries of each parameter are tried as well when there is time. */
const PHASES = isLong ? 'examples,coverage,fuzzing' : 'fuzzing'
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
].join(',')

describe.skipIf(isSkipped)(`generated requests${isSkipped ? ' (SKIPPED: no schemathesis)' : ''}`, () => {
  let sandbox: Sandbox
  let service: Service
  let key: string

  beforeAll(async () => {
    // A limit would answer most requests.
    const environment = { REQUESTS_PER_SESSION: '0', REQUESTS_PER_INSTANCE: '0', REQUESTS_PER_NETWORK: '0' }
    sandbox = await openSandbox(environment)
    service = sandbox.service
    const api = new Countinghouse({ baseUrl: service.baseUrl, login: await readLogin(service.dataDir) })
    key = (await api.createApiKey({ body: { name: 'Requests', scopes: await readScopes() } })).key
  }, 120_000)
  afterAll(async () => {
    await sandbox?.close()
  })

  /** All scopes, as the document lists them. */
  async function readScopes() {
    const document = (await (await fetch(`${service.baseUrl}/admin/api/openapi.json`)).json()) as {
      components: { schemas: { ApiKeyScope: { enum: 'data:read'[] } } }
    }
    return document.components.schemas.ApiKeyScope.enum
  }

  it.each([
    ['openapi', 1],
    ['administration', 2],
  ])(
    'are answered as the document says, and by no 5xx: %s.json',
    async (name, seed) => {
      const document = join(sandbox.path, `${name}.json`)
      await writeFile(document, await (await fetch(`${service.baseUrl}/admin/api/${name}.json`)).text())
      const report = join(sandbox.path, `${name}.ndjson`)
      const args = ['--config-file', join(import.meta.dirname, 'schemathesis.toml'), 'run', document, '--url', service.baseUrl]
      args.push('--header', `Authorization: Bearer ${key}`, '--phases', PHASES, '--checks', CHECKS, '--seed', String(seed), '--no-shrink')
      args.push('--max-examples', String(effort.generatedRequests), '--generation-database', 'none', '--no-color')
      args.push('--report', 'ndjson', '--report-ndjson-path', report)
      const child = spawn('schemathesis', args, { cwd: sandbox.path, stdio: ['ignore', 'pipe', 'pipe'] })
      let printed = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          printed += text
        })
      }
      await once(child, 'close')
      const sent = countRequests(readFileSync(report, 'utf8'))
      reportFigure(`requests by ${name}.json`, sent)
      expect(printed).not.toContain('FAILURES')
      expect([child.exitCode, printed]).toEqual([0, expect.any(String)])
      expect(sent).toBeGreaterThan(50)
    },
    3_600_000,
  )
})

/** Answers in a report, each of which was judged. */
function countRequests(report: string): number {
  return report.split('"status_code":').length - 1
}
