import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type ESTree, parseSync, Visitor } from 'vite'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')

const MAX_FILES = 25
const MAX_LINES = 250
const MAX_TEST_LINES = 340
const MAX_README_LINES = 15
/** Limit for functions of `src`, signature included. Simulators, whose functions contain a bank's data, have none. */
const MAX_FUNCTION_LINES = 60

/** A list with one line for each setting. */
const LONG_FUNCTIONS = new Set(['src/process/settings/config.ts readConfig'])

/** One file for each source, or numbered files that never change. */
const FOLDERS_BY_SOURCE = new Set(['test/conformance/subjects', 'src/store/migrations'])

/** Our code, by path in the project. */
const files = ['src', 'simulators', 'test', 'bench', 'tools'].flatMap((top) =>
  readdirSync(join(root, top), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|js|css|sql)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
)
const isTest = (file: string) => /\.test\.tsx?$/.test(file) || file.startsWith('test/')
const isGenerated = (file: string) => file.includes('/generated/')

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function listFolders(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${folder}/${entry.name}`)
}

type AnyFunction = ESTree.Function | ESTree.ArrowFunctionExpression

/** Functions of a file with more than `most` lines, as `path name`, and their lengths. */
function listLongFunctions(file: string, most: number): [string, number][] {
  const text = readFileSync(join(root, file), 'utf8')
  const long: [string, number][] = []
  const measure = (node: AnyFunction): void => {
    const lines = text.slice(node.start, node.end).split('\n').length
    if (lines > most) long.push([`${file} ${node.id?.name ?? text.slice(node.start, text.indexOf('\n', node.start))}`, lines])
  }
  new Visitor({ FunctionDeclaration: measure, FunctionExpression: measure, ArrowFunctionExpression: measure }).visit(
    parseSync(file, text).program,
  )
  return long
}

/** Halls of `src`, and the rooms of those divided by subject. */
const halls = listFolders('src')
const rooms = halls.filter((hall) => !['src/connectors', 'src/portal'].includes(hall)).flatMap(listFolders)
const shared = ['src/connectors/contract', 'src/connectors/toolkit', 'simulators', 'simulators/kit', 'test']

it('migrations have each number once, without a gap', () => {
  const numbers = readdirSync(join(root, 'src/store/migrations')).flatMap((name) => /^(\d{3})-.*\.sql$/.exec(name)?.[1] ?? [])
  expect(numbers.toSorted()).toEqual(numbers.map((_, at) => String(at + 1).padStart(3, '0')))
})

describe('the tree', () => {
  const folders = countBy(files.map((file) => dirname(file)))
  const code = files.filter((file) => /\.tsx?$/.test(file) && !isGenerated(file))
  const lines = new Map(code.map((file) => [file, readFileSync(join(root, file), 'utf8').split('\n').length - 1]))

  it(`has at most ${MAX_FILES} files in a folder`, () => {
    expect([...folders].filter(([folder, count]) => count > MAX_FILES && !FOLDERS_BY_SOURCE.has(folder))).toEqual([])
  })

  it(`has at most ${MAX_LINES} lines in a file of the product, ${MAX_TEST_LINES} in a test`, () => {
    expect([...lines].filter(([file, count]) => count > (isTest(file) ? MAX_TEST_LINES : MAX_LINES))).toEqual([])
  })

  it(`has at most ${MAX_FUNCTION_LINES} lines in a function of the product`, () => {
    const long = code
      .filter((file) => file.startsWith('src/') && !isTest(file))
      .flatMap((file) => listLongFunctions(file, MAX_FUNCTION_LINES))
    // The exceptions must be found too: a search that finds nothing, or a stale exception, fails.
    expect(long.map(([name]) => name)).toEqual([...LONG_FUNCTIONS])
  })

  it.each([...halls, ...rooms, ...shared])('%s has a README that says what it owns and where to begin', (folder) => {
    const path = join(root, folder, 'README.md')
    expect(existsSync(path), `${folder}/README.md`).toBe(true)
    expect(readFileSync(path, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_README_LINES)
  })

  it('names every folder of tests in the README of what it tests, or in that of the tests', () => {
    const readmes = ['src', 'deploy', 'sdk'].flatMap((top) =>
      readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
        .filter((name) => basename(name) === 'README.md' && !name.includes('node_modules'))
        .map((name) => readFileSync(join(root, top, name), 'utf8')),
    )
    const text = readmes.join('\n')
    const general = readFileSync(join(root, 'test/README.md'), 'utf8')
    const isNamed = (name: string) => new RegExp(`\`test/${name}[\`/]`).test(text) || general.includes(`\`${name}/`)
    expect(listFolders('test').filter((folder) => !isNamed(basename(folder)))).toEqual([])
  })

  it('prints its measures', () => {
    const sorted = [...lines]
      .filter(([file]) => !isTest(file))
      .map(([, count]) => count)
      .sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]
    const fullest = [...folders].sort((a, b) => b[1] - a[1]).slice(0, 5)
    const total = [...lines.values()].reduce((sum, count) => sum + count, 0)
    process.stdout.write(
      `files: ${files.length}, lines of TypeScript: ${total}; product: median ${at(0.5)}, p90 ${at(0.9)}, longest ${at(1)} lines; ` +
        `fullest folders: ${fullest.map(([folder, count]) => `${folder} ${count}`).join(', ')}; ` +
        `halls ${halls.length}, rooms ${rooms.length}\n`,
    )
    expect(sorted.length).toBeGreaterThan(1_000)
  })

  it('has commits whose subjects fit into 72 characters, since the rule was introduced', () => {
    if (!existsSync(join(root, '.git'))) return
    const subjects = execFileSync('git', ['log', '--format=%s', '--since=2026-11-23T06:30:00Z'], { cwd: root, encoding: 'utf8' })
      .trim()
      .split('\n')
    expect(subjects.filter((subject) => subject.length > 72)).toEqual([])
  })
})

