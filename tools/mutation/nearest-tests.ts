import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { readTestDurations } from './test-durations.ts'
import { countWords, TextSimilarity, type WordCounts } from './text-similarity.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/**
 * Too slow to run for each mutant, or about processes that a mutant does not reach: browsers, programs, long proofs.
 */
const SLOW =
  /\.browser\.test\.ts$|^test\/(alerts|backup|canary|cli|crash|drill|embedded|faults|growth|guides|journey|live|metrics|packages|process|prove|proxy|sdk|simulation|tracing|upgrades)\/|\/embedded\/|^tools\/|\/(day|flat-costs|isolation|large-tables|resting-failover|kills|processes|crash|stopped|killed|two-processes|without-cache)\.test\.ts$/

/** Whether a test file judges no mutants, whatever it calls. */
export function isTooSlow(test: string): boolean {
  return SLOW.test(test)
}

/** Maximum number of tests that judge one file: each costs its start, and every undetected mutant runs all of them. */
export const MOST = 4
/** The same when a module is judged, where a few minutes more do not matter. */
export const MOST_OF_MODULE = 5
/** Number of these that are chosen by name: names say more about the subject than the number of imports. */
const NAMED = 2
/** Number of these that are chosen because they mention the file's name most, as in the address of a route. */
const MENTIONING = 1
/** Share of these that are chosen because they are about the same: their text has the file's rarer words. */
const SIMILAR = 0.5
/** How much further away, or larger, than the nearest a test may be that is not named. */
const REACH = 25
/** A test that took longer in an earlier run is not chosen: the first run of all tests would take minutes. */
export const SLOWEST_MS = 10_000
/** With fewer tests than these a file is judged by slow ones too. */
const FEWEST = 2
/** A test that takes so long has to be twice as near as one that takes no time. */
export const CHEAP_S = 2

/**
 * The test files that judge a change of these files: for each, those named like it, then those whose text is like its
 * own, then those that load little else, and reach it by few imports.
 */
export function nearestTests(files: readonly string[], most = MOST, durations = readTestDurations()): Record<string, string[]> {
  const graph = readImports()
  const places = foldersOfImporters(graph)
  const tests = [...graph.keys()].filter((file) => file.endsWith('.test.ts') && !isTooSlow(file))
  const reaches = new Map(tests.map((test) => [test, distancesFrom(graph, test)]))
  const fast = new Map([...reaches].filter(([test]) => (durations.get(test) ?? 0) <= SLOWEST_MS))
  const words = new Map(tests.map((test) => [test, wordsIn(test)]))
  const similarity = new TextSimilarity([...words.values()])
  const nearest = (file: string): string[] => {
    const own = wordsIn(file)
    const likeness = (test: string): number => similarity.compare(own, words.get(test) ?? new Map())
    const seconds = (test: string): number => (durations.get(test) ?? 0) / 1_000
    const judged = { file, places: places.get(file) ?? new Set(), similarityTo: likeness, secondsOf: seconds }
    const chosen = nearestOf(judged, fast, most)
    return chosen.length >= Math.min(FEWEST, most) ? chosen : nearestOf(judged, reaches, most)
  }
  return Object.fromEntries(files.map((file) => [file, nearest(file)]))
}

function wordsIn(file: string): WordCounts {
  return countWords(file, readText(file))
}

/** A file to judge, and the folders of the files that import it. */
interface Judged {
  file: string
  places: ReadonlySet<string>
  /** How similar the text of a test is to its own. */
  similarityTo(test: string): number
  /** How long a test took; 0 if that is not known. */
  secondsOf(test: string): number
}

function nearestOf(judged: Judged, reaches: ReadonlyMap<string, ReadonlyMap<string, number>>, most: number): string[] {
  const { file, similarityTo, secondsOf } = judged
  const found = [...reaches].flatMap(([test, distances]) => {
    const distance = distances.get(file)
    if (distance === undefined || isOfAnotherConnector(test, file)) return []
    const isFar = isOutsideConnectors(test, file)
    const [similarity, mentions] = isFar ? [0, 0] : [similarityTo(test), mentionsOf(test, file)]
    const weight = (distance * distances.size * (1 + secondsOf(test) / CHEAP_S)) / proximityOf(test, judged)
    return [{ test, weight, isNamed: !isFar && isNamedLike(test, file), mentions, similarity }]
  })
  found.sort((a, b) => a.weight - b.weight || (a.test < b.test ? -1 : 1))
  const similar = found.toSorted((a, b) => b.similarity - a.similarity)
  const named = similar.filter(({ isNamed }) => isNamed)
  const mentioning = found.filter(({ mentions }) => mentions > 0).sort((a, b) => b.mentions - a.mentions)
  const furthest = (found[0]?.weight ?? 0) * REACH
  const near = found.filter(({ weight }) => weight <= furthest)
  const chosen = new Set([...named.slice(0, NAMED), ...mentioning.slice(0, MENTIONING), ...similar.slice(0, most * SIMILAR), ...near])
  return [...chosen].slice(0, most).map(({ test }) => test)
}

