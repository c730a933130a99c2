import { createSignal } from './signal.ts'

/**
 * Proof of who the user is, that a request was refused for: requests wait here while one dialog asks for it, then are
 * repeated.
 */
interface Asked {
  answer: Promise<boolean>
  settle(isProven: boolean): void
}

let asked: Asked | null = null
const proofs = createSignal()

/** Asks for a proof; concurrent requests share one dialog. False when the user gives none. */
export function askForProof(): Promise<boolean> {
  if (asked === null) {
    let settle: Asked['settle'] = () => undefined
    const answer = new Promise<boolean>((resolve) => {
      settle = resolve
    })
    asked = { answer, settle }
    proofs.notify()
  }
  return asked.answer
}

export function isProofRequested(): boolean {
  return asked !== null
}

/** Ends the dialog. */
export function settleProof(isProven: boolean): void {
  asked?.settle(isProven)
  asked = null
  proofs.notify()
}

export const onProof = proofs.subscribe
