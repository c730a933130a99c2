import { expect, test } from 'vitest'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { testDatabase } from '../harness/database.ts'
import { testKeys } from '../harness/keys.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { runSeed, type SeedResult } from './run-seed.ts'

/** Seeds that run concurrently, each lane with a separate database. */
const LANES = 4
/** A single seed, for debugging. */
const only = process.env.SEED === undefined ? null : Number(process.env.SEED)
const count = only === null ? Number(process.env.SEEDS ?? effort.simulatedSeeds) : 1
const LIMIT_MS = 60_000 + count * 2_000

test(`${only === null ? `${count} seeds` : `seed ${only}`} keep I1 to I15 under faults, crashes and jumps of time`, {
  timeout: LIMIT_MS,
}, async () => {
  const keys = await testKeys()
  const startedMs = performance.now()
  const results: SeedResult[] = []
  let next = 1
  const lane = async () => {
    const { database, drop } = await testDatabase()
    const sealer = createSealer(keys)
    while (next <= count && !results.some(({ violations }) => violations.length > 0)) {
      const seed = only ?? next
      next += 1
      results.push(await runSeed({ database, sealer }, seed))
    }
    await drop()
  }
  await Promise.all(Array.from({ length: Math.min(LANES, count) }, lane))
  const seconds = (performance.now() - startedMs) / 1_000
  for (const { seed, violations, trace } of results) {
    if (violations.length > 0 || only !== null) {
      process.stderr.write(`seed ${seed} (replay it: npm run prove -- simulation --seed ${seed})\n  ${trace.join('\n  ')}\n`)
    }
  }
  const total = (name: string) => results.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)
  reportFigure('simulation: seeds', results.length)
  reportFigure('simulation: violations', results.filter(({ violations }) => violations.length > 0).length)
  for (const name of ['publications', 'pages', 'deaths', 'disconnects', 'failures']) reportFigure(`simulation: ${name}`, total(name))
  reportFigure('simulation: seeds per second', (results.length / seconds).toFixed(1))
  expect(results.flatMap(({ seed, violations }) => violations.map((violation) => `seed ${seed}: ${violation}`))).toEqual([])
})
