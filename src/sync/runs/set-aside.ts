import type { Connector } from '../../connectors/contract/contract.ts'
import type { SyncRun } from '../../store/connections/sync-runs.ts'

/** Maximum share of records that cannot be normalized (and at least 20) for a run to be published. */
const SET_ASIDE_SHARE = 0.05
const SET_ASIDE_MIN = 20

/** Thrown when too many records could not be normalized; published data stays. */
export class TooManySetAside extends Error {}

/**
 * Throws `TooManySetAside` for a run that should not be published. NOTE uploaded files are exempt: their omissions were
 * shown at the upload, and nothing else of them would arrive a second time.
 */
export function assertFewSetAside(run: Pick<SyncRun, 'counts'>, { authorize }: Pick<Connector, 'authorize'>): void {
  if (authorize.step === 'upload') return
  const { records, setAside } = run.counts
  if (setAside >= SET_ASIDE_MIN && setAside > SET_ASIDE_SHARE * (records + setAside)) {
    throw new TooManySetAside(`${setAside} of ${records + setAside} records could not be normalized`)
  }
}
