import type { Connector } from '../../connectors/contract/contract.ts'
import type { SyncRun } from '../../store/connections/sync-runs.ts'

/** Above this share of records that cannot be normalized (and at least 20) a run is not published. */
const SET_ASIDE_SHARE = 0.05
const SET_ASIDE_MIN = 20

/** Too many records could not be normalized; what was published stays. */
export class TooManySetAside extends Error {}

/**
 * Throws `TooManySetAside` for a run that readers should not see. NOTE files are taken all the same: what is left out of them was named to whoever
 * handed them in, and nothing else of them would come a second time.
 */
export function assertFewSetAside(run: SyncRun, { authorize }: Pick<Connector, 'authorize'>): void {
  if (authorize.step === 'upload') return
  const { records, setAside } = run.counts
  if (setAside >= SET_ASIDE_MIN && setAside > SET_ASIDE_SHARE * (records + setAside)) {
    throw new TooManySetAside(`${setAside} of ${records + setAside} records could not be normalized`)
  }
}
