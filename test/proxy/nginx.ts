import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { hasOpenssl, makeIdentity } from '../harness/identities.ts'
import { until } from '../process/deadline.ts'
import { findFreePort } from '../process/service.ts'

const NGINX = '/usr/sbin/nginx'
const README = resolve(import.meta.dirname, '..', '..', 'README.md')

/** True where nginx or openssl is absent and its tests may be left out; with CI set a missing one fails them. */
export const lacksNginx = !(existsSync(NGINX) && hasOpenssl) && process.env.CI !== 'true'
export const nginxNote = lacksNginx ? ' (SKIPPED: no nginx or no openssl on this machine)' : ''

export interface Nginx {
  httpPort: number
  httpsPort: number
  /** Vouches for itself. */
  certificate: string
  close(): Promise<void>
}

/** Debian's nginx with the example of the README in front of a service on loopback; only names of files and ports are put in. */
export async function startNginx(servicePort: number): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'))
  const { certificate, privateKey } = makeIdentity('data.example.com', 'DNS:data.example.com')
  const [httpPort, httpsPort] = [await findFreePort(), await findFreePort()]
  const example = /```nginx\n([\s\S]*?)```/.exec(await readFile(README, 'utf8'))?.[1] ?? ''
  const server = replaceAllOf(example, {
    'listen 80;': `listen 127.0.0.1:${httpPort};`,
    'listen 443 ssl;': `listen 127.0.0.1:${httpsPort} ssl;`,
    '/etc/ssl/data.example.com.pem': join(folder, 'certificate.pem'),
    '/etc/ssl/data.example.com.key': join(folder, 'key.pem'),
    'http://127.0.0.1:8480;': `http://127.0.0.1:${servicePort};`,
  })
  await mkdir(join(folder, 'temporary'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path temporary/${name};`).join('\n')
  await writeFile(join(folder, 'certificate.pem'), certificate)
  await writeFile(join(folder, 'key.pem'), privateKey, { mode: 0o600 })
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off;\nmaster_process off;\npid nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${server}}\n`,
  )
  const child = spawn(NGINX, ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'], { stdio: 'inherit' })
  const ended = once(child, 'close')
  await until('nginx listens', async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${await readFile(join(folder, 'error.log'), 'utf8')}`)
    return await fetch(`http://127.0.0.1:${httpPort}/healthz`).then(
      () => true,
      () => null,
    )
  })
  return {
    httpPort,
    httpsPort,
    certificate,
    close: async () => {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function replaceAllOf(text: string, replacements: Record<string, string>): string {
  let replaced = text
  for (const [from, to] of Object.entries(replacements)) {
    if (!replaced.includes(from)) throw new Error(`the example of the README does not hold ${from}`)
    replaced = replaced.replace(from, to)
  }
  return replaced
}
