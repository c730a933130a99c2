import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Countinghouse } from '../../sdk/typescript/src/index.ts'
import { browserNote, lacksBrowser, openBrowser } from '../harness/browser.ts'
import { folderForTests } from '../harness/for-tests.ts'
import { isOnPath } from '../packages/podman.ts'
import { openSandbox, type Sandbox } from '../process/sandbox.ts'
import { readLogin, type Service } from '../process/service.ts'

const root = resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const lacksDeno = !isOnPath('deno') && process.env.CI !== 'true'
if (lacksDeno) process.stderr.write('SKIPPED: the TypeScript SDK is not tried in Deno: no deno\n')

/** The same lines for both: a change, a list of several pages, and an error with its problem details. */
const SCRIPT = `
const api = new Countinghouse({ baseUrl: BASE_URL, apiKey: API_KEY, retries: 0 })
await api.createCompany({ body: { name: 'Boulangerie du Plateau', country: 'CA' } })
let services = 0
for await (const { id } of eachItem((page) => api.listServices({ query: page }), { pageSize: 10 })) services += id ? 1 : 0
const refused = await api.getCompany({ path: { companyId: '00000000-0000-4000-8000-000000000000' } }).catch((error) => error)
const signed = await verifyEvent(new Headers({ 'webhook-id': '1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' }), '{}', 'whsec_AAAA').catch((error) => error.name)
let streamed = 0, missing
for (const { companyId, serviceId, category } of (await api.listConnections()).data) {
  const list = category === 'Banking' ? 'listBankingAccounts' : 'listAccountingAccounts'
  for await (const { id } of api.eachRecord(list, { path: { companyId, serviceId } })) streamed += id ? 1 : 0
  missing = await api.eachRecord(list, { path: { companyId, serviceId: companyId } }).next().catch(({ name, status }) => [name, status])
}
const said = { streamed: streamed > 5, missing, isMany: services > 20, refused: [refused.name, refused.status, refused.problem?.Code], signed }
`
const SAID = { streamed: true, missing: ['ApiError', 404], isMany: true, refused: ['ApiError', 404, 404], signed: 'WebhookError' }

describe('the packed TypeScript SDK', () => {
  const project = folderForTests()
  let dist: string
  let sandbox: Sandbox
  let service: Service
  let apiKey: string

  beforeAll(async () => {
    dist = join(project.path, 'dist')
    await mkdir(dist)
    const tsc = join(root, 'node_modules/.bin/tsc')
    await run(tsc, ['-p', join(root, 'sdk/typescript/tsconfig.json'), '--outDir', dist], { cwd: project.path })
    sandbox = await openSandbox()
    service = sandbox.service
    const api = new Countinghouse({ baseUrl: service.baseUrl, login: await readLogin(service.dataDir) })
    apiKey = (
      await api.createApiKey({ body: { name: 'Runtimes', scopes: ['companies:read', 'companies:write', 'connections:read', 'data:read'] } })
    ).key
  }, 120_000)
  afterAll(async () => {
    await sandbox?.close()
  })

  it.skipIf(lacksDeno)(
    `works in Deno, with leave for the network of the API alone${lacksDeno ? ' (SKIPPED: no deno)' : ''}`,
    async () => {
      const head = `import { Countinghouse, eachItem, verifyEvent } from './dist/index.js'\nconst [BASE_URL, API_KEY] = Deno.args\n`
      await writeFile(join(project.path, 'try.js'), `${head}${SCRIPT}console.log(JSON.stringify(said))\n`)
      const args = ['run', '--no-prompt', '--no-remote', `--allow-net=${new URL(service.baseUrl).host}`, 'try.js', service.baseUrl, apiKey]
      const { stdout } = await run('deno', args, {
        cwd: project.path,
        env: { PATH: process.env.PATH, DENO_DIR: join(project.path, 'deno') },
      })
      expect(JSON.parse(stdout)).toEqual(SAID)
    },
    60_000,
  )

  it.skipIf(lacksBrowser)(
    `works in a browser, on a page of the API’s origin${browserNote}`,
    async () => {
      const { browser, close } = await openBrowser()
      try {
        const page = await browser.newPage()
        const served = globSync('**/*.js', { cwd: dist })
        await page.route(`${service.baseUrl}/sdk/**`, async (route) => {
          const name = new URL(route.request().url()).pathname.slice('/sdk/'.length)
          if (name === '') return await route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>SDK</title>' })
          if (!served.includes(name) || extname(name) !== '.js') return await route.fulfill({ status: 404 })
          await route.fulfill({ contentType: 'text/javascript', body: await readFile(join(dist, name), 'utf8') })
        })
        await page.goto(`${service.baseUrl}/sdk/`)
        const given = `const BASE_URL = ${JSON.stringify(service.baseUrl)}, API_KEY = ${JSON.stringify(apiKey)};`
        const load = `const { Countinghouse, eachItem, verifyEvent } = await import('/sdk/index.js');`
        expect(await page.evaluate(`(async () => { ${load} ${given} ${SCRIPT} return said })()`)).toEqual(SAID)
      } finally {
        await close()
      }
    },
    60_000,
  )
})
