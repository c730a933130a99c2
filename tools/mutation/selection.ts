import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { type Piece, splitIntoPieces } from './pieces.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')

/** Default scope of mutants. Any file or folder below `src` can be named too. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  model: ['src/model'],
  egress: ['src/egress'],
  connectors: ['src/connectors'],
  store: ['src/store'],
  jobs: ['src/jobs'],
  webhooks: ['src/webhooks'],
  sync: ['src/sync'],
  access: ['src/api/access'],
  api: ['src/api'],
  connect: ['src/connect'],
}

/**
 * What a run leaves out of its copy of the tree: folders that `npm start`, builds and runs make. As in .gitignore, a
 * name without the leading slash would also leave out every folder of that name below.
 */
export const NOT_COPIED = ['/data', '/dist', '/tmp']

/**
 * Excluded: tests and test-only code; texts for people, and tables of a source's enum values and shapes, which other
 * tests check against documents; the start of PostgreSQL, whose tests take minutes.
 */
const LEFT_OUT = [
  /(\.test|\/test-[a-z-]+|\/loopback-server)\.ts$/,
  /\/(texts|fixtures|assets|embedded)\//,
  /(texts|wire|type-table|schemas|style|colours)\.ts$/,
]
/**
 * For a connector, its reading and mapping: code that calls the source is covered by the conformance suite, which
 * takes minutes.
 */
const READS =
  /^src\/connectors\/(contract|toolkit)\/|^src\/connectors\/[^/]+\/(map|dates|amounts|accounts|rules|rows|pointers)\.ts$|^src\/connectors\/bank-files\//

/** Files below `places` to mutate, sorted. Throws if a place does not exist or has none. */
export function listSources(places: readonly string[]): string[] {
  const files = [...new Set(places.flatMap(listFiles))].filter(isSource).sort()
  if (files.length === 0) throw new Error(`nothing to change in ${places.join(', ')}`)
  return files
}

/** A file or folder, and the lines that are wanted of it. */
interface LineRange {
  path: string
  from: number
  to: number
}

/** `src/api/access/login/login.ts:80-106`; without lines the whole. */
export function toLineRange(text: string): LineRange {
  const [, path = text, from, to = from] = /^(.+):(\d+)(?:-(\d+))?$/.exec(text) ?? []
  return { path: relative(ROOT, join(ROOT, path, '.')), from: Number(from ?? 1), to: Number(to ?? Number.POSITIVE_INFINITY) }
}

/** Whether a piece has a line of one of these places. */
export function isWithin(piece: Piece, ranges: readonly LineRange[]): boolean {
  return ranges.some(
    ({ path, from, to }) => (piece.file === path || piece.file.startsWith(`${path}/`)) && piece.from <= to && piece.to >= from,
  )
}

function listFiles(place: string): string[] {
  const path = join(ROOT, place)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [relative(ROOT, path)]
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => relative(ROOT, join(path, name)))
}

function isSource(file: string): boolean {
  if (!/^src\/[a-z-]+\/.*\.ts$/.test(file) || file.startsWith('src/portal/')) return false
  return !LEFT_OUT.some((pattern) => pattern.test(file)) && (!file.startsWith('src/connectors/') || READS.test(file))
}

export function listPieces(files: readonly string[]): Piece[] {
  return files.flatMap((file) => splitIntoPieces(file, readFileSync(join(ROOT, file), 'utf8')))
}

/**
 * The pieces in an order that is pseudorandom and constant for one seed, until they have the requested number of
 * lines.
 */
export function samplePieces(pieces: readonly Piece[], seed: string, maxLines: number): Piece[] {
  const rank = ({ file, head }: Piece): string => createHash('sha256').update(`${seed}\0${file}\0${head}`).digest('hex')
  const shuffled = pieces.map((piece) => ({ piece, rank: rank(piece) })).sort((a, b) => (a.rank < b.rank ? -1 : 1))
  const chosen: Piece[] = []
  let lines = 0
  for (const { piece } of shuffled) {
    if (lines >= maxLines) break
    chosen.push(piece)
    lines += piece.lines
  }
  return chosen
}

/** Lines by file that differ from `base`, including uncommitted ones; for removed lines, their neighbours. */
export async function listChangedLines(base: string): Promise<Map<string, number[]>> {
  const { stdout } = await run('git', ['diff', '--unified=0', '--no-color', '--diff-filter=AMR', base, '--', 'src'], {
    cwd: ROOT,
    maxBuffer: 256 * 1024 * 1024,
  })
  const changed = new Map<string, number[]>()
  let lines: number[] = []
  for (const line of stdout.split('\n')) {
    const file = /^\+\+\+ b\/(.+)$/.exec(line)?.[1]
    if (file !== undefined) {
      lines = []
      changed.set(file, lines)
    }
    const [, from, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
    if (from === undefined) continue
    for (let at = 0; at < Math.max(Number(count), 1); at += 1) lines.push(Number(from) + at)
  }
  return changed
}

/** The pieces that a change touches. */
export function piecesOfLines(changed: ReadonlyMap<string, readonly number[]>): Piece[] {
  const files = [...changed.keys()].filter(isSource).sort()
  return listPieces(files).filter(({ file, from, to }) => changed.get(file)?.some((line) => line >= from && line <= to))
}

/**
 * Default base for the comparison: where the branch left the remote's main, or the commit before the last ones of main
 * itself. Null without a history.
 */
export async function findBase(commits: number): Promise<string | null> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: ROOT }).catch(() => ({ stdout: '' }))).stdout.trim()
  const head = await git('rev-parse', 'HEAD')
  if (head === '') return null
  const branched = await git('merge-base', 'HEAD', 'origin/HEAD')
  if (branched !== '' && branched !== head) return branched
  const [oldest = ''] = (await git('rev-list', '--first-parent', `--max-count=${commits + 1}`, 'HEAD')).split('\n').slice(-1)
  return oldest === '' || oldest === head ? null : oldest
}
