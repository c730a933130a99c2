import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PORTAL_SHARED } from '../src/process/built/portal-files.ts'

const UP_TO_API = ['model', 'egress', 'object-storage', 'connectors', 'store', 'audit', 'jobs', 'mail', 'webhooks', 'sync', 'api']

/** Allowed imports: each hall and those below it. `.` is `main.ts`. */
const ROOMS: Record<string, readonly string[]> = {
  model: [],
  tracing: [],
  egress: ['model'],
  'object-storage': ['model', 'egress'],
  connectors: ['model', 'egress'],
  store: ['model', 'tracing'],
  audit: ['model', 'store'],
  jobs: ['model', 'tracing', 'store'],
  mail: ['model', 'store', 'jobs'],
  webhooks: ['model', 'tracing', 'egress', 'store', 'audit', 'jobs'],
  sync: ['model', 'tracing', 'egress', 'object-storage', 'connectors', 'store', 'audit', 'jobs', 'mail', 'webhooks'],
  api: ['model', 'tracing', 'egress', 'connectors', 'store', 'audit', 'jobs', 'mail', 'webhooks', 'sync'],
  metrics: ['model', 'store'],
  connect: ['model', 'egress', 'connectors', 'store', 'audit', 'jobs', 'mail', 'webhooks', 'sync'],
  /** Runs in browsers and only knows the API's addresses; besides itself it bundles `PORTAL_SHARED`. */
  portal: [],
  documentation: ['model', 'api'],
  process: ['tracing', ...UP_TO_API, 'connect', 'metrics', 'documentation'],
  backup: ['model', 'connectors', 'store', 'sync'],
  cli: ['backup', ...UP_TO_API, 'metrics', 'process'],
  '.': ['cli'],
}

const root = resolve(import.meta.dirname, '..')
const source = join(root, 'src')
/** Tests and test-only code may import anything. */
const isTest = (file: string) => /(\.test|\/test-[a-z-]+|\/loopback-server)\.ts$/.test(file)

interface Import {
  from: string
  to: string
  /** Type imports are erased, so they create no load order. */
  isType: boolean
  /** `import('…')`, loaded on demand. */
  isDynamic: boolean
}

/**
 * An import or a re-export: whether it is types only, its names, and its source; or a dynamic or side-effect import.
 */
const IMPORT = /(?:import|export)(\s+type)?\s*(\{[^}]*\}|[^'{}()]*?)\s*from\s*'(\.[^']+)'|import\s*(\()?\s*'(\.[^']+)'/g

function listImports(folder: string): Import[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
    .filter((file) => !isTest(file))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, type, names = '', from, call, target]) => ({
        from: relative(root, file),
        to: relative(root, resolve(dirname(file), from ?? target ?? '')),
        isType: type !== undefined || isOnlyTypes(names),
        isDynamic: call !== undefined,
      })),
    )
}

