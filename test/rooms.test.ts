import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PORTAL_SHARED } from '../src/process/portal-files.ts'

/** Who may import whom: each room and the rooms below it. `.` is `main.ts`. */
const ROOMS: Record<string, readonly string[]> = {
  model: [],
  egress: ['model'],
  connectors: ['model', 'egress'],
  store: ['model'],
  jobs: ['model', 'store'],
  mail: ['model', 'store', 'jobs'],
  webhooks: ['model', 'egress', 'store', 'jobs'],
  sync: ['model', 'egress', 'connectors', 'store', 'jobs', 'mail', 'webhooks'],
  api: ['model', 'egress', 'connectors', 'store', 'jobs', 'mail', 'webhooks', 'sync'],
  metrics: ['model', 'store'],
  connect: ['model', 'egress', 'connectors', 'store', 'jobs', 'mail', 'webhooks', 'sync'],
  /** Runs in browsers and knows the API by its addresses only; besides itself it bundles `PORTAL_SHARED`. */
  portal: [],
  process: ['model', 'egress', 'connectors', 'store', 'jobs', 'mail', 'webhooks', 'sync', 'api', 'connect', 'metrics'],
  '.': ['process'],
}

const root = resolve(import.meta.dirname, '..')
const source = join(root, 'src')
/** Tests and what only tests use may reach anywhere. */
const isTest = (file: string) => /(\.test|\/test-[a-z-]+|\/loopback-server)\.ts$/.test(file)

interface Import {
  from: string
  to: string
}

function listImports(folder: string): Import[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
    .filter((file) => !isTest(file))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => ({
        from: relative(root, file),
        to: relative(root, resolve(dirname(file), match[1] ?? '')),
      })),
    )
}

/** `src/store/jobs/jobs.ts` lies in `store`, `src/main.ts` in `.`. */
function roomOf(file: string): string {
  const [, room = '', rest] = file.split('/')
  return rest === undefined ? '.' : room
}

/** What all connectors share lies in two folders beside them. */
const SHARED = new Set(['contract', 'toolkit'])

function connectorOf(file: string): string | undefined {
  const folder = /^src\/connectors\/([^/]+)\//.exec(file)?.[1]
  return folder === undefined || SHARED.has(folder) ? undefined : folder
}

describe('the rooms', () => {
  const imports = listImports(source)

  it('import only what lies below them', () => {
    const wrong = imports
      .filter(({ to }) => to.startsWith('src/'))
      .filter(({ from, to }) => roomOf(from) !== roomOf(to) && !ROOMS[roomOf(from)]?.includes(roomOf(to)))
      .filter(({ from, to }) => !(roomOf(from) === 'portal' && PORTAL_SHARED.includes(to)))
    expect(wrong).toEqual([])
    expect(imports.filter(({ from }) => PORTAL_SHARED.includes(from))).toEqual([])
  })

  it('keep every connector an island', () => {
    const wrong = imports.filter(({ from, to }) => {
      const target = connectorOf(to)
      if (target === undefined) return false
      const own = connectorOf(from)
      return own === undefined ? from !== 'src/connectors/registry.ts' : own !== target
    })
    expect(wrong).toEqual([])
  })

  it('keep every simulator an island but for what lies in the kit', () => {
    const folderOf = (file: string) => /^simulators\/([^/]+)\//.exec(file)?.[1]
    const wrong = listImports(join(root, 'simulators')).filter(({ from, to }) => {
      const [own, target] = [folderOf(from), folderOf(to)]
      return own !== undefined && target !== undefined && target !== 'kit' && own !== target
    })
    expect(wrong).toEqual([])
  })

  it('share no code with the simulators, which only the sandbox loads', () => {
    expect(imports.filter(({ from, to }) => to.startsWith('simulators/') && from !== 'src/process/start.ts')).toEqual([])
    expect(listImports(join(root, 'simulators')).filter(({ to }) => to.startsWith('src/'))).toEqual([])
  })

  it('keep SQL in the store and the environment in config', () => {
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts') && !isTest(`/${name}`))
    const readers = files.filter((name) => /process\.env/.test(readFileSync(join(source, name), 'utf8')))
    expect(readers).toEqual(['process/run-process.ts'])
    const speakers = files
      .filter((name) => !name.startsWith('store/'))
      .filter((name) => /\.query(<[^>]*>)?\(/.test(readFileSync(join(source, name), 'utf8')))
    expect(speakers).toEqual([])
  })
})