/** Statements that change rows, and locks. */
const CHANGE = /\b(insert into|update [a-z_]+( [a-z])?\s+set|delete from|for (no key )?update)\b/

it('functions called find…, list…, is… or has… change nothing', () => {
  const changing = files
    .filter((file) => file.startsWith('src/') && file.endsWith('.ts') && !isTest(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const found: string[] = []
      const check = (node: ESTree.Function): void => {
        const name = node.id?.name ?? ''
        if (/^(find|list|is|has)[A-Z]/.test(name) && CHANGE.test(text.slice(node.start, node.end))) found.push(`${file} ${name}`)
      }
      new Visitor({ FunctionDeclaration: check }).visit(parseSync(file, text).program)
      return found
    })
  expect(changing).toEqual([])
})

describe('words that were struck off', () => {
  /** Names of our own for which the field has a term, with the term that replaced them. */
  const STRUCK: readonly (readonly [RegExp, string])[] = [
    [/turnstile/i, 'semaphore'],
    [/shelf/i, 'cache'],
    [/^house$|house-|\bHouse[A-Z]|[A-Z]\w*House$|^open\w*House$|^HOUSE$/, 'deployment, harness, RouteDeps, system instance'],
    [/^Place$|^\w+Place$/, 'what it is: key, cursor, path, position'],
    [/bur(y|ied)(Job)?$|^BURIED/i, 'dead job'],
    [/finisher/i, 'completion batcher'],
    [/brakes?$/i, 'rate limit'],
    [/rewrap/i, 're-encrypt'],
    [/^Told|^told[A-Z]|tellFault|^tell$/, 'status message'],
    [/^Letter$|writeLetter|letters$/, 'mail template, message'],
    [/known-?(reads?|addresses)/i, 'fast path, URL cache'],
    [/answer-?heads?/i, 'response head'],
    [/orRefusal|-refusals$/i, 'errors'],
    [/MailDesk|^desk$/, 'mail context'],
    [/farewell/i, 'disconnect, revoke'],
    [/stranger/i, 'unknown link, other login, other tenant'],
    [/permit-?lanes/i, 'rate-limit allocator'],
    [/source-?(watch|gate)$/i, 'rate limiter'],
    [/seen-?walk/i, 'missing detector'],
    [/FingerprintAlbum|^album$/, 'fingerprint store'],
    [/asker/i, 'requester, waiter'],
    [/speakAsAsked/, 'resolve locale'],
    [/livingConnection|ListLiving|findLiving/i, 'active'],
    [/version-?checks/i, 'version batcher'],
    [/no-?different/i, 'equivalent mutant'],
    [/nextTurn/, 'round-robin'],
    [/bad-?connection/i, 'client error'],
    [/request-record/, 'access log'],
    [/receiver-?door/i, 'receiver endpoint'],
    [/^(set|open)Stage$|^Stage$|(Portal|Light|Mail)Stage$/, 'harness'],
    [/patience/i, 'polling, timeout'],
    [/^lone-?[pP]ages$/, 'standalone pages'],
    [/^AwayBar$|ServiceAway|^away$/, 'unreachable'],
    [/^Wanted($|[A-Z])/, 'request, pending'],
    [/checkStanding/, 'check the status'],
    [/keptToOwn/, 'restrict'],
    [/[oO]utside-?[rR]outes/, 'top-level window'],
    [/isProofAsked/, 'requested'],
    [/forgery/i, 'CSRF'],
    [/condemn/i, 'queue for removal'],
    [/^doors?$|Doors?$|^Door[A-Z]|-doors?$/i, 'entry point, endpoint'],
    [/silence/i, 'stalled, unreported'],
    [/^hurry/, 'start … now'],
    [/likeness/i, 'similarity'],
    [/[a-z]Sight$|^sightOf/, 'visibility'],
    [/steppedWalk|stepped-walk|DueWalk/, 'batched scan'],
    [/^ways?$|^ways-|^(read|two|proof)-?ways?$/i, 'method, path, route'],
    [/^heard$|^told$/i, 'what it is: response, events'],
  ]

  const TOP_LEVEL = /(?:^|\n)(?:export )?(?:async )?(?:abstract )?(?:function\*?|class|interface|type|const|let|enum) ([A-Za-z_$][\w$]*)/g

  it('name no file, function, class, type or constant', () => {
    const names = files
      .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('simulators/'))
      .flatMap((file) => {
        const text = readFileSync(join(root, file), 'utf8')
        const declared = [...text.matchAll(TOP_LEVEL)].map((match) => match[1] ?? '')
        return [basename(file).replace(/(\.browser)?(\.test)?\.tsx?$/, ''), ...declared].map((name) => ({ file, name }))
      })
    const found = names.flatMap(({ file, name }) =>
      STRUCK.filter(([word]) => word.test(name)).map(([, instead]) => `${file}: ${name} (say: ${instead})`),
    )
    expect(found).toEqual([])
  })
})
