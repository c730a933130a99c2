import { appendFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect } from 'vitest'
import { busyness } from '../busyness.ts'
import type { TestCoverage } from './coverage-map.ts'

/**
 * Loaded before each test file: notes in the file named by COVERAGE_NOTES which functions of `src` its tests and hooks
 * call. Node runs the code as it is written, so that places are those of the source.
 */

declare global {
  /** Open as long as the process, which runs several test files. */
  var coverageSession: Promise<Session> | undefined
}

const ROOT = process.cwd()
const SOURCES = pathToFileURL(`${ROOT}/src/`).href

async function openSession(): Promise<Session> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return session
}

globalThis.coverageSession ??= openSession()
const session = await globalThis.coverageSession
let startedMs = 0

beforeAll(async () => {
  startedMs = performance.now()
  // What has been called until now, by another file or by the loading of modules, is forgotten.
  await session.post('Profiler.takePreciseCoverage')
})

afterAll(async () => {
  const durationMs = (performance.now() - startedMs) / busyness()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const files = result.flatMap(({ url, functions }): [string, number[]][] => {
    if (!url.startsWith(SOURCES)) return []
    const called = functions.flatMap(({ ranges: [range] }) =>
      range && range.count > 0 && range.startOffset > 0 ? [range.startOffset] : [],
    )
    return called.length > 0 ? [[relative(ROOT, fileURLToPath(url)), called]] : []
  })
  const coverage: TestCoverage = { test: relative(ROOT, expect.getState().testPath ?? ''), durationMs, files: Object.fromEntries(files) }
  appendFileSync(process.env.COVERAGE_NOTES ?? '', `${JSON.stringify(coverage)}\n`)
})
