import { type RowsRead, rowsRead } from '../../test/growth/rows-read.ts'
import { atMost, type Figure } from '../figures.ts'
import { printProgress } from '../progress.ts'
import { listPeriodicWork } from './periodic-work.ts'
import type { Size } from './sizes.ts'

const MOST_GROWTH = 1.5
/** Below this a ratio of two numbers of rows says nothing. */
const FLOOR_ROWS = 500
/** Tasks that go on until nothing is left are told to stop after this time. */
const STOPPED_AFTER_MS = 20_000

/** What one size takes for a piece of work. */
interface Taken {
  /** The first run does what was left to do; the second finds what always is. */
  firstMs: number
  secondMs: number
  /** By the second run. */
  read: RowsRead[]
}

/** Rows read and time taken by each piece of work that a process repeats by itself, at every size. */
export async function measurePeriodicWork(sizes: readonly Size[]): Promise<Figure[]> {
  let startedMs = 0
  const isStopping = () => performance.now() - startedMs > STOPPED_AFTER_MS
  const works = sizes.map(({ deployment }) => listPeriodicWork(deployment.sync, deployment.keys, isStopping))
  const figures: Figure[] = []
  for (const name of Object.keys(works[0] ?? {})) {
    const taken: Taken[] = []
    for (const [place, { deployment }] of sizes.entries()) {
      const prepare = works[place]?.[name]
      if (!prepare) continue
      const times: number[] = []
      const read = await rowsRead(deployment.databaseUrl, (database) => {
        const work = prepare(database)
        return async () => {
          startedMs = performance.now()
          await work()
          times.push(performance.now() - startedMs)
        }
      })
      const [firstMs = 0, secondMs = 0] = times
      taken.push({ firstMs, secondMs, read })
    }
    figures.push(toFigure(name, taken))
  }
  return figures
}

function toFigure(name: string, taken: readonly Taken[]): Figure {
  const rows = taken.map(({ read }) => read.reduce((sum, { scanned, looked }) => sum + scanned + looked, 0))
  const [first = 0, last = 0] = [rows[0], rows.at(-1)]
  const figure = atMost(
    `periodic work, ${name}: growth of rows read`,
    Math.max(FLOOR_ROWS, last) / Math.max(FLOOR_ROWS, first),
    MOST_GROWTH,
  )
  const times = taken.map(({ firstMs, secondMs }) => `${firstMs.toFixed(0)}/${secondMs.toFixed(0)}`)
  const measured = `${figure.measured} (${rows.join(' → ')} rows; first/second run: ${times.join(' → ')} ms${listMost(taken)})`
  printProgress(`  ${figure.name}: ${measured}`)
  return { ...figure, measured }
}

/** Tables of which the largest size reads most; an empty text if it reads none. */
function listMost(taken: readonly Taken[]): string {
  const read = (taken.at(-1)?.read ?? []).toSorted((one, other) => other.scanned + other.looked - one.scanned - one.looked)
  const shown = read.slice(0, 3).map(({ table, scanned, looked }) => `${table} ${scanned} by scans, ${looked} by indexes`)
  return shown.length === 0 ? '' : `; most of ${shown.join(', ')}`
}
