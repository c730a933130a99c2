import { beforeAll, it } from 'vitest'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { RelinkedBank } from './relinked-bank.ts'
import { type Counts, ReconnectScenario } from './scenario.ts'

const bank = new RelinkedBank()
const harness = openForTests(() => openSyncHarness([], [bank.description]))

beforeAll(() => {
  harness.deps.readLeaseMs = 0
})

/** Replays one scenario, if set. */
const onlySeed = process.env.SEED === undefined ? null : Number(process.env.SEED)
const counts: Counts = { reconnects: 0, relinks: 0, refused: 0, strangers: 0, disconnects: 0, kept: 0, begun: 0 }

async function live(seed: number): Promise<void> {
  const companyId = await addCompany(harness.deps.database, harness.instanceId, { name: `Company ${seed}` })
  const life = new ReconnectScenario({ syncHarness: harness, bank, counts }, seed, companyId)
  try {
    await life.begin()
    for (let step = 0; step < 20; step += 1) await life.step()
  } catch (error) {
    throw new Error(`seed ${seed} (repeat with SEED=${seed})`, { cause: error })
  }
  bank.logins.clear()
}

it(`${effort.reconnects} reconnects of all kinds duplicate no account, keep the ids, refuse other owners and clear the fault`, async () => {
  const started = performance.now()
  const first = onlySeed ?? 1
  for (let seed = first; counts.reconnects < effort.reconnects && (onlySeed === null || seed === first); seed += 1) await live(seed)
  for (const [name, count] of Object.entries(counts)) reportFigure(`reconnect: ${name}`, count)
  reportFigure('reconnect: seconds', Math.round((performance.now() - started) / 1_000))
}, 14_400_000)

/** Scenarios that once found a defect. */
const MEMORABLE = [414]

it.skipIf(onlySeed !== null)('scenarios that once found a defect pass', async () => {
  for (const seed of MEMORABLE) await live(seed)
})
