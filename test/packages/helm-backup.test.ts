import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { openKeys } from '../../src/store/keys/keys.ts'
import { runCommand } from '../cli/run-command.ts'
import { guideBlock } from '../guides/guide-blocks.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { openTestFolder } from '../process/service.ts'
import { isOnPath } from './podman.ts'

const run = promisify(execFile)
const CHART = resolve(import.meta.dirname, '..', '..', 'deploy', 'helm', 'countinghouse')
const VERSIONS = ['1.27.0', '1.37.0']
const missing = ['helm', 'kubernetes-validate'].filter((name) => !isOnPath(name))
const isSkipped = missing.length > 0 && process.env.CI !== 'true'
if (isSkipped) process.stderr.write(`SKIPPED: backups by the Helm chart are not tested: no ${missing.join(', ')}\n`)

const Named = Type.Object({ name: Type.String() })
const Container = Type.Object({
  name: Type.String(),
  args: Type.Array(Type.String()),
  env: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  volumeMounts: Type.Array(Type.Object({ name: Type.String(), mountPath: Type.String() })),
})
const Pod = Type.Object({
  initContainers: Type.Optional(Type.Array(Container)),
  containers: Type.Array(Container),
  volumes: Type.Array(Named),
})
const CronJob = Type.Object({
  spec: Type.Object({
    schedule: Type.String(),
    concurrencyPolicy: Type.String(),
    jobTemplate: Type.Object({ spec: Type.Object({ template: Type.Object({ spec: Pod }) }) }),
  }),
})
const Job = Type.Object({ metadata: Named, spec: Type.Object({ template: Type.Object({ spec: Pod }) }) })

const REQUIRED = { baseUrl: 'https://data.example.com', settingsSecret: 'countinghouse-settings', keysSecret: 'countinghouse-keys' }
/** As in the guide. */
const VALUES: object = parse(guideBlock('kubernetes.md', 'passphraseSecret:'))

