import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { hasOpenssl, makeIdentity } from '../harness/identities.ts'
import { until } from '../process/deadline.ts'
import { findFreePort } from '../process/service.ts'

const EXAMPLES = resolve(import.meta.dirname, '..', '..', 'deploy', 'proxy')
export const HOST = 'data.example.com'

interface Ports {
  folder: string
  http: number
  https: number
}

interface Program {
  path: string
  example: string
  /** Replacements in the example: paths, ports, and loopback addresses. */
  replace(ports: Ports): Record<string, string>
  /** Returns the complete configuration; defaults to the example itself. */
  complete?(example: string): string
  arguments(file: string, folder: string): string[]
}

const certificates = (folder: string) => ({
  '/etc/ssl/data.example.com.pem': join(folder, 'certificate.pem'),
  '/etc/ssl/data.example.com.key': join(folder, 'key.pem'),
})

const PROGRAMS = {
  nginx: {
    path: '/usr/sbin/nginx',
    example: 'nginx.conf',
    replace: ({ folder, http, https }) => ({
      'listen 80;': `listen 127.0.0.1:${http};`,
      'listen 443 ssl;': `listen 127.0.0.1:${https} ssl;`,
      '/var/log/nginx/error.log': join(folder, 'error.log'),
      ...certificates(folder),
    }),
    complete: (example) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path temporary/${name};`)
      return `daemon off;\nmaster_process off;\npid nginx.pid;\nevents {}\nhttp {\n${temporary.join('\n')}\n${example}}\n`
    },
    arguments: (file, folder) => ['-p', folder, '-c', file, '-e', 'error.log'],
  },
  Caddy: {
    path: '/usr/bin/caddy',
    example: 'Caddyfile',
    replace: ({ folder, http, https }) => ({
      'http://data.example.com {': `http://data.example.com:${http} {\n\tbind 127.0.0.1`,
      'https://data.example.com {': `https://data.example.com:${https} {\n\tbind 127.0.0.1`,
      '\n{\n': `\n{\n\tadmin off\n\tstorage file_system ${folder}\n\tskip_install_trust\n`,
      ...certificates(folder),
    }),
    arguments: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
  HAProxy: {
    path: '/usr/sbin/haproxy',
    example: 'haproxy.cfg',
    replace: ({ folder, http, https }) => ({
      'bind :80\n': `bind 127.0.0.1:${http}\n`,
      'bind :443 ssl': `bind 127.0.0.1:${https} ssl`,
      '/etc/ssl/data.example.com.pem': join(folder, 'both.pem'),
    }),
    arguments: (file) => ['-f', file, '-db'],
  },
} satisfies Record<string, Program>

export type ProxyName = keyof typeof PROGRAMS
export const PROXIES: readonly ProxyName[] = ['nginx', 'Caddy', 'HAProxy']

/** True if the program or openssl is missing and its tests may be skipped; with CI set a missing one fails them. */
export function isMissing(name: ProxyName): boolean {
  return !(existsSync(PROGRAMS[name].path) && hasOpenssl) && process.env.CI !== 'true'
}

export interface RunningProxy {
  httpPort: number
  httpsPort: number
  /** Self-signed certificate. */
  certificate: string
  /** Its log so far. */
  log(): Promise<string>
  close(): Promise<void>
}

/** A service with a certificate of its own. */
export interface SecureUpstream {
  /** Lines that take the place of the example's, with the guide's path of the certificate and port. */
  lines: string
  /** Certificate that the proxy trusts. */
  trusted: string
}

const UPSTREAMS: Record<ProxyName, string> = {
  nginx: '    proxy_pass http://127.0.0.1:8480;\n',
  Caddy: '\treverse_proxy 127.0.0.1:8480\n',
  HAProxy: '  server countinghouse 127.0.0.1:8480\n',
}

/** Starts Debian's program with the example of `deploy/proxy` in front of a service on loopback. */
export async function startProxy(name: ProxyName, servicePort: number, secure?: SecureUpstream): Promise<RunningProxy> {
  const program: Program = PROGRAMS[name]
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'))
  const { certificate, privateKey } = makeIdentity(HOST, `DNS:${HOST}`)
  await mkdir(join(folder, 'temporary'))
  await writeFile(join(folder, 'certificate.pem'), certificate)
  await writeFile(join(folder, 'key.pem'), privateKey, { mode: 0o600 })
  await writeFile(join(folder, 'both.pem'), `${certificate}${privateKey}`, { mode: 0o600 })
  const [http, https] = [await findFreePort(), await findFreePort()]
  const example = await readFile(join(EXAMPLES, program.example), 'utf8')
  const service = `127.0.0.1:${servicePort}`
  const replacements: Record<string, string> = program.replace({ folder, http, https })
  const upstream = UPSTREAMS[name]
  replacements[upstream] = secure
    ? secure.lines.replace('127.0.0.1:8480', service).replace('/etc/ssl/countinghouse.crt', join(folder, 'trusted.pem'))
    : upstream.replace('127.0.0.1:8480', service)
  if (secure) await writeFile(join(folder, 'trusted.pem'), secure.trusted)
  const replaced = replaceAllOf(example, replacements)
  const file = join(folder, program.example)
  await writeFile(file, program.complete?.(replaced) ?? replaced)
  const child = spawn(program.path, program.arguments(file, folder), { stdio: ['ignore', 'pipe', 'pipe'], env: { HOME: folder } })
  let said = ''
  const hear = (text: string): void => {
    said += text
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', hear)
  const ended = once(child, 'close')
  const close = async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const log = async () => said + (await readFile(join(folder, 'error.log'), 'utf8').catch(() => ''))
  await until(`${name} listens`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${await log()}`)
    return await isListening(http, secure !== undefined)
  }).catch(async (error: unknown) => {
    await close()
    throw error
  })
  return { httpPort: http, httpsPort: https, certificate, log, close }
}

/** `answersAny`: an answer of the proxy itself is enough. */
function isListening(port: number, answersAny: boolean): Promise<true | null> {
  return new Promise((resolve) => {
    request({ host: '127.0.0.1', port, path: '/healthz', headers: { host: HOST } }, (response) => {
      response.resume()
      resolve(answersAny || response.statusCode === 200 || null)
    })
      .on('error', () => resolve(null))
      .end()
  })
}

function replaceAllOf(text: string, replacements: Record<string, string>): string {
  let replaced = text
  for (const [from, to] of Object.entries(replacements)) {
    if (!replaced.includes(from)) throw new Error(`the example does not contain ${from}`)
    replaced = replaced.replace(from, to)
  }
  return replaced
}
