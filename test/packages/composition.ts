import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { guideBlock } from '../guides/guide-blocks.ts'
import { openReaderShell } from '../guides/reader-shell.ts'
import { POSTGRES_PROGRAMS } from '../harness/debian-postgres.ts'
import { findFreePort } from '../process/service.ts'
import { archivePackages, listNeeded } from './debian-files.ts'
import { isOnPath, type Podman } from './podman.ts'

export const missingComposeProgram = isOnPath('podman-compose') ? null : 'podman-compose'

/** What the image `postgres` does at its first start, as far as the compose file uses it, with Debian's PostgreSQL. */
const POSTGRES_ENTRY = `#!/bin/sh
set -eu
export PATH=${POSTGRES_PROGRAMS}:/usr/bin POSTGRES_USER=postgres LANG=C.UTF-8 PGHOST=/run/postgresql
as() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
data=/var/lib/postgresql/data
mkdir -p /run/postgresql && chown postgres:postgres /run/postgresql $data
if ! test -s $data/PG_VERSION; then
  printf %s "$POSTGRES_PASSWORD" > /run/postgresql/password && chown postgres /run/postgresql/password
  as initdb --pgdata=$data --username=postgres --pwfile=/run/postgresql/password --auth-host=scram-sha-256 --auth-local=trust
  printf 'host all all all scram-sha-256\\n' >> $data/pg_hba.conf
  as pg_ctl --pgdata=$data --options="-c listen_addresses= -c unix_socket_directories=/run/postgresql" --wait start
  for script in /docker-entrypoint-initdb.d/*.sh; do as sh "$script"; done
  as pg_ctl --pgdata=$data --wait stop
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups postgres -D $data -c listen_addresses='*' -c unix_socket_directories=/run/postgresql -c jit=off
`

/** Dependencies of packages of which nothing runs in these images. */
const UNUSED = /^(libllvm|llvm|perl|libperl|ssl-cert|openssl$|adduser|debconf|systemd|python)/

interface Image {
  name: string
  packages: readonly string[]
  dockerfile: string
  files: Record<string, string>
}

/**
 * The images that the compose file takes from a registry, made of this machine's Debian packages. Unlike the
 * published ones they have Debian's versions, and of the entry point of `postgres` only what the compose file uses.
 */
const PUBLISHED: readonly Image[] = [
  {
    name: 'docker.io/library/postgres:17',
    packages: ['base-files', 'dash', 'coreutils', 'util-linux', 'libc-bin', 'tzdata', `postgresql-${POSTGRES_PROGRAMS.split('/').at(-2)}`],
    dockerfile: [
      'RUN echo "postgres:x:999:999::/var/lib/postgresql:/bin/sh" >> /etc/passwd && echo "postgres:x:999:" >> /etc/group',
      'COPY --chmod=0755 entry.sh /usr/local/bin/entry.sh',
      `ENV PATH=${POSTGRES_PROGRAMS}:/usr/bin`,
      'STOPSIGNAL SIGINT',
      'VOLUME /var/lib/postgresql/data',
      'ENTRYPOINT ["/usr/local/bin/entry.sh"]',
    ].join('\n'),
    files: { 'entry.sh': POSTGRES_ENTRY },
  },
  {
    name: 'docker.io/library/caddy:2',
    packages: ['base-files', 'dash', 'libc6', 'ca-certificates', 'caddy'],
    dockerfile: [
      'ENV XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config',
      'ENTRYPOINT ["/usr/bin/caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
    ].join('\n'),
    files: {},
  },
]

async function makeImage(podman: Podman, image: Image, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const archive = join(folder, 'base.tar')
  archivePackages(
    listNeeded(image.packages).filter((name) => !UNUSED.test(name)),
    folder,
    archive,
  )
  const base = `localhost/${image.name.split('/').at(-1)?.replace(':', '-')}-base`
  await podman.run('import', '--quiet', archive, base)
  const context = join(folder, 'context')
  await mkdir(context)
  for (const [name, text] of Object.entries(image.files)) await writeFile(join(context, name), text)
  await writeFile(join(context, 'Dockerfile'), `FROM ${base}\n${image.dockerfile}\n`)
  await podman.run('build', '--isolation=chroot', '--layers=false', `--tag=${image.name}`, context)
}

