import { AsyncLocalStorage } from 'node:async_hooks'
import { checkEnd } from './final-check.ts'
import { Random } from './random.ts'
import { Script } from './script.ts'
import { type Lane, World } from './world.ts'

const STEPS = 14

/** How a seed went. */
export interface SeedResult {
  seed: number
  violations: string[]
  /** What happened, line by line. */
  trace: string[]
  counts: Readonly<Record<string, number>>
}

const chance = new AsyncLocalStorage<Random>()
const { random } = Math
/** The engine's own jitter follows from the seed too; whoever is not in a simulation is not touched. */
Math.random = () => chance.getStore()?.next() ?? random()

/** Plays the script of a seed and checks it. */
export async function runSeed(lane: Lane, seed: number): Promise<SeedResult> {
  return await chance.run(new Random(seed ^ 0x5bd1e995), async () => {
    const world = new World(lane, new Random(seed))
    const script = new Script(world)
    try {
      await world.open()
      await script.run(STEPS)
      world.note('- everybody behaves')
      if (world.watcher.violations.length === 0) await script.settle()
      if (world.watcher.violations.length === 0) await checkEnd(lane, world)
    } catch (error) {
      world.watcher.complain(`the script failed: ${error instanceof Error ? error.stack : String(error)}`)
    }
    await leave(world)
    return { seed, violations: world.watcher.violations, trace: world.trace, counts: world.watcher.counts }
  })
}

/** Leaves nothing behind that the seeds after it could meet. */
async function leave({ database, instanceId }: World): Promise<void> {
  await database.query(
    `with a as (delete from jobs where instance_id = $1), b as (delete from subscriptions where instance_id = $1),
       c as (update events set position = 0 - (random() * 1e15)::bigint where instance_id = $1 and position is null)
     update connections set update_scheduled_at = 'infinity', reference = null where instance_id = $1`,
    [instanceId],
  )
}
