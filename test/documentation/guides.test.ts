import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STATUS_CODES, statusName } from '../../src/model/statuses.ts'
import { FAULT_CODES } from '../../src/model/texts/status-messages.ts'
import { PYTHON_PROGRAM } from '../../tools/sdk/generate-python.ts'
import { listGuides, readGuide } from '../guides/guide-blocks.ts'
import { folderForTests } from '../harness/for-tests.ts'
import { Client } from '../journey/client.ts'
import { connectQuickbooks } from '../journey/http-walks.ts'
import { isOnPath } from '../packages/podman.ts'
import { findFreePort, type Service, startService } from '../process/service.ts'
import { linkSdk, runGuide } from './guide-runs.ts'
import { LANGUAGES, type Language, listBlocks, listFirstCells, toScript } from './guide-tracks.ts'

const root = resolve(import.meta.dirname, '..', '..')
const PROGRAMS: Record<Language, readonly string[]> = { sh: ['bash', 'curl', 'jq', 'openssl'], ts: [], python: [PYTHON_PROGRAM] }
const MARKS = { sh: 'sh', ts: 'TypeScript', python: 'Python' }
const BAKERY = '4620816365200000101'

/** What each guide prints, by language, at least. A guide that prints all of it and then ends has worked. */
const PRINTED: Readonly<Record<string, Partial<Record<Language, readonly RegExp[]>>>> = {
  'first-data.md': {
    sh: [/"accountName": "\w/, /"actualBalance": -?[\d.]+/, /\tASSET$/m, /^[1-9]\d*$/m],
    ts: [/accountName: '\w/, / ASSET$/m],
    python: [/'accountName': '\w/, / ASSET$/m],
  },
  'link-and-branding.md': {
    sh: [/"publicName": "Harbour Lending"/, /"statusName": "Structured"/, /"opened": [1-9]/],
  },
  'webhooks.md': {
    sh: [/"MessageType": "NormalizedData"/, /^the signature is valid$/m, /"cursor": "/],
    ts: [/^verified NormalizedData/m],
    python: [/^verified NormalizedData/m],
  },
  'statuses.md': {
    sh: [/\t15\tStructured$/m, /"lastPublishedOn": "/, /\tLoading\t/, /"state": "(published|unchanged)"/],
    ts: [/ 15 Structured$/m, /lastPublishedOn: '/],
    python: [/ 15 Structured$/m, / Loading /],
  },
  'paging-and-changes.md': {
    sh: [/^x-total-count: [1-9]/im, /^[1-9]\d*$/m, /is no day|day that/i, /^[1-9]\d* changes\.tsv$/m, /^a cursor that was cut: 400$/m],
    ts: [/^[1-9]\d* lines/m, /^[1-9]\d* records$/m, /^a cursor that was cut: 400$/m],
    python: [/^[1-9]\d* lines/m, /^[1-9]\d* records$/m, /^a cursor that was cut: 400$/m],
  },
  'going-live.md': { sh: [/^ready$/m, /^QuickBooks Online\tsandbox\ttrue$/m, /"publicName": "/, /^\d+$/m] },
  // Last: it leaves the simulator with another clock.
  'sandbox-faults.md': {
    sh: [
      /\bunavailable\b/,
      /"name":"unavailable"/,
      /"faultCode": "accessWithdrawn"/,
      /^connected again$/m,
      /^the access token had expired/m,
    ],
  },
}

const guides = Object.keys(PRINTED)
const lacks = (language: Language) => PROGRAMS[language].filter((program) => !isOnPath(program))
const tracks = guides.flatMap((guide) =>
  LANGUAGES.filter((language) => PRINTED[guide]?.[language]).map((language) => ({ guide, language })),
)
const skipped = LANGUAGES.filter((language) => lacks(language).length > 0 && process.env.CI !== 'true')
for (const language of skipped) process.stderr.write(`SKIPPED: the guides in ${MARKS[language]}: no ${lacks(language).join(', ')}\n`)

describe('the guides for developers', () => {
  const folder = folderForTests()
  let project: string
  let service: Service
  let client: Client
  let receiverPort: number
  let environment: Record<string, string>

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'guides-'))
    await linkSdk(project)
    service = await startService({ dataDir: folder.path })
    receiverPort = await findFreePort()
    client = await Client.logIn(service)
    const scopes = [...readGuide('first-data.md', 'developers').matchAll(/"(\w+:(?:read|write))"/g)].map(([, scope]) => scope)
    const { body } = await client.ask('/api-keys', { method: 'POST', body: { name: 'Guides', scopes } })
    const { key } = Parse(Type.Object({ key: Type.String() }), JSON.parse(body))
    environment = { COUNTINGHOUSE_ADDRESS: service.baseUrl, COUNTINGHOUSE_API_KEY: key, PYTHONPATH: join(root, 'sdk/python/src') }
    // The command of a checkout finds the deployment by the settings of the service.
    Object.assign(environment, { DATA_DIR: folder.path, BASE_URL: service.baseUrl, PYTHONDONTWRITEBYTECODE: '1' })
    for (const { guide, language } of tracks) await writeFile(join(project, fileOf(guide, language)), programOf(guide, language))
  })
  afterAll(async () => {
    await service?.stop()
    if (project) await rm(project, { recursive: true, force: true })
  })

  /** As the reader has it, for the addresses of this test. */
  function programOf(guide: string, language: Language): string {
    const code = language === 'sh' ? toScript(guide) : listBlocks(guide, language).join('\n')
    return code
      .replaceAll('http://127.0.0.1:8480', service.baseUrl)
      .replaceAll('127.0.0.1:4000', `127.0.0.1:${receiverPort}`)
      .replaceAll(/(listen\(|", )4000\)/g, `$1${receiverPort})`)
      .replaceAll('npx countinghouse', `${process.execPath} ${join(root, 'bin/countinghouse.js')}`)
  }

  it('are all run, in each language that they have', () => {
    expect([...guides].sort()).toEqual(listGuides('developers'))
    const written = guides.flatMap((guide) =>
      LANGUAGES.filter((language) => listBlocks(guide, language).length > 0).map((of) => `${guide} ${of}`),
    )
    expect(tracks.map(({ guide, language }) => `${guide} ${language}`).sort()).toEqual(written.sort())
  })

  it('have programs in TypeScript that compile with strict types', async () => {
    const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', project]).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toBe('')
  })

  for (const { guide, language } of tracks) {
    const isSkipped = skipped.includes(language)
    it.skipIf(isSkipped)(
      `${guide} works as written, in ${MARKS[language]}${isSkipped ? ' (SKIPPED)' : ''}`,
      { timeout: 100_000 },
      async () => {
        const expected = PRINTED[guide]?.[language] ?? []
        const isEndless = guide === 'webhooks.md' && language !== 'sh'
        const printed = await runGuide({
          ...commandOf(fileOf(guide, language), language),
          cwd: project,
          env: environment,
          onLink: async (link) => await connectQuickbooks(service.baseUrl, link, { realmId: BAKERY }),
          ...(isEndless && expected[0] ? { until: expected[0] } : {}),
        })
        for (const text of expected) expect(printed).toMatch(text)
        if (language !== 'sh') return
        const shown = listBlocks(guide, 'json').flatMap((block) => [...block.matchAll(/"(\w+)":/g)].map(([, name = '']) => name))
        expect(shown.filter((name) => !printed.includes(`"${name}"`))).toEqual([])
      },
    )
  }

  it('name every status and every fault code', () => {
    expect(listFirstCells('statuses.md', 'code').map(Number).sort()).toEqual([...STATUS_CODES].sort())
    for (const code of STATUS_CODES) expect(readGuide('statuses.md', 'developers')).toContain(`\n| ${code} | ${statusName(code)} |`)
    expect(listFirstCells('statuses.md', '`faultCode`').sort()).toEqual([...FAULT_CODES].sort())
  })

  it('name faults that the simulators have', async () => {
    const { body } = await client.ask('/sandbox/simulators')
    const simulators = Parse(Type.Array(Type.Object({ key: Type.String(), faults: Type.Array(Type.String()) })), JSON.parse(body))
    const known = simulators.find(({ key }) => key === 'quickbooks')?.faults ?? []
    const named = listFirstCells('sandbox-faults.md', 'fault').flatMap((cell) => cell.split(', '))
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((name) => !known.includes(name))).toEqual([])
  })
})

function fileOf(guide: string, language: Language): string {
  const name = guide.replace('.md', '').replaceAll('-', '_')
  return `${name}.${{ sh: 'sh', ts: 'ts', python: 'py' }[language]}`
}

function commandOf(file: string, language: Language): { program: string; args: string[] } {
  if (language === 'sh') return { program: 'bash', args: [file] }
  return language === 'ts' ? { program: process.execPath, args: [file] } : { program: PYTHON_PROGRAM, args: [file] }
}
