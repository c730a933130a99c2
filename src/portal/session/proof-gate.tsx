import { useSyncExternalStore } from 'react'
import { isProofRequested, onProof, settleProof } from '../api/proof.ts'
import { useLoaded } from '../parts/loading/loaded.ts'

/** Opens the dialog for a proof when a request was refused for the lack of one. Without the dialog it stays refused. */
export function ProofGate() {
  const isAsked = useSyncExternalStore(onProof, isProofRequested)
  const ProofDialog = useLoaded(load, isAsked, refuse)
  return isAsked && ProofDialog ? <ProofDialog /> : null
}

// Not among the files that the first page waits for.
const load = async () => (await import('./proof-dialog.tsx')).ProofDialog
const refuse = () => settleProof(false)