describe.skipIf(isSkipped)(`backups by the Helm chart${isSkipped ? ` (SKIPPED: no ${missing.join(', ')})` : ''}`, () => {
  let folder: Awaited<ReturnType<typeof openTestFolder>>
  let database: TestDatabase
  let empty: TestDatabase
  beforeAll(async () => {
    folder = await openTestFolder()
    database = await testDatabase()
    empty = await testDatabase({ migrated: false })
    for (const name of ['backups', 'data', 'new-data', 'backup']) mkdirSync(join(folder.path, name), { mode: 0o700 })
    await openKeys(folder.path)
    const keys = (await readdir(join(folder.path, 'keys'))).map((name) => JSON.parse(readFileSync(join(folder.path, 'keys', name), 'utf8')))
    await writeFile(join(folder.path, 'keys.json'), JSON.stringify(keys), { mode: 0o600 })
    await writeFile(join(folder.path, 'backup', 'passphrase'), 'violet harbour teapot ninety-one\n', { mode: 0o600 })
  })
  afterAll(async () => {
    await database?.drop()
    await empty?.drop()
    await folder?.remove()
  })

  const template = async (values: object, ...options: string[]) => {
    const file = join(folder.path, 'values.json')
    writeFileSync(file, JSON.stringify({ ...REQUIRED, ...values }))
    return (await run('helm', ['template', 'countinghouse', CHART, '--kube-version', '1.30.0', '--values', file, ...options])).stdout
  }
  const podOfBackup = async (values: object) =>
    Parse(CronJob, parse(await template(values, '--show-only', 'templates/backup.yaml'))).spec.jobTemplate.spec.template.spec
  const restoreOf = async (file: string) =>
    Parse(Job, parse(await template({ ...VALUES, restore: { file } }, '--show-only', 'templates/restore.yaml')))
  /** Runs a container of the chart: its arguments and settings, with the folders of this test in the place of its volumes. */
  const runContainer = async ({ args, env }: { args: string[]; env: { name: string; value: string }[] }, url: string, dataDir: string) => {
    const localize = (text: string) =>
      text
        .replace('/run/countinghouse/keys/', `${folder.path}/`)
        .replace('/run/countinghouse/', `${folder.path}/`)
        .replace(/^\/backups/, join(folder.path, 'backups'))
        .replace('/var/lib/countinghouse', join(folder.path, dataDir))
    const settings = Object.fromEntries(env.map(({ name, value }) => [name, localize(value)]))
    return await runCommand(args.map(localize), { ...settings, DATABASE_URL: url })
  }

  it('are made and restored by the commands and settings of its jobs', async () => {
    const [backup] = (await podOfBackup({ ...VALUES, backup: { ...volumeOf(VALUES), keep: 2 } })).containers
    if (!backup) throw new Error('no container')
    for (const day of ['20260101', '20260102']) await writeFile(join(folder.path, 'backups', `countinghouse-${day}T031700Z.backup`), '')
    await writeFile(join(folder.path, 'backups', 'monday.backup'), '')
    const written = await runContainer(backup, database.url, 'data')
    expect([written.stderr, written.code]).toEqual(['', 0])
    const files = (await readdir(join(folder.path, 'backups'))).sort()
    expect(files).toEqual([
      'countinghouse-20260102T031700Z.backup',
      expect.stringMatching(/^countinghouse-\d{8}T\d{6}Z\.backup$/),
      'monday.backup',
    ])
    const [restore] = (await restoreOf(files[1] ?? '')).spec.template.spec.containers
    if (!restore) throw new Error('no container')
    const restored = await runContainer(restore, empty.url, 'new-data')
    expect([restored.stderr, restored.code, restored.stdout]).toEqual(['', 0, expect.stringContaining('The copy is paused.')])
    expect((await empty.database.query('select from deployment_pause')).rowCount).toBe(1)
  })

  it('see the keys and the passphrase, and a copy to another place only the encrypted files', async () => {
    const upload = Parse(
      Type.Object({ backup: Type.Object({ upload: Type.Unknown() }) }),
      parse(guideBlock('kubernetes.md', 'upload:')),
    ).backup
    const pod = await podOfBackup({ ...VALUES, sourcesSecret: 'sources', backup: { ...volumeOf(VALUES), ...upload } })
    const mountsOf = (containers: readonly { volumeMounts: { name: string }[] }[] = []) =>
      containers.map(({ volumeMounts }) => volumeMounts.map(({ name }) => name))
    expect([pod.initContainers?.map(({ name }) => name), pod.containers.map(({ name }) => name)]).toEqual([['backup'], ['upload']])
    expect([mountsOf(pod.initContainers), mountsOf(pod.containers)]).toEqual([
      [['data', 'temporary', 'keys', 'sources', 'backups', 'passphrase']],
      [['backups', 'temporary']],
    ])
    const text = await template({ ...VALUES, backup: { ...volumeOf(VALUES), ...upload } })
    const file = join(folder.path, 'resources.yaml')
    writeFileSync(file, text)
    for (const version of VERSIONS) await run('kubernetes-validate', ['--strict', '--quiet', '-k', version, file])
  })

  it('have a network policy each, and a restore mounts nothing into the empty data directory', async () => {
    const text = await template({ ...VALUES, sourcesSecret: 'sources', restore: { file: 'a.backup' } })
    const named = parseAllDocuments(text)
      .map((document) => Parse(Type.Object({ kind: Type.String(), metadata: Named }), document.toJS()))
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .map(({ metadata }) => metadata.name)
    expect(named).toEqual(['api', 'worker', 'migration', 'backup', 'restore'].map((role) => `countinghouse-${role}`))
    const [container] = (await restoreOf('a.backup')).spec.template.spec.containers
    expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([
      '/var/lib/countinghouse',
      '/tmp',
      '/run/countinghouse/keys',
      '/backups',
      '/run/countinghouse/backup',
    ])
  })

  it.each([
    ['no volume', { passphraseSecret: 'a' }, 'backup.volume'],
    ['no passphrase', { volume: { emptyDir: {} } }, 'backup.passphraseSecret'],
    ['a schedule that is none', { ...volumeOf(VALUES), schedule: 'nightly' }, 'backup.schedule'],
    ['a misspelt value', { ...volumeOf(VALUES), kep: 3 }, 'kep'],
  ])('are refused with %s', async (_name, backup, named) => {
    await expect(template({ ...VALUES, backup: { enabled: true, ...backup } })).rejects.toThrow(named)
  })

  it('are made by hand, restored and checked as in the guide, whose names are those of the chart', async () => {
    const [bin, said] = [join(folder.path, 'bin'), join(folder.path, 'kubectl.log')]
    mkdirSync(bin)
    mkdirSync(join(folder.path, 'deploy'))
    await run('cp', ['--recursive', resolve(CHART, '..'), join(folder.path, 'deploy', 'helm')])
    writeFileSync(join(folder.path, 'values.yaml'), JSON.stringify({ ...REQUIRED, ...VALUES }))
    // There is no cluster: what would be applied is kept.
    const kubectl = `#!/bin/sh\necho "$*" >>${said}\nif [ "$1" = apply ]; then cat >${folder.path}/applied.yaml; fi\n`
    writeFileSync(join(bin, 'kubectl'), kubectl, { mode: 0o755 })
    const env = { PATH: `${bin}:${process.env.PATH}`, HOME: folder.path }
    const blocks = [
      guideBlock('kubernetes.md', 'countinghouse-backup --from-literal'),
      guideBlock('kubernetes.md', 'countinghouse-backup-now'),
      guideBlock('kubernetes.md', 'restore.file').replace('helm template', 'helm template --kube-version 1.30.0'),
      guideBlock('kubernetes.md', 'countinghouse verify'),
    ]
    await run('sh', ['-euc', blocks.join('\n')], { cwd: folder.path, env })
    const applied = Parse(Job, parse(readFileSync(join(folder.path, 'applied.yaml'), 'utf8')))
    expect(applied.spec.template.spec.containers[0]?.args).toEqual([
      'restore',
      '--from',
      expect.stringMatching(/^\/backups\/countinghouse-\d{8}T\d{6}Z\.backup$/),
    ])
    const named = readFileSync(said, 'utf8')
    const made = parseAllDocuments(await template(VALUES)).map((document) =>
      Parse(Type.Object({ kind: Type.String(), metadata: Named }), document.toJS()),
    )
    const names = made.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`)
    expect(names).toEqual(expect.arrayContaining(['cronjob/countinghouse-backup', 'deployment/countinghouse-worker']))
    for (const name of [
      '--from=cronjob/countinghouse-backup\n',
      `job/${applied.metadata.name}\n`,
      'deploy/countinghouse-worker -- countinghouse verify',
    ])
      expect(named).toContain(name)
    const secret = /create secret generic (\S+) --from-literal=passphrase=.{16}/.exec(named)?.[1]
    expect(secret).toBe(Parse(Type.Object({ passphraseSecret: Type.String() }), volumeOf(VALUES)).passphraseSecret)
  })
})

function volumeOf(values: object): object {
  return Parse(Type.Object({ backup: Type.Object({}) }), values).backup
}
