import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { startCatcher } from '../../src/mail/catcher.ts'
import { hasCode } from '../../src/model/error-code.ts'
import { guideBlock } from '../guides/guide-blocks.ts'
import { POSTGRES_PROGRAMS } from '../harness/debian-postgres.ts'
import { makeIdentity } from '../harness/identities.ts'
import { findFreePort } from '../process/service.ts'
import { type OutsidePostgres, startOutsidePostgres } from './outside-postgres.ts'

const run = promisify(execFile)
const CHECKOUT = resolve(import.meta.dirname, '..', '..')
const NGINX = '/usr/sbin/nginx'
/** Folders named by the guides, which the drill puts below a separate folder. */
const FOLDERS = /\/(?:etc\/(?:countinghouse|nginx|prometheus)|var\/(?:lib|log)\/countinghouse|run\/countinghouse|opt\/countinghouse)\b/g
const PORTS = ['8480', '8481', '9464', '9465', '9466', '9467'] as const

/** Required Debian programs; PostgreSQL runs as its own user, so the test must run as root. */
const NEEDED = [NGINX, '/usr/bin/prometheus', '/usr/bin/curl', join(POSTGRES_PROGRAMS, 'initdb')]
export const lacksMachine = !(NEEDED.every((path) => existsSync(path)) && process.getuid?.() === 0) && process.env.CI !== 'true'
export const machineNote = lacksMachine ? ' (SKIPPED: needs root and Debian’s nginx, prometheus, curl and postgresql)' : ''

/** The machine of an operator with the guides, which are run as written except for addresses, ports and folders. */
export interface Machine {
  baseUrl: string
  certificate: string
  /** Folder used as `/`. */
  root: string
  postgres: OutsidePostgres
  /** Text of a guide or an example with the addresses, ports and folders of this machine. */
  localize(text: string): string
  /** Runs commands of guides in the operator's shell; returns their output. */
  run(commands: string, more?: Readonly<Record<string, string>>): Promise<string>
  startProxy(): Promise<void>
  /** Ids of the processes that the operator has started. */
  processes(): Promise<number[]>
  close(): Promise<void>
}

export async function openMachine(): Promise<Machine> {
  const root = await mkdtemp(join(tmpdir(), 'countinghouse-drill-'))
  await chmod(root, 0o755)
  const postgres = await startOutsidePostgres(join(root, 'postgres'))
  const mail = await startCatcher({ port: await findFreePort(), isExact: false })
  const [http = 0, https = 0, ...own] = await Promise.all(Array.from({ length: 2 + PORTS.length }, findFreePort))
  const { certificate, privateKey } = makeIdentity('localhost', 'DNS:localhost')
  const ports = new Map(PORTS.map((port, index) => [port as string, String(own[index])]))
  const localize = (text: string): string =>
    text
      .replaceAll('https://data.example.com', `https://localhost:${https}`)
      .replaceAll('127.0.0.1:5432', `127.0.0.1:${postgres.port}`)
      .replaceAll('smtp://127.0.0.1:2525', mail.url)
      .replaceAll(/\b(?:848[01]|946[4-7])\b/g, (port) => ports.get(port) ?? port)
      .replaceAll(FOLDERS, `${root}$&`)
  await makeFolders(root, { certificate, privateKey })
  const env = {
    PATH: [join(root, 'bin'), dirname(process.execPath), POSTGRES_PROGRAMS, '/usr/bin:/bin'].join(':'),
    ...{ PGHOST: '127.0.0.1', PGPORT: String(postgres.port), PGUSER: 'postgres', PGPASSWORD: postgres.password },
    CURL_CA_BUNDLE: join(root, 'certificate.pem'),
    NODE_EXTRA_CA_CERTS: join(root, 'certificate.pem'),
  }
  const runAll = async (commands: string, more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const script = `set -e\n${localize(commands)}`
    return (await run('/bin/sh', ['-c', script], { env: { ...env, ...more }, cwd: root, timeout: 240_000 })).stdout
  }
  const processes = async () => {
    const names = await readdir(join(root, 'run/countinghouse')).catch(() => [])
    return await Promise.all(names.map(async (name) => Number(await readFile(join(root, 'run/countinghouse', name), 'utf8'))))
  }
  let isProxyRunning = false
  return {
    ...{ root, postgres, localize, run: runAll, processes, certificate },
    baseUrl: `https://localhost:${https}`,
    startProxy: async () => {
      await writeProxy(root, { http, https }, localize)
      await run(join(root, 'bin', 'nginx'), [])
      isProxyRunning = true
    },
    close: async () => {
      for (const pid of await processes()) killIfRunning(pid)
      if (isProxyRunning) await run(join(root, 'bin', 'nginx'), ['-s', 'stop'])
      await mail.close()
      await postgres.close()
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function makeFolders(root: string, { certificate, privateKey }: { certificate: string; privateKey: string }): Promise<void> {
  for (const name of ['bin', 'opt', 'etc/nginx/conf.d', 'etc/prometheus', 'temporary', 'backups'])
    await mkdir(join(root, name), { recursive: true })
  await symlink(CHECKOUT, join(root, 'opt/countinghouse'))
  await symlink(join(root, 'opt/countinghouse/bin/countinghouse.js'), join(root, 'bin/countinghouse'))
  await writeFile(join(root, 'certificate.pem'), certificate)
  await writeFile(join(root, 'key.pem'), privateKey, { mode: 0o600 })
  // A separate prefix, to avoid an nginx of the machine.
  await writeFile(
    join(root, 'bin/nginx'),
    `#!/bin/sh\nexec ${NGINX} -p ${root} -c ${root}/etc/nginx/nginx.conf -e ${root}/nginx.log "$@"\n`,
    {
      mode: 0o755,
    },
  )
}

/** The example of `deploy/proxy`, with the processes of the scaling guide. */
async function writeProxy(
  root: string,
  { http, https }: { http: number; https: number },
  localize: (text: string) => string,
): Promise<void> {
  const example = await readFile(join(CHECKOUT, 'deploy/proxy/nginx.conf'), 'utf8')
  const upstream = guideBlock('scaling.md', 'upstream countinghouse')
  const site = replaceAllOf(example, {
    'listen 80;': `listen 127.0.0.1:${http};`,
    'listen 443 ssl;': `listen 127.0.0.1:${https} ssl;`,
    'http://127.0.0.1:8480;': 'http://countinghouse;',
    '/etc/ssl/data.example.com.pem': join(root, 'certificate.pem'),
    '/etc/ssl/data.example.com.key': join(root, 'key.pem'),
  })
  await writeFile(join(root, 'etc/nginx/conf.d/countinghouse.conf'), localize(`${upstream}${site}`))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${root}/temporary/${name};`)
  // A reload closes idle connections, which a client other than a browser sometimes sees as a failure.
  const main = `user root;\npid ${root}/nginx.pid;\nerror_log ${root}/nginx.log;\nevents {}\nhttp {\nkeepalive_timeout 0;\n${temporary.join('\n')}\ninclude ${root}/etc/nginx/conf.d/*.conf;\n}\n`
  await writeFile(join(root, 'etc/nginx/nginx.conf'), main)
}

function replaceAllOf(text: string, replacements: Record<string, string>): string {
  let replaced = text
  for (const [from, to] of Object.entries(replacements)) {
    if (!replaced.includes(from)) throw new Error(`the example does not contain ${from}`)
    replaced = replaced.replace(from, to)
  }
  return replaced
}

/** SIGKILL, as if the machine were lost. */
export function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}
