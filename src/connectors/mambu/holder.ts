import type { Static } from 'typebox'
import { type Kit, SourceError } from '../contract/contract.ts'
import { ask, type MambuSecret } from './request.ts'
import { HolderAnswer } from './wire.ts'

/** Verifies the connected client or group. Throws `reconnect` when another one replaced it. */
export async function checkHolder(kit: Kit, secret: MambuSecret, entityId: string): Promise<void> {
  const { answer } = await ask(kit, secret, `${secret.holder}/${encodeURIComponent(secret.holderId)}`, HolderAnswer, 'the account holder')
  if (answer.encodedKey !== entityId) {
    throw new SourceError('reconnect', 'Mambu: the ID leads to another client or group than the one that was connected', {
      reason: 'otherEntity',
    })
  }
}

export function nameOf({ firstName, lastName, groupName }: Static<typeof HolderAnswer>): string {
  return groupName ?? [firstName, lastName].filter(Boolean).join(' ')
}

/** Query of account lists, by holder. */
export function holderQuery({ holder, holderId }: MambuSecret): string {
  return `accountHolderType=${holder === 'groups' ? 'GROUP' : 'CLIENT'}&accountHolderId=${encodeURIComponent(holderId)}`
}
