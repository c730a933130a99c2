import { Modal } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import type { Passkey, PasskeyRequest } from '../api/generated/types.ts'
import { callOperator, useOperatorRead } from '../api/operator.ts'
import { isProofRequested, onProof, settleProof } from '../api/proof.ts'
import { Answer } from '../parts/answers/answer.tsx'
import { useFocusBack } from '../parts/dialogs/dialog.ts'
import { ABOVE_DIALOGS, ProofForm } from '../session/proof-dialog.tsx'
import { proofTexts } from '../texts/account/proof.ts'
import { useTexts } from '../texts/language/language.tsx'

/** Dialog that asks an operator for a proof, when a request was refused for the lack of one. */
export function OperatorProofGate() {
  return useSyncExternalStore(onProof, isProofRequested) ? <OperatorProof /> : null
}

function OperatorProof() {
  useFocusBack()
  const texts = useTexts(proofTexts)
  const passkeys = useOperatorRead<Passkey[]>('/sign-in/passkeys')
  if (passkeys.isPending) return null
  return (
    <Modal opened onClose={() => settleProof(false)} title={texts.title} closeOnClickOutside={false} zIndex={ABOVE_DIALOGS}>
      <Answer read={passkeys} lines={3}>
        {({ length }) => (
          <ProofForm
            lead={texts.leadOperator}
            hasSecondStep
            hasPasskey={length > 0}
            onOffer={() => callOperator<PasskeyRequest>('/session/proof/passkey', { method: 'POST' })}
            onProof={(body) => callOperator('/session/proof', { method: 'POST', body })}
          />
        )}
      </Answer>
    </Modal>
  )
}
