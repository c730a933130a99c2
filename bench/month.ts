import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { atMost, type Figure, untargeted } from './figures.ts'
import type { Effort } from './options.ts'

const MONTH = join(import.meta.dirname, 'servers', 'month.ts')
/** Share of the days in which caches and compiled code fill. */
const FILLING = 1 / 3
const MOST_KIB_A_DAY = 64

/**
 * Memory over a simulated month: one process refreshes, reads and exports companies and delivers their events each day,
 * on a clock that is moved forward. The slope is that of the regression line of the used heap over the last two thirds,
 * measured each day after a full collection.
 */
export async function benchMonth({ monthCompanies, monthDays }: Effort): Promise<Figure[]> {
  const child = spawn(process.execPath, ['--expose-gc', MONTH, String(monthCompanies), String(monthDays)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error('the simulated month failed')
  const used = JSON.parse(lines.at(-1) ?? '') as { heap: number; resident: number }[]
  const settled = used.slice(Math.floor(used.length * FILLING))
  const mib = (bytes = 0): string => (bytes / 2 ** 20).toFixed(1)
  const of = (name: 'heap' | 'resident') => `${mib(used[0]?.[name])}; ${mib(settled[0]?.[name])}; ${mib(used.at(-1)?.[name])}`
  return [
    atMost(
      `${monthDays} days of ${monthCompanies} companies: growth of the used heap, KiB a day`,
      slopeOf(settled.map(({ heap }) => heap / 1_024)),
      MOST_KIB_A_DAY,
      1,
    ),
    untargeted('  used heap after the first day, a third, all days, MiB', of('heap')),
    untargeted('  resident memory then, MiB', of('resident')),
  ]
}

/** Slope of the line that fits best (least squares), for each step. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const over = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0)
  return over / values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0)
}
