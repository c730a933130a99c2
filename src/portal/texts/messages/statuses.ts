import type { FaultCode, StatusCode } from '../../api/generated/types.ts'
import { table } from '../language/table.ts'

/** Connection statuses for developers: names and what they mean. */
export const statusTexts = table(
  {
    names: {
      2: 'Syncing',
      6: 'Owner is authorizing',
      7: 'Authorization failed',
      8: 'Access ended',
      9: 'Authorized',
      11: 'Sync failed',
      12: 'Data received',
      13: 'Normalizing',
      14: 'Normalization failed',
      15: 'Up to date',
      16: 'Processing',
      17: 'Processing failed',
      18: 'Processed',
      19: 'Up to date',
      20: 'Authorization timed out',
      23: 'Sync timed out',
      25: 'Waiting for the source',
      26: 'Disconnected',
      27: 'Suspended',
    } satisfies Record<StatusCode, string>,
    unknown: 'Unknown',
    none: 'Not connected',
  },
  {
    names: {
      2: 'Synchronisation en cours',
      6: 'Autorisation en cours',
      7: 'Autorisation échouée',
      8: 'Accès terminé',
      9: 'Autorisée',
      11: 'Synchronisation échouée',
      12: 'Données reçues',
      13: 'Normalisation en cours',
      14: 'Normalisation échouée',
      15: 'À jour',
      16: 'Traitement en cours',
      17: 'Traitement échoué',
      18: 'Traitée',
      19: 'À jour',
      20: 'Autorisation expirée',
      23: 'Synchronisation expirée',
      25: 'En attente de la source',
      26: 'Déconnectée',
      27: 'Suspendue',
    } satisfies Record<StatusCode, string>,
    unknown: 'Inconnu',
    none: 'Non connectée',
  },
)

export type Health = 'good' | 'busy' | 'bad' | 'idle'

export const BAD: readonly StatusCode[] = [7, 8, 11, 14, 17, 20, 23]
const GOOD: readonly StatusCode[] = [15, 18, 19]
export const IDLE: readonly StatusCode[] = [26, 27]

export function healthOf(statusCode: StatusCode): Health {
  if (BAD.includes(statusCode)) return 'bad'
  if (GOOD.includes(statusCode)) return 'good'
  return IDLE.includes(statusCode) ? 'idle' : 'busy'
}

const OWNERS: readonly FaultCode[] = [
  'accessWithdrawn',
  'consentExpired',
  'codeNeeded',
  'loginChanged',
  'otherEntity',
  'declined',
  'timedOut',
]

/** Who can fix the connection: the owner by authorizing again, otherwise time or the operator; null when it is healthy. */
export function responsibleParty({
  statusCode,
  faultCode,
}: {
  statusCode: StatusCode
  faultCode: FaultCode | null
}): 'owner' | 'developer' | null {
  if (healthOf(statusCode) !== 'bad') return null
  // Without an authorization the owner is needed, whatever the fault code.
  if ([7, 8, 20].includes(statusCode)) return 'owner'
  return faultCode !== null && OWNERS.includes(faultCode) ? 'owner' : 'developer'
}