/** `{ type A, type B }` */
function isOnlyTypes(names: string): boolean {
  const each = names
    .replace(/[{}]/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  return each.length > 0 && each.every((name) => name.startsWith('type '))
}

/** `src/store/jobs/jobs.ts` is in `store`, `src/main.ts` in `.`. */
function roomOf(file: string): string {
  const [, room = '', rest] = file.split('/')
  return rest === undefined ? '.' : room
}

/**
 * The second level: `src/store/jobs/jobs.ts` is in `store/jobs`, `src/sync/jobs.ts` in `sync/.`, above the rooms of
 * its hall.
 */
function innerRoomOf(file: string): string {
  const [, hall = '', room = '', rest] = file.split('/')
  return `${hall}/${rest === undefined ? '.' : room}`
}

/** Strongly connected components of two or more nodes (Tarjan). */
function listCycles(arrows: readonly (readonly [string, string])[]): string[][] {
  const targets = Map.groupBy(arrows, ([from]) => from)
  const order = new Map<string, number>()
  const path: string[] = []
  const cycles: string[][] = []
  const visit = (node: string): number => {
    const at = order.size
    order.set(node, at)
    let low = at
    path.push(node)
    for (const [, to] of targets.get(node) ?? []) {
      if (!order.has(to)) low = Math.min(low, visit(to))
      else if (path.includes(to)) low = Math.min(low, order.get(to) ?? low)
    }
    if (low === at) {
      const group = path.splice(path.indexOf(node))
      if (group.length > 1) cycles.push(group.sort())
    }
    return low
  }
  for (const node of targets.keys()) if (!order.has(node)) visit(node)
  return cycles
}

/**
 * Types that contain everything that is built, and the only files that may use them: the composition root, the job
 * table, the routes.
 */
const SUMS: Record<string, RegExp> = {
  'src/sync/context/deps.ts':
    /^src\/(process\/|cli\/deployment\/|sync\/jobs\.ts$|api\/routes\/route-deps\.ts$|connect\/routes\/connect-deps\.ts$)/,
  'src/api/routes/route-deps.ts': /^src\/(process\/|api\/(routes\/|operator\/|[^/]+$))/,
  'src/connect/routes/connect-deps.ts': /^src\/connect\/(routes\/|pages\.ts$)/,
}

/** Code shared by all connectors is in two folders beside them. */
const SHARED = new Set(['contract', 'toolkit'])

function connectorOf(file: string): string | undefined {
  const folder = /^src\/connectors\/([^/]+)\//.exec(file)?.[1]
  return folder === undefined || SHARED.has(folder) ? undefined : folder
}

describe('the rooms', () => {
  const imports = listImports(source)

  it('import only what is below them', () => {
    const wrong = imports
      .filter(({ to }) => to.startsWith('src/'))
      .filter(({ from, to }) => roomOf(from) !== roomOf(to) && !ROOMS[roomOf(from)]?.includes(roomOf(to)))
      .filter(({ from, to }) => !(roomOf(from) === 'portal' && PORTAL_SHARED.includes(to)))
    expect(wrong).toEqual([])
    expect(imports.filter(({ from }) => PORTAL_SHARED.includes(from))).toEqual([])
  })

  it('have rooms inside, no two of which depend on each other', () => {
    const arrows = imports
      .filter(({ from, to }) => to.startsWith('src/') && roomOf(from) === roomOf(to))
      .map(({ from, to }) => [innerRoomOf(from), innerRoomOf(to)] as const)
      .filter(([from, to]) => from !== to)
    expect(arrows.length).toBeGreaterThan(500)
    expect(listCycles(arrows)).toEqual([])
  })

  it('contain no import cycle of values', () => {
    const loaded = [...imports, ...listImports(join(root, 'simulators'))].filter(({ isType, isDynamic }) => !isType && !isDynamic)
    expect(loaded.length).toBeGreaterThan(2_000)
    expect(listCycles(loaded.map(({ from, to }) => [from, to] as const))).toEqual([])
  })

  it('contain no import cycle, types included', () => {
    const arrows = imports.map(({ from, to }) => [from, to] as const)
    expect(listCycles(arrows)).toEqual([])
  })

  it('expose everything that is built only to the composition root, the job table and the routes', () => {
    const wrong = imports.filter(({ from, to }) => SUMS[to] && !SUMS[to].test(from))
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
    for (const sum of Object.keys(SUMS))
      expect(
        imports.some(({ to }) => to === sum),
        sum,
      ).toBe(true)
  })

  it('keep connectors independent of each other', () => {
    const wrong = imports.filter(({ from, to }) => {
      const target = connectorOf(to)
      if (target === undefined) return false
      const own = connectorOf(from)
      return own === undefined ? from !== 'src/connectors/registry.ts' : own !== target
    })
    expect(wrong).toEqual([])
  })

  it('keep simulators independent of each other, except for the kit', () => {
    const folderOf = (file: string) => /^simulators\/([^/]+)\//.exec(file)?.[1]
    const wrong = listImports(join(root, 'simulators')).filter(({ from, to }) => {
      const [own, target] = [folderOf(from), folderOf(to)]
      return own !== undefined && target !== undefined && target !== 'kit' && own !== target
    })
    expect(wrong).toEqual([])
  })

  it('share no code with the simulators, which only the sandbox loads', () => {
    expect(imports.filter(({ from, to }) => to.startsWith('simulators/') && from !== 'src/process/sandbox/start-sandbox.ts')).toEqual([])
    expect(listImports(join(root, 'simulators')).filter(({ to }) => to.startsWith('src/'))).toEqual([])
  })

  it('keep SQL in the store and the environment in config', () => {
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts') && !isTest(`/${name}`))
    const readers = files.filter((name) => /process\.env/.test(readFileSync(join(source, name), 'utf8')))
    // The second removes what only Node reads, and the third prints it, in samples for programs of others.
    expect(readers.toSorted()).toEqual(['cli/run.ts', 'connectors/toolkit/uploads/file-thread.ts', 'documentation/reference/samples.ts'])
    const speakers = files
      .filter((name) => !name.startsWith('store/'))
      .filter((name) => /\.query(<[^>]*>)?\(/.test(readFileSync(join(source, name), 'utf8')))
    // Those speak to databases of customers, into which the change feed is replicated.
    expect(speakers.toSorted()).toEqual(['egress/postgres.ts', 'sync/replication/target.ts'])
  })
})
