import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { Json } from '../../../src/model/values/json.ts'
import { freePort } from '../../process/free-port.ts'
import { endProcess } from '../end-process.ts'

const MODULES = '/usr/lib/python3/dist-packages/trytond/modules'

/**
 * Installed by Debian's packages tryton-server, tryton-modules-account, tryton-modules-account-de-skr03 and
 * tryton-modules-account-es.
 */
export const hasTrytond = [
  ...['/usr/bin/trytond', '/usr/bin/trytond-admin'],
  ...['account', 'account_de_skr03', 'account_es'].map((module) => `${MODULES}/${module}`),
].every(existsSync)

export const DATABASE = 'boulangerie'
export const PASSWORD = 'Qui_vole-1oeuf'

/**
 * A real trytond on loopback with a separate directory and an SQLite database with accounting and the German and
 * Spanish charts.
 */
export interface Trytond {
  url: string
  /** Calls a method as the administrator; throws the server's error. */
  call(method: string, ...params: Json[]): Promise<Json>
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

export async function startTrytond(): Promise<Trytond> {
  const directory = await mkdtemp(join(tmpdir(), 'trytond-'))
  const port = await freePort()
  const config = join(directory, 'trytond.conf')
  await writeFile(
    config,
    `[web]\nlisten = 127.0.0.1:${port}\n[database]\nuri = sqlite://\npath = ${directory}\n[session]\nmax_attempt = 2\n`,
  )
  await writeFile(join(directory, 'password'), PASSWORD)
  // trytond-admin initializes an SQLite file, but does not create it.
  await writeFile(join(directory, `${DATABASE}.sqlite`), '')
  await promisify(execFile)(
    '/usr/bin/trytond-admin',
    [
      ...['-c', config, '-d', DATABASE, '-u', 'account', 'account_de_skr03', 'account_es'],
      ...['--all', '--activate-dependencies', '--email', 'admin@example.org'],
    ],
    { env: { ...process.env, TRYTONPASSFILE: join(directory, 'password') } },
  )
  let child = await serve(config)
  let token: string | null = null
  const url = `http://127.0.0.1:${port}`
  const logIn = async () => {
    const result = await post(url, 'common.db.login', ['admin', { password: PASSWORD }], {})
    const [userId, key] = Array.isArray(result) ? result : []
    return Buffer.from(`admin:${userId}:${key}`).toString('base64')
  }
  return {
    url,
    async call(method, ...params) {
      token ??= await logIn()
      return post(url, method, params, { authorization: `Session ${token}` })
    },
    kill: () => endProcess(child),
    async restart() {
      child = await serve(config)
    },
    async stop() {
      await endProcess(child)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Resolves once the server reports that it listens. */
async function serve(config: string): Promise<ChildProcess> {
  const child = spawn('/usr/bin/trytond', ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  const lines = createInterface({ input: child.stderr })
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`trytond ended with ${code}`)))
    lines.on('line', (line) => {
      if (line.includes('Running on')) resolve()
    })
  })
  return child
}

async function post(url: string, method: string, params: Json[], headers: Record<string, string>): Promise<Json> {
  const response = await fetch(`${url}/${DATABASE}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ id: 0, method, params }),
  })
  const text = await response.text()
  const answer = JSON.parse(text) as { result?: Json; error?: Json }
  if (answer.result === undefined) throw new Error(`${method}: ${text.slice(0, 500)}`)
  return answer.result
}
