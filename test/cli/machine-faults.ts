import type { CheckId } from '../../src/cli/doctor/checks.ts'

/** Faults that need a pooler, a disk, another user or another clock; `doctor-machine.test.ts` covers them. */
export const MACHINE_FAULTS: readonly CheckId[] = [
  'database-unencrypted',
  'database-unsuitable',
  'database-direct-needless',
  'database-direct-differs',
  'disk-low',
  'feeds-dir-unreadable',
  'clock-skew',
]

/** Faults that need replicas; `test/replicas/guide.test.ts` covers them. */
export const REPLICA_FAULTS: readonly CheckId[] = [
  'replica-is-primary',
  'replica-foreign',
  'replica-unreachable',
  'replica-behind',
  'replica-unencrypted',
  'replica-pooled',
  'replica-cancels',
]

/** Faults that need a cluster of Citus; `test/distribution/doctor.test.ts` covers them. */
export const CITUS_FAULTS: readonly CheckId[] = ['database-citus-unused', 'database-citus-node', 'database-citus-commit']
