import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { newApiKey } from '../../src/api/access/keys/key-text.ts'
import { folderForTests, serviceForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { findFreePort } from '../process/service.ts'
import { runCommand, startCommand } from './run-command.ts'

const LAUNCHER = resolve(import.meta.dirname, '..', '..', 'bin', 'countinghouse.js')

const folder = folderForTests()
const service = serviceForTests(() => ({ dataDir: join(folder.path, 'data') }))
/** Of a profile with all scopes. */
let env: Record<string, string>
let key: string

beforeAll(async () => {
  env = { XDG_CONFIG_HOME: join(folder.path, 'config') }
  await runCommand(['login', '--sandbox'], { ...env, DATA_DIR: service.dataDir, BASE_URL: service.baseUrl })
  key = JSON.parse(await readFile(join(folder.path, 'config', 'countinghouse', 'profiles.json'), 'utf8')).profiles.default.key
}, 90_000)

/** Settings of a program: an address and a key. */
const as = (given: string, address = service.baseUrl) => ({
  COUNTINGHOUSE_ADDRESS: address,
  COUNTINGHOUSE_API_KEY: given,
  XDG_CONFIG_HOME: folder.path,
})

async function keyWith(...scopes: string[]): Promise<string> {
  const { stdout } = await runCommand(['token'], { DATA_DIR: service.dataDir, BASE_URL: service.baseUrl })
  const response = await fetch(`${service.baseUrl}/admin/api/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Narrow', scopes }),
  })
  return ((await response.json()) as { key: string }).key
}

const LEAKED = `ch_test_${'0aB'.repeat(15)}`

describe('a command of developers says what is wrong', () => {
  it('with a key that is not valid: exit code 1', async () => {
    const { code, stdout, stderr } = await runCommand(['companies'], as(newApiKey('test').text))
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`${service.baseUrl} refuses the API key`)
    expect(stderr).toContain('countinghouse login')
  })

  it('with a key that lacks the scope: exit code 1, and the scope', async () => {
    const { code, stdout, stderr } = await runCommand(['companies', 'add', 'Elm', '--json'], as(await keyWith('companies:read')))
    expect([code, stderr]).toEqual([1, expect.stringContaining('lacks the scope companies:write')])
    expect(JSON.parse(stdout).error).toContain('companies:write')
  })

  it('at an address where nobody answers: exit code 1', async () => {
    const { code, stderr } = await runCommand(['companies'], as(key, `http://127.0.0.1:${await findFreePort()}`))
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^http:\S+ cannot be reached: .*ECONNREFUSED/)])
  })

  it('at an address where something else answers: exit code 1', async () => {
    const other = createServer((_request, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>nothing</h1>'))
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
    const bound = other.address()
    const run = await runCommand(['companies'], as(key, `http://127.0.0.1:${bound && typeof bound === 'object' ? bound.port : 0}`))
    other.close()
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('is it the address of the deployment?')])
  })

  it.each([
    [['companies', '--profile', 'defualt'], 'there is no profile "defualt"; did you mean default?'],
    [['companies', 'show', 'Nobody'], 'there is no company "Nobody"'],
    [['link', 'Boulangerie du Plateau', 'Nothing'], 'there is no service "Nothing"'],
    [['listen', '--forward-to', 'localhost'], '--forward-to: "localhost" is no http address'],
    [['listen', '--count', '0'], '--count: "0" is not a whole number'],
    [['export', 'Banking', 'Cards'], 'ENTITY: "Cards" is neither Accounts nor Transactions'],
    [['export', 'Banking', 'Accounts', '--json'], '--json needs --to'],
    [['sandbox', 'clock', 'quickbooks', 'soon'], '"soon" is no time'],
    [['completion', 'tcsh'], '"tcsh" is no shell'],
    [['sync', 'Elm', 'Bank', 'x'], '"x" is one argument too many'],
    [['login', 'ftp://example.com'], 'is no address'],
  ])('%j is a usage error: exit code 2', async (args, words) => {
    const { code, stderr } = await runCommand(args, env)
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)])
  })

  it.each([
    [[LEAKED]],
    [['login', LEAKED]],
    [['help', LEAKED]],
    [['companies', 'show', LEAKED]],
    [['listen', LEAKED, '--json']],
    [['companies', `--key=${LEAKED}`]],
    [['companies', `--${LEAKED}`]],
    [['companies', 'add', ` ${LEAKED.slice(0, 20)}`]],
  ])('of an API key among the arguments, and prints none of it: %j', async (args) => {
    const { code, stdout, stderr } = await runCommand(args, env)
    expect([code, stderr]).toEqual([2, expect.stringContaining('API keys are not given as arguments')])
    expect(stdout + stderr).not.toContain('ch_test_')
  })

  it('and not that a name is a key, which only begins like one', async () => {
    const { code, stderr } = await runCommand(['companies', 'show', 'ch_test_Elm'], env)
    expect([code, stderr]).toEqual([2, expect.stringContaining('there is no company "ch_test_Elm"')])
  })

  it('finds a company in any letter case, and names those of which it could be one', async () => {
    const add = async (name: string) => JSON.parse((await runCommand(['companies', 'add', name, '--json'], env)).stdout).id as string
    const [érable, first, second] = [await add('Érable & Fils'), await add('Oak “Ltd”'), await add('OAK “Ltd”')]
    const show = async (name: string) => await runCommand(['companies', 'show', name], env)
    expect((await show('éRABLE & fils')).stdout).toContain(érable)
    expect((await show('Oak “Ltd”')).stdout).toContain(first)
    expect(await show('oak “ltd”')).toMatchObject({ code: 2, stderr: expect.stringContaining('more than one company is called') })
    expect((await show('oak “ltd”')).stderr).toMatch(new RegExp(`\n  ${first} Oak “Ltd”\n|\n  ${second} OAK “Ltd”\n`))
    expect(await show('Érable')).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no company "Érable"') })
  })

  it('before the first login, and with half of the environment variables', async () => {
    const fresh = { XDG_CONFIG_HOME: join(folder.path, 'fresh') }
    expect((await runCommand(['companies'], fresh)).stderr).toContain('there is no profile yet; run: countinghouse login')
    expect((await runCommand(['companies'], { ...fresh, COUNTINGHOUSE_API_KEY: key })).stderr).toContain('have to be set both')
  })

  it('about a file of profiles that others may read, and one that is damaged', async () => {
    const config = join(folder.path, 'open', 'countinghouse')
    await mkdir(config, { recursive: true })
    await writeFile(join(config, 'profiles.json'), '{"current":')
    const run = async () => await runCommand(['companies'], { XDG_CONFIG_HOME: join(folder.path, 'open') })
    await chmod(join(config, 'profiles.json'), 0o644)
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('other users may read it; run: chmod 600') })
    await chmod(join(config, 'profiles.json'), 0o600)
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('is damaged') })
  })

  it('at the login, with a key from standard input that is cut or not valid, and keeps nothing', async () => {
    const fresh = join(folder.path, 'nothing')
    for (const [given, words, status] of [
      [key.slice(0, -1), 'not all of one', 2],
      ['', 'no API key was given', 2],
      [newApiKey('live').text, 'refuses the API key', 1],
    ] as const) {
      const child = spawn(process.execPath, [LAUNCHER, 'login', service.baseUrl], {
        env: { PATH: process.env.PATH, XDG_CONFIG_HOME: fresh },
      })
      let stderr = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text
      })
      child.stdin.end(given)
      await once(child, 'close')
      expect([child.exitCode, stderr]).toEqual([status, expect.stringContaining(words)])
    }
    expect((await runCommand(['profiles'], { XDG_CONFIG_HOME: fresh })).stdout).toContain('there is no profile yet')
  }, 30_000)

  it('when the reader of its output goes away: exit code 1, and no stack', async () => {
    const line = `"$0" "$1" companies --json | true; echo "status \${PIPESTATUS[0]}"`
    const child = spawn('bash', ['--norc', '-c', line, process.execPath, LAUNCHER], { env: { PATH: process.env.PATH, ...as(key) } })
    const printed = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text
      })
    }
    await once(child, 'close')
    expect(printed).toEqual({ stdout: 'status 1\n', stderr: 'the reader of the output has gone before its end\n' })
  })

  it('when Ctrl-C ends a wait: exit code 1, and nothing but the sentence', async () => {
    await runCommand(['companies', 'add', 'Waiting'], env)
    const watch = startCommand(['link', 'Waiting', 'QuickBooks Online', '--wait'], env)
    await until('the link', () => (watch.printed.stdout.includes('http') ? true : null))
    watch.child.kill('SIGINT')
    await watch.ended
    expect(watch.child.exitCode).toBe(1)
    expect(watch.printed.stderr).toMatch(/(^|\n)stopped\n$/)
  })
})
