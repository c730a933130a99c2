import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { layOut } from '../lay-out.ts'
import { readCopyright } from './copyright.ts'
import { toManPage } from './man-page.ts'
import { listBinaries, normalizeFiles, sumFiles } from './tree-files.ts'

const run = promisify(execFile)

const CHECKOUT = resolve(import.meta.dirname, '..', '..', '..')
const FILES = join(import.meta.dirname, 'files')
const SYSTEMD = join(CHECKOUT, 'deploy', 'systemd')
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
/** Settings, which dpkg keeps when they were changed. */
const SETTINGS = ['environment', 'api.environment', 'worker.environment']
/** Folders of `deploy` that operators copy. */
const EXAMPLES = ['proxy', 'prometheus', 'grafana']

interface Build {
  /** Folder for the package, which exists. */
  to: string
  version: string
  /** Day of the release, YYYY-MM-DD. */
  date: string
  /** Who builds it: `Name <address>`. */
  maintainer: string
  /** For tests: larger, but built much faster. */
  isQuick?: boolean
}

/** Builds the Debian package with Node and without PostgreSQL, for the processor of this machine; returns its path. */
export async function buildDebianPackage(build: Build): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'countinghouse-deb-'))
  try {
    await chmod(root, 0o755)
    await fill(root, build)
    return await pack(root, build)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/** Packs a folder with the files and `DEBIAN/control`; returns the package's path. */
export async function pack(root: string, { to, version, isQuick = false }: Pick<Build, 'to' | 'version' | 'isQuick'>): Promise<string> {
  const path = join(to, `countinghouse_${version}_${architecture()}.deb`)
  await writeFile(join(root, 'DEBIAN', 'md5sums'), await sumFiles(root))
  const compression = isQuick ? ['-Zgzip', '-z1'] : ['-Zxz']
  await run('dpkg-deb', ['--root-owner-group', ...compression, '--build', root, path])
  return path
}

function architecture(): string {
  const name = ARCHITECTURES[process.arch]
  if (name === undefined || process.platform !== 'linux') throw new Error(`no package for ${process.platform} on ${process.arch}`)
  return name
}

async function fill(root: string, { version, date, maintainer }: Build): Promise<void> {
  const put = async (path: string, content: string | Buffer, mode = 0o644) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
    await chmod(join(root, path), mode)
  }
  const app = 'usr/lib/countinghouse'
  const tree = join(root, app)
  await layOut(tree, { node: true, database: false })
  await run('strip', ['--strip-unneeded', ...(await listBinaries(tree))])
  const { text: copyright, repeated } = await readCopyright(tree, join(CHECKOUT, 'node_modules', `node-linux-${process.arch}`, 'LICENSE'))
  for (const file of repeated) await rm(file)
  await put('usr/bin/countinghouse', await readFile(join(SYSTEMD, 'command')), 0o755)
  const doc = 'usr/share/doc/countinghouse'
  await put(`${doc}/copyright`, copyright)
  await put(`${doc}/changelog.gz`, compress(toChangelog({ version, date, maintainer })))
  await put(`${doc}/CHANGELOG.md.gz`, compress(await readFile(join(CHECKOUT, 'CHANGELOG.md'), 'utf8')))
  for (const name of EXAMPLES) await cp(join(CHECKOUT, 'deploy', name), join(root, doc, 'examples', name), { recursive: true })
  await put('usr/share/man/man1/countinghouse.1.gz', compress(toManPage(COMMANDS, { version, date })))
  await put('usr/share/lintian/overrides/countinghouse', await readFile(join(FILES, 'lintian-overrides')))
  await put('lib/systemd/system/countinghouse@.service', await readFile(join(SYSTEMD, 'countinghouse@.service')))
  for (const name of SETTINGS) await put(`etc/countinghouse/${name}`, await readFile(join(SYSTEMD, name)))
  await normalizeFiles(root)
  await put('DEBIAN/conffiles', SETTINGS.map((name) => `/etc/countinghouse/${name}\n`).join(''))
  for (const name of ['postinst', 'prerm', 'postrm']) await put(`DEBIAN/${name}`, await readFile(join(FILES, name)), 0o755)
  const size = String(
    Math.ceil(Number((await run('du', ['--summarize', '--apparent-size', '--block-size=1024', root])).stdout.split('\t')[0])),
  )
  const values: Record<string, string> = { version, maintainer, size, architecture: architecture() }
  const control = await readFile(join(FILES, 'control'), 'utf8')
  await put(
    'DEBIAN/control',
    control.replace(/@([a-z]+)@/g, (_all, name: string) => values[name] ?? ''),
  )
}

function toChangelog({ version, date, maintainer }: Pick<Build, 'version' | 'date' | 'maintainer'>): string {
  const change = `  * Release ${version}: CHANGELOG.md.gz says what is new, and what operators must do.`
  return `countinghouse (${version}) stable; urgency=medium\n\n${change}\n\n -- ${maintainer}  ${new Date(date).toUTCString().replace('GMT', '+0000')}\n`
}

/** Deterministic: the same bytes for the same text. */
function compress(text: string): Buffer {
  return gzipSync(text, { level: 9 })
}
