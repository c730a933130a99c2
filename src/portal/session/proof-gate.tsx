import { lazy, Suspense, useSyncExternalStore } from 'react'
import { isProofAsked, onProof } from '../api/proof.ts'

// Not among the files that the first page waits for.
const ProofDialog = lazy(async () => ({ default: (await import('./proof-dialog.tsx')).ProofDialog }))

/** Opens the dialog for a proof when a request was refused for the lack of one. */
export function ProofGate() {
  const isAsked = useSyncExternalStore(onProof, isProofAsked)
  return <Suspense fallback={null}>{isAsked && <ProofDialog />}</Suspense>
}