/** Bonus for a test named like the file, in the folder of its module, or beside what imports it, as routes do. */
function proximityOf(test: string, { file, places }: Pick<Judged, 'file' | 'places'>): number {
  if (basename(test, '.test.ts') === basename(file, '.ts')) return 10
  const room = /^src\/(connectors\/[^/]+|[^/]+)\//.exec(file)?.[1]
  const isBeside = dirname(test) === dirname(file) || places.has(dirname(test))
  return isBeside || test.startsWith(`test/${room}/`) ? 3 : 1
}

const CONNECTOR = /^(?:src|test)\/connectors\/(?!contract\/|toolkit\/)([^/]+)\//

/** Reaches the file by the registry of all connectors only. */
function isOfAnotherConnector(test: string, file: string): boolean {
  const [ofTest, ofFile] = [test, file].map((path) => CONNECTOR.exec(path)?.[1])
  return ofTest !== undefined && ofFile !== undefined && ofTest !== ofFile
}

/** Judges a connector's file through a sync only, so that its name and words say nothing about the file. */
function isOutsideConnectors(test: string, file: string): boolean {
  return file.startsWith('src/connectors/') && !/^src\/connectors\/|^test\/(connectors|conformance|mapping)\//.test(test)
}

function foldersOfImporters(graph: ReadonlyMap<string, readonly string[]>): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>()
  for (const [importer, imported] of graph)
    for (const file of imported) folders.set(file, (folders.get(file) ?? new Set()).add(dirname(importer)))
  return folders
}

/**
 * Whether all words of the test's name are in the name of the file or of its folder, and not only in that of the folder,
 * unless the test's folder has the same name: `api` of `consent/api.test.ts` says nothing about `bank-api/map.ts`.
 */
function isNamedLike(test: string, file: string): boolean {
  const [ofName, ofFolder] = [new Set(wordsOf(basename(file, '.ts'))), new Set(wordsOf(basename(dirname(file))))]
  const ofTest = wordsOf(basename(test, '.test.ts'))
  const isBeside = basename(dirname(test)) === basename(dirname(file))
  return ofTest.every((word) => ofName.has(word) || ofFolder.has(word)) && (isBeside || ofTest.some((word) => ofName.has(word)))
}

/** How often the test's text has the name of the file, by its length: tables of all routes name it too. 0 for names of one word. */
function mentionsOf(test: string, file: string): number {
  const name = basename(file, '.ts')
  if (!name.includes('-')) return 0
  const text = readText(test)
  return (text.split(name).length - 1) / text.length
}

const TEXTS = new Map<string, string>()
function readText(file: string): string {
  const text = TEXTS.get(file) ?? readFileSync(join(ROOT, file), 'utf8')
  TEXTS.set(file, text)
  return text
}

/** In the singular. */
function wordsOf(name: string): string[] {
  return name.split('-').map((word) => word.replace(/s$/, ''))
}

/** Distance of each file in imports. */
function distancesFrom(graph: ReadonlyMap<string, readonly string[]>, start: string): Map<string, number> {
  const distances = new Map([[start, 0]])
  let edge = [start]
  for (let distance = 1; edge.length > 0; distance += 1) {
    const next = [...new Set(edge.flatMap((file) => graph.get(file) ?? []))].filter((file) => !distances.has(file))
    for (const file of next) distances.set(file, distance)
    edge = next
  }
  return distances
}

function readImports(): Map<string, string[]> {
  const files = ['src', 'simulators', 'test', 'tools'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  return new Map(files.filter((file) => /\.tsx?$/.test(file)).map((file) => [file, importsOf(file)]))
}

/** NOTE types are erased: a file that imports only types does not load the module. */
function importsOf(file: string): string[] {
  const text = readText(file).replace(/^(import|export) type [^;]*? from '[^']+'$/gm, '')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    .map(([, to = '']) => relative(ROOT, resolve(ROOT, dirname(file), to)))
    .filter((to) => existsSync(join(ROOT, to)))
}
