import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { until } from '../process/deadline.ts'
import { findFreePort, openTestFolder } from '../process/service.ts'
import { runCommand, startCommand } from './run-command.ts'

const CHECKOUT = resolve(import.meta.dirname, '..', '..')

describe('countinghouse', () => {
  it('lists its commands, each with a description, and explains each with examples', async () => {
    const { code, stdout } = await runCommand(['help'])
    expect(code).toBe(0)
    for (const { name, summary } of COMMANDS) expect(stdout.replace(/\s+/g, ' ')).toContain(`${name} ${summary}`)
    for (const { name, examples, options } of COMMANDS) {
      const [help, own] = await Promise.all([runCommand(['help', name]), runCommand([name, '--help'])])
      expect([help.code, own.stdout]).toEqual([0, help.stdout])
      for (const { line } of examples) expect(help.stdout).toContain(line)
      for (const option of Object.keys(options)) expect(help.stdout).toContain(`--${option}`)
    }
  })

  it('has examples with existing commands and options only', () => {
    const wrong = COMMANDS.flatMap(({ name, examples }) =>
      examples
        .filter(({ line }) => {
          const shown = COMMANDS.find((one) => one.name === /(?:^|[A-Z_]+=\S+ |\| |<\()countinghouse ([a-z-]+)/.exec(line)?.[1])
          const given = [...line.matchAll(/ --([a-z-]+)/g)].map(([, option = '']) => option).filter((option) => option !== 'json')
          return !shown || !given.every((option) => Object.hasOwn(shown.options, option))
        })
        .map(({ line }) => `${name}: ${line}`),
    )
    expect(wrong).toEqual([])
    for (const { name, examples } of COMMANDS)
      expect(
        examples.some(({ line }) => line.includes(`countinghouse ${name}`)),
        name,
      ).toBe(true)
  })

  it.each([
    [[], 'usage: countinghouse COMMAND'],
    [['statr'], 'there is no command "statr"; did you mean start?'],
    [['zebra'], 'there is no command "zebra"\n'],
    [['help', 'migrat'], 'did you mean migrate?'],
    [['migrate', '--dryrun'], 'there is no option --dryrun; did you mean --dry-run?'],
    [['migrate', '--dry-run=yes'], '--dry-run takes no value'],
    [['start', '--role'], '--role has no value; wanted is --role api|worker|all'],
    [['start', '--role', '--help'], '--role has no value'],
    [['start', '--role', 'api', '--role', 'all'], '--role is given twice'],
    [['migrate', 'now'], '"now" is one argument too many'],
    [['--quiet', 'doctor'], '--quiet stands behind a command: countinghouse COMMAND --quiet'],
  ])('%j is a usage error: exit code 2, and a message on standard error alone', async (args, words) => {
    const { code, stdout, stderr } = await runCommand(args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(words)
  })

  it('with --json prints a failure as one document too', async () => {
    const { code, stdout, stderr } = await runCommand(['migrate', '--json'], { ENVIRONMENT: 'produktion' })
    expect([code, JSON.parse(stdout)]).toEqual([2, { error: stderr.trimEnd() }])
    expect(stderr).toContain('ENVIRONMENT: "produktion" is not one of')
  })

  it('says in a sentence which file cannot be read', async () => {
    const folder = await openTestFolder()
    const settings = { DATA_DIR: join(folder.path, 'data'), BACKUP_PASSPHRASE: 'a passphrase of this test' }
    const restore = async (from: string) => (await runCommand(['restore', '--from', from], settings)).stderr
    expect([
      await restore(`${folder.path}/none.backup`),
      await restore(`${folder.path}/none/one.backup`),
      await restore(folder.path),
    ]).toEqual([
      `${folder.path}/none.backup does not exist\n`,
      `the folder ${folder.path}/none does not exist\n`,
      'the given path is a folder, not a file\n',
    ])
    await folder.remove()
  })

  it('reports a misspelt setting on standard error', async () => {
    const { stderr } = await runCommand(['migrate', '--dry-run'], { DATABASE_URI: 'x', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
    expect(stderr).toContain('warning: "DATABASE_URI" is no setting; is DATABASE_URL meant?')
  })

  it('has npm scripts that call it', async () => {
    const { scripts, bin } = JSON.parse(await readFile(join(CHECKOUT, 'package.json'), 'utf8'))
    expect(bin.countinghouse).toBe('bin/countinghouse.js')
    for (const name of ['start', 'replay', 'rotate-key', 'webhook-address'])
      expect(scripts[name]).toBe(`exec node bin/countinghouse.js ${name}`)
    const files = await Promise.all(['commands', 'client-commands'].map((name) => readdir(join(CHECKOUT, 'src', 'cli', name))))
    expect(files.flat().filter((name) => name.endsWith('.ts'))).toHaveLength(COMMANDS.length)
  })
})

describe('commands on an existing deployment', () => {
  it.each([
    'migrate --dry-run',
    'verify',
    'replay --dry-run',
    'admin-link',
    'webhook-address',
    'rotate-key --list',
    'token',
    'pause',
    'doctor',
  ])('%s in a shell without the service’s settings creates nothing', async (line) => {
    const folder = await openTestFolder()
    const dataDir = join(folder.path, 'none')
    const environment = line === 'token' ? 'sandbox' : 'production'
    const settings = {
      ENVIRONMENT: environment,
      DATA_DIR: dataDir,
      BASE_URL: 'https://data.example.com',
      METRICS_TOKEN: 'a-token-of-this-test',
    }
    const { code, stderr } = await runCommand(line.split(' '), settings)
    expect([line, code, existsSync(dataDir)]).toEqual([line, line === 'doctor' ? expect.any(Number) : 1, false])
    if (line !== 'doctor') expect(stderr).toMatch(/there (is|are) no (database|keys) in .*; give the command the settings of the service/)
    await folder.remove()
  })
})

it('rotate-key --create makes the keys of a new deployment once, without a database', async () => {
  const folder = await openTestFolder()
  const settings = { ENVIRONMENT: 'production', DATA_DIR: join(folder.path, 'new'), BASE_URL: 'https://data.example.com' }
  const made = await runCommand(['rotate-key', '--create', '--json'], settings)
  expect([made.code, JSON.parse(made.stdout).keys.map(({ purpose }: { purpose: string }) => purpose)]).toEqual([
    0,
    ['sealing', 'signing', 'token-hash'],
  ])
  const again = await runCommand(['rotate-key', '--create'], settings)
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('there are keys already')])
  const rotated = await runCommand(['rotate-key'], { ...settings, DATA_DIR: join(folder.path, 'none') })
  expect([rotated.code, existsSync(join(folder.path, 'none'))]).toEqual([1, false])
  await folder.remove()
})

describe('on an unsupported Node', () => {
  /** Simulates a Node of the operating system, of any version. */
  const OLD = ['--import', 'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.19.0"}})']

  it('runs in the Node of the lockfile, with its streams and exit code', async () => {
    const run = startCommand(['start', '--role', 'nobody', '--json'], {}, OLD)
    await run.ended
    expect([run.child.exitCode, run.printed.stderr]).toEqual([2, expect.stringContaining('"nobody" is not one of api, worker, all')])
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)('leaves no service behind when ended by %s', async (signal) => {
    const folder = await openTestFolder()
    try {
      const port = await findFreePort()
      const run = startCommand(['start'], { DATA_DIR: folder.path, PORT: String(port), HOME: folder.path }, OLD)
      await until('the greeting', () => (run.printed.stdout.includes('Countinghouse is ready.') ? true : null), 60_000)
      run.child.kill(signal)
      await until(
        'nobody answers',
        () =>
          fetch(`http://127.0.0.1:${port}/healthz`).then(
            () => null,
            () => true,
          ),
        30_000,
      )
      await run.ended
      expect(run.child.exitCode).toBe(signal === 'SIGTERM' ? 0 : null)
    } finally {
      await folder.remove()
    }
  })
})

describe('countinghouse migrate', () => {
  let test: TestDatabase
  beforeEach(async () => {
    test = await testDatabase({ migrated: false })
  })
  afterEach(() => test.drop())

  const tables = async () => (await test.database.query(`select tablename from pg_tables where schemaname = 'public'`)).rowCount

  it('lists pending migrations without a change, runs them, and then has nothing to do', async () => {
    const env = { DATABASE_URL: test.url }
    const dry = await runCommand(['migrate', '--dry-run', '--json'], env)
    const pending = JSON.parse(dry.stdout)
    expect([dry.code, pending.migrations[0], pending.functions.length > 0, await tables()]).toEqual([0, '001-deployment.sql', true, 0])
    const done = await runCommand(['migrate', '--json'], env)
    expect(JSON.parse(done.stdout)).toEqual({ ...pending, isDryRun: false })
    expect((await runCommand(['migrate', '--dry-run'], env)).stdout).toBe('The database is up to date.\n')
    expect((await test.database.query('select from instances')).rowCount, 'it seeds nothing').toBe(0)
  })

  it('refuses a database of a later version, also in a dry run', async () => {
    const env = { DATABASE_URL: test.url }
    await runCommand(['migrate'], env)
    await test.database.query(`insert into schema_migrations (name, checksum, oldest_release) values ('999-later.sql', 'x', '999.0.0')`)
    for (const args of [['migrate', '--dry-run'], ['migrate']]) {
      const { code, stderr } = await runCommand(args, env)
      expect([code, stderr]).toEqual([1, expect.stringContaining('a later version has migrated this database (999-later.sql)')])
    }
  })
})