/** What the operator fills in. */
const FILLED_IN = {
  BASE_URL: 'https://localhost',
  POSTGRES_PASSWORD: 'a-password-of-this-test',
  POSTGRES_ADMIN_PASSWORD: 'another-password',
  SEED_EMAIL: 'ann@example.com',
  SEED_PASSWORD: 'harbour-violet-teapot-91',
  INSTANCE_NAME: 'Maple Lending',
  METRICS_TOKEN: 'a-token-of-this-test',
  BACKUP_PASSPHRASE: 'passphrase of this test',
}

export interface Composition {
  /** Address of the proxy; its certificate is of Caddy's own authority. */
  origin: string
  /** Builds the image and starts everything, by the blocks of the guide. */
  followGuide(): Promise<void>
  /** Runs a block of the guide in the folder of the compose file; returns what it prints. */
  follow(block: string): Promise<string>
  /** Removes all volumes, as if the machine were lost; the folder of backups stays. */
  removeVolumes(): Promise<void>
  /** Runs `docker compose` with these words. */
  compose(...words: string[]): Promise<string>
  /** Name of the container of a service. */
  container(service: string): string
  /** Removes the containers and the network. */
  remove(): Promise<void>
}

/**
 * A checkout in which the guide can be followed without a registry, and with podman-compose for `docker compose`: images
 * exist under their published names, and a build begins with a base of this machine's packages. Only the ports of the
 * proxy differ from the guide.
 */
export async function prepareComposition(podman: Podman, folder: string): Promise<Composition> {
  for (const image of PUBLISHED) await makeImage(podman, image, join(folder, image.name.replaceAll(/\W/g, '-')))
  await podman.makeBase('localhost/base', join(folder, 'base'))
  const shell = await openReaderShell(folder)
  const checkout = join(folder, 'checkout')
  await shell.run(`git clone REPOSITORY ${checkout}`, { cwd: folder })
  const project = join(checkout, 'deploy', 'container')
  const [http, https] = [await findFreePort(), await findFreePort()]
  await edit(join(project, 'compose.yaml'), [['"80:80", "443:443"', `"${http}:80", "${https}:443"`]])
  const lines = Object.entries(FILLED_IN).map(([name, value]) => [new RegExp(`^${name}=.*$`, 'm'), `${name}=${value}`] as const)
  await edit(join(project, '.env.example'), lines)
  const buildOptions = '--isolation=chroot --layers=false --build-arg=BASE=localhost/base'
  const command = `real-podman ${podman.options.join(' ')}`
  // Cached layers would fill the memory: a folder is built again only when its Dockerfile has changed, whatever else has.
  const podmanScript = `#!/bin/sh
if [ "$1" != build ]; then exec ${command} "$@"; fi
shift
for last; do :; done
last_built=${folder}/built-$(realpath "$last" | tr / _)
if [ "$(cat "$last_built" 2>/dev/null)" = "$(cksum "$last/Dockerfile")" ]; then exit 0; fi
${command} build ${buildOptions} "$@" && cksum "$last/Dockerfile" > "$last_built"
`
  await shell.add('podman', podmanScript)
  // NOTE the names of networks are those of the machine, whatever the store: two runs beside each other need two.
  const name = `countinghouse-${randomBytes(4).toString('hex')}`
  await shell.add(
    'docker',
    `#!/bin/sh\ntest "$1" = compose && shift && exec podman-compose --podman-path ${shell.bin}/podman -p ${name} "$@"\n`,
  )
  const options = { cwd: checkout, env: podman.environment }
  return {
    origin: `https://localhost:${https}`,
    container: (service) => `${name}_${service}_1`,
    remove: async () => {
      await podman.run('rm', '--force', '--all', '--time=5')
      await podman.run('network', 'rm', '--force', `${name}_default`)
    },
    followGuide: async () => {
      await shell.run(guideBlock('container.md', 'npm run package'), options)
      await shell.run(guideBlock('container.md', 'cp .env.example'), options)
    },
    follow: async (block) => await shell.run(block, { ...options, cwd: project }),
    removeVolumes: async () => void (await podman.run('volume', 'rm', '--all', '--force')),
    compose: async (...words) => await shell.run(`docker compose ${words.join(' ')}`, { ...options, cwd: project }),
  }
}

/** Replaces texts of a file, each of which has to be there. */
async function edit(file: string, replacements: readonly (readonly [string | RegExp, string])[]): Promise<void> {
  let text = await readFile(file, 'utf8')
  for (const [from, to] of replacements) {
    const replaced = text.replace(from, to)
    if (replaced === text) throw new Error(`${file} has no ${from}`)
    text = replaced
  }
  await writeFile(file, text)
}
